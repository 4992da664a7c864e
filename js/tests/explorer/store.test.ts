import { describe, expect, it, vi } from "vitest";
import { isNear } from "../../src/explorer/asking";
import { createStore } from "../../src/explorer/store";
import type { Hit, MomentMessage, ToKernel } from "../../src/explorer/wire";
import { message, turn } from "../states";
import { call, permission } from "../views/stage";
import { outline, part } from "./stage";

function started(turns = 3) {
  const sent: ToKernel[] = [];
  const waits: { seconds: number; run: () => void }[] = [];
  const store = createStore({
    send: (one) => sent.push(one),
    frame: (callback) => {
      callback();
      return () => undefined;
    },
    later: (seconds, run) => {
      waits.push({ seconds, run });
      return () => undefined;
    },
  });
  store.restore(outline(turns));
  const last = (): ToKernel & { id: string } => sent[sent.length - 1] as ToKernel & { id: string };
  return { store, sent, last, waits };
}

function hit(turn_: number): Hit {
  return {
    turn: turn_,
    item: 0,
    after: false,
    number: turn_ + 1,
    session: null,
    record: 1,
    kind: "message",
    status: null,
    title: `t${turn_}`,
    snippet: "",
  };
}

const WORDS = { text: "word", kinds: [], statuses: [], sessions: [], path: null };

function moment(id: string, more: Partial<MomentMessage> = {}): MomentMessage {
  return {
    kind: "moment",
    id,
    base: -1,
    seq: 1,
    index: 4,
    t: 1,
    x: 1,
    next: 2,
    count: 1,
    status: "working",
    place: 0,
    turn: {
      index: 0,
      number: 1,
      session: null,
      turn: turn(),
      keep: 0,
      items: [message("a"), message("b")],
      offset: 0,
      total: 2,
      left_out: 0,
    },
    others: [],
    ...more,
  };
}

describe("questions", () => {
  it("say that they come from the server's own machine", () => {
    expect(location.hostname).toBe("localhost");
    const { store, last } = started();
    void store.seek({ index: 4 });
    expect(last()).toMatchObject({ kind: "seek", near: true });
    void store.loadRows(0);
    expect(last()).toMatchObject({ kind: "rows", near: true });
  });
  it("say so no longer once five answers in a row were slow: there may be a tunnel", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const { store, last } = started();
    const asks = async (took: number): Promise<boolean> => {
      const sought = store.seek({ index: 4 });
      const asked = last() as { id: string; near?: boolean };
      now += took;
      store.receive(moment(asked.id));
      await sought;
      return asked.near === true;
    };
    expect([
      await asks(500),
      await asks(500),
      await asks(500),
      await asks(500),
      await asks(20),
    ]).not.toContain(false);
    for (let count = 0; count < 5; count += 1) expect(await asks(101)).toBe(true);
    expect(await asks(20)).toBe(false);
    expect(await asks(20)).toBe(false);
    clock.mockRestore();
  });
  it.each([
    ["127.0.0.1", true],
    ["[::1]", true],
    ["localhost", true],
    ["localhost.example.com", false],
    ["127.0.0.1.example.com", false],
    ["hub.example.com", false],
    ["10.0.0.1", false],
  ])("know %s", (host, near) => {
    expect(isNear(host)).toBe(near);
  });
});

describe("while moments follow one another", () => {
  it("no other turn is loaded, and then those that are shown", async () => {
    const { store, sent, last, waits } = started();
    const drawn: (number | undefined)[] = [];
    store.subscribe(() => drawn.push(store.turn(2)?.index));
    const sought = store.seek({ index: 4 });
    store.receive(moment(last().id));
    await sought;
    const [rest] = waits;
    expect(drawn.length).toBeGreaterThan(0);
    expect(sent.filter((one) => one.kind === "turns")).toHaveLength(0);
    rest?.run();
    expect(sent.filter((one) => one.kind === "turns")).toHaveLength(1);
  });
});

