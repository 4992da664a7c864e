/**
 * The static twin: the copy of the conversation that is saved in the notebook, kept up to date by the page.
 *
 * The kernel sends its pieces, one a turn. Put together they are written into the output that carries the
 * chat's class, right before the notebook is saved: the page draws an output anew that is written, hidden or
 * not, and of a long chat that is more work than all else at the end of a turn. Where nobody tells of saves
 * they are written while nothing runs. The kernel itself cannot do that after the page was reloaded.
 */
import { findOutputs, mimeText, type NotebookDocument } from "./notebook";
import type { FromKernel } from "./wire";

type TwinMessage = Extract<FromKernel, { kind: "twin" }>;

export interface TwinOutside {
  /** The notebook's document now, or null. */
  document(): NotebookDocument | null;
  /** Asks the kernel for all pieces. */
  ask(): void;
  /** Tells whether the saved copy is older than what is shown. */
  stale(stale: boolean): void;
  /** Calls when the page has time (default: `requestIdleCallback`); gives the way to take it back. */
  idle?(callback: () => void): () => void;
}

export interface Twin {
  /** Whether this page can write the twin: told to the kernel in `hello`. */
  writes(): boolean;
  receive(message: TwinMessage): void;
  dispose(): void;
}

export function twinClass(chatId: string): string {
  return `acp-notebook-twin-${chatId}`;
}

export function createTwin(chatId: string, outside: TwinOutside): Twin {
  const idle = outside.idle ?? whenIdle;
  const pieces = new Map<number, { readonly html: string; readonly markdown: string }>();
  let frame: { readonly head: string; readonly tail: string; readonly first: number } | null = null;
  let cancel: (() => void) | null = null;
  let unsaved: (() => void) | null = null;
  let complete = false;

  function receive(message: TwinMessage): void {
    if (message.reset) {
      pieces.clear();
      complete = true;
    } else if (!complete) {
      // The page was loaded after the first pieces had gone out.
      outside.ask();
      return;
    }
    for (const { turn, html, markdown } of message.pieces) pieces.set(turn, { html, markdown });
    for (const turn of [...pieces.keys()]) if (turn < message.first) pieces.delete(turn);
    frame = { head: message.head, tail: message.tail, first: message.first };
    cancel ??= idle(() => {
      cancel = null;
      write(false);
    });
  }

  function write(now: boolean): void {
    unsaved?.();
    unsaved = null;
    if (frame === null) return;
    const order = [...pieces.entries()].sort(([a], [b]) => a - b).map(([, piece]) => piece);
    const html = frame.head + order.map((piece) => piece.html).join("") + frame.tail;
    const markdown = order
      .map((piece) => piece.markdown)
      .filter((text) => text !== "")
      .join("\n");
    try {
      outside.stale(!put(html, markdown, now));
    } catch (error) {
      console.warn("acp-notebook: the saved copy could not be written", error);
      outside.stale(true);
    }
  }

  /** False if there is a copy on the page that could not be reached. */
  function put(html: string, markdown: string, now: boolean): boolean {
    const document = outside.document();
    if (document === null || document.readOnly) return false;
    const mark = new RegExp(`class="[^"]*\\b${twinClass(chatId)}(?![\\w-])`);
    // No copy at all (its output was cleared, or the chat has none) is no old copy.
    for (const { outputs, index, output, data } of findOutputs(document, (data) =>
      mark.test(mimeText(data["text/html"])),
    )) {
      if (mimeText(data["text/html"]) === html && mimeText(data["text/markdown"]) === markdown) continue;
      if (!now && document.beforeSave !== null) {
        unsaved = document.beforeSave(() => write(true));
        document.touch();
        return true;
      }
      outputs.set(index, { ...output, data: { ...data, "text/html": html, "text/markdown": markdown } });
    }
    return true;
  }

  return {
    writes() {
      const document = outside.document();
      return document !== null && !document.readOnly;
    },
    receive,
    dispose() {
      // What was to be written is written: the copy is seen from now on.
      if (cancel !== null || unsaved !== null) {
        cancel?.();
        cancel = null;
        write(true);
      }
    },
  };
}

function whenIdle(callback: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const id = setTimeout(callback, 50);
    return () => clearTimeout(id);
  }
  const id = requestIdleCallback(callback, { timeout: 1_000 });
  return () => cancelIdleCallback(id);
}

/**
 * Hides the twin while a live view of its chat is in this document; gives the way to end that. The style is
 * in the document's head, since a view may be drawn before it is attached.
 */
export function hideTwin(chatId: string, page: Document): () => void {
  const id = `acp-notebook-hide-${chatId}`;
  let style = page.getElementById(id) as HTMLStyleElement | null;
  if (style === null) {
    style = page.createElement("style");
    style.id = id;
    const name = `.${twinClass(chatId).replace(/[^\w-]/g, "\\$&")}`;
    // The second rule stands alone: a browser without :has() drops it and keeps the first.
    style.textContent =
      `${name}{display:none!important}\n` + `.jp-OutputArea-child:has(${name}){display:none!important}`;
    style.dataset["views"] = "0";
    page.head.append(style);
  }
  const held = style;
  const count = (by: number) => {
    const views = Number(held.dataset["views"]) + by;
    held.dataset["views"] = String(views);
    if (views <= 0) held.remove();
  };
  count(1);
  let ended = false;
  return () => {
    if (!ended) count(-1);
    ended = true;
  };
}
