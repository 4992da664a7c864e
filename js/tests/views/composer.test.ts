import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { INFO, press, RUNNING, type Stage, stage, turn } from "./stage";

let on: Stage;
beforeEach(() => sessionStorage.clear());
afterEach(() => {
  on.end();
  vi.useRealTimers();
});

const box = (): HTMLTextAreaElement => on.find(".acp-box") as HTMLTextAreaElement;
const send = (): HTMLElement => on.find(".acp-send");
const of = (kind: string) => on.sent.filter((message) => message.kind === kind);

function type(text: string): void {
  box().value = text;
  box().dispatchEvent(new Event("input", { bubbles: true }));
}

const QUEUED = turn({ status: "queued", prompt: [{ type: "text", text: "later" }], started: null });

test("Enter sends; the text leaves the box only when the kernel has taken it", async () => {
  on = stage();
  type("hello");
  expect(press(box(), "Enter").defaultPrevented).toBe(true);
  expect(of("send")).toMatchObject([{ kind: "send", text: "hello" }]);
  expect(box().value).toBe("hello");
  await on.ack();
  expect(box().value).toBe("");
});

test("what was typed while the message was on its way stays", async () => {
  on = stage();
  type("hello");
  press(box(), "Enter");
  type("hello\nand more");
  await on.ack();
  expect(box().value).toBe("and more");
});

test("Enter while a message is on its way sends the next one after it, each once", async () => {
  on = stage();
  type("hello");
  press(box(), "Enter");
  press(box(), "Enter");
  type("hello\nagain");
  press(box(), "Enter");
  expect(of("send")).toHaveLength(1);
  await on.ack();
  expect(of("send")).toMatchObject([{ text: "hello" }, { text: "again" }]);
  press(box(), "Enter");
  await on.ack();
  expect(of("send")).toHaveLength(2);
  expect(box().value).toBe("");
});

test("what is typed on after such an Enter is not sent", async () => {
  on = stage();
  type("hello");
  press(box(), "Enter");
  type("other");
  press(box(), "Enter");
  type("other things");
  await on.ack();
  expect(of("send")).toHaveLength(1);
  expect(box().value).toBe("other things");
});

test("a message that was not taken stays as a draft, and the reason is shown", async () => {
  on = stage();
  type("hello");
  send().click();
  await on.ack("The agent is not signed in.");
  expect(box().value).toBe("hello");
  expect(on.words()).toContain("Not sent: The agent is not signed in.");
  press(box(), "Enter");
  expect(of("send")).toHaveLength(2);
});

test("Shift+Enter is a new line, and Enter that ends a composition sends nothing", () => {
  on = stage();
  type("にほん");
  expect(press(box(), "Enter", { shiftKey: true }).defaultPrevented).toBe(false);
  press(box(), "Enter", { isComposing: true });
  press(box(), "Enter", { keyCode: 229 });
  expect(of("send")).toEqual([]);
});

test("an empty message is none", () => {
  on = stage();
  type("  \n ");
  press(box(), "Enter");
  send().click();
  expect(of("send")).toEqual([]);
});

test("the button is Send, or Stop while a turn runs; Ctrl+. stops too, once", () => {
  on = stage();
  expect(send().textContent).toBe("Send");
  on.show({ status: "working", turns: [turn(RUNNING)] });
  expect(send().textContent).toBe("Stop");
  press(box(), ".", { ctrlKey: true });
  send().click();
  expect(of("cancel")).toHaveLength(1);
  expect(send().textContent).toBe("Stopping");
});

test("an agent that does not stop can be stopped by force, after a while and once the turn ends no more", () => {
  vi.useFakeTimers();
  on = stage();
  on.show({ status: "working", turns: [turn(RUNNING)] });
  send().click();
  on.pass(4);
  send().click();
  expect(send().textContent).toBe("Stopping");
  on.pass(2);
  expect(send().textContent).toBe("Force stop");
  expect(of("force_stop")).toEqual([]);
  send().click();
  expect(of("force_stop")).toHaveLength(1);
  expect(of("cancel")).toHaveLength(1);
  on.show({ status: "ready", turns: [turn({ status: "ready" })] });
  expect(send().textContent).toBe("Send");
  on.show({ status: "working", turns: [turn(RUNNING)] });
  expect(send().textContent).toBe("Stop");
});

test("a message during a turn is queued, shown above the box, and can be taken back", async () => {
  on = stage({ status: "working", turns: [turn(RUNNING)] });
  type("later");
  press(box(), "Enter");
  await on.ack();
  on.show({ status: "working", turns: [turn(RUNNING), QUEUED] });
  expect(on.find(".acp-queue").textContent).toContain("later");
  expect(on.find(".acp-turns").textContent).not.toContain("later");
  on.find(".acp-queue-row [title='Take back']").click();
  expect(of("unqueue")).toMatchObject([{ turn: 1 }]);
  await on.ack();
  expect(box().value).toBe("later");
});

test("a draft outlives the view", () => {
  on = stage();
  type("half a thou");
  const draft = sessionStorage.getItem("acp-notebook-draft-chat");
  on.end();
  sessionStorage.setItem("acp-notebook-draft-chat", draft ?? "");
  on = stage();
  expect(box().value).toBe("half a thou");
  on.end();
  on = stage({}, { ...INFO, chat_id: "another" });
  expect(box().value).toBe("");
});

test("with the kernel gone a draft can be read and copied, not sent; without a draft there is no box", () => {
  on = stage();
  type("precious");
  on.lose("closed");
  expect(box().readOnly).toBe(true);
  expect(box().hidden).toBe(false);
  press(box(), "Enter");
  expect(of("send")).toEqual([]);
  expect(on.words()).toContain("run the cell again");
  on.end();
  on = stage();
  on.lose("no-kernel");
  expect(on.find(".acp-compose-row").hidden).toBe(true);
  expect(on.words()).toContain("it can be read, not continued");
});

test("a suggestion goes into the box, for the person to send", () => {
  on = stage();
  on.find(".acp-suggestion").click();
  expect(box().value).toBe("Explain this project");
  expect(of("send")).toEqual([]);
  expect(on.focused()).toBe(box());
});

test("an ended agent says how, shows its errors on demand, and can be started again", async () => {
  on = stage({ status: "ended", exit: { code: 3, signal: null, stderr: "no key\n", reason: null } });
  expect(on.words()).toContain("ended with exit code 3");
  expect(on.words()).not.toContain("no key");
  on.find(".acp-stderr > .acp-fold-head").click();
  expect(on.words()).toContain("no key");
  on.find(".acp-ended > .acp-button").click();
  expect(of("restart")).toHaveLength(1);
});
