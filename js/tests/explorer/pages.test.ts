import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createContext } from "../../src/explorer/context";
import { createPages, type Pages } from "../../src/explorer/pages";
import { createStore } from "../../src/explorer/store";
import type { TurnPart } from "../../src/explorer/wire";
import { message } from "../states";
import { part } from "./stage";

const VIEW = 600;
/** What a page is as high as: its head, its items, or what it is told to be at least. */
const HEAD = 40;
const ITEM = 180;
const COUNT = 40;

/** A conversation of turns with two items each, in a layout of our own; frames come when they are called for. */
function stage(guesses: Readonly<Record<number, number>> = {}, items: Readonly<Record<number, number>> = {}) {
  let top = 0;
  let height = VIEW;
  const small = new Set<number>();
  const held = new Map<number, TurnPart>();
  const asked = new Set<number>();
  const scroller = document.createElement("div");
  const content = document.createElement("div");
  scroller.append(content);
  document.body.replaceChildren(scroller);
  Object.defineProperty(scroller, "clientHeight", { get: () => height });
  Object.defineProperty(scroller, "scrollTop", {
    get: () => (height === 0 ? 0 : top),
    set(y: number) {
      top = y;
      scroller.dispatchEvent(new Event("scroll"));
    },
  });
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockImplementation(function (this: HTMLElement) {
    if (!this.classList.contains("acp-page")) return 0;
    if (small.has(Number(this.dataset["position"]))) return 80;
    const drawn = HEAD + ITEM * this.querySelectorAll(".acp-item").length;
    return Math.max(Number.parseFloat(this.style.minHeight || "0"), drawn + 22);
  });
  let pages: Pages;
  const store = createStore({ send: () => undefined });
  const hooks = { load: () => Promise.resolve(null) };
  const context = createContext(content, store, hooks, document.createElement("div"), () => pages);
  pages = createPages(context, scroller, content, {
    count: () => COUNT,
    guess: (position) => guesses[position] ?? HEAD + 2 * ITEM + 22,
    part(position) {
      if (!held.has(position)) asked.add(position);
      return held.get(position) ?? null;
    },
    shows: () => undefined,
    heading: () => document.createElement("div"),
  });

  function load(): void {
    for (const position of asked) {
      const texts = Array.from({ length: items[position] ?? 2 }, (_, index) => message(`${index}`));
      held.set(position, part(position, texts));
    }
    asked.clear();
    pages.update();
  }

  /** Lets frames and answers come until nothing is on its way. */
  function rest(): void {
    for (let turns = 0; turns < 100; turns += 1) {
      while (frames.length > 0) frame();
      if (asked.size === 0) return;
      load();
    }
    throw new Error("it never rests");
  }

  /** Hides the scroller, or shows it again. */
  function resize(next: number): void {
    height = next;
    if (next === 0) scroller.dispatchEvent(new Event("scroll"));
    resized([{ target: scroller } as unknown as ResizeObserverEntry], {} as ResizeObserver);
  }

  /** Scrolls; that is heard of later. */
  function slide(y: number): void {
    top = y;
  }

  /** The turns that are drawn in sight, and how many pixels of the view they fill. */
  function sight(which = ".acp-page:not(.acp-loading)"): { turns: number[]; pixels: number } {
    const turns: number[] = [];
    let pixels = 0;
    for (const node of content.querySelectorAll<HTMLElement>(which)) {
      const from = Number(/translateY\((.*)px\)/.exec(node.style.transform)?.[1] ?? "NaN");
      const seen = Math.min(from + node.offsetHeight, top + VIEW) - Math.max(from, top);
      if (!(seen > 0)) continue;
      turns.push(Number(node.dataset["position"]));
      pixels += seen;
    }
    return { turns: turns.sort((a, b) => a - b), pixels };
  }

  pages.update();
  rest();
  return { pages, asked, small, load, rest, sight, scroller, resize, slide };
}

let frames: FrameRequestCallback[] = [];
let resized: ResizeObserverCallback = () => undefined;

function frame(): void {
  for (const run of frames.splice(0)) run(0);
}

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => frames.push(run));
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(hear: ResizeObserverCallback) {
        resized = hear;
      }
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the conversation", () => {
  it("fills the view, also where a turn is less high than it was thought to be", () => {
    const { pages, rest, sight } = stage({ 20: 3_000 });
    expect(sight()).toEqual({ turns: [0, 1], pixels: VIEW });
    pages.go(20);
    rest();
    expect(sight()).toEqual({ turns: [20, 21], pixels: VIEW });
  });

  it("keeps the turn that is read where it turns out far less high", () => {
    const { pages, scroller, rest, sight } = stage({ 5: 60_000 }, { 5: 30 });
    scroller.scrollTop = 5 * 422 + 30_000;
    rest();
    expect(pages.top).toBe(5);
    expect(sight().turns).toContain(5);
    expect(sight().pixels).toBe(VIEW);
  });

  it("draws what comes into sight when something gets smaller", () => {
    const { pages, small, rest, sight } = stage();
    small.add(0).add(1);
    pages.settle();
    rest();
    expect(sight()).toEqual({ turns: [0, 1, 2, 3], pixels: VIEW });
  });

  it("asks for nothing while one flies past, whatever comes meanwhile, and then for what is in sight", () => {
    const { scroller, asked, load, rest, sight } = stage();
    scroller.scrollTop += 500;
    frame();
    expect(asked.size).toBeGreaterThan(0);
    load();
    while (frames.length > 0) frame();
    asked.clear();
    for (let step = 0; step < 9; step += 1) {
      scroller.scrollTop += 2 * VIEW;
      if (step % 3 === 1) load();
      frame();
      if (step % 3 === 2) load();
      expect([...asked]).toEqual([]);
    }
    rest();
    expect(sight().pixels).toBe(VIEW);
  });

  it("keeps the names that are in sight at the end, while nothing is loaded", () => {
    const low = Object.fromEntries(Array.from({ length: COUNT }, (_, position) => [position, 180]));
    const { pages, small, sight } = stage(low);
    small.add(COUNT - 1);
    pages.go(COUNT - 1);
    while (frames.length > 0) frame();
    expect(sight(".acp-page").pixels).toBe(VIEW);
  });

  it("goes where it is told to, also if it was scrolled a moment ago", () => {
    const { pages, slide, scroller, rest, sight } = stage();
    slide(1_000);
    pages.go(0);
    scroller.dispatchEvent(new Event("scroll"));
    rest();
    expect([scroller.scrollTop, sight().turns]).toEqual([0, [0, 1]]);
  });

  it("is where it was when it is hidden and shown again", () => {
    const { resize, slide, scroller, rest, sight } = stage();
    scroller.scrollTop = 5_000;
    rest();
    const before = sight();
    resize(0);
    rest();
    // What is taken out of the document forgets where it stood.
    slide(0);
    resize(VIEW);
    rest();
    expect([scroller.scrollTop, sight()]).toEqual([5_000, before]);
  });

  it("stands as it stood where an item cannot be had", () => {
    const { pages, rest, sight } = stage();
    expect(pages.goItem(30, 2, false)).toBeNull();
    const nodes = [...document.querySelectorAll<HTMLElement>(".acp-page")];
    expect(nodes.filter((node) => node.style.transform === "")).toEqual([]);
    rest();
    expect(sight().pixels).toBe(VIEW);
  });
});
