/** The frame's height: as its content up to a limit, until the person drags the handle or asks for more. */

import { h } from "../dom";

export interface Resize {
  readonly handle: HTMLElement;
  /** Taller and back. */
  toggle(): void;
  readonly expanded: boolean;
}

const LEAST = 160;
const STEP = 40;

export function createResize(frame: HTMLElement, changed: (expanded: boolean) => void): Resize {
  let expanded = false;
  const handle = h("div", {
    class: "acp-handle",
    role: "separator",
    "aria-orientation": "horizontal",
    "aria-label": "Height of the chat",
    title: "Drag to change the height; double-click to reset",
    tabindex: "0",
  });

  function set(height: number | null): void {
    frame.style.height = height === null ? "" : `${Math.max(LEAST, Math.round(height))}px`;
    frame.classList.toggle("acp-sized", height !== null);
  }

  function expand(next: boolean): void {
    expanded = next;
    set(next ? Math.max(window.innerHeight * 0.92, LEAST) : null);
    changed(next);
  }

  handle.addEventListener("pointerdown", (down) => {
    down.preventDefault();
    const from = frame.getBoundingClientRect().height;
    handle.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent): void => set(from + event.clientY - down.clientY);
    const up = (): void => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", up);
      handle.removeEventListener("pointercancel", up);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up);
    handle.addEventListener("pointercancel", up);
  });
  handle.addEventListener("dblclick", () => expand(false));
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowDown: STEP, ArrowUp: -STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(frame.getBoundingClientRect().height + by);
  });

  return {
    handle,
    toggle: () => expand(!expanded),
    get expanded() {
      return expanded;
    },
  };
}
