import { afterEach, expect, test } from "vitest";
import type { Permission } from "../../src/wire";
import { call, permission, press, type Stage, stage, turn, waiting } from "./stage";

let on: Stage;
afterEach(() => on.end());

const buttons = (): HTMLElement[] => on.all(".acp-option");
const answers = () => on.sent.filter((message) => message.kind === "answer");
const answered = (key: string, option: string, part: Partial<Permission> = {}): Permission =>
  permission(key, { outcome: "selected", option_id: option, decided_by: "person", answered: 5, ...part });

test("each option is one button by its own name, and sends exactly its id", async () => {
  on = stage(waiting([permission("p1")]));
  expect(on.all(".acp-option-name").map((node) => node.textContent)).toEqual(["Yes", "Yes, always", "No"]);
  expect(buttons().map((node) => node.tagName)).toEqual(["BUTTON", "BUTTON", "BUTTON"]);
  buttons()[2]?.click();
  expect(answers()).toMatchObject([{ kind: "answer", permission: "p1", option: "opaque/3" }]);
});

test("a lasting option says so, and whose memory it is", () => {
  on = stage(waiting([permission("p1")]));
  expect(buttons().map((node) => node.textContent?.includes("lasting"))).toEqual([false, true, false]);
  expect(on.find(".acp-card-hint").textContent).toContain("remembered by Agent");
});

test("two clicks give one answer", () => {
  on = stage(waiting([permission("p1")]));
  buttons()[0]?.click();
  buttons()[2]?.click();
  expect(answers()).toHaveLength(1);
});

test("what will happen stands before the buttons: command, paths, the request's own text, diff", () => {
  on = stage(
    waiting([
      permission("p1", {
        kind: "execute",
        raw_input: { command: "rm -rf build", timeout: 5 },
        locations: [{ path: "/project/build", line: null }],
        content: [
          { type: "content", block: { type: "text", text: "This **removes** all" } },
          { type: "diff", diff: 0 },
        ],
        diffs: [{ path: "/project/a.txt", old_text: "one\n", new_text: "two\n" }],
      }),
    ]),
  );
  const card = on.find(".acp-card");
  const text = card.textContent ?? "";
  for (const part of ["rm -rf build", "build", "This removes all", "timeout: 5", "a.txt", "one", "two"]) {
    expect(text).toContain(part);
    expect(text.indexOf(part)).toBeLessThan(text.indexOf("Yes"));
  }
});

test("nothing is decided unseen: a second command, a path that stands nowhere else", () => {
  on = stage(
    waiting([
      permission("p1", {
        kind: "execute",
        raw_input: {
          command: ["bash", "-lc", "make"],
          cmd: "make",
          script: "rm -rf x",
          path: "/etc/hosts",
          file_path: "a",
        },
        locations: [{ path: "/project/a", line: null }],
      }),
    ]),
  );
  expect(on.find(".acp-card .acp-input").textContent).toBe("script: rm -rf x\npath: /etc/hosts");
});

test("a request that brings nothing shows what its call has told", () => {
  on = stage({
    status: "waiting",
    turns: [
      turn({
        status: "streaming",
        active: true,
        permissions: [permission("p1", { title: "Edit files", raw_input: null })],
        items: [
          call({
            title: "Editing files",
            state: "approval-requested",
            diffs: [{ path: "/project/a.txt", old_text: null, new_text: "fresh\n" }],
            content: [{ type: "diff", diff: 0 }],
            permissions: ["p1"],
          }),
        ],
      }),
    ],
  });
  expect(on.find(".acp-card").textContent).toContain("fresh");
});

test("several requests of one call have a card each, answered one by one", () => {
  on = stage(
    waiting([
      permission("p1", { title: "First" }),
      permission("p2", { title: "Second", session_id: "child" }),
    ]),
  );
  expect(on.all(".acp-turns .acp-card")).toHaveLength(2);
  expect(on.all(".acp-turns .acp-card")[1]?.textContent).toContain("subagent session child");
  on.all(".acp-turns .acp-card")[1]?.querySelector<HTMLElement>(".acp-option")?.click();
  expect(answers()).toMatchObject([{ permission: "p2", option: "opaque/1" }]);
  on.show(waiting([permission("p1", { title: "First" }), answered("p2", "opaque/1")]));
  expect(on.all(".acp-turns .acp-card:not(.acp-answered)")).toHaveLength(1);
});

