/** Markdown to tokens: marked's GFM, and formulas as tokens of our own. */
import {
  getDefaults,
  Lexer,
  type MarkedOptions,
  type Token,
  type TokenizerExtension,
  type Tokens,
  type TokensList,
} from "marked";

export interface MathToken {
  readonly type: "math" | "math_block";
  readonly raw: string;
  /** TeX without its delimiters. */
  readonly text: string;
  readonly display: boolean;
}

export type Links = TokensList["links"];

// "$5 and $10" is no formula: as in Pandoc, the opening sign has no space after it, the closing one none
// before it and no digit after it.
const DOLLAR = /^\$(?![\s$])((?:\\[\s\S]|[^\\$\n])*?(?:\\[\s\S]|[^\\$\s]))\$(?![\d$])/;
const DOLLARS = /^\$\$((?:\\[\s\S]|[^\\$]|\$(?!\$)){1,10000}?)\$\$/;
const PARENS = /^\\\(((?:[^\\\n]|\\(?!\)).){1,4000}?)\\\)/;
const BRACKETS = /^\\\[((?:[^\\]|\\(?!\]))+?)\\\]/;
// A display formula holds no blank line (TeX forbids it), so it never reaches over a finished paragraph.
const BLOCK =
  /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n|\$\$)[\s\S])+?)\$\$|\\\[((?:(?!\n[ \t]*\n|\\\])[\s\S])+?)\\\])[ \t]*(?:\n|$)/;

const inlineMath = {
  name: "math",
  level: "inline",
  start: (src) => {
    const at = src.search(/\$|\\[([]/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src): MathToken | undefined {
    const display = DOLLARS.exec(src) ?? BRACKETS.exec(src);
    const match = display ?? DOLLAR.exec(src) ?? PARENS.exec(src);
    if (!match) return undefined;
    return { type: "math", raw: match[0], text: (match[1] ?? "").trim(), display: display !== null };
  },
} satisfies TokenizerExtension;

const blockMath = {
  name: "math_block",
  level: "block",
  start: (src) => {
    const at = src.search(/^ {0,3}(?:\$\$|\\\[)/m);
    return at < 0 ? undefined : at;
  },
  tokenizer(src): MathToken | undefined {
    const match = BLOCK.exec(src);
    if (!match) return undefined;
    return { type: "math_block", raw: match[0], text: (match[1] ?? match[2] ?? "").trim(), display: true };
  },
} satisfies TokenizerExtension;

// What `new Marked({ extensions })` would make of them; without that class its parser and renderer, which make
// HTML and which nothing here uses, stay out of the bundle (see `marked` in build.mjs).
const options: MarkedOptions = {
  ...getDefaults(),
  gfm: true,
  extensions: {
    renderers: {},
    childTokens: {},
    inline: [inlineMath.tokenizer],
    startInline: [inlineMath.start],
    block: [blockMath.tokenizer],
    startBlock: [blockMath.start],
  },
};

/** A top-level block: its token and the source it covers, blank lines after it included. */
export interface BlockSource {
  readonly token: Token;
  readonly raw: string;
}

/**
 * The top-level blocks of a text and the link definitions in it. The sources of all blocks joined are the text.
 *
 * @param links definitions from elsewhere that the text may refer to
 */
export function blocksOf(text: string, links: Links = {}): { blocks: readonly BlockSource[]; links: Links } {
  const lexer = new Lexer(options);
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(text);
  const blocks: { token: Token; raw: string }[] = [];
  let lead = "";
  for (const token of tokens) {
    const last = blocks.at(-1);
    if (token.type !== "space") {
      blocks.push({ token, raw: lead + token.raw });
      lead = "";
    } else if (last) last.raw += token.raw;
    else lead += token.raw;
  }
  return { blocks, links: { ...tokens.links } };
}

export type { Token, Tokens };
