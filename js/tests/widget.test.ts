import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { registry } from "../src/registry";
import { REFERENCE } from "../src/turn_place";
import stub from "../src/turn_stub";
import widget from "../src/widget";
import { message, snapshot, turn } from "./states";

type Callback = (...args: unknown[]) => void;

/** A model as anywidget's proxy shows it, over one as ipywidgets has it. */
class FakeModel {
  readonly sent: Record<string, unknown>[] = [];
  readonly widget_manager: unknown = {};
  closed = false;
  readonly real: { comm_live?: boolean };
  private readonly callbacks = new Map<string, Set<Callback>>();

  constructor(
    readonly traits: Record<string, unknown>,
    commLive: boolean | null = true,
  ) {
    this.real = commLive === null ? {} : { comm_live: commLive };
  }

  get = (name: string) => this.traits[name];
  set = (name: string, value: unknown) => {
    if (this.traits[name] === value) return;
    this.traits[name] = value;
    this.emit(`change:${name}`, this.real, value);
  };
  save_changes = () => {
    throw new Error("the browser never saves changes");
  };
  send = (content: unknown) => {
    if (this.closed) throw new Error("Cannot send a message on a closed comm");
    this.sent.push(content as Record<string, unknown>);
  };
  on = (name: string, callback: Callback) => {
    const set = this.callbacks.get(name) ?? new Set();
    this.callbacks.set(name, set.add(callback));
  };
  off = (name: string, callback: Callback) => {
    this.callbacks.get(name)?.delete(callback);
  };
  emit(name: string, ...args: unknown[]) {
    for (const callback of [...(this.callbacks.get(name) ?? [])]) callback(...args);
  }
  get listeners() {
    return [...this.callbacks.values()].reduce((sum, set) => sum + set.size, 0);
  }
}

const INFO = { chat_id: "c1", height: null, demo: false, allowed: [], suggestions: [] };
const talk = { turns: [turn({ items: [message("the answer")] })] };

const ends: (() => void)[] = [];

function start(model: FakeModel) {
  const made = typeof widget === "function" ? widget() : widget;
  const resolved = made as Exclude<Awaited<typeof made>, undefined>;
  const controller = new AbortController();
  const experimental = {} as never;
  const end = resolved.initialize?.({
    model: model as never,
    signal: controller.signal,
    experimental,
  } as never);
  ends.push(() => {
    if (typeof end === "function") void end();
  });
  return {
    view() {
      const el = document.createElement("div");
      document.body.append(el);
      const viewEnd = new AbortController();
      void resolved.render?.({ model: model as never, el, signal: viewEnd.signal, experimental } as never);
      ends.push(() => {
        viewEnd.abort();
        el.remove();
      });
      return { el, root: () => el.firstElementChild?.shadowRoot, end: () => viewEnd.abort() };
    },
    end: () => {
      for (const run of ends.splice(0).reverse()) run();
    },
  };
}

function stubView(model: FakeModel) {
  const el = document.createElement("div");
  document.body.append(el);
  const end = new AbortController();
  void stub.render({ model: model as never, el, signal: end.signal, experimental: {} } as never);
  ends.push(() => {
    end.abort();
    el.remove();
  });
  return { el, end: () => end.abort() };
}

/** jsdom paints with a timer of its own; these tests move it. */
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame", "performance"],
  });
});

afterEach(() => {
  for (const run of ends.splice(0).reverse()) run();
  vi.useRealTimers();
  expect(registry().chats.size).toBe(0);
});

