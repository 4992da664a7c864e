/** Gives the style sheet of a lazily loaded part to the root that it is drawn in. */

const sheets = new Map<string, CSSStyleSheet>();

export function adopt(root: Node, css: string): void {
  if (!(root instanceof ShadowRoot) && !(root instanceof Document)) return;
  try {
    let sheet = sheets.get(css);
    if (sheet === undefined) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      sheets.set(css, sheet);
    }
    if (!root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  } catch {
    // What the part draws can be used without it.
  }
}
