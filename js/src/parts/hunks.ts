/** Part "hunks": choosing from the hunks of an edit, keyboard first. Bodies are drawn when they come near. */
import { adopt } from "../adopt";
import type { DiffLine } from "../diff";
import { h, setText } from "../dom";
import { button, drawLines, heightOf, linesOf } from "../hunk_rows";
import { readable, relative, visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import type { Reports } from "../views/reports";
import type { Tools } from "../views/review";
import type { Hunk } from "../wire";
import css from "./hunks.css";

type Side = "unified" | "split";

/** Hunks drawn at once; the others when they come into view. */
const FIRST = 20;
let side: Side = "unified";
let serial = 0;

/** Draws the hunks of a review into the place and sends what was chosen. */
export function choose(place: HTMLElement, tools: Tools): void {
  adopt(place.getRootNode(), css);
  const { review } = tools;
  const hunks = review.files.flatMap((file) => file.hunks);
  const chosen = new Set(hunks.map((hunk) => hunk.index));
  const undone = review.way === "take_back";
  const views: {
    readonly hunk: Hunk;
    readonly node: HTMLElement;
    readonly box: HTMLInputElement;
    draw(): void;
  }[] = [];
  const counts: (() => void)[] = [];
  let at = -1;
  let sending = false;
  serial += 1;
  const name = `acp-hunks-${serial}`;

  const counter = h("span", { class: "acp-hunks-count", role: "status" });
  const turn = button("", () => {
    side = side === "split" ? "unified" : "split";
    for (const view of views) view.draw();
    paint();
    tools.settle();
  });
  turn.classList.add("acp-hunks-side");
  const bar = h(
    "div",
    { class: "acp-hunks-bar" },
    counter,
    h("span", { class: "acp-hunks-keys acp-muted", id: `${name}-keys` }, keysLine(undone)),
    turn,
  );
  const list = h("div", { class: "acp-hunks-list" });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const main = button("", () => send(false));
  main.classList.add("acp-main", "acp-hunks-apply");
  const stop = button("", () => send(true));
  const none = button(tools.label(0, hunks.length), () => {
    chosen.clear();
    send(false);
  });
  const foot = h("div", { class: "acp-answer-row" }, main);
  if (review.way === "permission") foot.append(stop);
  else foot.append(none);
  const root = h(
    "div",
    { class: "acp-hunks", role: "group", "aria-label": "Hunks", "aria-describedby": `${name}-keys` },
    bar,
    list,
    foot,
    failure,
  );

  function send(halt: boolean): void {
    if (sending || (chosen.size === 0 && review.way === "permission")) return;
    sending = true;
    paint();
    void tools
      .apply(
        [...chosen].sort((a, b) => a - b),
        halt,
      )
      .then((problem) => {
        sending = false;
        setText(failure, problem ?? "");
        failure.hidden = problem === null;
        paint();
        tools.settle();
      });
  }

  function set(indices: readonly number[], on: boolean): void {
    for (const index of indices) {
      if (on) chosen.add(index);
      else chosen.delete(index);
    }
    paint();
  }

  function paint(): void {
    setText(counter, `${chosen.size} of ${hunks.length} ${hunks.length === 1 ? "hunk" : "hunks"}`);
    setText(main, tools.label(chosen.size, hunks.length));
    setText(stop, "Apply and stop");
    setText(turn, side === "split" ? "Unified" : "Split");
    const idle = sending || (chosen.size === 0 && review.way === "permission");
    for (const one of [main, stop]) one.setAttribute("aria-disabled", String(idle));
    none.hidden = chosen.size === 0;
    views.forEach(({ hunk, node, box }, index) => {
      const on = chosen.has(hunk.index);
      box.checked = on;
      node.classList.toggle("acp-hunk-off", !on);
      node.classList.toggle("acp-hunk-here", index === at);
      node.tabIndex = index === Math.max(at, 0) ? 0 : -1;
      node.setAttribute("aria-label", `${placeOf(hunk, hunks.length)}, ${on ? "accepted" : "rejected"}`);
    });
    for (const count of counts) count();
  }

  function go(index: number): void {
    const view = views[Math.min(Math.max(index, 0), views.length - 1)];
    if (view === undefined) return;
    at = views.indexOf(view);
    view.draw();
    paint();
    view.node.focus({ preventScroll: true });
    view.node.scrollIntoView?.({ block: "nearest" });
  }

  for (const file of review.files) {
    const mine = file.hunks.map((hunk) => hunk.index);
    const taken = h("span", { class: "acp-muted" });
    counts.push(() =>
      setText(taken, `${mine.filter((index) => chosen.has(index)).length} of ${mine.length}`),
    );
    const ends = [button("All", () => set(mine, true)), button("None", () => set(mine, false))];
    const path = visible(relative(file.path, tools.cwd));
    const kind = file.kind === "create" ? "new file" : file.kind === "delete" ? "file goes" : "";
    list.append(
      h(
        "div",
        { class: "acp-hunks-file" },
        h("span", { class: "acp-diff-path", title: visible(file.path) }, path),
        kind === "" ? null : h("span", { class: "acp-muted" }, kind),
        mine.length > 0 ? taken : null,
        ...(mine.length > 1 ? ends : []),
      ),
    );
    for (const sentence of [file.problem, file.earlier])
      if (sentence !== null) list.append(h("div", { class: "acp-hunks-note acp-muted" }, visible(sentence)));
    for (const hunk of file.hunks) {
      const view = hunkView(hunk, tools, undone, () => set([hunk.index], !chosen.has(hunk.index)));
      const index = views.length;
      view.node.addEventListener("focusin", () => {
        if (at !== index) {
          at = index;
          paint();
        }
      });
      views.push(view);
      list.append(view.node);
    }
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const here = views[Math.max(at, 0)];
    if (here === undefined) return;
    const mine = hunks.filter((hunk) => hunk.path === here.hunk.path).map((hunk) => hunk.index);
    const decide = (on: boolean): void => {
      set([here.hunk.index], on);
      go(Math.max(at, 0) + 1);
    };
    const onButton = event.target instanceof HTMLButtonElement;
    const act: Readonly<Record<string, (() => void) | undefined>> = {
      j: () => go(at + 1),
      k: () => go(at - 1),
      a: () => decide(true),
      r: () => decide(false),
      A: () => set(mine, true),
      R: () => set(mine, false),
      s: () => turn.click(),
      Enter: onButton ? undefined : () => send(event.shiftKey && review.way === "permission"),
    };
    const run = act[event.key];
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  });

  place.replaceChildren(root);
  paint();
  drawNear(views);
}

