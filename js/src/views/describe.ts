/** What of a call or request matters to the person: its command, its file, its query. Pure functions. */

import { relative, visible } from "../safe_text";
import type { Block, Content, Diff, Location, Permission, Terminal, ToolCall } from "../wire";

/** The parts that calls and requests have in common. */
export interface Described {
  readonly title: string | null;
  readonly kind: string | null;
  readonly content: readonly Content[];
  readonly diffs: readonly Diff[];
  readonly locations: readonly Location[];
  readonly raw_input: unknown;
}

const COMMAND_KEYS = ["command", "cmd", "script", "shell_command"];
const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "abs_path",
  "notebook_path",
  "directory",
  "dir",
];
const QUERY_KEYS = ["pattern", "query", "regex", "glob", "search", "q"];
const URL_KEYS = ["url", "uri", "href"];

export function record(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

export function firstText(input: unknown, keys: readonly string[]): string | null {
  const fields = record(input);
  if (fields === null) return null;
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string")) {
      return unwrapShell(value as string[]);
    }
  }
  return null;
}

/** `["bash", "-lc", "make"]` reads as `make`. */
function unwrapShell(parts: readonly string[]): string {
  const [shell, flag, script] = parts;
  if (
    parts.length === 3 &&
    script !== undefined &&
    /^-l?c$/.test(flag ?? "") &&
    /(^|\/)(ba|z|da|k)?sh$/.test(shell ?? "")
  ) {
    return script;
  }
  return parts.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part))).join(" ");
}

export function terminalCommand(terminal: Terminal): string | null {
  return terminal.command === null ? null : [terminal.command, ...terminal.args].join(" ");
}

/** The command line that a call runs, as one text; null if it runs none or does not say. */
export function commandOf(what: Described, terminals: readonly Terminal[] = []): string | null {
  const said = firstText(what.raw_input, COMMAND_KEYS);
  if (said !== null) return said;
  for (const terminal of terminals) {
    const command = terminalCommand(terminal);
    if (command !== null) return command;
  }
  return what.kind === "execute" ? what.title : null;
}

/** The paths that a call touches, each once, in order. */
export function pathsOf(what: Described): readonly string[] {
  const paths = [...what.diffs.map((diff) => diff.path), ...what.locations.map((location) => location.path)];
  const said = firstText(what.raw_input, PATH_KEYS);
  if (said !== null && paths.length === 0) paths.push(said);
  return [...new Set(paths)];
}

/** One short text beside the title: path, query or address. Empty when the title already says it. */
export function gistOf(what: Described, cwd: string | null): string {
  const title = what.title ?? "";
  const query = firstText(what.raw_input, QUERY_KEYS);
  const url = firstText(what.raw_input, URL_KEYS);
  const [path, ...more] = pathsOf(what).map((one) => relative(one, cwd));
  const line = what.locations.length === 1 ? what.locations[0]?.line : null;
  const where = path === undefined ? null : more.length > 0 ? `${path} and ${more.length} more` : path;
  const gist = query ?? url ?? where ?? "";
  if (gist === "") return "";
  const shown = gist === where && line != null && more.length === 0 ? `${gist}:${line}` : gist;
  const said = shortTitle(title, cwd);
  return said.includes(gist) || (path !== undefined && gist === where && said.includes(path))
    ? ""
    : visible(shown);
}

/** A title with paths below the chat's folder written relative to it, made safe to read. */
export function shortTitle(title: string, cwd: string | null): string {
  const folder = cwd === null ? "" : cwd.replace(/\/+$/, "");
  const short = folder.length > 1 ? title.split(`${folder}/`).join("") : title;
  return visible(short === "" ? title : short);
}

export function titleOf(what: Described & { readonly name?: string | null }, cwd: string | null): string {
  const said = what.title ?? what.name ?? what.kind ?? "Tool call";
  return shortTitle(said === "" ? "Tool call" : said, cwd);
}

/** The words an agent put into a content list. */
export function blocksOf(content: readonly Content[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const part of content) if (part.type === "content" && "block" in part) blocks.push(part.block);
  return blocks;
}

export function blockText(block: Block): string | null {
  if (block.type === "text" && "text" in block) return block.text;
  if (block.type === "resource" && "text" in block) return block.text;
  return null;
}

export function textOf(content: readonly Content[]): string {
  return blocksOf(content)
    .map(blockText)
    .filter((text): text is string => text !== null && text !== "")
    .join("\n");
}

/** Text that an agent wrapped whole into one fence loses the fence; other text stands as it is. */
export function unfence(text: string): string {
  const found = /^\s*(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text);
  const inner = found?.[2];
  return inner === undefined || (found?.[1] !== undefined && inner.includes(found[1])) ? text : inner;
}

/** What a call gave back apart from its content: text where there is text, else the JSON. */
export function outputOf(raw: unknown): string | null {
  if (raw === null || raw === undefined) return null;
  if (typeof raw === "string") return raw === "" ? null : raw;
  const fields = record(raw);
  if (fields !== null) {
    for (const key of [
      "formatted_output",
      "aggregated_output",
      "output",
      "stdout",
      "text",
      "error",
      "message",
    ]) {
      const value = fields[key];
      if (typeof value === "string" && value !== "") return value;
    }
  }
  return pretty(raw);
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

export function isEmptyInput(raw: unknown): boolean {
  if (raw === null || raw === undefined || raw === "") return true;
  const fields = record(raw);
  return fields !== null && Object.keys(fields).length === 0;
}

/** The diffs of a call: its own, else those of its newest request that shows any. */
export function diffsOf(call: ToolCall, permissions: readonly Permission[]): readonly Diff[] {
  if (call.diffs.length > 0) return call.diffs;
  for (let index = permissions.length - 1; index >= 0; index -= 1) {
    const permission = permissions[index];
    if (permission !== undefined && permission.diffs.length > 0) return permission.diffs;
  }
  return [];
}
