import { describe, expect, it, vi } from "vitest";
import { insertCell, notebookOf } from "../src/notebook";
import { createTwin, hideTwin } from "../src/twin";
import type { FromKernel } from "../src/wire";

type Output = Record<string, unknown>;

/** A notebook document as JupyterLab's widget manager shows it. */
function notebook(cells: Output[][], { readOnly = false, saves = false, collaborative = false } = {}) {
  const inserted: unknown[] = [];
  const slots = new Set<(sender: unknown, state: unknown) => void>();
  const connect = (slot: (sender: unknown, state: unknown) => void) => slots.add(slot);
  const manager = {
    context: {
      ...(saves ? { saveState: { connect, disconnect: slots.delete.bind(slots) } } : {}),
      model: {
        readOnly,
        collaborative,
        dirty: false,
        cells: {
          length: cells.length,
          get: (cell: number) => {
            const outputs = cells[cell];
            if (outputs === undefined || outputs.length === 0) return {};
            return {
              outputs: {
                length: outputs.length,
                get: (index: number) => ({ toJSON: () => structuredClone(outputs[index]) }),
                set: (index: number, output: Output) => {
                  outputs[index] = output;
                },
              },
            };
          },
        },
        sharedModel: { insertCell: (index: number, cell: unknown) => inserted.push([index, cell]) },
      },
    },
  };
  /** What a save does: it tells, and takes the outputs as they are then. */
  const save = () => {
    for (const slot of [...slots]) slot(manager.context, "started");
    const saved = JSON.stringify(cells);
    for (const slot of [...slots]) slot(manager.context, "completed");
    manager.context.model.dirty = false;
    return saved;
  };
  return { cells, manager, inserted, save, slots };
}

const html = (body: string, id = "c1") =>
  `<div class="acp-notebook-twin acp-notebook-twin-${id}">${body}</div>`;
const output = (data: Output): Output => ({ output_type: "display_data", metadata: { keep: 1 }, data });
const pieces = (...texts: [number, string][]) =>
  texts.map(([turn, text]) => ({ turn, html: `<p>${text}</p>`, markdown: text }));
const twinMessage = (part: object): Extract<FromKernel, { kind: "twin" }> => ({
  kind: "twin",
  reset: false,
  head: '<div class="acp-notebook-twin acp-notebook-twin-c1">',
  tail: "</div>",
  first: 0,
  pieces: [],
  ...part,
});

function setUp(cells: Output[][] | null, kind: Parameters<typeof notebook>[1] = {}) {
  const book = cells && notebook(cells, kind);
  const ask = vi.fn();
  const stale = vi.fn();
  let idle: (() => void)[] = [];
  const twin = createTwin("c1", {
    document: () => notebookOf(book?.manager),
    ask,
    stale,
    idle: (run) => {
      idle.push(run);
      return () => {
        idle = idle.filter((other) => other !== run);
      };
    },
  });
  const rest = () => {
    for (const run of idle.splice(0)) run();
  };
  const model = book?.manager.context.model ?? { dirty: false };
  return { twin, ask, stale, rest, cells: cells ?? [], book, model };
}

describe("createTwin", () => {
  it("writes the pieces into the output of its chat, once when the page has time, and leaves others alone", () => {
    const other = output({ "text/html": html("other", "c12") });
    const list = output({ "text/html": [html("a"), "\n"], "text/markdown": "old", "x/y": 1 });
    const { twin, rest, stale, cells } = setUp([[], [other, { output_type: "stream", text: "x" }, list]]);
    expect(twin.writes()).toBe(true);
    twin.receive(twinMessage({ reset: true, pieces: pieces([1, "two"], [0, "one"]) }));
    twin.receive(twinMessage({ pieces: pieces([2, "three"]) }));
    expect(cells[1]?.[2]).toBe(list);
    rest();
    expect(cells[1]?.[2]).toEqual(
      output({
        "text/html": html("<p>one</p><p>two</p><p>three</p>"),
        "text/markdown": "one\ntwo\nthree",
        "x/y": 1,
      }),
    );
    expect(cells[1]?.[0]).toBe(other);
    expect(stale).toHaveBeenLastCalledWith(false);
    const written = cells[1]?.[2];
    twin.receive(twinMessage({ pieces: pieces([2, "three"]) }));
    rest();
    expect(cells[1]?.[2]).toBe(written);
  });

  it("forgets turns that no longer fit, and all on reset", () => {
    const { twin, rest, cells } = setUp([[output({ "text/html": html("") })]]);
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"], [1, "b"]) }));
    twin.receive(twinMessage({ first: 1, pieces: pieces([2, "c"]) }));
    rest();
    expect(cells[0]?.[0]?.["data"]).toMatchObject({ "text/html": html("<p>b</p><p>c</p>") });
    twin.receive(twinMessage({ reset: true, first: 1, pieces: pieces([2, "d"]) }));
    rest();
    expect(JSON.stringify(cells[0]?.[0])).toContain('twin-c1\\"><p>d</p></div>');
  });

  it("asks for all pieces if it came too late for the first ones", () => {
    const { twin, ask, rest, cells } = setUp([[output({ "text/html": html("old") })]]);
    twin.receive(twinMessage({ pieces: pieces([3, "x"]) }));
    rest();
    expect(ask).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(cells)).toContain("old");
  });

  it("says that the copy is old where it cannot write", () => {
    for (const { twin, stale, rest } of [
      setUp(null),
      setUp([[output({ "text/html": html("") })]], { readOnly: true }),
    ]) {
      expect(twin.writes()).toBe(false);
      twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
      rest();
      expect(stale).toHaveBeenLastCalledWith(true);
    }
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const broken = Object.freeze([output({ "text/html": html("") })]) as unknown as Output[];
    const { twin, stale, rest } = setUp([broken]);
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    rest();
    expect(stale).toHaveBeenLastCalledWith(true);
  });

  it("is content if there is no copy to write", () => {
    const { twin, stale, rest } = setUp([[output({ "text/html": html("", "c9") })]]);
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    rest();
    expect(stale).toHaveBeenLastCalledWith(false);
  });

  it("writes what is due before it ends", () => {
    const { twin, rest, cells } = setUp([[output({ "text/html": html("") })]]);
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    twin.dispose();
    rest();
    expect(JSON.stringify(cells)).toContain("<p>a</p>");
  });
});

