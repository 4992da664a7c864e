/**
 * The reading position. What the person looks at stays where it is: growth is followed only from the
 * bottom, and whatever changes its height above the view is made good by scrolling as far.
 *
 * The browser's own scroll anchoring is switched off (`overflow-anchor: none`): Safari has none, and two
 * corrections at once would move the text twice.
 */

export interface Reading {
  /** Whether new content at the end scrolls the view along. */
  readonly following: boolean;
  /**
   * Runs a change of height (folding something) as soon as nobody sees the node.
   * The returned function calls it off.
   */
  later(node: HTMLElement, change: () => void): () => void;
  /** Runs the changes that wait, seen or not: the person has just moved on to the next prompt. */
  flush(): void;
  /** To be called by whoever has changed the content. */
  settle(): void;
  /** Keeps this node where it is through the next change: the person has just opened or closed it. */
  hold(node: HTMLElement): void;
  toTail(): void;
  reveal(node: HTMLElement): void;
  inView(node: HTMLElement): boolean;
  dispose(): void;
}

const SLACK = 4;

export function createReading(scroller: HTMLElement, content: HTMLElement, moved: () => void): Reading {
  let following = true;
  let anchor: { readonly node: Element; readonly top: number } | null = null;
  let lastTop = 0;
  let frame = 0;
  const waiting = new Set<{ readonly node: HTMLElement; readonly change: () => void }>();

  const atBottom = (): boolean => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= SLACK;

  function capture(): void {
    anchor = null;
    if (following) return;
    const edge = scroller.getBoundingClientRect().top;
    const node = firstBelow(content, edge, 7);
    if (node !== null) anchor = { node, top: node.getBoundingClientRect().top - edge };
  }

  function settle(): void {
    if (following) {
      scroller.scrollTop = scroller.scrollHeight;
    } else if (anchor?.node.isConnected) {
      const top = anchor.node.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      const drift = top - anchor.top;
      if (Math.abs(drift) > 0.25) scroller.scrollTop += drift;
    }
    lastTop = scroller.scrollTop;
    if (anchor === null || !anchor.node.isConnected) capture();
    moved();
  }

  function seen(node: HTMLElement): boolean {
    if (node.getClientRects().length === 0) return false;
    const box = node.getBoundingClientRect();
    const view = scroller.getBoundingClientRect();
    const top = Math.max(view.top, 0);
    const bottom = Math.min(view.bottom, window.innerHeight);
    return box.bottom > top && box.top < bottom;
  }

  function tick(): void {
    let changed = false;
    for (const entry of waiting) {
      if (seen(entry.node)) continue;
      waiting.delete(entry);
      entry.change();
      changed = true;
    }
    if (changed) settle();
  }

  function onScroll(): void {
    const top = scroller.scrollTop;
    // Only an upward move ends following: growth between our own scrolling and its event must not.
    if (atBottom()) following = true;
    else if (top < lastTop - 1) following = false;
    // Our own corrections keep their anchor, or what rounding leaves of them would add up.
    if (top !== lastTop || anchor === null) capture();
    lastTop = top;
    moved();
    if (frame === 0 && waiting.size > 0) {
      frame = requestAnimationFrame(() => {
        frame = 0;
        tick();
      });
    }
  }

  scroller.addEventListener("scroll", onScroll, { passive: true });
  const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(settle);
  observer?.observe(content);
  observer?.observe(scroller);

  return {
    get following() {
      return following;
    },
    later(node, change) {
      const entry = { node, change };
      waiting.add(entry);
      return () => {
        waiting.delete(entry);
      };
    },
    flush() {
      for (const entry of waiting) entry.change();
      waiting.clear();
    },
    settle() {
      settle();
      tick();
    },
    hold(node) {
      following = false;
      anchor = { node, top: node.getBoundingClientRect().top - scroller.getBoundingClientRect().top };
    },
    toTail() {
      following = true;
      settle();
    },
    reveal(node) {
      const view = scroller.getBoundingClientRect();
      const box = node.getBoundingClientRect();
      const room = Math.max(12, (view.height - box.height) / 3);
      following = false;
      scroller.scrollTop += box.top - view.top - room;
      lastTop = scroller.scrollTop;
      capture();
      moved();
    },
    inView(node) {
      const view = scroller.getBoundingClientRect();
      const box = node.getBoundingClientRect();
      return box.bottom > view.top + SLACK && box.top < view.bottom - SLACK;
    },
    dispose() {
      scroller.removeEventListener("scroll", onScroll);
      observer?.disconnect();
      cancelAnimationFrame(frame);
      waiting.clear();
    },
  };
}

/** The topmost element that reaches below the edge, as deep as that can be said. */
function firstBelow(parent: Element, edge: number, depth: number): Element | null {
  for (const child of parent.children) {
    const box = child.getBoundingClientRect();
    if (box.height === 0 || box.bottom <= edge + 1) continue;
    if (box.top >= edge || depth === 0) return child;
    return firstBelow(child, edge, depth - 1) ?? child;
  }
  return null;
}