describe("turns", () => {
  it("gives what is loaded and asks once for what is not", () => {
    const { store, sent } = started();
    expect(store.turn(0)?.index).toBe(0);
    expect(store.turn(1)).toBeNull();
    expect(store.turn(1)).toBeNull();
    expect(store.turn(2)).toBeNull();
    expect(sent.filter((one) => one.kind === "turns")).toHaveLength(1);
  });

  it("keeps the parts that came", async () => {
    const { store, last } = started();
    store.turn(1);
    store.receive({
      kind: "turns",
      id: last().id,
      at: null,
      turns: [
        { ...part(1), final: true },
        { ...part(2), final: true },
      ],
    });
    await Promise.resolve();
    expect(store.turn(2)?.index).toBe(2);
  });

  it("lets go of turns that are far away", async () => {
    const { store, last } = started(500);
    for (let first = 0; first < 400; first += 50) {
      store.shows(first, first + 2);
      store.turn(first + 1);
      const turns = Array.from({ length: 50 }, (_, at) => ({ ...part(first + at), final: true }));
      store.receive({ kind: "turns", id: last().id, at: null, turns });
      await Promise.resolve();
      await Promise.resolve();
    }
    const held = store.saved()?.window.length ?? 0;
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(80);
    expect(store.turn(399)?.index).toBe(399);
  });

  it("saves no more than half a megabyte of turns", async () => {
    const { store, last } = started(60);
    store.turn(1);
    const turns = Array.from({ length: 50 }, (_, at) => ({
      ...part(at, [message("x".repeat(40_000))]),
      final: true,
    }));
    store.receive({ kind: "turns", id: last().id, at: null, turns });
    await Promise.resolve();
    expect(JSON.stringify(store.saved()?.window).length).toBeLessThan(510_000);
  });
});

describe("moments", () => {
  it("builds a turn on the items of the moment before", async () => {
    const { store, last } = started();
    const going = store.seek({ index: 4 });
    store.receive(moment(last().id));
    expect(await going).toBe(true);
    const first = store.turn(0)?.turn.items;
    expect(first).toHaveLength(2);
    void store.seek({ index: 5 });
    expect(last()).toMatchObject({ kind: "seek", index: 5, have: 1 });
    store.receive(
      moment(last().id, {
        base: 1,
        seq: 2,
        index: 5,
        turn: {
          index: 0,
          number: 1,
          session: null,
          turn: turn(),
          keep: 1,
          items: [message("b2"), message("c")],
          offset: 0,
          total: 3,
          left_out: 0,
        },
      }),
    );
    await Promise.resolve();
    const items = store.turn(0)?.turn.items ?? [];
    expect(items).toHaveLength(3);
    expect(items[0]).toBe(first?.[0]);
  });

  it("fetches the items before those of a moment as they were then", async () => {
    const { store, last } = started();
    void store.seek({ index: 4 });
    const late = moment(last().id).turn;
    store.receive(moment(last().id, { turn: late && { ...late, offset: 60, total: 62 } }));
    await Promise.resolve();
    const loading = store.load({ turn: 0, item: 59, after: false });
    expect(last()).toMatchObject({ kind: "turns", first: 0, count: 1, focus: 59, at: 4 });
    const whole = { ...part(0, [message("first")]), offset: 0, total: 62, final: false };
    const visit = store.state.moment?.visit;
    store.receive({ kind: "turns", id: last().id, at: 4, turns: [whole] });
    expect((await loading)?.offset).toBe(0);
    expect(store.turn(0)?.turn.items).toEqual([message("first")]);
    expect(store.state.moment?.visit).toBe(visit);
    // The kernel's next step builds on what it had sent for the moment: it must send all of it.
    void store.seek({ index: 5 });
    expect(last()).toMatchObject({ kind: "seek", have: -1 });
  });

  it("has one question on its way and then asks for the last wish only", async () => {
    const { store, sent, last } = started();
    const wishes = [1, 2, 3, 4].map((index) => store.seek({ index }));
    expect(sent.filter((one) => one.kind === "seek")).toHaveLength(1);
    store.receive(moment(last().id, { index: 1 }));
    await wishes[0];
    await Promise.resolve();
    expect(sent.filter((one) => one.kind === "seek")).toHaveLength(2);
    expect(last()).toMatchObject({ index: 4 });
    store.receive(moment(last().id, { index: 4, seq: 2 }));
    expect(await Promise.all(wishes)).toEqual([true, false, false, true]);
  });

  it("shows other turns as they were then, and as they are at the end", async () => {
    const { store, last } = started();
    void store.seek({ index: 4 });
    store.receive(moment(last().id, { place: 1, turn: null, others: [part(0, [message("then")])] }));
    await Promise.resolve();
    expect(store.turn(0)?.turn.items[0]).toMatchObject({ blocks: [{ text: "then" }] });
    store.leaveMoment();
    expect(store.turn(0)?.turn.items[0]).toMatchObject({ blocks: [{ text: "answer 0" }] });
  });
});

