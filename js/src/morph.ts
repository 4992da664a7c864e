/**
 * Makes the children of an element equal to those of another, changing as little as possible: what is equal
 * stays the same node, with its selection, focus and layout.
 */
export function morphChildren(into: Node, from: Node): void {
  let old = into.firstChild;
  let fresh = from.firstChild;
  while (fresh !== null) {
    const next: ChildNode | null = fresh.nextSibling;
    if (old === null) {
      into.appendChild(fresh);
    } else {
      const after: ChildNode | null = old.nextSibling;
      if (alike(old, fresh)) morph(old, fresh);
      else into.replaceChild(fresh, old);
      old = after;
    }
    fresh = next;
  }
  while (old !== null) {
    const after: ChildNode | null = old.nextSibling;
    into.removeChild(old);
    old = after;
  }
}

function alike(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.nodeType !== Node.COMMENT_NODE;
}

function morph(old: Node, fresh: Node): void {
  if (old instanceof Text) {
    const text = (fresh as Text).data;
    if (text === old.data) return;
    if (text.startsWith(old.data)) old.appendData(text.slice(old.length));
    else old.data = text;
    return;
  }
  if (old instanceof Element && fresh instanceof Element) {
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes)
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  morphChildren(old, fresh);
}
