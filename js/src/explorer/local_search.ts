/** Search without a kernel: words and filters over the turns that are loaded here. */

import { blockText, outputOf, pathsOf, pretty } from "../views/describe";
import { promptText } from "../views/prompt";
import type { Item, Turn } from "../wire";
import type { Hit, Place, SearchFor, TurnPart } from "./wire";

const STATUS: Readonly<Record<string, string>> = {
  "approval-requested": "waiting",
  "output-denied": "refused",
  "output-available": "done",
  "output-error": "failed",
  stopped: "stopped",
};

export function localHits(parts: readonly TurnPart[], what: SearchFor): readonly Hit[] {
  const words = what.text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: Hit[] = [];
  for (const { index, turn, offset } of [...parts].sort((a, b) => a.index - b.index)) {
    const look = (place: Place, kind: string, status: string | null, text: string): void => {
      const low = text.toLowerCase();
      if (!words.every((word) => low.includes(word))) return;
      if (what.kinds.length > 0 && !what.kinds.includes(kind)) return;
      if (what.statuses.length > 0 && !what.statuses.includes(status ?? "")) return;
      const at = words[0] === undefined ? 0 : Math.max(0, low.indexOf(words[0]) - 50);
      const snippet = words.length === 0 ? "" : text.slice(at, at + 150).replace(/\s+/g, " ");
      const title = text.trim().split("\n", 1)[0]?.slice(0, 120) ?? "";
      hits.push({ ...place, record: -1, kind, status, title, snippet });
    };
    if (what.path === null)
      look({ turn: index, item: -1, after: false }, "prompt", null, promptText(turn.prompt));
    for (const after of [false, true]) {
      (after ? turn.after : turn.items).forEach((item, at) => {
        if (what.path !== null && !changes(item, what.path)) return;
        const [kind, status, text] = factsOf(item, turn);
        look({ turn: index, item: after ? at : at + offset, after }, kind, status, text);
      });
    }
  }
  return hits;
}

function changes(item: Item, path: string): boolean {
  return item.kind === "tool_call" && item.call.diffs.some((diff) => diff.path === path);
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
      for (const diff of call.diffs) texts.push(diff.old_text ?? "", diff.new_text);
      for (const id of call.terminals) texts.push(turn.terminals[id]?.output ?? "");
      return [call.kind ?? "other", STATUS[call.state] ?? "running", texts.join("\n")];
    }
    default:
      return [item.kind, null, pretty(item)];
  }
}