describe("the widget", () => {
  it("says hello with what it holds, and draws it in a shadow root", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO });
    const { view } = start(model);
    expect(model.sent).toEqual([{ kind: "hello", seq: 3, writes_twin: false }]);
    const { el, root } = view();
    expect(root()?.textContent).toContain("the answer");
    expect(el.textContent).not.toContain("the answer");
  });

  it("folds once for all views, also without any", () => {
    const model = new FakeModel({ state: snapshot(0), info: INFO });
    const { view } = start(model);
    model.emit("msg:custom", { kind: "patch", seq: 1, now: 1, ops: [["push", ["turns"], talk.turns]] });
    const views = [view(), view()];
    model.emit("msg:custom", {
      kind: "patch",
      seq: 2,
      now: 1,
      ops: [["app", ["turns", 0, "items", 0, "blocks", 0, "text"], " grows"]],
    });
    vi.advanceTimersByTime(50);
    for (const { root } of views) expect(root()?.textContent).toContain("the answer grows");
    expect(model.sent).toHaveLength(1);
  });

  it("keeps the model's own state current at rest, and never sends it", () => {
    const model = new FakeModel({ state: snapshot(0), info: INFO });
    start(model);
    const held = model.traits["state"];
    model.emit("msg:custom", { kind: "patch", seq: 1, now: 1, ops: [["set", ["status"], "working"]] });
    vi.advanceTimersByTime(1_000);
    expect(model.traits["state"]).toBe(held);
    model.emit("msg:custom", {
      kind: "patch",
      seq: 2,
      now: 1,
      ops: [
        ["push", ["turns"], talk.turns],
        ["set", ["status"], "ready"],
      ],
    });
    vi.advanceTimersByTime(1_000);
    expect(model.traits["state"]).toMatchObject({
      seq: 2,
      first: 0,
      session: { status: "ready", turns: talk.turns },
    });
  });

  it("takes a whole state that comes as the trait", () => {
    const model = new FakeModel({ state: null, info: INFO });
    const { view } = start(model);
    expect(model.sent).toEqual([{ kind: "hello", seq: -1, writes_twin: false }]);
    const { root } = view();
    model.set("state", snapshot(5, talk));
    vi.advanceTimersByTime(50);
    expect(root()?.textContent).toContain("the answer");
  });

  it("leaves the model's state as it found it", () => {
    for (const state of [null, snapshot(2, talk), "odd"]) {
      const model = new FakeModel({ state, info: INFO });
      start(model).end();
      expect(model.traits["state"]).toBe(state);
    }
  });

  it("is read-only without a kernel, and says nothing into the void", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO }, false);
    const { view } = start(model);
    expect(model.sent).toEqual([]);
    const text = view().root()?.textContent ?? "";
    expect(text).toContain("the answer");
    expect(text).toContain("without its kernel");
  });

  it("is read-only when the kernel goes, with the reason", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO });
    const { view } = start(model);
    const { root } = view();
    model.emit("comm_live_update");
    vi.advanceTimersByTime(50);
    expect(root()?.textContent).not.toContain("restarted");
    model.real.comm_live = false;
    model.emit("comm_live_update");
    vi.advanceTimersByTime(50);
    expect(root()?.textContent).toContain("ended or was restarted");
  });

  it("works where nothing tells whether the kernel lives", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO }, null);
    const { view } = start(model);
    expect(model.sent).toHaveLength(1);
    const { root } = view();
    model.closed = true;
    model.emit("comm_live_update");
    vi.advanceTimersByTime(50);
    expect(root()?.textContent).toContain("ended or was restarted");
  });

  it("hides the saved copy while a view is there", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO });
    const { view } = start(model);
    const one = view();
    const two = view();
    expect(document.head.textContent).toContain(".acp-notebook-twin-c1");
    one.end();
    expect(document.head.textContent).toContain(".acp-notebook-twin-c1");
    two.end();
    expect(document.head.textContent).not.toContain("acp-notebook-twin-c1");
    expect(two.el.childNodes).toHaveLength(0);
  });

  it("leaves no listener, no timer and no node behind", () => {
    const working = { ...talk, status: "working" as const };
    const model = new FakeModel({ state: snapshot(3, working), info: INFO });
    const { view, end } = start(model);
    const { el } = view();
    model.emit("msg:custom", { kind: "patch", seq: 4, now: 1, ops: [["set", ["mode"], "x"]] });
    end();
    expect(el.childNodes).toHaveLength(0);
    expect(model.listeners).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(registry().chats.size).toBe(0);
  });
});

