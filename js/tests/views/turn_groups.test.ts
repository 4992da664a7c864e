import { afterEach, expect, test } from "vitest";
import { message } from "../states";
import { press, type Stage, stage, turn } from "./stage";

let on: Stage;
afterEach(() => on.end());

const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => turn({ items: [message(`answer ${from + n}.`)] }));
const answers = () => on.all(".acp-turn").map((node) => /answer (\d+)\./.exec(node.textContent ?? "")?.[1]);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n));

test("a long chat is drawn in order, in groups, with what came before the first prompt", () => {
  on = stage({ preamble: turn({ prompt: [], items: [message("Welcome")] }), turns: named(0, 70) });
  expect(on.find(".acp-turn").textContent).toContain("Welcome");
  expect(answers().slice(1)).toEqual(numbers(0, 70));
  expect(on.all(".acp-group").map((group) => group.childElementCount)).toEqual([32, 32, 7]);
});

test("turns keep their place and their node when earlier ones are paged in", () => {
  on = stage();
  const { session } = on.store.state;
  if (session === null) throw new Error("nothing is shown");
  on.hear({ kind: "state", seq: 9, now: 20, first: 40, session: { ...session, turns: named(40, 70) } });
  expect(answers()).toEqual(numbers(40, 70));
  const [node] = on.all(".acp-turn");

  on.hear({ kind: "page", first: 20, turns: named(20, 40) });

  expect(answers()).toEqual(numbers(20, 70));
  expect(on.all(".acp-turn")[20]).toBe(node);
});

test("a turn beyond the first group is found", () => {
  on = stage({ turns: named(0, 50) });
  press(on.find(".acp-box"), "f", { ctrlKey: true });
  const box = on.find(".acp-find-box") as HTMLInputElement;
  box.value = "answer 45";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  press(box, "Enter");
  expect(on.find(".acp-find").textContent).toContain("1 of 1");
});
