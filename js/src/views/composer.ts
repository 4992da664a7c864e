/**
 * Composer: grows with its text; Enter sends, Shift+Enter makes a new line; one button that is Send or Stop.
 * A draft leaves the box only when the kernel has taken it.
 */

import { h, setText, show, type View } from "../dom";
import type { Session } from "../wire";
import type { ViewContext } from "./context";
import { createDraft } from "./draft";
import { icon } from "./icons";
import { textButton } from "./parts";
import { createQueue } from "./queue";
import { createReports } from "./reports";

export interface ComposerState {
  readonly session: Session | null;
  readonly first: number;
  /** Why nothing can be sent; null while the kernel is there. */
  readonly reason: string | null;
}

export interface Composer extends View<ComposerState> {
  focus(): void;
  /** Closes the list of commands; false if there was none. */
  closeOpen(): boolean;
  stop(): void;
  /** Shows a sentence about what went wrong, or takes it away. */
  fail(sentence: string | null): void;
  /** Puts a text in, e.g. a suggestion; what is there stays before it. */
  put(text: string): void;
}

interface Slash {
  update(): void;
  close(): boolean;
  dispose(): void;
}

/** What the part "slash" gives. */
interface SlashPart {
  create(places: {
    box: HTMLTextAreaElement;
    composer: HTMLElement;
    row: HTMLElement;
    commands: () => Session["commands"];
    put: (text: string) => void;
  }): Slash;
}

/** After this long without an end the person may end the turn by force. */
const PATIENCE = 5;