describe("createTwin, where the notebook tells of its saves", () => {
  it("marks the notebook as changed, and writes at the save alone", () => {
    const { twin, rest, stale, cells, book, model } = setUp([[output({ "text/html": html("") })]], {
      saves: true,
    });
    const before = cells[0]?.[0];
    for (const number of [0, 1]) {
      twin.receive(twinMessage({ reset: number === 0, pieces: pieces([number, `turn ${number}`]) }));
      rest();
      expect(cells[0]?.[0]).toBe(before);
      expect(model.dirty).toBe(true);
      expect(stale).toHaveBeenLastCalledWith(false);
      expect(book?.slots.size).toBe(1);
    }
    expect(book?.save()).toContain("<p>turn 0</p><p>turn 1</p>");
    expect(book?.slots.size).toBe(0);
    // Nothing new: nothing to save.
    twin.receive(twinMessage({ pieces: pieces([1, "turn 1"]) }));
    rest();
    expect(model.dirty).toBe(false);
    expect(book?.slots.size).toBe(0);
  });

  it("saves what came since the page last had time", () => {
    const { twin, rest, book } = setUp([[output({ "text/html": html("") })]], { saves: true });
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    rest();
    twin.receive(twinMessage({ pieces: pieces([1, "b"]) }));
    expect(book?.save()).toContain("<p>a</p><p>b</p>");
  });

  it("writes before it ends, and hears of no save any more", () => {
    const { twin, rest, cells, book } = setUp([[output({ "text/html": html("") })]], { saves: true });
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    rest();
    twin.dispose();
    expect(JSON.stringify(cells)).toContain("<p>a</p>");
    expect(book?.slots.size).toBe(0);
  });

  it("writes at once where others edit too: their server saves without a word", () => {
    const { twin, rest, cells } = setUp([[output({ "text/html": html("") })]], {
      saves: true,
      collaborative: true,
    });
    twin.receive(twinMessage({ reset: true, pieces: pieces([0, "a"]) }));
    rest();
    expect(JSON.stringify(cells)).toContain("<p>a</p>");
  });
});

describe("hideTwin", () => {
  it("hides the copy while any view of the chat lives", () => {
    const copy = document.createElement("div");
    copy.className = "acp-notebook-twin acp-notebook-twin-c1";
    document.body.append(copy);
    const hidden = () => getComputedStyle(copy).display === "none";
    const first = hideTwin("c1", document);
    const second = hideTwin("c1", document);
    const other = hideTwin("c2", document);
    expect(hidden()).toBe(true);
    first();
    first();
    expect(hidden()).toBe(true);
    second();
    expect(hidden()).toBe(false);
    other();
    expect(document.head.querySelector("style")).toBeNull();
    copy.remove();
  });
});

describe("notebookOf", () => {
  it("finds nothing where there is no notebook, and never throws", () => {
    for (const manager of [undefined, null, 1, {}, { context: null }, { context: { model: { cells: {} } } }])
      expect(notebookOf(manager)).toBeNull();
  });

  it("puts code into a new cell", () => {
    const { manager, inserted } = notebook([[], []]);
    const book = notebookOf(manager);
    expect(book && insertCell(book, 0, "x = 1")).toBe(true);
    expect(inserted).toEqual([[1, { cell_type: "code", source: "x = 1", metadata: {}, outputs: [] }]]);
    const locked = notebookOf(notebook([[]], { readOnly: true }).manager);
    expect(locked && insertCell(locked, 0, "x")).toBe(false);
  });
});
