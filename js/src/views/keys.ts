/**
 * Which keys the widget keeps. JupyterLab and Notebook listen on the document: a plain `a` on one of our buttons
 * would insert a cell. Other Ctrl and Cmd chords pass, so that Ctrl+S still saves.
 */

export interface KeyActions {
  stop(): void;
  find(): void;
  /** Closes what is open; false if nothing was. */
  closeOpen(): boolean;
  focusNotebook(): void;
}

/** Chords that edit text or move in it: a notebook in command mode would take them for cells. */
const EDITING = new Set(["a", "c", "v", "x", "z", "y", "backspace", "delete", "home", "end"]);

/** Adds the listener to the outermost element of the view; returns what takes it away. */
export function keepKeys(host: EventTarget, actions: KeyActions): () => void {
  function onKey(event: Event): void {
    if (!(event instanceof KeyboardEvent)) return;
    const chord = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (chord && !event.altKey && key === ".") return own(event, actions.stop);
    if (chord && !event.altKey && !event.shiftKey && key === "f") return own(event, actions.find);
    if (key === "escape" && !chord && !event.isComposing) {
      return own(event, () => {
        if (!actions.closeOpen()) actions.focusNotebook();
      });
    }
    const plain = !chord && !event.altKey;
    const typing = isText(event.composedPath()[0]);
    const edits = typing && chord && (EDITING.has(key) || key.startsWith("arrow"));
    // F-keys are the browser's and the page's, also without a modifier.
    if (/^f\d+$/.test(key)) return;
    if (plain || key === "enter" || edits || (typing && event.altKey && !chord)) event.stopPropagation();
  }

  host.addEventListener("keydown", onKey);
  return () => host.removeEventListener("keydown", onKey);
}

function own(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  event.stopPropagation();
  run();
}

function isText(target: EventTarget | undefined): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
