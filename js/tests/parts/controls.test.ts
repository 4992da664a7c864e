import { afterEach, expect, test } from "vitest";
import * as controls from "../../src/parts/controls";
import type { ConfigOption } from "../../src/wire";
import { session } from "../states";
import { loads, press, type Stage, stage } from "../views/stage";

let on: Stage;
afterEach(() => on?.end());

const MODEL: ConfigOption = {
  id: "model",
  name: "Model",
  description: "Who answers",
  category: "model",
  type: "select",
  value: "a",
  choices: [
    { value: "a", name: "Ada", description: null, group: "House" },
    { value: "b", name: "Bea", description: "slower", group: "House" },
    { value: "c", name: "Cleo", description: null, group: "Guests" },
  ],
};
const LOUD: ConfigOption = {
  id: "loud",
  name: "Loud",
  description: null,
  category: null,
  type: "boolean",
  value: false,
  choices: [],
};
const NAMED = [
  { id: "ask", name: "Ask", description: null },
  { id: "go", name: "Just go", description: null },
];

/** A stage whose kernel has the part. */
async function shown(part: Parameters<typeof stage>[0]): Promise<void> {
  on = stage(part, undefined, undefined, loads({ controls }));
  await Promise.resolve();
  await Promise.resolve();
}

const select = (): HTMLSelectElement => on.find(".acp-controls > .acp-select") as HTMLSelectElement;

function choose(field: HTMLSelectElement, value: string): void {
  field.value = value;
  field.dispatchEvent(new Event("change"));
}

test("config options win over modes and the older models", () => {
  const found = controls.controlsOf(
    session({
      options: [MODEL],
      modes: NAMED,
      mode: "ask",
      models: { current: "x", available: [{ id: "x", name: "X", description: null }] },
    }),
  );
  expect(found.map((one) => one.key)).toEqual(["model"]);
});

test("modes and models stand in where there are no options; an unknown type is left out", () => {
  const models = { current: "x", available: [{ id: "x", name: "X", description: null }] };
  expect(controls.controlsOf(session({ modes: NAMED, mode: "ask", models })).map((one) => one.what)).toEqual([
    "model",
    "mode",
  ]);
  expect(controls.controlsOf(session({ options: [{ ...LOUD, type: "slider" }] }))).toEqual([]);
});

test("the model is chosen in the header, in the agent's groups and order", async () => {
  await shown({ options: [MODEL, LOUD] });
  expect([...select().querySelectorAll("optgroup")].map((one) => one.label)).toEqual(["House", "Guests"]);
  expect(select().value).toBe("a");
  choose(select(), "b");
  expect(on.sent.at(-1)).toMatchObject({ kind: "set", what: "option", name: "model", value: "b" });
});

test("a boolean is a box in the panel", async () => {
  await shown({ options: [MODEL, LOUD] });
  on.find(".acp-controls [aria-haspopup]").click();
  const box = on.find(".acp-settings input") as HTMLInputElement;
  box.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "set", what: "option", name: "loud", value: true });
  press(box, "Escape");
  expect(on.find(".acp-settings").hidden).toBe(true);
});

test("what the agent refuses is shown, and the choice goes back", async () => {
  await shown({ options: [MODEL] });
  choose(select(), "c");
  await on.ack("There is no model c");
  await Promise.resolve();
  expect(select().value).toBe("a");
  expect(on.words()).toContain("Model was not changed: There is no model c");
});

test("modes go by their own message", async () => {
  await shown({ modes: NAMED, mode: "ask" });
  choose(select(), "go");
  expect(on.sent.at(-1)).toMatchObject({ kind: "set", what: "mode", value: "go" });
});

test("a change from the agent's side is shown, and the focus stays", async () => {
  await shown({ options: [MODEL] });
  select().focus();
  on.show({ options: [{ ...MODEL, value: "b" }, LOUD] });
  expect(select().value).toBe("b");
  expect(on.focused()).toBe(select());
});

test("a current value that is no choice stands there all the same", async () => {
  await shown({ options: [{ ...MODEL, value: "gone" }] });
  expect(select().value).toBe("gone");
});

test("without the part, and without a kernel, the names can be read", async () => {
  on = stage({ options: [MODEL] });
  await Promise.resolve();
  await Promise.resolve();
  expect(on.find(".acp-model").textContent).toBe("Ada");
  on.end();
  await shown({ options: [MODEL] });
  on.lose("closed");
  expect(on.find(".acp-controls-place").hidden).toBe(true);
});
