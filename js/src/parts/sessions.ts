/** Part "sessions": the sessions of this agent in this folder; each can be opened, and what else the agent offers. */
import { adopt } from "../adopt";
import { h, setText, show } from "../dom";
import { visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import { icon } from "../views/icons";
import { iconButton, textButton } from "../views/parts";
import type { SessionList } from "../wire";
import css from "./sessions.css";

type Info = SessionList["sessions"][number];
type Act = "new" | "open" | "fork" | "close" | "delete";

export interface Picker {
  readonly node: HTMLElement;
  close(): boolean;
}

/** Opens the picker; `leave` is called when it has gone. */
export function open(ctx: ViewContext, leave: () => void): Picker {
  const rows = h("ul", { class: "acp-sessions-rows" });
  const note = h("div", { class: "acp-sessions-note acp-muted" }, "Asking the agent …");
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const node = h(
    "section",
    { class: "acp-sessions", role: "dialog", "aria-label": "Sessions" },
    h(
      "div",
      { class: "acp-sessions-head" },
      h("strong", {}, "Sessions"),
      textButton("New session", () => act("new")),
      iconButton("cross", "Close the list", () => close()),
    ),
    failure,
    note,
    rows,
  );
  let busy = false;

  function close(): boolean {
    if (!node.isConnected) return false;
    const held = node.contains(ctx.root.activeElement);
    node.remove();
    if (held) leave();
    return true;
  }

  function act(what: Act, session?: string): void {
    if (busy || !ctx.live()) return;
    busy = true;
    node.setAttribute("aria-busy", "true");
    show(failure, false);
    void ctx
      .request({ kind: "session", act: what, ...(session !== undefined && { session }) })
      .then((error) => {
        busy = false;
        node.removeAttribute("aria-busy");
        if (error !== null) return complain(error);
        if (what === "delete" || what === "close") return fill();
        leave();
        close();
      });
  }

  function complain(error: string): void {
    setText(failure, visible(error));
    show(failure, true);
  }

  function fill(): void {
    void ctx.query({ kind: "sessions" }).then(({ error, data }) => {
      show(note, false);
      if (error !== null) return complain(error);
      const list = data as SessionList;
      const held = rows.contains(ctx.root.activeElement);
      rows.replaceChildren(...list.sessions.map((info) => row(info, list)));
      setText(note, "There is no other session of this agent in this folder.");
      show(note, list.sessions.length === 0);
      // The button that was pressed is gone; the keys must not go to the notebook.
      if (held) node.querySelector<HTMLElement>(".acp-session-open, button")?.focus({ preventScroll: true });
    });
  }

  function row(info: Info, list: SessionList): HTMLElement {
    const current = info.id === list.current;
    const title = visible(info.title ?? info.id);
    const button = h(
      "button",
      {
        class: "acp-session-open",
        type: "button",
        "aria-current": current && "true",
        title: visible(info.id),
      },
      h("span", { class: "acp-session-title" }, current ? `${title} (this one)` : title),
      h("span", { class: "acp-session-when acp-muted acp-small" }, whenWords(info)),
    );
    if (!current) button.addEventListener("click", () => act("open", info.id));
    const line = h("li", { class: "acp-session-row" }, button);
    const offer = (what: Act, name: "copy" | "ban", label: string): void => {
      if (list.able.includes(what))
        line.append(iconButton(name, `${label}: ${title}`, () => act(what, info.id)));
    };
    if (info.source === "agent" || current) offer("fork", "copy", "Go on with a copy");
    if (info.source === "agent" && !current) {
      offer("close", "ban", "Let the agent put it away");
      if (list.able.includes("delete")) line.append(deleteButton(title, () => act("delete", info.id)));
    }
    return line;
  }

  adopt(ctx.root, css);
  node.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const all = [...rows.querySelectorAll<HTMLElement>(".acp-session-open")];
    const at = all.indexOf(ctx.root.activeElement as HTMLElement);
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus({ preventScroll: false });
  });
  fill();
  return { node, close };
}

/** Deleting is for good: the first click asks, the second does it. */
function deleteButton(title: string, run: () => void): HTMLElement {
  const button = iconButton("delete", `Delete: ${title}`, () => {
    if (button.dataset["sure"] !== undefined) return run();
    button.dataset["sure"] = "";
    button.replaceChildren("Delete?");
    button.setAttribute("aria-label", `Delete for good: ${title}`);
  });
  button.addEventListener("blur", () => {
    if (button.dataset["sure"] === undefined) return;
    delete button.dataset["sure"];
    button.replaceChildren(icon("delete"));
    button.setAttribute("aria-label", `Delete: ${title}`);
  });
  return button;
}

function whenWords(info: Info): string {
  const date = info.updated === null ? null : new Date(info.updated);
  const when = date === null || Number.isNaN(date.getTime()) ? "" : date.toLocaleString();
  return info.source === "record" ? `${when} (our record)`.trim() : when;
}