describe("the view of one turn", () => {
  it("points to the chat where a page without a kernel draws both, in either order", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO }, false);
    const { el } = stubView(new FakeModel({ chat_id: "c1", turn: 0 }));
    const chat = start(model);
    expect(el.querySelector(".acp-notebook-view")).not.toBeNull();
    const view = chat.view();
    expect(el.textContent).toBe(REFERENCE);
    expect(el.querySelector(".acp-notebook-view")).toBeNull();
    const late = stubView(new FakeModel({ chat_id: "c1", turn: 0 }));
    expect(late.el.textContent).toBe(REFERENCE);
    view.end();
    expect(el.querySelector(".acp-notebook-view")).not.toBeNull();
  });

  it("stays whole beside a living chat, also when its kernel dies", () => {
    const model = new FakeModel({ state: snapshot(3, talk), info: INFO });
    start(model).view();
    const { el } = stubView(new FakeModel({ chat_id: "c1", turn: 0 }));
    expect(el.querySelector(".acp-notebook-view")).not.toBeNull();
    model.real.comm_live = false;
    model.emit("comm_live_update");
    expect(el.querySelector(".acp-notebook-view")).not.toBeNull();
  });

  const two = { turns: [turn({ items: [message("first")] }), turn({ items: [message("second")] })] };
  const shown = (el: HTMLElement) => el.querySelector(".acp-notebook-view")?.shadowRoot?.textContent ?? "";

  it("borrows its turn from the chat, whichever of them comes first", () => {
    const early = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    start(new FakeModel({ state: snapshot(3, two), info: INFO }));
    const late = stubView(new FakeModel({ chat_id: "c1", turn: 0 }));
    vi.advanceTimersByTime(5_000);
    expect(shown(early.el)).toContain("second");
    expect(shown(early.el)).not.toContain("first");
    expect(shown(late.el)).toContain("first");
    expect(early.el.textContent).toBe("");
  });

  it("says what to do if the chat never comes, and still takes it later", () => {
    const { el } = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    stubView(new FakeModel({ chat_id: "other", turn: 1 }));
    vi.advanceTimersByTime(2_000);
    expect(el.textContent).toBe("");
    vi.advanceTimersByTime(2_000);
    expect(el.textContent).toContain("Run the cell that shows the chat");
    start(new FakeModel({ state: snapshot(3, two), info: INFO }));
    expect(el.textContent).toBe("");
    expect(shown(el)).toContain("second");
  });

  it("follows its chat to a new model, whose end alone takes it away", () => {
    const old = start(new FakeModel({ state: snapshot(3, two), info: INFO }));
    const endOld = ends.splice(0);
    const { el } = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    const newer = { turns: [turn(), turn({ items: [message("renewed")] })] };
    start(new FakeModel({ state: snapshot(4, newer), info: INFO }));
    expect(old).toBeDefined();
    for (const run of endOld) run();
    expect(shown(el)).toContain("renewed");
    expect(registry().chats.size).toBe(1);
  });

  it("hides the line beside it that a saved notebook shows in its place, and no other", () => {
    const line = (id: string) => {
      const element = document.createElement("div");
      element.className = `acp-notebook-twin-turn-${id}`;
      document.body.append(element);
      ends.push(() => element.remove());
      return () => getComputedStyle(element).display;
    };
    const [own, other, chats] = [line("c1-1"), line("c1-11"), line("c11-1")];
    const first = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    const second = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    expect([own(), other(), chats()]).toEqual(["none", "block", "block"]);
    first.end();
    expect(own()).toBe("none");
    second.end();
    expect(own()).toBe("block");
  });

  it("goes away with everything it made", () => {
    start(new FakeModel({ state: snapshot(3, two), info: INFO }));
    const { el, end } = stubView(new FakeModel({ chat_id: "c1", turn: 1 }));
    const timers = vi.getTimerCount();
    end();
    expect(vi.getTimerCount()).toBe(timers - 1);
    expect(el.childNodes).toHaveLength(0);
    registry().events.dispatchEvent(new Event("change"));
    expect(el.childNodes).toHaveLength(0);
  });
});
