/**
 * Terminal output as DOM: colours and weights of SGR, carriage returns that overwrite, nothing else.
 *
 * Every other escape sequence is dropped: cursor moves, titles, links (OSC 8), the clipboard (OSC 52),
 * also in its 8-bit form. Colours 0 to 15 are classes (`acp-fg-1`, `acp-bg-9`), so that themes decide;
 * 256-colour and true-colour values are inline styles.
 */

interface Style {
  readonly fg: string | null;
  readonly bg: string | null;
  readonly flags: string;
}

const PLAIN: Style = { fg: null, bg: null, flags: "" };

/** Text shown at most; of more, the end is kept, since that is where results stand. */
const LIMIT = 512 * 1024;
/** Columns that an overwritten line may have before it is taken as it is. */
const WIDTH = 16_384;

// CSI, then strings (OSC, DCS, SOS, PM, APC) up to BEL or ST, then two-character escapes, then other controls.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|\x1b[ -/]*[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
// A CSI that the end of the text cuts off: the rest of it is on its way.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const TORN = /(?:\x1b(?:\[[0-?]*[ -/]*)?|\x9b[0-?]*[ -/]*)$/;

const FLAGS: Readonly<Record<number, string>> = { 1: "b", 2: "d", 3: "i", 4: "u", 7: "r", 9: "s" };
const FLAG_CLASS: Readonly<Record<string, string>> = {
  b: "acp-ansi-bold",
  d: "acp-ansi-dim",
  i: "acp-ansi-italic",
  u: "acp-ansi-underline",
  r: "acp-ansi-reverse",
  s: "acp-ansi-strike",
};

function without(flags: string, ...off: string[]): string {
  return [...flags].filter((flag) => !off.includes(flag)).join("");
}

/** The colour of a 256-colour index: 0 to 15 by number, else a CSS colour. */
function indexed(index: number): string | null {
  if (!(index >= 0 && index <= 255)) return null;
  if (index < 16) return String(index);
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

/** The colour after 38 or 48 and how many parameters it took. */
function extended(codes: readonly number[], at: number): { color: string | null; used: number } {
  if (codes[at] === 5) return { color: indexed(codes[at + 1] ?? -1), used: 2 };
  if (codes[at] !== 2) return { color: null, used: 1 };
  const parts = codes.slice(at + 1, at + 4);
  const valid = parts.length === 3 && parts.every((part) => part >= 0 && part <= 255);
  return { color: valid ? `rgb(${parts.join(",")})` : null, used: 4 };
}

function sgr(style: Style, parameters: string): Style {
  // "38:2::r:g:b" has an empty colour space where "38;2;r;g;b" has nothing.
  const text = parameters.replace(/([34]8):2:\d*:(\d+):(\d+):(\d+)/g, "$1;2;$2;$3;$4").replaceAll(":", ";");
  const codes = text.split(";").map((code) => (code === "" ? 0 : Number(code)));
  let { fg, bg, flags } = style;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    const flag = FLAGS[code];
    if (code === 0) ({ fg, bg, flags } = PLAIN);
    else if (flag !== undefined) flags = without(flags, flag) + flag;
    else if (code === 22) flags = without(flags, "b", "d");
    else if (code >= 23 && code <= 29) flags = without(flags, FLAGS[code - 20] ?? "");
    else if (code >= 30 && code <= 37) fg = String(code - 30);
    else if (code >= 90 && code <= 97) fg = String(code - 82);
    else if (code >= 40 && code <= 47) bg = String(code - 40);
    else if (code >= 100 && code <= 107) bg = String(code - 92);
    else if (code === 39) fg = null;
    else if (code === 49) bg = null;
    else if (code === 38 || code === 48) {
      const { color, used } = extended(codes, i + 1);
      if (code === 38) fg = color ?? fg;
      else bg = color ?? bg;
      i += used;
    }
  }
  return { fg, bg, flags };
}

interface Run {
  text: string;
  readonly style: Style;
}

/** The runs of one line after its carriage returns have overwritten what stood before. */
function overwrite(runs: readonly Run[]): readonly Run[] {
  if (!runs.some((run) => run.text.includes("\r"))) return runs;
  const cells: { char: string; style: Style }[] = [];
  let column = 0;
  for (const { text, style } of runs) {
    for (const char of text) {
      if (char === "\r") column = 0;
      else if (column < WIDTH) {
        cells[column] = { char, style };
        column += 1;
      }
    }
  }
  const merged: Run[] = [];
  for (const { char, style } of cells) {
    const last = merged.at(-1);
    if (last?.style === style) last.text += char;
    else merged.push({ text: char, style });
  }
  return merged;
}

function runNode({ text, style }: Run): Node {
  if (style === PLAIN || (style.fg === null && style.bg === null && style.flags === ""))
    return document.createTextNode(text);
  const span = document.createElement("span");
  for (const flag of style.flags) span.classList.add(FLAG_CLASS[flag] ?? "");
  const paint = (color: string | null, name: string, property: string) => {
    if (color === null) return;
    if (/^\d+$/.test(color)) span.classList.add(`acp-${name}-${color}`);
    else span.style.setProperty(property, color);
  };
  paint(style.fg, "fg", "color");
  paint(style.bg, "bg", "background-color");
  span.textContent = text;
  return span;
}

/** Splits text into styled runs, line feeds and carriage returns kept in them. */
function parse(text: string): Run[] {
  const runs: Run[] = [];
  let style = PLAIN;
  let at = 0;
  const put = (end: number) => {
    if (end > at) runs.push({ text: text.slice(at, end), style });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    put(match.index);
    at = match.index + match[0].length;
    if (match[2] === "m" && /^[\d;:]*$/.test(match[1] ?? "")) style = sgr(style, match[1] ?? "");
  }
  put(text.length);
  return runs;
}

/** Terminal output as nodes; put them into an element that keeps white space. */
export function ansiNodes(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const kept = text.length > LIMIT ? text.slice(text.indexOf("\n", text.length - LIMIT) + 1 || -LIMIT) : text;
  let line: Run[] = [];
  let pending = "";
  const add = (run: Run) => {
    const plain = run.style.fg === null && run.style.bg === null && run.style.flags === "";
    if (plain) {
      pending += run.text;
      return;
    }
    flush();
    fragment.appendChild(runNode(run));
  };
  const flush = () => {
    if (pending !== "") fragment.appendChild(document.createTextNode(pending));
    pending = "";
  };
  const endLine = (feed: string) => {
    for (const run of overwrite(line)) add(run);
    pending += feed;
    line = [];
  };
  for (const run of parse(kept.replace(TORN, "").replaceAll("\r\n", "\n"))) {
    const pieces = run.text.split("\n");
    pieces.forEach((piece, index) => {
      if (index > 0) endLine("\n");
      if (piece !== "") line.push({ text: piece, style: run.style });
    });
  }
  endLine("");
  flush();
  return fragment;
}

/** The text of terminal output without any escape sequence, as it would be copied. */
export function ansiText(text: string): string {
  return ansiNodes(text).textContent ?? "";
}
