import { afterEach, expect, test, vi } from "vitest";
import * as signIn from "../../src/parts/sign_in";
import type { Auth, AuthMethod } from "../../src/wire_auth";
import { loads, type Stage, stage } from "../views/stage";

let on: Stage;
afterEach(() => on.end());

function method(part: Partial<AuthMethod> & { id: string }): AuthMethod {
  return {
    name: part.id,
    description: null,
    kind: "agent",
    command: null,
    variables: [],
    link: null,
    ...part,
  };
}

function auth(...methods: AuthMethod[]): Auth {
  return { required: true, message: "Who are you?", methods, running: null, error: null, logout: false };
}

async function shown(
  value: Auth | null,
  parts: Record<string, unknown> = { sign_in: signIn },
): Promise<void> {
  on = stage({ auth: value }, undefined, undefined, loads(parts));
  await Promise.resolve();
  await Promise.resolve();
}

async function changed(value: Auth | null): Promise<void> {
  on.show({ auth: value });
  await Promise.resolve();
  await Promise.resolve();
}

const card = (): HTMLElement => on.find(".acp-sign-in");
const buttons = (): HTMLElement[] => on.all(".acp-sign-in .acp-button");

test("nothing is shown until the agent insists, nor afterwards", async () => {
  await shown({ ...auth(method({ id: "a" })), required: false });
  expect(on.words()).not.toContain("sign in");
  await changed(auth(method({ id: "a" })));
  expect(card().hidden).toBe(false);
  expect(card().textContent).toContain("Who are you?");
  expect(on.find(".acp-header").textContent).toContain("sign in");
  await changed({ ...auth(method({ id: "a" })), required: false });
  expect(card().hidden).toBe(true);
});

test("a way that the agent does by itself is one click", async () => {
  await shown(auth(method({ id: "g", name: "With \u202eGoogle", description: "In the browser" })));
  expect(buttons().map((one) => one.textContent)).toEqual(["With ⟨U+202E⟩Google"]);
  buttons()[0]?.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "sign_in", method: "g" });
  buttons()[0]?.click();
  expect(on.sent.filter((one) => one.kind === "sign_in")).toHaveLength(2);
});

test("while one is tried no other can be", async () => {
  await shown({ ...auth(method({ id: "a" }), method({ id: "b" })), running: "a" });
  expect(buttons().map((one) => one.textContent)).toEqual(["Waiting …", "b"]);
  for (const button of buttons()) button.click();
  expect(on.sent.filter((one) => one.kind === "sign_in")).toEqual([]);
});

test("a terminal gets the exact command, and a way to look again", async () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  await shown(auth(method({ id: "t", kind: "terminal", command: "env A=b tool acp --login" })));
  expect(on.find(".acp-sign-in code").textContent).toBe("env A=b tool acp --login");
  on.find(".acp-sign-in-code button").click();
  expect(writeText).toHaveBeenCalledWith("env A=b tool acp --login");
  expect(buttons().at(-1)?.textContent).toBe("I have done that: look again");
  vi.unstubAllGlobals();
});

test("a key is never typed into the page: the cell to run asks for it", async () => {
  await shown(
    auth(
      method({
        id: "k",
        name: "API key",
        kind: "env_var",
        variables: [
          { name: "KEY", label: "the key", secret: true, optional: false },
          { name: "URL", label: null, secret: false, optional: true },
        ],
        link: "https://example.org/keys",
      }),
    ),
  );
  expect(on.all(".acp-sign-in input")).toEqual([]);
  expect(card().textContent).toContain("It wants KEY (the key), URL.");
  expect(on.find(".acp-sign-in code").textContent).toBe(
    'from getpass import getpass\nchat.sign_in("k", env={"KEY": getpass()})',
  );
  expect(on.find(".acp-sign-in a").getAttribute("href")).toBe("https://example.org/keys");
});

test("what a vendor takes is typed into hidden lines, and forgotten once it has helped", async () => {
  const key = { name: "apiKey", label: "API key (google)", secret: true, optional: true };
  const address = { name: "baseUrl", label: "Address", secret: false, optional: false };
  const ways = [
    method({ id: "g", kind: "api-key", fields: [key] }),
    method({ id: "w", kind: "gateway", fields: [address] }),
  ];
  await shown(auth(...ways));
  const inputs = (): HTMLInputElement[] => on.all(".acp-sign-in input") as HTMLInputElement[];
  expect(inputs().map((one) => one.type)).toEqual(["password", "text"]);
  expect(card().textContent).toContain("API key (google), may stay empty");
  for (const one of inputs()) one.value = `typed ${one.type}`;
  inputs()[0]?.focus();
  await changed({ ...auth(...ways), running: "g" });
  await changed({ ...auth(...ways), error: "No such key" });
  expect(inputs().map((one) => one.value)).toEqual(["typed password", "typed text"]);
  expect(on.root.activeElement).toBe(inputs()[0]);
  inputs()[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(on.sent.at(-1)).toMatchObject({
    kind: "sign_in",
    method: "g",
    values: { apiKey: "typed password" },
  });
  await on.ack(null);
  expect(inputs().map((one) => one.value)).toEqual(["", ""]);
});

test("what a vendor adds and nobody here knows is plain text, beside a way to try", async () => {
  await shown(auth(method({ id: "x", name: "Oracle", meta: '{"oracle":"<b>\\u202e"}' })));
  expect(card().textContent).toContain('{"oracle":"<b>');
  expect(on.all(".acp-sign-in b")).toEqual([]);
  expect(card().textContent).toContain('chat.sign_in("x", meta={…})');
  buttons()[0]?.click();
  expect(on.sent.at(-1)).toEqual({ kind: "sign_in", id: expect.any(String), method: "x" });
});

test("only web addresses become links", async () => {
  await shown(auth(method({ id: "k", link: "javascript:alert(1)" })));
  expect(on.all(".acp-sign-in a")).toEqual([]);
});

test("what went wrong stands in the card, told by the state or by the kernel alone", async () => {
  await shown(auth(method({ id: "a" })));
  buttons()[0]?.click();
  await on.ack("Set KEY first.");
  expect(card().textContent).toContain("Set KEY first.");
  await changed({ ...auth(method({ id: "a" })), error: "No browser here" });
  expect(card().textContent).toContain("No browser here");
});

test("an agent that names no way, and a part that cannot be loaded, still say what to do", async () => {
  await shown(auth());
  expect(card().textContent).toContain("use its own program in a terminal");
  on.end();
  await shown(auth(method({ id: "a" })), {});
  expect(on.words()).toContain("chat.sign_in()");
});

test("signing out is offered where the agent offers it", async () => {
  const entry = (): HTMLElement | undefined =>
    on.all(".acp-menu-item").find((one) => one.textContent === "Sign out");
  await shown({ ...auth(), required: false });
  on.find(".acp-menu-place button").click();
  expect(entry()).toBeUndefined();
  on.find(".acp-menu-place button").click();
  await changed({ ...auth(), required: false, logout: true });
  on.find(".acp-menu-place button").click();
  entry()?.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "sign_out" });
});
