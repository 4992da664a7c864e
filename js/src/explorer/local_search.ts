/** Search without a kernel: words and filters over the turns that are loaded here. */

import { blockText, diffsOf, outputOf, pathsOf, pretty } from "../views/describe";
import { promptText } from "../views/prompt";
import type { Diff, Item, ToolCall, Turn } from "../wire";
import type { Hit, Place, SearchFor, TurnPart } from "./wire";

const STATUS: Readonly<Record<string, string>> = {
  "approval-requested": "waiting",
  "output-denied": "refused",
  "output-available": "done",
  "output-error": "failed",
  stopped: "stopped",
};

/** Words and conditions, read as `Query.parse` of the kernel reads them. */
const TERM = /(?:(tool|path|status|kind|turn|session):)?(?:"([^"]*)"?|(\S+))/gi;

type Field = "words" | "tool" | "path" | "status" | "kind" | "turn" | "session";

function termsOf(text: string, wanted: Field): readonly string[] {
  return [...text.matchAll(TERM)]
    .filter(([, field]) => (field?.toLowerCase() ?? "words") === wanted)
    .map(([, , phrase, word]) => (phrase ?? word ?? "").toLowerCase())
    .filter(Boolean);
}

export function wordsOf(text: string): readonly string[] {
  return termsOf(text, "words");
}

export function localHits(parts: readonly TurnPart[], what: SearchFor): readonly Hit[] {
  const words = wordsOf(what.text);
  const wanted = (field: Field): readonly string[] => termsOf(what.text, field);
  const [tools, paths, statuses, kinds, turns, sessions] = [
    wanted("tool"),
    wanted("path"),
    wanted("status"),
    wanted("kind"),
    wanted("turn"),
    wanted("session"),
  ];
  const hits: Hit[] = [];
  for (const part of [...parts].sort((a, b) => a.index - b.index)) {
    const { index, turn, offset, number, session } = part;
    if (turns.length > 0 && (session !== null || !turns.includes(String(number)))) continue;
    const names = `${turn.session_id ?? ""}\0${session === null ? "" : `${session}\0subagent`}`.toLowerCase();
    if (!sessions.every((one) => names.includes(one))) continue;
    if (what.sessions.length > 0 && !what.sessions.includes(turn.session_id ?? "")) continue;
    const look = (
      place: Place,
      kind: string,
      status: string | null,
      text: string,
      item: Item | null = null,
    ): void => {
      const [names, files] = namesOf(item);
      if (!tools.every((tool) => names.some((name) => name.includes(tool)))) return;
      if (!paths.every((path) => files.some((file) => file.includes(path)))) return;
      if (statuses.length > 0 && !statuses.includes(status ?? "")) return;
      const isTool = item?.kind === "tool_call" && kinds.includes("tool");
      if (kinds.length > 0 && !kinds.includes(kind.toLowerCase()) && !isTool) return;
      const low = text.toLowerCase();
      if (!words.every((word) => low.includes(word))) return;
      if (what.kinds.length > 0 && !what.kinds.includes(kind)) return;
      if (what.statuses.length > 0 && !what.statuses.includes(status ?? "")) return;
      const at = words[0] === undefined ? 0 : Math.max(0, low.indexOf(words[0]) - 50);
      const snippet = words.length === 0 ? "" : text.slice(at, at + 150).replace(/\s+/g, " ");
      const title = text.trim().split("\n", 1)[0]?.slice(0, 120) ?? "";
      hits.push({ ...place, number, session, record: -1, kind, status, title, snippet });
    };
    if (what.path === null && (session === null ? number > 0 : turn.prompt.length > 0))
      look({ turn: index, item: -1, after: false }, "prompt", statusOf(turn), promptText(turn.prompt));
    for (const after of [false, true]) {
      (after ? turn.after : turn.items).forEach((item, at) => {
        if (what.path !== null && !changed(item, turn).includes(what.path)) return;
        const [kind, status, text] = factsOf(item, turn);
        look({ turn: index, item: after ? at : at + offset, after }, kind, status, text, item);
      });
    }
  }
  return hits;
}

/** What a tool call goes by, and its files; lower case. */
function namesOf(item: Item | null): readonly [readonly string[], readonly string[]] {
  if (item?.kind !== "tool_call") return [[], []];
  const { call } = item;
  const names = [call.name ?? "", call.kind ?? "", call.tool_name].map((name) => name.toLowerCase());
  return [names, pathsOf(call).map((path) => path.toLowerCase())];
}

function statusOf(turn: Turn): string {
  if (turn.status === "error") return "failed";
  if (turn.permissions.some((one) => one.outcome === null)) return "waiting";
  if (turn.active || turn.status === "queued") return "running";
  return turn.stop_reason === "cancelled" ? "stopped" : turn.stop_reason === "refusal" ? "refused" : "done";
}

const CHANGES: readonly (string | null)[] = ["edit", "delete", "move"];

/** The files that a call changes, as `changed_by` of the kernel has them. */
function changed(item: Item, turn: Turn): readonly string[] {
  if (item.kind !== "tool_call") return [];
  const paths = diffsIn(item.call, turn).map((diff) => diff.path);
  return paths.length === 0 && CHANGES.includes(item.call.kind) ? pathsOf(item.call) : paths;
}

/** The diffs of a call, or of the request for it. */
function diffsIn(call: ToolCall, turn: Turn): readonly Diff[] {
  return diffsOf(
    call,
    turn.permissions.filter((one) => call.permissions.includes(one.key)),
  );
}

function factsOf(item: Item, turn: Turn): readonly [string, string | null, string] {
  switch (item.kind) {
    case "user":
    case "message":
    case "thought":
      return [item.kind, null, item.blocks.map((block) => blockText(block) ?? "").join("\n")];
    case "plan":
      return ["plan", null, [item.text ?? "", ...item.entries.map((one) => one.content)].join("\n").trim()];
    case "notice":
      return ["notice", null, `${item.title}\n${item.description ?? ""}`];
    case "tool_call": {
      const { call } = item;
      const texts = [call.title ?? "", call.tool_name, ...pathsOf(call), pretty(call.raw_input)];
      texts.push(outputOf(call.raw_output) ?? "", pretty(call.content));
      for (const diff of diffsIn(call, turn)) texts.push(diff.old_text ?? "", diff.new_text);
      for (const id of call.terminals) texts.push(turn.terminals[id]?.output ?? "");
      return [call.kind ?? "other", STATUS[call.state] ?? "running", texts.join("\n")];
    }
    default:
      return [item.kind, null, pretty(item)];
  }
}