/** What the agent will be told; each report can be read, and taken out. */
export function reports(place: HTMLElement, ctx: ViewContext, list: Reports): void {
  adopt(place.getRootNode(), css);
  const rows = list.map((report) => {
    const text = readable(report.text.replaceAll(`${ctx.cwd() ?? ""}/`, ""));
    // The second line names the first file and what was kept of it.
    const head = (text.split("\n")[1] ?? text).replace(/^- /, "");
    const failure = h("span", { class: "acp-error-text", role: "alert" });
    const remove = button("Do not tell", () => {
      if (ctx.live())
        void ctx
          .request({ kind: "untell", report: report.key })
          .then((error) => setText(failure, error ?? ""));
    });
    const whole = h("div", { class: "acp-report-text" }, text);
    const details = h("details", { class: "acp-report" }, h("summary", null, head), whole);
    return h("li", { class: "acp-queue-row" }, details, failure, remove);
  });
  place.replaceChildren(
    h("div", { class: "acp-muted acp-small" }, "Told with the next message"),
    h("ul", { class: "acp-queue-rows" }, ...rows),
  );
}

function placeOf(hunk: Hunk, all: number): string {
  return `Hunk ${hunk.index + 1} of ${all}, line ${hunk.line}`;
}

function keysLine(undone: boolean): string {
  return `j k: move · a r: ${undone ? "take back, keep" : "accept, reject"} · A R: whole file · Enter: apply`;
}

/** Draws the first hunks now, and each other one when it comes near to what is seen. */
function drawNear(views: readonly { readonly node: HTMLElement; draw(): void }[]): void {
  views.slice(0, FIRST).forEach((view) => {
    view.draw();
  });
  const rest = views.slice(FIRST);
  if (typeof IntersectionObserver === "undefined") {
    for (const view of rest) view.draw();
    return;
  }
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watch.unobserve(entry.target);
        rest.find((view) => view.node === entry.target)?.draw();
      }
    },
    { rootMargin: "400px" },
  );
  for (const view of rest) watch.observe(view.node);
}

function hunkView(hunk: Hunk, tools: Tools, undone: boolean, toggle: () => void) {
  const box = h("input", { type: "checkbox", tabindex: "-1" });
  box.addEventListener("change", toggle);
  const head = h(
    "label",
    { class: "acp-hunk-head" },
    box,
    h("span", null, `line ${hunk.line}`),
    h("span", { class: "acp-hunk-off-word acp-muted" }, undone ? "stays" : "left out"),
  );
  const body = h("div", { class: "acp-hunk-body acp-diff-body" });
  body.style.minHeight = `${heightOf(hunk)}px`;
  const node = h("div", { class: "acp-hunk", role: "group", tabindex: "-1" }, head, body);
  let drawn: Side | null = null;
  let lines: readonly DiffLine[] | null = null;
  return {
    hunk,
    node,
    box,
    draw() {
      if (drawn === side) return;
      drawn = side;
      lines ??= linesOf(hunk, tools);
      body.style.minHeight = "";
      body.replaceChildren();
      body.classList.toggle("acp-is-split", side === "split");
      drawLines(body, lines, side === "split", tools);
    },
  };
}
