/**
 * Small grammars of the languages that notebooks hold most: enough for comments, strings, numbers and words.
 *
 * A grammar is a list of kinds and patterns; the first that matches at a place wins. The kinds are the class
 * names of highlight.js, which colours the other languages (part "languages"), so one style sheet serves both.
 * Every pattern is linear, as the code is an agent's: what may repeat without end is bounded or excludes its end.
 * highlight.js itself would make the first bundle a quarter larger.
 */

export type Rule = readonly [kind: string, pattern: string];
export type Grammar = readonly Rule[];

const words = (list: string) => `\\b(?:${list.replaceAll(" ", "|")})\\b`;

const NUMBER =
  "\\b0[xob][\\da-f_]+n?\\b|\\b\\d[\\d_]*(?:\\.[\\d_]+)?(?:e[+-]?\\d+)?[jn]?\\b|(?<![\\w.])\\.\\d+\\b";
const DOUBLE = '"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"?';
const SINGLE = "'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'?";

const python: Grammar = [
  ["comment", "#[^\\n]*"],
  [
    "string",
    `\\b[rbuft]{0,2}(?:"""[\\s\\S]*?(?:"""|$(?![\\s\\S]))|'''[\\s\\S]*?(?:'''|$(?![\\s\\S]))|${DOUBLE}|${SINGLE})|"""[\\s\\S]*?(?:"""|$(?![\\s\\S]))|'''[\\s\\S]*?(?:'''|$(?![\\s\\S]))|${DOUBLE}|${SINGLE}`,
  ],
  ["meta", "^[ \\t]{0,99}@[\\w.]+|^[%!][^\\n]*|^(?:>>>|\\.\\.\\.)(?= )"],
  ["number", NUMBER],
  ["title", "\\b(?<=\\b(?:def|class)[ \\t]{1,99})\\w+"],
  [
    "keyword",
    words(
      "and as assert async await break case class continue def del elif else except finally for from global if import " +
        "in is lambda match nonlocal not or pass raise return try while with yield",
    ),
  ],
  ["literal", words("True False None NotImplemented Ellipsis")],
  [
    "built_in",
    `${words(
      "abs all any bool bytes callable chr dict dir enumerate filter float format frozenset getattr hasattr hash id " +
        "input int isinstance issubclass iter len list map max min next object open ord print property range repr " +
        "reversed round set setattr slice sorted staticmethod classmethod str sum super tuple type vars zip",
    )}(?=\\s{0,9}\\()`,
  ],
  ["variable", "\\b(?:self|cls)\\b"],
];

const json: Grammar = [
  ["comment", "//[^\\n]*"],
  ["attr", `${DOUBLE}(?=\\s{0,99}:)`],
  ["string", DOUBLE],
  ["number", `-?(?:${NUMBER})`],
  ["literal", words("true false null")],
];

const bash: Grammar = [
  ["comment", "(?<=^|[\\s;])#[^\\n]*"],
  ["string", `"(?:\\\\[\\s\\S]|[^"\\\\])*"?|'[^']*'?`],
  ["variable", "\\$(?:\\w+|\\{[^}\\n]*\\}?|[@*#?$!-])"],
  ["meta", "^[ \\t]*\\$(?= )"],
  ["keyword", words("if then else elif fi for while until in do done case esac function select time")],
  [
    "built_in",
    `\\b(?=[a-z])(?<=^[ \\t]{0,99}|[|;&(][ \\t]{0,9}|\\bsudo[ \\t]{1,9}|^[ \\t]{0,9}\\$[ \\t]{1,9})(?:alias|awk|cat|cd|chmod|cp|curl|declare|docker|echo|eval|exec|exit|export|find|git|grep|jupyter|kill|local|ls|make|mkdir|mv|node|npm|npx|pip|printf|pwd|pytest|python3?|read|readonly|return|rm|sed|set|shift|source|sudo|tar|test|trap|unset|uv|wget|which)\\b`,
  ],
  ["number", "(?<=\\s)\\d+\\b"],
];

const diff: Grammar = [
  ["comment", "^(?:diff|index|---|\\+\\+\\+|Index:|={3,})[^\\n]*"],
  ["meta", "^@@[^\\n]*"],
  ["addition", "^\\+[^\\n]*"],
  ["deletion", "^-[^\\n]*"],
];

/** By the names that stand after a fence. */
export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  (
    [
      [python, "python py python3 ipython gyp"],
      [json, "json jsonc json5 jsonl"],
      [bash, "bash sh zsh"],
      [diff, "diff patch"],
    ] as const
  ).flatMap(([grammar, names]) => names.split(" ").map((name) => [name, grammar] as const)),
);

/** Coloured pieces at most; what comes after them is plain. */
const MOST = 5_000;

const compiled = new Map<Grammar, RegExp>();

/** Code as nodes by a grammar; the text of the nodes is the code. */
export function colour(code: string, grammar: Grammar): Node[] {
  let pattern = compiled.get(grammar);
  if (pattern === undefined) {
    pattern = new RegExp(grammar.map(([, source]) => `(${source})`).join("|"), "gm");
    compiled.set(grammar, pattern);
  }
  const nodes: Node[] = [];
  let at = 0;
  const plain = (end: number) => {
    if (end > at) nodes.push(document.createTextNode(code.slice(at, end)));
  };
  for (const match of code.matchAll(pattern)) {
    if (match[0] === "") continue;
    if (nodes.length > 2 * MOST) break;
    plain(match.index);
    const kind = grammar[match.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? "";
    const span = document.createElement("span");
    span.className = `hljs-${kind}`;
    span.textContent = match[0];
    nodes.push(span);
    at = match.index + match[0].length;
  }
  plain(code.length);
  return nodes;
}
