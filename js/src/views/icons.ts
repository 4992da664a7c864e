/** Inline SVG icons, drawn on a 16 px grid with a 1.3 px stroke in the text's colour. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  read: "M4 1.8h5.2L12.2 5v9.2H4zM9 2v3.2h3M6.2 8h4M6.2 10.8h4",
  edit: "M10.6 2.6l2.8 2.8L5.6 13.2l-3.4.6.6-3.4zM9 4.2L11.8 7",
  delete: "M2.8 4.2h10.4M6.2 4V2.4h3.6V4M4.2 4.4l.7 9.2h6.2l.7-9.2M6.8 6.8v4.4M9.2 6.8v4.4",
  move: "M2 8h11.4M9.6 4.2L13.4 8l-3.8 3.8",
  search: "M7 2.4a4.6 4.6 0 1 1 0 9.2 4.6 4.6 0 0 1 0-9.2zM10.4 10.4l3.4 3.4",
  execute: "M1.8 2.8h12.4v10.4H1.8zM4.2 5.8L6.4 8l-2.2 2.2M7.8 10.4h3.6",
  think:
    "M8 1.8a4.3 4.3 0 0 1 2.4 7.9c-.5.4-.8.9-.8 1.5H6.4c0-.6-.3-1.1-.8-1.5A4.3 4.3 0 0 1 8 1.8zM6.4 13.6h3.2",
  fetch:
    "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM2 8h12M8 1.8c2 1.7 2.8 3.8 2.8 6.2S10 12.5 8 14.2C6 12.5 5.2 10.4 5.2 8S6 3.5 8 1.8z",
  switch_mode: "M3 5.2h9.4M10 2.8l2.6 2.4L10 7.6M13 10.8H3.6M6 8.4l-2.6 2.4L6 13.2",
  other:
    "M8 5.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4",
  steps: "M2.4 4h.6M2.4 8h.6M2.4 12h.6M5.8 4h7.8M5.8 8h7.8M5.8 12h7.8",
  plan: "M2 4l1.2 1.2L5.4 3M2 10.6l1.2 1.2L5.4 9.6M7.8 4.4h6.2M7.8 11h6.2",
  chevron: "M6 3.6L10.4 8 6 12.4",
  down: "M3.6 6L8 10.4 12.4 6",
  check: "M3 8.6l3.2 3.2L13 4.6",
  cross: "M4 4l8 8M12 4l-8 8",
  ban: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM4 12L12 4",
  warning: "M8 2.2l6.2 11.2H1.8zM8 6.4v3.4M8 11.4v.4",
  info: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM8 7.2v4M8 4.8v.4",
  ask: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.2M8 11.2v.4",
  copy: "M5.4 5.4h8v8.2h-8zM10.6 5.2V2.4H2.6v8.2h2.6",
  menu: "M8 3.2v.6M8 7.7v.6M8 12.2v.6",
  send: "M8 13.4V3M3.8 7L8 2.8 12.2 7",
  stop: "M4.2 4.2h7.6v7.6H4.2z",
  expand: "M9.4 2.4h4.2v4.2M13.4 2.6L9 7M6.6 13.6H2.4V9.4M2.6 13.4L7 9",
  shrink: "M13.6 6.6H9.4V2.4M9.6 6.4L14 2M2.4 9.4h4.2v4.2M6.4 9.6L2 14",
  link: "M6.6 9.4l2.8-2.8M7.4 4.6l1.4-1.4a2.8 2.8 0 0 1 4 4l-1.4 1.4M8.6 11.4l-1.4 1.4a2.8 2.8 0 0 1-4-4l1.4-1.4",
  file: "M4 1.8h5.2L12.2 5v9.2H4zM9 2v3.2h3",
  folder: "M1.8 3.4h4.4l1.4 1.8h6.6v7.4H1.8z",
  restart: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2v3.2H10",
  clock: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM8 4.6V8l2.4 1.6",
  dot: "M8 7.2a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6z",
} as const;

export type IconName = keyof typeof PATHS;

const BY_KIND: Readonly<Record<string, IconName>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "execute",
  think: "think",
  fetch: "fetch",
  switch_mode: "switch_mode",
};

export function kindIcon(kind: string | null): IconName {
  return (kind !== null && Object.hasOwn(BY_KIND, kind) && BY_KIND[kind]) || "other";
}

/** Decoration only: what an icon says is always also said in words. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `acp-icon acp-icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
