/** The folded sessions of real agents, as the Python side writes them, through the store into the views. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStore } from "../src/store";
import { mountChat } from "../src/views/frame";
import { promptText } from "../src/views/prompt";
import { shownTurns } from "../src/views/shown";
import type { Session, Turn } from "../src/wire";

const GOLDEN = join(import.meta.dirname, "../../tests/golden");
const SESSIONS = readdirSync(GOLDEN).filter((name) => name.endsWith(".json") && name !== "visible.json");
const INFO = { chat_id: "c", height: null, demo: false, allowed: [], suggestions: [] };

/** Lines of what the agent said in words, as they must be read on the screen. */
function said(turn: Turn): string[] {
  return [...turn.items, ...turn.after].flatMap((item) =>
    item.kind === "message"
      ? item.blocks.flatMap((block) => ("text" in block ? plainLines(block.text) : []))
      : [],
  );
}

/** Lines without any mark-up in them. */
function plainLines(text: string | null): string[] {
  return (text ?? "")
    .split("\n")
    .filter((line) => /^[\w ,.;:'?!]{4,}$/.test(line.trim()) && !/^\d/.test(line));
}

const squeezed = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ");

/** What is drawn of a session, as its static copy draws it. */
interface Replay {
  readonly name: string;
  readonly session: Session;
  readonly shown: readonly string[];
}
const REPLAYS = JSON.parse(readFileSync(join(GOLDEN, "shown/replays.json"), "utf8")) as readonly Replay[];

it.each(REPLAYS)("$name", ({ session, shown }) => {
  const drawn = shownTurns(session, 0).filter(({ index }) => index >= 0);
  expect(drawn.map(({ turn }) => promptText(turn.prompt))).toEqual(shown);
});

describe("golden sessions", () => {
  it.each(SESSIONS)("%s is drawn, and what was said can be read", (name) => {
    const session = JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as Session;
    const root = document.createElement("div");
    document.body.append(root);
    const store = createStore({ send: () => undefined });
    store.restore({ seq: 1, now: 1, first: 0, session });
    const end = mountChat(root, store, INFO, { load: async () => null });
    const text = squeezed(root.textContent);
    const lines = shownTurns(session, 0).flatMap((shown) => said(shown.turn));
    for (const line of lines) expect(text).toContain(squeezed(line.trim()));
    expect(text).not.toContain("[object Object]");
    expect(text).not.toContain("undefined");
    end();
    store.dispose();
    expect(root.childNodes).toHaveLength(0);
    root.remove();
  });
});
