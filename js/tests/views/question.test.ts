import { afterEach, expect, test, vi } from "vitest";
import * as part from "../../src/parts/question";
import { mountChat } from "../../src/views/frame";
import type { Item } from "../../src/wire";
import { turn } from "../states";
import { INFO, press, RUNNING, type Stage, stage } from "./stage";

let on: Stage;
afterEach(() => {
  on.end();
  vi.restoreAllMocks();
});

const settled = async (): Promise<void> => {
  for (let step = 0; step < 4; step += 1) await Promise.resolve();
};

function question(request: object, more: object = {}): Item {
  const raw = { key: "1:0", request_id: 0, request, response: null, ...more };
  return { kind: "elicitation", name: "elicitation/create", raw, started: 1, ended: null };
}

function shown(request: object, more: object = {}): object {
  return { status: "waiting", turns: [turn({ ...RUNNING, items: [question(request, more)] })] };
}

async function asks(request: object, load: unknown = part): Promise<void> {
  on = stage(shown(request), INFO, mountChat, () => Promise.resolve(load));
  await settled();
}

const form = (properties: object, required: readonly string[] = []): object => ({
  mode: "form",
  message: "Please say",
  requestedSchema: { type: "object", properties, required },
});

const labelled = (name: string): HTMLInputElement => {
  const label = on.all("label, legend").find((node) => node.textContent?.startsWith(name));
  const id = label?.getAttribute("for");
  return on.find(id === null || id === undefined ? "fieldset input" : `#${id}`) as HTMLInputElement;
};
const button = (name: string): HTMLElement => {
  const found = on.all(".acp-card button").find((node) => node.textContent === name);
  if (found === undefined) throw new Error(`no button ${name} in ${on.words()}`);
  return found;
};
const answers = (): unknown[] => on.sent.filter((message) => message.kind === "answer_question");
const problems = (): string[] =>
  on
    .all(".acp-field-problem")
    .filter((node) => !node.hidden)
    .map((node) => node.textContent ?? "");

test("a form of every type is drawn from its schema and answered", async () => {
  await asks(
    form(
      {
        name: { type: "string", title: "Name", description: "As on the door" },
        mail: { type: "string", format: "email", default: "a@b.org" },
        count: { type: "integer", minimum: 1, default: 3 },
        share: { type: "number" },
        sure: { type: "boolean", title: "Sure?" },
        colour: {
          type: "string",
          oneOf: [
            { const: "r", title: "Red", description: "A warm one" },
            { const: "b", title: "Blue" },
          ],
        },
        size: { type: "string", enum: ["1", "2", "3", "4", "5", "6", "7", "8"] },
        tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, default: ["y"] },
      },
      ["name"],
    ),
  );
  for (const said of ["Please say", "As on the door", "A warm one", "mail (optional)", "Sure?"])
    expect(on.words()).toContain(said);
  expect([labelled("mail").type, labelled("count").type]).toEqual(["email", "number"]);
  labelled("Name").value = "Ada";
  labelled("share").value = "0.5";
  (on.all("input[type=radio]")[1] as HTMLInputElement).checked = true;
  labelled("size").value = "7";
  button("Answer").click();
  expect(answers()).toEqual([
    {
      kind: "answer_question",
      id: expect.any(String),
      question: "1:0",
      action: "accept",
      content: {
        name: "Ada",
        mail: "a@b.org",
        count: 3,
        share: 0.5,
        sure: false,
        colour: "b",
        size: "8",
        tags: ["y"],
      },
    },
  ]);
});

test("what is missing or does not fit is said at its field, which gets the focus, and nothing is sent", async () => {
  await asks(
    form(
      {
        ok: { type: "string", default: "x" },
        name: { type: "string" },
        short: { type: "string", minLength: 3, maxLength: 4, default: "ab" },
        count: { type: "integer", maximum: 5, default: 6 },
        tags: { type: "array", minItems: 2, items: { enum: ["x", "y"] }, default: ["x"] },
        pick: { type: "string", enum: ["x"] },
      },
      ["name", "tags", "pick"],
    ),
  );
  button("Answer").click();
  expect(answers()).toEqual([]);
  expect(problems()).toHaveLength(5);
  expect(problems()[0]).toBe("An answer is required.");
  expect(on.focused()).toBe(labelled("name"));
  expect(labelled("name").getAttribute("aria-invalid")).toBe("true");
  labelled("name").value = "x";
  button("Answer").click();
  expect(problems()).toHaveLength(4);
});

test("Enter in a line sends the form, once", async () => {
  await asks(form({ a: { type: "string" } }));
  const card = on.find(".acp-card form") as HTMLFormElement;
  card.requestSubmit();
  card.requestSubmit();
  expect(answers()).toHaveLength(1);
  expect(answers()[0]).toMatchObject({ action: "accept", content: {} });
});

test("what the kernel says against the answers is shown, and they can be sent again", async () => {
  await asks(form({ a: { type: "string" } }));
  button("Answer").click();
  await on.ack("a: must match the pattern ^x$");
  expect(on.words()).toContain("Not answered: a: must match the pattern ^x$");
  button("Answer").click();
  expect(answers()).toHaveLength(2);
});

