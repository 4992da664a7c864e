/** Part "wire_log": what went over the wire, newest last; filtered, opened and copied a message at a time. */
import { adopt } from "../adopt";
import { copyText } from "../clipboard";
import { h, setText, show } from "../dom";
import { readable, visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import { iconButton, textButton } from "../views/parts";
import type { WireEntries } from "../wire";
import css from "./wire_log.css";

type Entry = WireEntries["entries"][number];

export interface Panel {
  readonly node: HTMLElement;
  close(): boolean;
}

/** More lines than this are not held: the transcript file has them all. */
const MOST = 1_000;
/** Characters of a line before it is opened. */
const WIDTH = 240;
/** Seconds between two looks while the panel is open. */
const PAUSE = 1;

/** Opens the log; `leave` is called when it has gone. */
export function open(ctx: ViewContext, leave: () => void): Panel {
  let held: Entry[] = [];
  let known = 0;
  const filter = h("input", {
    class: "acp-wire-filter",
    type: "search",
    placeholder: "Filter: method, id, text",
    "aria-label": "Filter the messages",
  });
  const count = h("span", { class: "acp-muted acp-small", role: "status" });
  const rows = h("ol", { class: "acp-wire-rows", tabindex: "0", "aria-label": "Messages" });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const node = h(
    "section",
    { class: "acp-wire", role: "dialog", "aria-label": "Wire log" },
    h(
      "div",
      { class: "acp-wire-head" },
      h("strong", {}, "Wire log"),
      filter,
      count,
      textButton("Copy these", copyShown),
      iconButton("cross", "Close the wire log", () => close()),
    ),
    failure,
    rows,
  );

  function close(): boolean {
    if (!node.isConnected) return false;
    const focused = node.contains(ctx.root.activeElement);
    node.remove();
    if (focused) leave();
    return true;
  }

  function shown(): readonly Entry[] {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    return held.filter((entry) => {
      const text = entry.json.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  function paint(): void {
    const atEnd = rows.scrollHeight - rows.clientHeight - rows.scrollTop < 8;
    const entries = shown();
    rows.replaceChildren(...entries.map(rowOf));
    tell(entries.length);
    if (atEnd) rows.scrollTop = rows.scrollHeight;
  }

  function add(more: readonly Entry[]): void {
    const atEnd = rows.scrollHeight - rows.clientHeight - rows.scrollTop < 8;
    held = [...held, ...more].slice(-MOST);
    const entries = shown();
    const fresh = new Set(more);
    rows.append(...entries.filter((entry) => fresh.has(entry)).map(rowOf));
    // Those that fell out at the front.
    for (let old = rows.childElementCount - entries.length; old > 0; old -= 1)
      rows.firstElementChild?.remove();
    tell(entries.length);
    if (atEnd) rows.scrollTop = rows.scrollHeight;
  }

  function tell(number: number): void {
    const all = number === held.length ? `${number}` : `${number} of ${held.length}`;
    setText(count, known > held.length ? `${all}, the newest of ${known}` : all);
  }

  function copyShown(): void {
    const text = shown()
      .map((entry) => JSON.stringify({ t: entry.t, dir: entry.dir, msg: parsed(entry.json) }))
      .join("\n");
    void copyText(text).then((done) =>
      ctx.announce(done ? "Messages copied" : "The browser did not allow copying"),
    );
  }

  function look(): void {
    void ctx.query({ kind: "wire_log", after: known }).then(({ error, data }) => {
      setText(failure, error === null ? "" : visible(error));
      show(failure, error !== null);
      if (error === null) {
        const part = data as WireEntries;
        known = part.first + part.entries.length;
        add(part.entries);
      }
      // Also after an error: a kernel that was out of reach may be back.
      if (node.isConnected) setTimeout(() => node.isConnected && look(), PAUSE * 1_000);
    });
  }

  adopt(ctx.root, css);
  filter.addEventListener("input", paint);
  look();
  return { node, close };
}

const ARROWS: Readonly<Record<string, readonly [string, string]>> = {
  in: ["←", "from the agent"],
  out: ["→", "to the agent"],
};

function rowOf(entry: Entry): HTMLElement {
  const [arrow, words] = ARROWS[entry.dir] ?? ["·", "noted"];
  const text = visible(entry.json.slice(0, WIDTH)) + (entry.json.length > WIDTH ? "…" : "");
  const head = h(
    "button",
    { class: "acp-wire-line", type: "button", "aria-expanded": "false" },
    h("span", { class: "acp-wire-time" }, entry.t.toFixed(3)),
    h("span", { title: words, "aria-label": words }, arrow),
    h("span", { class: "acp-wire-text" }, text),
  );
  const row = h("li", { class: `acp-wire-row acp-wire-${entry.dir}` }, head);
  let body: HTMLElement | null = null;
  head.addEventListener("click", () => {
    const opens = body === null;
    head.setAttribute("aria-expanded", String(opens));
    if (body !== null) body.remove();
    body = opens ? bodyOf(entry) : null;
    if (body !== null) row.append(body);
  });
  return row;
}

function bodyOf(entry: Entry): HTMLElement {
  const message = parsed(entry.json);
  const whole = typeof message === "string" ? message : JSON.stringify(message, null, 2);
  return h(
    "div",
    { class: "acp-wire-body" },
    h("pre", {}, readable(whole)),
    textButton("Copy", () => void copyText(whole)),
  );
}

/** The message; its text if it was cut. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
