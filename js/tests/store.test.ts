import { describe, expect, it, vi } from "vitest";
import { createStore, type Outside } from "../src/store";
import type { ToKernel } from "../src/wire";
import { message, snapshot, turn } from "./states";

/** A store whose time, frames and timers are moved by hand. */
function setUp(part: Partial<Outside> = {}) {
  const sent: ToKernel[] = [];
  let time = 100;
  let frames: (() => void)[] = [];
  let timers: { at: number; run: () => void }[] = [];
  const store = createStore({
    send: (content) => {
      sent.push(content);
    },
    clock: () => time,
    frame: (run) => {
      frames.push(run);
      return () => {
        frames = frames.filter((other) => other !== run);
      };
    },
    later: (seconds, run) => {
      const timer = { at: time + seconds, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    ...part,
  });
  return {
    store,
    sent,
    paint() {
      for (const run of frames.splice(0)) run();
    },
    pass(seconds: number) {
      const end = time + seconds;
      for (;;) {
        const [next] = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        time = next.at;
        timers = timers.filter((other) => other !== next);
        next.run();
      }
      time = end;
    },
    get frames() {
      return frames.length;
    },
    get timers() {
      return timers.length;
    },
  };
}

const streaming = {
  status: "working" as const,
  turns: [turn({ status: "streaming", active: true, items: [message("a", true)] })],
};
const append = (text: string) => ["app", ["turns", 0, "items", 0, "blocks", 0, "text"], text] as const;
const textOf = (store: ReturnType<typeof setUp>["store"]) =>
  JSON.stringify(store.state.session?.turns[0]?.items[0]);

describe("createStore", () => {
  it("folds patches in order and tells subscribers once a frame", () => {
    const { store, paint } = setUp();
    const heard = vi.fn();
    store.subscribe(heard);
    store.receive({ kind: "state", ...snapshot(4, streaming) });
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [append("b")] });
    store.receive({ kind: "patch", seq: 6, now: 12, ops: [append("c")] });
    expect(textOf(store)).toContain('"abc"');
    expect(heard).not.toHaveBeenCalled();
    paint();
    expect(heard).toHaveBeenCalledTimes(1);
    paint();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("ignores patches and states that it has, and those before the first state", () => {
    const { store, sent } = setUp();
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [append("b")] });
    expect([store.state.session, sent]).toEqual([null, []]);
    store.receive({ kind: "state", ...snapshot(4, streaming) });
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [append("b")] });
    const { session } = store.state;
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [append("b")] });
    store.receive({ kind: "patch", seq: 2, now: 11, ops: [append("b")] });
    store.receive({ kind: "state", ...snapshot(3, { status: "ended" }) });
    expect(store.state.session).toBe(session);
    expect(sent).toEqual([]);
  });

  it("asks for the whole state at a gap, once, again if the answer is lost, and goes on from there", () => {
    const { store, sent, pass } = setUp();
    store.receive({ kind: "state", ...snapshot(4, streaming) });
    store.receive({ kind: "patch", seq: 6, now: 11, ops: [append("c")] });
    store.receive({ kind: "patch", seq: 7, now: 11, ops: [append("d")] });
    expect(sent).toEqual([{ kind: "resync", seq: 4 }]);
    pass(3.5);
    expect(sent).toHaveLength(2);
    const whole = {
      ...streaming,
      turns: [turn({ status: "streaming", active: true, items: [message("abcd", true)] })],
    };
    store.receive({ kind: "state", ...snapshot(7, whole) });
    store.receive({ kind: "patch", seq: 8, now: 12, ops: [append("e")] });
    expect(textOf(store)).toContain('"abcde"');
    expect(sent).toHaveLength(2);
  });

  it("asks for the whole state when a patch does not fit, and when an empty one tells of a lost one", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { store, sent } = setUp();
    store.receive({ kind: "state", ...snapshot(4, streaming) });
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [["app", ["turns", 9, "x"], "b"]] });
    expect(sent).toEqual([{ kind: "resync", seq: 4 }]);
    expect(store.state.seq).toBe(4);
    expect(warn).toHaveBeenCalledTimes(1);
    store.receive({ kind: "state", ...snapshot(5, streaming) });
    store.receive({ kind: "patch", seq: 5, now: 11, ops: [] });
    expect(sent).toHaveLength(1);
    store.receive({ kind: "patch", seq: 6, now: 11, ops: [] });
    expect(sent).toHaveLength(2);
  });

  it("says where it is when a running turn falls silent, ever more seldom, and has no timer at rest", () => {
    const setup = setUp({ writesTwin: () => true });
    const { store, sent, pass } = setup;
    store.receive({ kind: "state", ...snapshot(4, streaming) });
    pass(9);
    expect(sent).toEqual([]);
    pass(22);
    expect(sent).toEqual(Array(2).fill({ kind: "hello", seq: 4, writes_twin: true }));
    store.receive({ kind: "patch", seq: 5, now: 40, ops: [["set", ["status"], "ready"]] });
    expect(setup.timers).toBe(0);
  });

  it("keeps unchanged parts the same objects when a whole state comes again", () => {
    const { store } = setUp();
    store.receive({ kind: "state", ...snapshot(1, { turns: [turn(), turn({ items: [message("x")] })] }) });
    const before = store.state.session;
    store.receive({ kind: "state", ...snapshot(2, { turns: [turn(), turn({ items: [message("xy")] })] }) });
    expect(store.state.session?.turns[0]).toBe(before?.turns[0]);
    expect(store.state.session?.turns[1]).not.toBe(before?.turns[1]);
    store.receive({ kind: "state", ...snapshot(2, { turns: [turn(), turn({ items: [message("xy")] })] }) });
  });

  it("puts earlier turns before the first one, and keeps them when a whole state comes", () => {
    const { store, sent } = setUp();
    store.receive({ kind: "state", ...snapshot(1, { turns: [turn({ started: 42 })] }, 2) });
    store.page();
    store.page();
    expect(sent).toEqual([{ kind: "page", before: 2 }]);
    expect(store.state.paging).toBe(true);
    store.receive({ kind: "page", first: 0, turns: [turn({ started: 40 }), turn({ started: 41 })] });
    expect(store.state.paging).toBe(false);
    expect(store.state.first).toBe(0);
    store.receive({
      kind: "state",
      ...snapshot(2, { turns: [turn({ started: 42 }), turn({ started: 43 })] }, 2),
    });
    expect(store.state.session?.turns.map((one) => one.started)).toEqual([40, 41, 42, 43]);
    store.receive({ kind: "patch", seq: 3, now: 1, ops: [["set", ["turns", 3, "status"], "error"]] });
    expect(store.state.session?.turns[3]?.status).toBe("error");
    store.page();
    expect(sent).toHaveLength(1);
  });

  it("resolves a request with the kernel's answer", async () => {
    const { store, sent } = setUp();
    const first = store.request({ kind: "send", text: "hello" });
    const second = store.request({ kind: "answer", permission: "p", option: "o" });
    const ids = sent.map((content) => ("id" in content ? content.id : ""));
    expect(new Set(ids).size).toBe(2);
    store.receive({ kind: "ack", id: ids[1] ?? "", error: "too late" });
    store.receive({ kind: "ack", id: "of another page", error: null });
    store.receive({ kind: "ack", id: ids[0] ?? "", error: null });
    expect([await first, await second]).toEqual([null, "too late"]);
  });

  it("answers every request when the kernel goes, and says why it is gone", async () => {
    const { store, paint } = setUp();
    const heard = vi.fn();
    store.subscribe(heard);
    const open = store.request({ kind: "cancel" });
    const part = store.asset("math");
    store.disconnect("closed");
    paint();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(await open).toMatch(/kernel/);
    expect(await part).toBeNull();
    expect(await store.request({ kind: "send", text: "x" })).toMatch(/kernel/);
    expect(store.post({ kind: "twin" })).toBe(false);
    expect(store.state.connection).toMatchObject({ kind: "gone", cause: "closed" });
  });

  it("is read-only after a send that failed, and back as soon as the kernel speaks", async () => {
    let broken = true;
    const { store } = setUp({
      send: () => {
        if (broken) throw new Error("Cannot send a comm message on a closed comm");
      },
    });
    expect(await store.request({ kind: "send", text: "x" })).toMatch(/cannot be reached/);
    expect(store.state.connection).toMatchObject({ kind: "gone", cause: "send-failed" });
    broken = false;
    store.receive({ kind: "state", ...snapshot(1) });
    expect(store.state.connection.kind).toBe("live");
  });

  it("estimates the transcript's clock, which stands still when the kernel is gone", () => {
    const { store, pass } = setUp();
    store.receive({ kind: "state", ...snapshot(1, {}, 0, 50) });
    pass(2);
    expect(store.now()).toBe(52);
    // A message that was late says less than one that was not.
    store.receive({ kind: "patch", seq: 2, now: 51.5, ops: [["set", ["mode"], "x"]] });
    expect(store.now()).toBe(52);
    store.receive({ kind: "patch", seq: 3, now: 52.5, ops: [["set", ["mode"], "y"]] });
    expect(store.now()).toBe(52.5);
    store.disconnect("closed");
    pass(30);
    expect(store.now()).toBe(52.5);
    expect(store.snapshot()).toMatchObject({ seq: 3, now: 52.5, first: 0 });
  });

  it("knows when the last record was made, also from a state that comes long after it", () => {
    const { store, pass } = setUp();
    store.receive({ kind: "state", ...snapshot(1, {}, 0, 400), heard: 310.5 });
    pass(20);
    expect([store.now(), store.heard()]).toEqual([420, 310.5]);
    expect(store.snapshot()).toMatchObject({ now: 420, heard: 310.5 });
    store.receive({ kind: "patch", seq: 2, now: 421, heard: 420.8, ops: [["set", ["mode"], "x"]] });
    expect(store.heard()).toBe(420.8);
    // A kernel of the first version does not say so.
    store.receive({ kind: "patch", seq: 3, now: 425, ops: [["set", ["mode"], "y"]] });
    expect(store.heard()).toBe(425);
  });

  it("says that the kernel does not answer, until it does", async () => {
    const { store, sent, pass, ...rest } = setUp();
    store.hello();
    pass(5);
    expect(store.state.silent).toBe(false);
    pass(2);
    expect(store.state.silent).toBe(true);
    expect(store.state.connection.kind).toBe("live");
    // An answer without any news is one as well.
    store.receive({ kind: "state", ...snapshot(1) });
    expect(store.state.silent).toBe(false);
    store.hello();
    store.receive({ kind: "patch", seq: 1, now: 51, ops: [] });
    pass(60);
    expect(store.state.silent).toBe(false);
    expect(sent.filter((one) => one.kind === "resync")).toEqual([]);
    expect(rest.timers).toBe(0);
  });

  it("greets the kernel first when what was asked takes its time", () => {
    const { store, sent, pass } = setUp();
    store.receive({ kind: "state", ...snapshot(1) });
    void store.request({ kind: "send", text: "x" });
    pass(7);
    expect(sent.map((one) => one.kind)).toEqual(["send", "hello"]);
    expect(store.state.silent).toBe(false);
    pass(7);
    expect(store.state.silent).toBe(true);
    store.disconnect("closed");
    expect(store.state.silent).toBe(false);
  });

  it("asks for a part once, and again if there was none", async () => {
    const { store, sent } = setUp();
    const one = store.asset("math");
    const two = store.asset("math");
    expect(sent).toEqual([{ kind: "asset", name: "math" }]);
    store.receive({ kind: "asset", name: "math", source: "export {}" });
    expect([await one, await two]).toEqual(["export {}", "export {}"]);
    const none = store.asset("other");
    store.receive({ kind: "asset", name: "other", source: null });
    expect(await none).toBeNull();
    void store.asset("other");
    expect(sent).toHaveLength(3);
  });

  it("calls nobody after the end, and leaves no timer", () => {
    const setup = setUp();
    const { store, paint } = setup;
    const heard = vi.fn();
    const leave = store.subscribe(heard);
    store.receive({ kind: "state", ...snapshot(1, streaming) });
    leave();
    paint();
    store.subscribe(heard);
    store.receive({ kind: "patch", seq: 3, now: 1, ops: [] });
    store.receive({ kind: "patch", seq: 2, now: 1, ops: [append("x")] });
    expect(setup.frames).toBe(1);
    store.dispose();
    expect(setup.frames).toBe(0);
    expect(heard).not.toHaveBeenCalled();
    expect(setup.timers).toBe(0);
  });
});