test.each(["Decline", "Cancel"])("%s needs no answers", async (name) => {
  await asks(form({ a: { type: "string" } }, ["a"]));
  button(name).click();
  expect(answers()).toMatchObject([{ action: name.toLowerCase(), question: "1:0" }]);
  expect(answers()[0]).not.toHaveProperty("content");
});

test("without the part it can be read and declined", async () => {
  await asks({ mode: "url", message: "Sign in", url: "https://example.org/x", elicitationId: "e" }, null);
  expect(on.words()).toContain("https://example.org/x");
  expect(on.all(".acp-card button").map((node) => node.textContent)).toEqual(["Decline", "Cancel"]);
});

test("a link shows its whole address with the host marked, and opens by a click alone", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const url = "https://google.com@evil.example:8443/path?a=1#x";
  await asks({ mode: "url", message: "Sign in", url, elicitationId: "e" });
  expect(on.find(".acp-address").textContent).toBe(url);
  expect(on.find(".acp-address strong").textContent).toBe("evil.example:8443");
  expect(on.all("a, link, iframe, img")).toEqual([]);
  expect(open).not.toHaveBeenCalled();
  button("Open").click();
  expect(open.mock.calls).toEqual([[url, "_blank", "noopener,noreferrer"]]);
  expect(answers()).toMatchObject([{ action: "accept" }]);
});

test("a host in other letters shows its real name", async () => {
  await asks({ mode: "url", message: "Sign in", url: "https://аpple.com/", elicitationId: "e" });
  expect(on.find(".acp-address strong").textContent).toBe("xn--pple-43d.com");
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "x",
  "https:\\\\a.b",
  "http://a b.c",
  "ht\ntp://a",
])("the address %j is shown and cannot be opened", async (url) => {
  await asks({ mode: "url", message: "m", url, elicitationId: "e" });
  expect(on.words()).toContain("cannot be opened");
  expect(on.all(".acp-card button").map((node) => node.textContent)).toEqual(["Decline", "Cancel"]);
});

test("hostile schemas break nothing and put no markup into the page", async () => {
  const bad = "<img src=x onerror=alert(1)>\u202e";
  await asks({
    message: bad,
    requestedSchema: {
      description: bad,
      required: [1, "__proto__", "gone"],
      properties: JSON.parse(
        `{"__proto__": {"type": "string", "default": "p"}, "b": 5, "c": {"type": ["string"], "title": 7},
          "d": {"type": "string", "enum": [1, null, "x"], "title": ${JSON.stringify(bad)}},
          "e": {"type": "array", "items": 5, "minItems": "x"}, "f": {"type": "integer", "minimum": "x", "default": "y"},
          "constructor": {"type": "string", "pattern": "(a+)+$", "minLength": -5, "maxLength": 1e999}}`,
      ),
    },
  });
  expect(on.all("img")).toEqual([]);
  expect(on.words()).toContain("cannot be filled in here");
  expect(on.words()).not.toContain("\u202e");
  button("Answer").click();
  const [sent] = answers() as { content: object }[];
  expect(Object.entries(sent?.content ?? {})).toEqual([["__proto__", "p"]]);
});

test("a thousand fields are bounded", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, { type: "string" }]));
  await asks(form(many));
  expect(on.all(".acp-field")).toHaveLength(100);
});

test("an answered question says by whom and what, and leaves the keys", async () => {
  const request = form({ c: { type: "string", title: "Colour" }, t: { type: "array" } });
  await asks(request);
  labelled("Colour").focus();
  const response = { action: "accept", content: { c: "Red", t: ["x", "y"] } };
  on.show(shown(request, { response, decided_by: "person" }));
  expect(on.find(".acp-question").textContent).toBe("Colour: Red\nt: x, y");
  expect(on.find(".acp-card").classList.contains("acp-answered")).toBe(true);
  expect(on.focused()).toBe(on.find(".acp-box"));
  const words = async (more: object, what: object = request): Promise<string> => {
    on.end();
    on = stage(shown(what, more));
    return on.find(".acp-question").textContent ?? "";
  };
  expect(await words({ response: { action: "decline" }, decided_by: "person" })).toBe("Declined by you");
  expect(await words({ response: { action: "decline" }, decided_by: "policy" })).toBe(
    "Declined: nobody could be asked",
  );
  expect(await words({ response: { action: "cancel" }, decided_by: "cancel" })).toBe("Withdrawn unanswered");
  expect(await words({ response: { error: { message: "no form" } } })).toBe("Not asked: no form");
  const link = { mode: "url", message: "m", url: "https://a.b/" };
  expect(await words({ response: { action: "accept" } }, link)).toBe("https://a.b/\nOpened by you");
  expect(await words({ response: { action: "accept" }, complete: true }, link)).toBe("https://a.b/\nDone");
});

test("a question that is taken back while its part loads stays closed", async () => {
  const late: ((value: unknown) => void)[] = [];
  const request = form({ a: { type: "string" } });
  on = stage(shown(request), INFO, mountChat, () => new Promise((resolve) => late.push(resolve)));
  on.show(shown(request, { response: { action: "cancel" }, decided_by: "cancel" }));
  late[0]?.(part);
  await settled();
  expect(on.all("form")).toEqual([]);
});

test("without a kernel nothing is asked", async () => {
  await asks(form({ a: { type: "string" } }));
  on.lose("closed");
  button("Decline").click();
  press(on.find(".acp-card"), "1");
  expect(answers()).toEqual([]);
});