export function createComposer(ctx: ViewContext, sent: () => void): Composer {
  const queue = createQueue(ctx, (text) => {
    if (box.value.trim() === "") put(text);
    box.focus({ preventScroll: true });
  });
  const reports = createReports(ctx);
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const reason = h("div", { class: "acp-reason acp-muted", hidden: true });
  const box = h("textarea", {
    class: "acp-box",
    rows: "1",
    "aria-label": "Message to the agent",
    spellcheck: "true",
  });
  const button = h("button", { class: "acp-send", type: "button" });
  const instead = textButton("Stop and send", () => send(true));
  const row = h("div", { class: "acp-compose-row" }, box, instead, button);
  const node = h("div", { class: "acp-composer" }, queue.node, reports.node, failure, reason, row);
  const draft = createDraft(ctx.info?.chat_id ?? null);
  let state: ComposerState = { session: null, first: 0, reason: null };
  let sending = false;
  /** What Enter was pressed for while another message was on its way. */
  let after: { readonly text: string; readonly now: boolean } | null = null;
  let slash: Slash | null = null;
  let commandsAsked = false;
  let stopping: number | null = null;
  let mode = "";
  let stopTick: (() => void) | null = null;

  box.value = draft.read();

  function grow(): void {
    // Browsers without `field-sizing` need the height in pixels.
    if (CSS.supports?.("field-sizing", "content") === true) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }

  function busy(): boolean {
    const status = state.session?.status;
    return status === "working" || status === "waiting" || status === "stopping";
  }

  function put(text: string): void {
    box.value = box.value.trim() === "" ? text : `${box.value}\n${text}`;
    draft.write(box.value);
    grow();
    box.focus({ preventScroll: true });
    paint();
  }

  function fail(sentence: string | null): void {
    setText(failure, sentence ?? "");
    show(failure, sentence !== null);
  }

  function send(now = false): void {
    const text = box.value;
    if (text.trim() === "" || state.reason !== null) return;
    if (sending) {
      after = { text, now };
      return;
    }
    sending = true;
    after = null;
    fail(null);
    paint();
    sent();
    void ctx.request({ kind: "send", text, ...(now && { now }) }).then((error) => {
      sending = false;
      fail(error === null ? null : `Not sent: ${error}`);
      // What was typed while the message was on its way stays.
      const left = (value: string) =>
        value.startsWith(text) ? value.slice(text.length).replace(/^\n+/, "") : value;
      if (error === null) {
        box.value = left(box.value);
        draft.write(box.value);
        grow();
      }
      paint();
      slash?.update();
      // Not what has been typed since; and the same once more is a key that was hit twice.
      if (error === null && after !== null && left(after.text) === box.value) send(after.now);
    });
  }

  function stop(): void {
    if (!busy() || state.reason !== null) return;
    const kind = forced() ? "force_stop" : "cancel";
    stopping ??= ctx.now();
    fail(null);
    paint();
    void ctx.request({ kind }).then((error) => {
      if (error !== null) {
        stopping = null;
        fail(`Not stopped: ${error}`);
        paint();
      }
    });
  }

  /** Slash commands are completed by a part of the bundle, once somebody begins one. */
  function lookAtCommands(): void {
    if (slash !== null) return slash.update();
    if (commandsAsked || !box.value.startsWith("/") || (state.session?.commands.length ?? 0) === 0) return;
    commandsAsked = true;
    void ctx.hooks.load("slash").then((part) => {
      commandsAsked = part !== null;
      if (part === null || !node.isConnected) return;
      const commands = () => state.session?.commands ?? [];
      slash = (part as SlashPart).create({ box, composer: node, row, commands, put: replace });
      slash.update();
    });
  }

  function replace(text: string): void {
    box.value = text;
    draft.write(text);
    grow();
    paint();
  }

  function forced(): boolean {
    return stopping !== null && ctx.now() - stopping >= PATIENCE;
  }

  function paint(): void {
    const working = busy();
    if (!working) stopping = null;
    if (working && state.session?.status === "stopping") stopping ??= ctx.now();
    const next = !working ? "send" : stopping === null ? "stop" : forced() ? "force" : "stopping";
    if (next === "stopping") {
      stopTick ??= ctx.ticker.start(() => {
        if (forced()) paint();
      });
    } else {
      stopTick?.();
      stopTick = null;
    }
    if (next !== mode) {
      mode = next;
      const face = FACES[next];
      button.replaceChildren(icon(face.icon), h("span", { class: "acp-send-label" }, face.label));
      button.title = face.tip;
      button.setAttribute("aria-label", face.tip);
      button.classList.toggle("acp-is-stop", next !== "send");
    }
    const dead = state.reason !== null;
    show(instead, working && !dead && !sending && box.value.trim() !== "");
    button.setAttribute(
      "aria-disabled",
      String(dead || mode === "stopping" || (mode === "send" && (sending || box.value.trim() === ""))),
    );
    box.readOnly = dead;
    row.classList.toggle("acp-sending", sending);
    box.placeholder = working ? "Next: sent after this turn" : "Message the agent";
    // Without a kernel an empty box would promise something; a draft stays to be read and copied.
    show(row, !dead || box.value !== "");
    node.classList.toggle("acp-dead", dead);
    setText(reason, state.reason ?? "");
    show(reason, dead);
  }

  box.addEventListener("input", () => {
    draft.write(box.value);
    grow();
    paint();
    lookAtCommands();
  });
  box.addEventListener("keydown", (event) => {
    // 229: Safari ends the composition before the key that ended it.
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    if (event.shiftKey || event.altKey) return;
    event.preventDefault();
    send();
  });
  button.addEventListener("click", () => {
    if (mode === "send") send();
    else if (mode !== "stopping") stop();
  });

  return {
    node,
    focus: () => box.focus({ preventScroll: true }),
    closeOpen: () => slash?.close() ?? false,
    stop,
    fail,
    put,
    update(next) {
      state = next;
      reports.update(next.session?.reports ?? []);
      queue.update({ session: next.session, first: next.first });
      paint();
      if (box.style.height === "") grow();
    },
    dispose() {
      stopTick?.();
      slash?.dispose();
      queue.dispose();
      reports.dispose();
    },
  };
}

const FACES = {
  send: { icon: "send", label: "Send", tip: "Send (Enter)" },
  stop: { icon: "stop", label: "Stop", tip: "Stop (Ctrl+.)" },
  stopping: { icon: "stop", label: "Stopping", tip: "Stopping: waiting for the agent" },
  force: { icon: "stop", label: "Force stop", tip: "End this turn without waiting for the agent" },
} as const;
