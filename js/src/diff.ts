/** Line diffs with word marks: the model of what `diff_view.ts` draws. */
import { changes } from "./myers";

/** Half-open range of UTF-16 units within a line's text. */
export type Mark = readonly [number, number];

export interface DiffLine {
  readonly kind: "same" | "add" | "del";
  /** 1-based line numbers; null where the side does not have the line. */
  readonly old: number | null;
  readonly new: number | null;
  /** Without its line feed. */
  readonly text: string;
  /** The words that differ from the line's counterpart; empty: none has one, or all of it differs. */
  readonly marks: readonly Mark[];
  /** The last line of its side, without a line feed at its end. */
  readonly noNewline: boolean;
}

export interface Hunk {
  /** As in `@@ -1,3 +1,4 @@`: 1-based first line and number of lines; of no lines, the line before them. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

export interface TextDiff {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

interface Side {
  readonly lines: readonly string[];
  readonly noNewline: boolean;
}

/** The word marks of a line that goes and of the one that comes in its place. */
type Pair = readonly [readonly Mark[], readonly Mark[]];

/** Word marks are looked for in lines up to this length. */
const MARKED_LENGTH = 2_000;

function split(text: string): Side {
  if (text === "") return { lines: [], noNewline: false };
  const noNewline = !text.endsWith("\n");
  return { lines: (noNewline ? text : text.slice(0, -1)).split("\n"), noNewline };
}

/** Numbers that are equal where the elements are. */
function interner(): (elements: readonly string[]) => Int32Array {
  const ids = new Map<string, number>();
  return (elements) =>
    Int32Array.from(elements, (element) => {
      let id = ids.get(element);
      if (id === undefined) {
        id = ids.size;
        ids.set(element, id);
      }
      return id;
    });
}

function keys({ lines, noNewline }: Side): readonly string[] {
  // A last line without a line feed differs from the same line with one.
  return noNewline ? [...lines.slice(0, -1), `${lines.at(-1)}\n`] : lines;
}

/** The newest comparison: a request's diff is counted on its line and drawn on its card. */
let newest: readonly [string | null, string, number, TextDiff] | null = null;

/**
 * The difference of two texts as hunks of changed lines with some lines around them.
 *
 * @param oldText null for a new file
 * @param context equal lines kept before and after a change
 */
export function diffLines(oldText: string | null, newText: string, context = 3): TextDiff {
  if (newest?.[0] !== oldText || newest[1] !== newText || newest[2] !== context)
    newest = [oldText, newText, context, compare(oldText, newText, context)];
  return newest[3];
}

function compare(oldText: string | null, newText: string, context: number): TextDiff {
  const before = split(oldText ?? "");
  const after = split(newText);
  const intern = interner();
  const edits = changes(intern(keys(before)), intern(keys(after)));
  const hunks: Hunk[] = [];
  let added = 0;
  let removed = 0;
  let lines: DiffLine[] = [];
  let end = 0;
  let start: readonly [number, number] = [0, 0];

  const line = (kind: DiffLine["kind"], old: number | null, fresh: number | null, pair?: () => Pair) => {
    const side = fresh === null ? before : after;
    const index = fresh ?? old ?? 0;
    const noNewline = side.noNewline && index === side.lines.length - 1;
    lines.push({
      kind,
      old: old === null ? null : old + 1,
      new: fresh === null ? null : fresh + 1,
      text: side.lines[index] ?? "",
      get marks() {
        return pair?.()[fresh === null ? 0 : 1] ?? [];
      },
      noNewline,
    });
  };
  const close = () => {
    if (lines.length > 0) hunks.push(hunk(lines, start));
    lines = [];
  };

  edits.forEach((edit, index) => {
    const previous = edits[index - 1];
    const gap = edit.a0 - end;
    if (!previous || gap > 2 * context) {
      if (previous)
        for (let i = 0; i < Math.min(context, gap); i += 1) line("same", end + i, previous.b1 + i);
      close();
      const lead = Math.min(context, previous ? gap - context : edit.a0);
      start = [edit.a0 - lead, edit.b0 - lead];
      for (let i = lead; i > 0; i -= 1) line("same", edit.a0 - i, edit.b0 - i);
    } else {
      for (let i = 0; i < gap; i += 1) line("same", end + i, previous.b1 + i);
    }
    const count = Math.min(edit.a1 - edit.a0, edit.b1 - edit.b0);
    const pairs = Array.from({ length: count }, (_, i) =>
      once(() => wordMarks(before.lines[edit.a0 + i] ?? "", after.lines[edit.b0 + i] ?? "")),
    );
    for (let i = edit.a0; i < edit.a1; i += 1) line("del", i, null, pairs[i - edit.a0]);
    for (let i = edit.b0; i < edit.b1; i += 1) line("add", null, i, pairs[i - edit.b0]);
    removed += edit.a1 - edit.a0;
    added += edit.b1 - edit.b0;
    end = edit.a1;
  });
  const last = edits.at(-1);
  if (last) {
    const rest = Math.min(context, before.lines.length - end);
    for (let i = 0; i < rest; i += 1) line("same", end + i, last.b1 + i);
  }
  close();
  return { hunks, added, removed };
}

/** @param start lines before the hunk on either side */
function hunk(lines: readonly DiffLine[], start: readonly [number, number]): Hunk {
  const oldLines = lines.filter((line) => line.old !== null).length;
  const newLines = lines.filter((line) => line.new !== null).length;
  return {
    oldStart: start[0] + (oldLines > 0 ? 1 : 0),
    oldLines,
    newStart: start[1] + (newLines > 0 ? 1 : 0),
    newLines,
    lines,
  };
}

/** Asked for when a line is drawn: of thousands, few are. */
function once(find: () => Pair): () => Pair {
  let found: Pair | undefined;
  return () => (found ??= find());
}

/** What differs between two versions of a line, by words; nothing if they have too little in common. */
export function wordMarks(before: string, after: string): Pair {
  if (before.length > MARKED_LENGTH || after.length > MARKED_LENGTH) return [[], []];
  const words = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
  const a = words(before);
  const b = words(after);
  const intern = interner();
  const edits = changes(intern(a), intern(b), 200_000);
  const offsets = (list: readonly string[]) => {
    const starts = [0];
    for (const word of list) starts.push((starts.at(-1) ?? 0) + word.length);
    return starts;
  };
  const startsA = offsets(a);
  const startsB = offsets(b);
  const marks = (from: "a0" | "b0", to: "a1" | "b1", starts: readonly number[]): Mark[] =>
    edits.flatMap((edit): Mark[] => {
      const range: Mark = [starts[edit[from]] ?? 0, starts[edit[to]] ?? 0];
      return range[1] > range[0] ? [range] : [];
    });
  const old = marks("a0", "a1", startsA);
  const fresh = marks("b0", "b1", startsB);
  const size = (list: readonly Mark[]) => list.reduce((sum, [from, to]) => sum + to - from, 0);
  const shared = before.trim().length - size(old) + (after.trim().length - size(fresh));
  // Two lines that share little but brackets are two lines, not one that was edited.
  if (shared < 0.5 * (before.trim().length + after.trim().length)) return [[], []];
  return [old, fresh];
}

/** The new text, rebuilt from the old one and the hunks. */
export function applyHunks(oldText: string | null, hunks: readonly Hunk[]): string {
  const before = split(oldText ?? "");
  const out: string[] = [];
  let at = 0;
  const put = (text: string, bare: boolean) => out.push(bare ? text : `${text}\n`);
  const keep = (until: number) => {
    for (; at < until; at += 1)
      put(before.lines[at] ?? "", before.noNewline && at === before.lines.length - 1);
  };
  for (const { oldStart, oldLines, lines } of hunks) {
    keep(oldLines === 0 ? oldStart : oldStart - 1);
    for (const line of lines) if (line.kind !== "del") put(line.text, line.noNewline);
    at += oldLines;
  }
  keep(before.lines.length);
  return out.join("");
}
