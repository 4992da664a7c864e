/** Code as coloured nodes: a few languages at hand, the rest in a part that is loaded when first needed. */
import { colour, GRAMMARS } from "./grammars";
import { LATER_LANGUAGES } from "./languages";

/** What the part "languages" exports. */
export interface Languages {
  /** The nodes of the code, or null for a language that the part does not know. */
  highlight(code: string, language: string): Node[] | null;
}

/** Longer code stays plain: the colours are not worth the wait. */
const LIMIT = 60_000;
/** One text node holds this much at most, so that text that grows repaints only its end. */
export const PIECE = 4_000;

let part: Languages | null = null;

/** Takes the loaded part; it serves all texts of the page. */
export function addLanguages(languages: Languages): void {
  part = languages;
}

/** now: can be coloured. later: with the part. never: not known. */
export function known(language: string): "now" | "later" | "never" {
  if (GRAMMARS.has(language)) return "now";
  if (!LATER_LANGUAGES.has(language)) return "never";
  return part === null ? "later" : "now";
}

/** The code's nodes, coloured if the language is at hand. Their text is the code. */
export function highlight(code: string, language: string): Node[] {
  if (code.length > LIMIT) return plain(code);
  const grammar = GRAMMARS.get(language);
  return (grammar ? colour(code, grammar) : part?.highlight(code, language)) ?? plain(code);
}

function plain(code: string): Node[] {
  const pieces: Node[] = [];
  for (let at = 0; at < code.length; at += PIECE)
    pieces.push(document.createTextNode(code.slice(at, at + PIECE)));
  return pieces;
}
