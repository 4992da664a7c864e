import { describe, expect, it } from "vitest";
import { createContext } from "../../src/explorer/context";
import { createHeights } from "../../src/explorer/heights";
import { createList, type ListSource } from "../../src/explorer/list";
import { createPage, type Page } from "../../src/explorer/page";
import type { Pages } from "../../src/explorer/pages";
import { createStore } from "../../src/explorer/store";
import type { TurnPart } from "../../src/explorer/wire";
import { message } from "../states";
import { call, permission } from "../views/stage";
import { part } from "./stage";

const AT_ONCE = (): boolean => true;
const NEVER = (): boolean => false;

function page(): Page {
  const pages = { settle: () => undefined } as Pages;
  const store = createStore({ send: () => undefined });
  const hooks = { load: () => Promise.resolve(null) };
  const [root, live] = [document.createElement("div"), document.createElement("div")];
  return createPage(
    createContext(root, store, hooks, live, () => pages),
    0,
    () => 500,
    () => null,
  );
}

function items(shown: Page): number {
  return shown.node.querySelectorAll(".acp-item").length;
}

function long(count: number): TurnPart {
  return part(
    0,
    Array.from({ length: count }, (_, index) => message(`answer ${index}`)),
  );
}

describe("a page", () => {
  it("draws a long turn a few items at a time, as high as it is thought to be until it is done", () => {
    const shown = page();
    const turn = long(20);
    const counts: number[] = [];
    while (!shown.done) {
      expect(shown.draw(turn, AT_ONCE)).toBe(true);
      counts.push(items(shown));
      expect(shown.node.style.minHeight).toBe(shown.done ? "" : "500px");
    }
    expect(counts).toEqual([3, 6, 9, 12, 15, 18, 20]);
    expect(shown.draw(turn, AT_ONCE)).toBe(false);
  });

  it("draws all of it where there is time, or where it has to", () => {
    const shown = page();
    shown.draw(long(20), NEVER);
    expect(items(shown)).toBe(20);
    const other = page();
    other.draw(long(20));
    expect(items(other)).toBe(20);
  });

  it("keeps what it shows when the turn grows", () => {
    const shown = page();
    const turn = long(20);
    shown.draw(turn, NEVER);
    const first = shown.node.querySelector(".acp-item");
    const more = { ...turn, turn: { ...turn.turn, items: [...turn.turn.items, message("new")] } };
    shown.draw(more, AT_ONCE);
    expect(items(shown)).toBe(21);
    expect(shown.node.querySelector(".acp-item")).toBe(first);
  });

  it("shows a request only with its call", () => {
    const shown = page();
    const turn = long(5);
    const asked = permission("k");
    const with_ = {
      ...turn,
      turn: { ...turn.turn, items: [...turn.turn.items, call({ permissions: ["k"] })], permissions: [asked] },
    };
    shown.draw(with_, AT_ONCE);
    expect(shown.node.querySelectorAll(".acp-card")).toHaveLength(0);
    shown.draw(with_, AT_ONCE);
    expect(shown.node.querySelectorAll(".acp-item .acp-card")).toHaveLength(1);
    expect(shown.node.querySelectorAll(".acp-card")).toHaveLength(1);
  });

  it("says that a turn is on its way", () => {
    const shown = page();
    expect(shown.draw(null, NEVER)).toBe(true);
    expect(shown.node.classList.contains("acp-loading")).toBe(true);
    shown.draw(long(1), NEVER);
    expect(shown.node.classList.contains("acp-loading")).toBe(false);
  });
});

describe("heights", () => {
  it("are what was measured, else what is thought", () => {
    let count = 3;
    const heights = createHeights(
      () => count,
      (position) => 100 + position,
    );
    expect([heights.top(0), heights.top(1), heights.top(2), heights.total]).toEqual([0, 100, 201, 303]);
    expect(heights.set(1, 50)).toBe(true);
    expect(heights.set(1, 50)).toBe(false);
    expect([heights.top(2), heights.total]).toEqual([150, 252]);
    expect([heights.at(0), heights.at(99), heights.at(100), heights.at(9_999)]).toEqual([0, 0, 1, 2]);
    count = 4;
    heights.doubt();
    expect([heights.count, heights.total]).toEqual([4, 355]);
  });

  it("are nothing where there is nothing", () => {
    const heights = createHeights(
      () => 0,
      () => 100,
    );
    expect([heights.count, heights.total, heights.at(50)]).toEqual([0, 0, 0]);
  });
});

describe("a list", () => {
  it("draws a row anew only when it shows something else", () => {
    const values: unknown[] = ["a", "b", undefined];
    const drawn: number[] = [];
    const source: ListSource = {
      label: "Things",
      count: () => values.length,
      key: (index) => values[index],
      draw(index) {
        drawn.push(index);
        const value = values[index];
        if (value === undefined) return null;
        const node = document.createElement("div");
        node.textContent = String(value);
        return node;
      },
      open: () => undefined,
    };
    const list = createList(20);
    list.update(source, 0);
    list.update(source, 1);
    expect(drawn).toEqual([0, 1, 2, 2]);
    values[2] = "c";
    values[0] = "A";
    list.update(source, 1);
    expect(drawn).toEqual([0, 1, 2, 2, 0, 2]);
    const rows = [...list.node.querySelectorAll("[role=option]")];
    expect(rows.map((row) => row.textContent)).toEqual(["A", "b", "c"]);
    expect(rows.map((row) => row.getAttribute("aria-selected"))).toEqual(["false", "true", "false"]);
    list.dispose();
  });
});