describe("search", () => {
  it("runs the last of what was typed while one search was on its way", async () => {
    const { store, sent, last } = started();
    void store.search({ ...WORDS, text: "w" });
    void store.search({ ...WORDS, text: "wo" });
    const done = store.search({ ...WORDS, text: "wor" });
    store.receive({ kind: "hits", id: last().id, total: 9, first: 0, hits: [], words: ["w"] });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(sent.filter((one) => one.kind === "search")).toHaveLength(2);
    expect(last()).toMatchObject({ text: "wor" });
    store.receive({ kind: "hits", id: last().id, total: 1, first: 0, hits: [hit(2)], words: ["wor"] });
    await done;
    expect(store.state.hits).toMatchObject({ total: 1, words: ["wor"], local: false });
  });

  it("loads further hits when they are wanted", async () => {
    const { store, last } = started();
    const done = store.search(WORDS);
    store.receive({ kind: "hits", id: last().id, total: 450, first: 0, hits: [hit(0)], words: ["word"] });
    await done;
    const wanted = store.loadHits(401);
    expect(last()).toMatchObject({ kind: "search", first: 400 });
    store.receive({ kind: "hits", id: last().id, total: 450, first: 400, hits: [hit(7), hit(8)] });
    expect((await wanted)?.turn).toBe(8);
  });

  it("searches what is loaded when the kernel is gone", async () => {
    const { store } = started();
    store.disconnect();
    await store.search({ ...WORDS, text: "answer" });
    expect(store.state.hits).toMatchObject({ total: 1, local: true });
    await store.search({ ...WORDS, text: "question", kinds: ["prompt"] });
    expect(store.state.hits).toMatchObject({ total: 1 });
    await store.search({ ...WORDS, text: "answer", kinds: ["edit"] });
    expect(store.state.hits).toMatchObject({ total: 0 });
  });

  it.each([
    ["status:failed", ["edit"]],
    ["tool:edit path:A.py", ["edit"]],
    ["kind:tool answer", []],
    ["kind:message answer", ["message"]],
    ["status:done question", ["prompt"]],
    ['"answer 0"', ["message"]],
    ['"0 answer"', []],
    ["turn:2", []],
    ["turn:1", ["prompt", "message", "edit"]],
  ])("understands %s without a kernel", async (text, kinds) => {
    const { store } = started();
    const edit = call({
      kind: "edit",
      state: "output-error",
      locations: [{ path: "/p/a.py", line: null }],
    });
    store.restore({ ...outline(3), id: "x2", window: [part(0, [message("answer 0"), edit])] });
    store.disconnect();
    await store.search({ ...WORDS, text });
    expect(store.state.hits?.hits.map((one) => one?.kind)).toEqual(kinds);
  });
});

describe("files without a kernel", () => {
  it("have their edits, shown by the call, by its request, or by a name alone", async () => {
    const { store } = started();
    const place = { path: "/p/a.py", line: null };
    const diff = { path: "/p/a.py", old_text: "old", new_text: "needle" };
    const asked = permission("k", { diffs: [diff] });
    const items = [
      call({ id: "1", kind: "edit", diffs: [diff] }),
      call({ id: "2", kind: "edit", permissions: ["k"] }),
      call({ id: "3", kind: "edit", locations: [place] }),
      call({ id: "4", kind: "read", locations: [place] }),
    ];
    const held = part(0, items);
    const window = [{ ...held, turn: { ...held.turn, permissions: [asked] } }];
    store.restore({ ...outline(3), id: "x2", window });
    store.disconnect();
    await store.search({ ...WORDS, text: "", path: "/p/a.py" });
    expect(store.state.hits?.hits.map((one) => one?.item)).toEqual([0, 1, 2]);
    await store.search({ ...WORDS, text: "needle" });
    expect(store.state.hits?.hits.map((one) => one?.item)).toEqual([0, 1]);
  });
});

describe("the end of the kernel", () => {
  it("ends every question", async () => {
    const { store } = started();
    const asked = [
      store.seek({ index: 1 }),
      store.asset("math"),
      store.whole({ turn: 0, item: 0, after: false }),
    ];
    store.disconnect();
    expect(await Promise.all(asked)).toEqual([false, null, false]);
    expect(await store.seek({ index: 2 })).toBe(false);
    expect(store.state.live).toBe(false);
  });

  it("takes a failed answer as none", async () => {
    const { store, last } = started();
    const asked = store.records({ turn: 0, item: 0, after: false }, 0);
    store.receive({ kind: "failed", id: last().id, error: "no" });
    expect(await asked).toBeNull();
  });
});
