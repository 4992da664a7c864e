/** Saved states of other versions: what is missing is filled in, what is there stays the same object. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { complete } from "../src/complete";
import { createStore } from "../src/store";
import { mountChat } from "../src/views/frame";
import type { Session } from "../src/wire";
import { snapshot } from "./states";

const GOLDEN = join(import.meta.dirname, "../../tests/golden");
const SESSIONS = readdirSync(GOLDEN).filter((name) => name.endsWith(".json") && name !== "visible.json");
const INFO = { chat_id: "c", height: null, demo: false, allowed: [], suggestions: [] };

/** Fields that came after the first saved states, or that may be absent in one written by hand. */
const NEWER: ReadonlySet<string> = new Set([
  "covers",
  "remembered",
  "told",
  "reports",
  "waits_for",
  "since",
  "after",
  "usage",
  "cost",
  "locations",
  "unread",
  "warnings",
  "children",
  "args",
  "exit",
]);

/** The agent's own words are not touched, whatever their keys. */
function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !NEWER.has(key))
      .map(([key, one]) => [key, key.startsWith("raw") ? one : without(one)]),
  );
}

function read(name: string): Session {
  return JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as Session;
}

it.each(SESSIONS)("%s is drawn without its newer fields", (name) => {
  const root = document.createElement("div");
  document.body.append(root);
  const store = createStore({ send: () => undefined });
  store.restore(complete({ seq: 1, now: 1, first: 0, session: without(read(name)) as Session }));
  const end = mountChat(root, store, INFO, { load: async () => null });
  expect(root.querySelectorAll(".acp-turn").length).toBeGreaterThan(0);
  expect(root.textContent).not.toContain("undefined");
  end();
  store.dispose();
  root.remove();
});

it.each(SESSIONS)("%s is complete and stays the same object", (name) => {
  const whole = snapshot(1, read(name));
  expect(complete(whole)).toBe(whole);
});
