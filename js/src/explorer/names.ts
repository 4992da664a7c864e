/** What turns and their sessions are called. */

import { visible } from "../safe_text";
import type { Numbered } from "./wire";

/** "Turn 3", "Before the first prompt", "Subagent kid, part 2". */
export function turnName({ number, session }: Numbered): string {
  if (session === null) return number === 0 ? "Before the first prompt" : `Turn ${number}`;
  return `Subagent ${visible(session)}${number > 1 ? `, part ${number}` : ""}`;
}

/** As in the middle of a sentence. */
export function turnWords(turn: Numbered): string {
  const name = turnName(turn);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
