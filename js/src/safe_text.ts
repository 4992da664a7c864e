/** Text of an agent made safe to read in one line: titles, paths, option names, commands. */

/** C0, DEL and C1 controls, soft hyphen, and every character that is invisible or changes direction. */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: combining characters are meant one by one
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/**
 * Makes control, bidirectional and invisible characters visible, as in `⟨U+202E⟩`.
 *
 * A line feed shows as `⏎`, a tab as a space, so that a command of several lines stays readable. Pass
 * `multiline` where line feeds and tabs should be kept as they are.
 */
export function visible(text: string, { multiline = false }: { readonly multiline?: boolean } = {}): string {
  return text.replace(HIDDEN, (character) => {
    if (character === "\n") return multiline ? "\n" : "⏎";
    if (character === "\t") return multiline ? "\t" : " ";
    return name(character);
  });
}

const REORDERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Running text and code: only what reorders, hides or is no character at all is made visible. Joiners,
 * variation selectors and direction marks stay, which many scripts and emoji are written with.
 */
export function readable(text: string): string {
  return text.replace(REORDERING, name);
}

/** The path as seen from a folder: inside it without the folder, else as it stands. Both separators. */
export function relative(path: string, cwd: string | null | undefined): string {
  if (!cwd) return path;
  const folder = cwd.replace(/[\\/]+$/, "");
  if (path === folder) return ".";
  if (folder === "") return path;
  const windows = /^[A-Za-z]:|^\\\\/.test(folder);
  const same = (a: string) => (windows ? a.replaceAll("\\", "/").toLowerCase() : a);
  const head = path.slice(0, folder.length + 1);
  if (same(head) !== `${same(folder)}/`) return path;
  const rest = path.slice(folder.length + 1);
  // "/folder/../secret" is not inside the folder, whatever its beginning says.
  if (rest === "" || rest.split(/[\\/]/).includes("..")) return path;
  return rest;
}
