/** The few ways in which the views make and order elements. Text goes in as text nodes, never as HTML. */

export type Child = Node | string | null | undefined | false;

/**
 * Attributes of an element. `false`, `null` and `undefined` leave one out, `true` sets it empty;
 * a key beginning with `on` is an event listener, `text` the element's text.
 */
export type Props = Readonly<Record<string, unknown>>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (props !== null) for (const [name, value] of Object.entries(props)) setProp(node, name, value);
  append(node, children);
  return node;
}

export function setProp(node: HTMLElement, name: string, value: unknown): void {
  if (name.startsWith("on") && typeof value === "function") {
    node.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
  } else if (name === "text") {
    setText(node, String(value ?? ""));
  } else if (value === false || value === null || value === undefined) {
    node.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

export function append(node: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      node.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
    }
  }
}

/** Sets text only where it differs, so that a selection in an unchanged text stays. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node: HTMLElement, visible: boolean): void {
  if (node.hidden === visible) node.hidden = !visible;
}

/** A part of the picture: its node, and how it goes with the state and in the end goes away. */
export interface View<T> {
  readonly node: HTMLElement;
  update(value: T): void;
  dispose(): void;
}

/** Views by key in the order of the values; a view that stays is not moved unless the order changed. */
export interface KeyedList<T> {
  update(values: readonly T[]): void;
  dispose(): void;
}

export function keyedList<T>(
  parent: HTMLElement,
  keyOf: (value: T, index: number) => string,
  create: (value: T, index: number) => View<T>,
): KeyedList<T> {
  let views = new Map<string, View<T>>();
  return {
    update(values) {
      const next = new Map<string, View<T>>();
      values.forEach((value, index) => {
        const key = keyOf(value, index);
        const view = views.get(key) ?? create(value, index);
        view.update(value);
        next.set(key, view);
      });
      for (const [key, view] of views) {
        if (!next.has(key)) {
          view.node.remove();
          view.dispose();
        }
      }
      let place: ChildNode | null = parent.firstChild;
      for (const view of next.values()) {
        if (view.node === place) place = place.nextSibling;
        else parent.insertBefore(view.node, place);
      }
      views = next;
    },
    dispose() {
      for (const view of views.values()) view.dispose();
      views.clear();
    },
  };
}
