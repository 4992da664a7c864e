import { afterEach, beforeEach, expect, test } from "vitest";
import * as slash from "../../src/parts/slash";
import { loads, press, type Stage, stage } from "../views/stage";

let on: Stage;
beforeEach(() => sessionStorage.clear());
afterEach(() => on.end());

const COMMANDS = [
  { name: "plan", description: "Make a plan", hint: "what for" },
  { name: "play", description: "Play a game", hint: null },
  { name: "test", description: "Run the tests", hint: null },
];
const box = (): HTMLTextAreaElement => on.find(".acp-box") as HTMLTextAreaElement;
const names = () => on.all(".acp-command-name").map((one) => one.textContent);
const list = () => on.find(".acp-commands");

async function type(text: string): Promise<void> {
  box().value = text;
  box().dispatchEvent(new Event("input", { bubbles: true }));
  await Promise.resolve();
  await Promise.resolve();
}

async function begin(text: string): Promise<void> {
  on = stage({ commands: COMMANDS }, undefined, undefined, loads({ slash }));
  await type(text);
}

test("a slash shows the commands; more letters narrow them", async () => {
  await begin("/");
  expect(names()).toEqual(["/plan what for", "/play", "/test"]);
  await type("/pl");
  expect(names()).toEqual(["/plan what for", "/play"]);
  await type("/la");
  expect(names()).toEqual(["/plan what for", "/play"]);
  await type("/zzz");
  expect(list().hidden).toBe(true);
});

test("only at the beginning of a message, and only for its first word", async () => {
  await begin("/");
  await type("see /pl");
  expect(list().hidden).toBe(true);
  await type("/plan it");
  expect(list().hidden).toBe(true);
});

test("arrow keys and Enter take one; a command with a hint waits for its argument; nothing is sent", async () => {
  await begin("/pl");
  press(box(), "ArrowDown");
  expect(on.find("[aria-selected='true']").textContent).toContain("/play");
  expect(box().getAttribute("aria-activedescendant")).toBe(on.find("[aria-selected='true']").id);
  press(box(), "ArrowDown");
  const event = press(box(), "Enter");
  expect(event.defaultPrevented).toBe(true);
  expect(box().value).toBe("/plan ");
  expect(on.sent.filter((one) => one.kind === "send")).toEqual([]);
  expect(list().hidden).toBe(true);
});

test("Tab takes, Escape takes the list away and the next letter brings it back", async () => {
  await begin("/te");
  press(box(), "Escape");
  expect(list().hidden).toBe(true);
  expect(on.log).toEqual([]);
  await type("/tes");
  press(box(), "Tab");
  expect(box().value).toBe("/test");
});

test("a command that is typed out is sent by Enter", async () => {
  await begin("/test");
  press(box(), "Enter");
  expect(on.sent.at(-1)).toMatchObject({ kind: "send", text: "/test" });
});

test("a click takes", async () => {
  await begin("/");
  on.all(".acp-command")[1]?.dispatchEvent(new Event("pointerdown", { bubbles: true, cancelable: true }));
  expect(box().value).toBe("/play");
});

test("without the part a command is plain text", async () => {
  on = stage({ commands: COMMANDS });
  await type("/te");
  press(box(), "Enter");
  expect(on.sent.at(-1)).toMatchObject({ kind: "send", text: "/te" });
});