test("a request that no call names is shown all the same", () => {
  on = stage(
    waiting([], { permissions: [permission("p9", { tool_call_id: null, title: "Out of the blue" })] }),
  );
  expect(on.words()).toContain("Out of the blue");
  expect(buttons()).toHaveLength(3);
});

test("after the answer the card says who decided, by the option's name, and is read-only", () => {
  on = stage(waiting([permission("p1")]));
  on.show(waiting([answered("p1", "opaque/1")]));
  expect(on.words()).toContain("Allowed by you: Yes");
  expect(buttons()).toEqual([]);
  on.show(waiting([answered("p1", "opaque/1"), answered("p2", "opaque/3", { decided_by: "no-push" })]));
  expect(on.words()).toContain("Refused by the rule no-push: No");
});

test("the answer to a question is no permission", () => {
  const options = [
    { id: "r", name: "Red", kind: "allow_once" },
    { id: "b", name: "Blue", kind: "allow_once" },
  ];
  on = stage(
    waiting([
      permission("p1", {
        title: "Which colour?",
        options,
        outcome: "selected",
        option_id: "b",
        decided_by: "person",
      }),
    ]),
  );
  expect(on.words()).toContain("Answered by you: Blue");
});

test("a refused answer keeps the buttons and says why", async () => {
  on = stage(waiting([permission("p1")]));
  buttons()[0]?.click();
  await on.ack("The agent is gone.");
  expect(on.find(".acp-card .acp-error-line:not([hidden])").textContent).toContain("The agent is gone.");
  buttons()[1]?.click();
  expect(answers()).toHaveLength(2);
});

test("keys 1 to 9 answer the card that has the focus, and no other", () => {
  on = stage(waiting([permission("p1"), permission("p2")]));
  press(on.find(".acp-box"), "1");
  expect(answers()).toEqual([]);
  const card = on.all(".acp-card")[1];
  if (card === undefined) throw new Error("no second card");
  card.focus();
  press(card, "1", { ctrlKey: true });
  press(card, "9");
  expect(answers()).toEqual([]);
  press(card, "2");
  expect(answers()).toMatchObject([{ permission: "p2", option: "opaque/2" }]);
});

test("a new request does not take the focus from who is typing, and is announced", () => {
  on = stage({ status: "working", turns: [turn({ status: "streaming", active: true })] });
  on.find(".acp-box").focus();
  on.show(waiting([permission("p1")]));
  expect(on.focused()).toBe(on.find(".acp-box"));
  expect(on.find(".acp-card").getAttribute("role")).toBe("alertdialog");
  expect(on.find(".acp-sr-only[aria-live=assertive]").textContent).toBe("Approval waiting: Write a.py");
});

test("after an answer the focus goes to the next waiting card, then to the composer", () => {
  on = stage(waiting([permission("p1"), permission("p2")]));
  buttons()[0]?.focus();
  buttons()[0]?.click();
  on.show(waiting([answered("p1", "opaque/1"), permission("p2")]));
  expect(on.focused()).toBe(on.find(".acp-card:not(.acp-answered)"));
  on.show(waiting([answered("p1", "opaque/1"), answered("p2", "opaque/1")]));
  expect(on.focused()).toBe(on.find(".acp-box"));
});

test("an answer from elsewhere leaves the focus where the person is", () => {
  on = stage(waiting([permission("p1"), permission("p2")]));
  on.find(".acp-box").focus();
  on.show(waiting([answered("p1", "opaque/1"), permission("p2")]));
  expect(on.focused()).toBe(on.find(".acp-box"));
});

test("without a kernel nothing can be answered", () => {
  on = stage(waiting([permission("p1")]));
  on.lose("closed");
  buttons()[0]?.click();
  expect(answers()).toEqual([]);
  expect(buttons()[0]?.getAttribute("aria-disabled")).toBe("true");
});

test("with the kernel gone no call says any more that it waits for somebody", () => {
  on = stage(waiting([permission("p1")]));
  expect(on.find(".acp-call").textContent).toContain("waits for you");
  on.lose("closed");
  expect(on.words()).not.toContain("waits for you");
  expect(on.find(".acp-call").textContent).toContain("not answered");
});
