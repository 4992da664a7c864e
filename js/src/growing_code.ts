/** Long code that streams: what comes is appended plain, and coloured once when the block is finished. */
import { PIECE } from "./highlight";
import type { Token, Tokens } from "./markdown_lexer";
import { codeText, languageOf } from "./markdown_nodes";
import { readable } from "./safe_text";

/** Code up to this length is coloured anew with every piece that comes. */
const COLOURED_LIVE = 6_000;

/**
 * Lets the code block in `node` grow from one token to the next without drawing it again.
 *
 * @returns false if it has to be drawn: it is short, no code, or has changed in another way
 */
export function growCode(node: Element, before: Token, after: Token): boolean {
  if (before.type !== "code" || after.type !== "code") return false;
  const [old, fresh] = [before as Tokens.Code, after as Tokens.Code];
  const shown = readable(codeText(old));
  const text = readable(codeText(fresh));
  const code = node.querySelector("code");
  if (code === null || text.length < COLOURED_LIVE || !text.startsWith(shown)) return false;
  if (languageOf(old.lang) !== languageOf(fresh.lang)) return false;
  const more = text.slice(shown.length);
  const last = code.lastChild;
  if (last instanceof Text && last.length < PIECE) last.appendData(more);
  else code.append(more);
  return true;
}
