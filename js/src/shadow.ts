/** The place of a view: a shadow root with a style sheet of its own, so that page and view leave each other alone. */

/** Mounts into a shadow root; gives the way to take it away. */
export function inShadow(el: HTMLElement, css: string, mount: (root: ShadowRoot) => () => void): () => void {
  const host = el.ownerDocument.createElement("div");
  host.className = "acp-notebook-view";
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  adopt(root, css);
  const end = mount(root);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    end();
    host.remove();
  };
}

let sheet: CSSStyleSheet | null = null;

function adopt(root: ShadowRoot, css: string): void {
  try {
    if (sheet === null) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    root.adoptedStyleSheets = [sheet];
  } catch {
    // No constructed sheets here, or the view is in another document than the code.
    const style = root.ownerDocument.createElement("style");
    style.textContent = css;
    root.append(style);
  }
}
