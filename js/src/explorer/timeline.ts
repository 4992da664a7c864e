/** Where the time went, and the way to any moment: a strip with a handle, replay, and what the moment is. */

import { h, setText, show } from "../dom";
import { visible } from "../safe_text";
import { textButton } from "../views/parts";
import { count, duration, money } from "../views/words";
import { turnWords } from "./names";
import type { Moment, Store } from "./store";
import type { Outline, SpanKind, Target } from "./wire";

export interface Timeline {
  readonly node: HTMLElement;
  update(outline: Outline, moment: Moment | null, live: boolean): void;
  /** Stops a replay; false if none ran. */
  stop(): boolean;
  toggle(): void;
  dispose(): void;
}

const SVG = "http://www.w3.org/2000/svg";
const WORDS: Readonly<Record<SpanKind, string>> = {
  model: "model",
  tools: "tools",
  waiting: "waiting",
};
const SPEEDS = [1, 2, 5, 20, 100];
/** Milliseconds between two steps of a replay, and how long it stands still at most before the next record. */
const BEAT = 60;
const PATIENCE = 800;

export function createTimeline(store: Store, beside: HTMLElement): Timeline {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("shape-rendering", "crispEdges");
  picture.setAttribute("aria-hidden", "true");
  picture.setAttribute("class", "acp-strip");
  const slider = h("input", {
    class: "acp-scrub",
    type: "range",
    min: "0",
    step: "any",
    "aria-label": "Moment in the transcript",
    title: "Drag to see the state at any moment. Arrow keys: one record; Page keys: one turn.",
  });
  const head = h("div", { class: "acp-playhead", hidden: true });
  const play = textButton("Replay", () => toggle());
  play.classList.add("acp-play");
  const speed = h(
    "select",
    { class: "acp-speed", "aria-label": "Speed of the replay" },
    ...SPEEDS.map((value) => h("option", { value, selected: value === 5 }, `${value}×`)),
  );
  const end = textButton("Back to the end", () => {
    stop();
    store.leaveMoment();
  });
  const where = h("span", { class: "acp-where", "aria-live": "off" });
  const legend = h("span", { class: "acp-legend" });
  const node = h(
    "div",
    { class: "acp-timeline" },
    h("div", { class: "acp-track" }, picture, head, slider),
    h("div", { class: "acp-timeline-line" }, play, speed, end, where, legend, beside),
  );
  let outline: Outline | null = null;
  let moment: Moment | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let playing = false;
  let dragging = false;
  /** Where keys have led to while answers were on their way. */
  let wanted: number | null = null;
  let asked = 0;

  async function go(target: Target): Promise<void> {
    wanted = "index" in target ? target.index : null;
    asked += 1;
    const mine = asked;
    await store.seek(target);
    if (mine === asked) wanted = null;
  }

  function toggle(): void {
    if (stop()) return;
    playing = true;
    setText(play, "Pause");
    const atEnd = moment === null || moment.next === null;
    void (async () => {
      if (atEnd) await go({ index: 0 });
      beat(performance.now(), store.state.moment?.x ?? 0, performance.now());
    })();
  }

  /** One step: as much of the transcript as has passed, or the next record once it has been waited for enough. */
  function beat(before: number, x: number, since: number): void {
    if (!playing) return;
    timer = setTimeout(() => {
      const now = performance.now();
      let to = x + ((now - before) / 1000) * Number(speed.value);
      const next = store.state.moment?.next ?? null;
      if (next === null) {
        stop();
        return;
      }
      if (to < next) {
        if (now - since < PATIENCE) return beat(now, to, since);
        to = next;
      }
      void go({ x: to }).then(() => beat(now, to, performance.now()));
    }, BEAT);
  }

  function stop(): boolean {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const was = playing;
    playing = false;
    setText(play, "Replay");
    return was;
  }

  function byKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || outline === null) return;
    const index = wanted ?? store.state.moment?.index ?? outline.records;
    const place = moment?.place ?? outline.turns;
    const target: Target | undefined = (
      {
        ArrowLeft: { index: Math.max(0, index - 1) },
        ArrowDown: { index: Math.max(0, index - 1) },
        ArrowRight: { index: Math.min(outline.records, index + 1) },
        ArrowUp: { index: Math.min(outline.records, index + 1) },
        PageUp: { turn: place + 1 },
        PageDown: { turn: Math.max(0, place - 1) },
        Home: { index: 0 },
        End: { index: outline.records },
      } as Readonly<Record<string, Target>>
    )[event.key];
    if (event.key === " ") {
      event.preventDefault();
      toggle();
      return;
    }
    if (target === undefined) return;
    event.preventDefault();
    stop();
    void go(target);
  }

  slider.addEventListener("input", () => {
    stop();
    dragging = true;
    paintHead(Number(slider.value));
    void go({ x: Number(slider.value) });
  });
  slider.addEventListener("change", () => {
    dragging = false;
  });
  slider.addEventListener("keydown", byKey);

  function paintHead(x: number): void {
    const share = outline === null || outline.length === 0 ? 0 : x / outline.length;
    head.style.left = `${share * 100}%`;
  }

  function paintStrip(next: Outline): void {
    picture.setAttribute("viewBox", `0 0 ${next.length || 1} 10`);
    picture.replaceChildren(
      ...next.strip.map(([from, to, kind, top, bottom]) => {
        const rect = document.createElementNS(SVG, "rect");
        rect.setAttribute("x", String(from));
        rect.setAttribute("width", String(to - from));
        rect.setAttribute("y", String(10 * top));
        rect.setAttribute("height", String(10 * (bottom - top)));
        rect.setAttribute("class", `acp-span-${kind}`);
        return rect;
      }),
    );
    legend.replaceChildren(
      ...(["model", "tools", "waiting"] as const).map((kind) =>
        h(
          "span",
          { class: `acp-key acp-key-${kind}` },
          `${WORDS[kind]} ${next.times[kind] === 0 ? "0 s" : duration(next.times[kind])}`,
        ),
      ),
      ...(next.tokens > 0 ? [h("span", {}, count(next.tokens, "token"))] : []),
      ...Object.entries(next.costs).map(([currency, amount]) =>
        h("span", {}, money(amount, visible(currency))),
      ),
    );
    slider.max = String(next.length || 1);
  }

  return {
    node,
    update(next, at, live) {
      if (next !== outline) paintStrip(next);
      outline = next;
      moment = at;
      const x = at === null ? next.length : at.x;
      if (!dragging) slider.value = String(x);
      show(head, at !== null);
      paintHead(x);
      slider.disabled = !live || next.records === 0;
      play.disabled = slider.disabled;
      show(end, at !== null);
      const text =
        at === null
          ? `${next.records.toLocaleString("en")} records`
          : `Record ${at.index.toLocaleString("en")} of ${next.records.toLocaleString("en")}, ` +
            `${at.part === null ? "no turn yet" : turnWords(at.part)}, ${clock(at.t)}, ${at.status}`;
      setText(where, text);
      slider.setAttribute("aria-valuetext", at === null ? "The end" : text);
    },
    stop,
    toggle,
    dispose: () => {
      stop();
    },
  };
}

/** "0:07", "12:05", "1:02:09". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const pad = (n: number): string => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const rest = `${Math.floor((whole % 3600) / 60)}:${pad(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest.padStart(5, "0")}` : rest;
}
