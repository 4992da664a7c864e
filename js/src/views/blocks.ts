/** Content that is not running text: inline images, sounds, resources and links to them as chips. */

import { h } from "../dom";
import { relative, visible } from "../safe_text";
import type { Block } from "../wire";
import type { ViewContext } from "./context";
import { pretty } from "./describe";
import { icon } from "./icons";

/** Shown inline from the agent's own data. SVG is left out: it is a document, not a picture. */
const INLINE_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Every block but text, which the callers show in their own way. */
export function blockNode(ctx: ViewContext, block: Block): HTMLElement {
  if (block.type === "image" && "data" in block && "mime_type" in block) return imageNode(block);
  if (block.type === "audio" && "data" in block)
    return chip("other", `Sound (${visible(block.mime_type)})`, null);
  if (block.type === "resource_link" && "name" in block) return linkChip(ctx, block);
  if (block.type === "resource" && "blob" in block) {
    if (block.text === null) return chip("file", pathName(ctx, block.uri), block.uri);
    return openChip(pathName(ctx, block.uri), block.uri, block.text);
  }
  if (block.type === "text" && "text" in block) return h("div", { class: "acp-text" }, block.text);
  return openChip(`Content of type ${visible(block.type)}`, null, pretty("raw" in block ? block.raw : block));
}

type Image = Extract<Block, { readonly type: "image" }>;

function imageNode(block: Image): HTMLElement {
  const where = block.uri === null ? "" : ` ${visible(block.uri)}`;
  if (!INLINE_IMAGES.has(block.mime_type) || !BASE64.test(block.data.slice(0, 4096))) {
    return chip("file", `Image (${visible(block.mime_type)})${where}`, block.uri);
  }
  const image = h("img", {
    class: "acp-image",
    alt: where === "" ? "Image from the agent" : `Image${where}`,
  });
  image.src = `data:${block.mime_type};base64,${block.data}`;
  // Full size in place: opening a tab with agent data would leave the notebook's protection.
  const button = h(
    "button",
    { class: "acp-image-button", type: "button", title: "Show in full size or small" },
    image,
  );
  button.addEventListener("click", () => button.classList.toggle("acp-open"));
  return button;
}

type Link = Extract<Block, { readonly type: "resource_link" }>;

function linkChip(ctx: ViewContext, block: Link): HTMLElement {
  const name = visible(block.title ?? block.name);
  const size = block.size === null ? "" : ` ${bytes(block.size)}`;
  const tip = [block.uri, block.description]
    .filter((part) => part !== null)
    .map((part) => visible(part ?? ""));
  if (/^https?:\/\//i.test(block.uri)) {
    const link = h(
      "a",
      { class: "acp-chip", target: "_blank", rel: "noopener noreferrer", title: tip.join("\n") },
      icon("link"),
      name,
      h("span", { class: "acp-muted" }, ` ${host(block.uri)}`),
    );
    link.href = block.uri;
    return link;
  }
  return chip("file", `${name === "" ? pathName(ctx, block.uri) : name}${size}`, tip.join("\n"));
}

function host(uri: string): string {
  try {
    return new URL(uri).host;
  } catch {
    return "";
  }
}

function pathName(ctx: ViewContext, uri: string): string {
  return visible(relative(uri.replace(/^file:\/\//, ""), ctx.cwd()));
}

function chip(name: "file" | "other", label: string, tip: string | null): HTMLElement {
  return h("span", { class: "acp-chip", title: tip === null ? null : visible(tip) }, icon(name), label);
}

/** A chip that opens what it stands for below itself. */
function openChip(label: string, tip: string | null, text: string): HTMLElement {
  const body = h("pre", { class: "acp-pre", tabindex: "0", hidden: true });
  const button = h(
    "button",
    {
      class: "acp-chip",
      type: "button",
      "aria-expanded": "false",
      title: tip === null ? null : visible(tip),
    },
    icon("file"),
    label,
  );
  button.addEventListener("click", () => {
    body.hidden = !body.hidden;
    if (!body.hidden && body.textContent === "") body.textContent = text;
    button.setAttribute("aria-expanded", String(!body.hidden));
  });
  return h("span", { class: "acp-chip-group" }, button, body);
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${(size / 1000).toFixed(size < 10_000 ? 1 : 0)} kB`;
  return `${(size / 1e6).toFixed(1)} MB`;
}
