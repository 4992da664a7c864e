/** Light or dark, as the page says; the system's own wish only where the page says nothing. */

export function followTheme(frame: HTMLElement): () => void {
  const media = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
  const paint = (): void => {
    frame.dataset["theme"] = pageTheme() ?? (media?.matches === true ? "dark" : "light");
  };
  const observer = new MutationObserver(paint);
  const watched = {
    attributes: true,
    attributeFilter: ["class", "theme", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"],
  };
  observer.observe(document.documentElement, watched);
  observer.observe(document.body, watched);
  media?.addEventListener("change", paint);
  paint();
  return () => {
    observer.disconnect();
    media?.removeEventListener("change", paint);
  };
}

/** JupyterLab and Notebook, VS Code, Colab, then pages that name their theme in the usual ways. */
function pageTheme(): "light" | "dark" | null {
  const { body, documentElement: html } = document;
  const lab = body.dataset["jpThemeLight"];
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  const code = body.dataset["vscodeThemeKind"];
  if (code !== undefined) return /light/.test(code) ? "light" : "dark";
  for (const said of [html.getAttribute("theme"), html.dataset["theme"], body.dataset["theme"]]) {
    if (said === "dark" || said === "light") return said;
  }
  for (const node of [html, body]) {
    if (node.classList.contains("dark") || node.classList.contains("dark-theme")) return "dark";
  }
  return null;
}
