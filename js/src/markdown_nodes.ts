/** Markdown tokens to nodes. Everything the agent wrote goes in as text; markup is made here only. */
import { h } from "./dom";
import { highlight } from "./highlight";
import type { MathToken, Token, Tokens } from "./markdown_lexer";
import { readable, visible } from "./safe_text";

/** What a token may become depends on this. */
export interface NodeContext {
  /** A formula as a node, or null while that cannot be had. */
  math(source: string, display: boolean): Node | null;
  /** Whether the person asked for this remote image. */
  imageAllowed(url: string): boolean;
  /** Whether code gets an "insert as cell" button. */
  readonly canInsert: boolean;
}

/** Nesting deeper than this is shown as source. */
const DEEPEST = 40;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

const entities = new Map<string, string>();

/** Decodes character references, which the lexer leaves in. Not for code and not for raw HTML. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g,
    (whole, dec, hex, name) => {
      if (name === undefined) return characterOf(dec === undefined ? Number.parseInt(hex, 16) : Number(dec));
      let character = entities.get(whole);
      if (character === undefined) {
        // The pattern lets only a name through, and a document made so runs and loads nothing.
        const parsed = new DOMParser().parseFromString(whole, "text/html"); // allow-markup: a bare entity name
        character = parsed.body.textContent ?? whole;
        entities.set(whole, character);
      }
      return character;
    },
  );
}

function characterOf(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : "\ufffd";
}

/** A link target that may be followed: http, https or mailto, as a whole address; else null. */
export function safeUrl(target: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return null;
  try {
    const url = new URL(target);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Nodes of one top-level block. */
export function blockNodes(token: Token, ctx: NodeContext): readonly Node[] {
  return block(token as Tokens.Generic, ctx, 0);
}

function blocks(tokens: readonly Token[] | undefined, ctx: NodeContext, depth: number): Node[] {
  return (tokens ?? []).flatMap((token) => block(token as Tokens.Generic, ctx, depth));
}

function block(token: Tokens.Generic, ctx: NodeContext, depth: number): Node[] {
  if (depth > DEEPEST) return [h("p", null, readable(token.raw))];
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "paragraph":
      return [h("p", null, ...inlines(token.tokens, ctx, depth))];
    case "heading": {
      // Levels go down by two: the page around has the first ones.
      const level = Math.min(6, (token["depth"] as number) + 2) as 3 | 4 | 5 | 6;
      return [h(`h${level}`, { class: `acp-h${token["depth"]}` }, ...inlines(token.tokens, ctx, depth))];
    }
    case "code":
      return [codeBlock(token as unknown as Tokens.Code, ctx)];
    case "blockquote":
      return [h("blockquote", null, ...blocks(token.tokens, ctx, depth + 1))];
    case "list":
      return [list(token as unknown as Tokens.List, ctx, depth)];
    case "table":
      return [table(token as unknown as Tokens.Table, ctx, depth)];
    case "hr":
      return [h("hr")];
    case "math_block":
      return [h("p", { class: "acp-math-block" }, formula(token as unknown as MathToken, ctx))];
    case "html":
      return [h("p", { class: "acp-raw" }, readable(token.raw.trimEnd()))];
    case "text":
      // The text of a tight list item.
      return token.tokens ? inlines(token.tokens, ctx, depth) : inline(token, ctx, depth);
    default:
      return inline(token, ctx, depth);
  }
}

function list(token: Tokens.List, ctx: NodeContext, depth: number): HTMLElement {
  const items = token.items.map((item) =>
    h("li", { class: item.task ? "acp-task" : null }, ...listItem(item, ctx, depth + 1)),
  );
  if (!token.ordered) return h("ul", null, ...items);
  return h("ol", { start: token.start === 1 || token.start === "" ? null : token.start }, ...items);
}

function listItem(item: Tokens.ListItem, ctx: NodeContext, depth: number): Node[] {
  // In a loose item marked puts the box into its first paragraph, in a tight one before the text.
  return blocks(item.tokens, ctx, depth);
}

function table(token: Tokens.Table, ctx: NodeContext, depth: number): HTMLElement {
  const cell = (tag: "th" | "td", { tokens, align }: Tokens.TableCell) =>
    h(tag, { class: align ? `acp-align-${align}` : null }, ...inlines(tokens, ctx, depth + 1));
  return h(
    "div",
    { class: "acp-table" },
    h(
      "table",
      null,
      h("thead", null, h("tr", null, ...token.header.map((header) => cell("th", header)))),
      h("tbody", null, ...token.rows.map((row) => h("tr", null, ...row.map((data) => cell("td", data))))),
    ),
  );
}

/** The language of a code block, as the word after its fence says. */
export function languageOf(info: string | undefined): string {
  return /^[\w#+.-]{1,30}/.exec((info ?? "").trim().replace(/^[{.\s]+/, ""))?.[0].toLowerCase() ?? "";
}

/** marked keeps a line feed too many where the last line before the closing fence is blank. */
export function codeText({ text, codeBlockStyle }: Tokens.Code): string {
  return codeBlockStyle === "indented" ? text : text.replace(/\n$/, "");
}

function codeBlock(token: Tokens.Code, ctx: NodeContext): HTMLElement {
  const language = languageOf(token.lang);
  // Buttons are found by their data when clicked: a block that is redrawn while it streams has no listeners.
  return h(
    "div",
    { class: "acp-code", "data-language": language },
    h(
      "div",
      { class: "acp-code-head" },
      h("span", { class: "acp-code-language" }, visible(language)),
      h("button", { type: "button", "data-acp": "copy", class: "acp-code-copy" }, "Copy"),
      ctx.canInsert
        ? h("button", { type: "button", "data-acp": "insert", class: "acp-code-insert" }, "Insert as cell")
        : null,
    ),
    h("pre", { tabindex: 0 }, h("code", null, ...highlight(readable(codeText(token)), language))),
  );
}

function inlines(tokens: readonly Token[] | undefined, ctx: NodeContext, depth: number): Node[] {
  return (tokens ?? []).flatMap((token) => inline(token as Tokens.Generic, ctx, depth + 1));
}

function inline(token: Tokens.Generic, ctx: NodeContext, depth: number): Node[] {
  const text = (value: unknown) => [document.createTextNode(readable(String(value ?? "")))];
  if (depth > DEEPEST) return text(token.raw);
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [h(token.type, null, ...inlines(token.tokens, ctx, depth))];
    case "codespan":
      return [h("code", null, readable(String(token["text"])))];
    case "br":
      return [h("br")];
    case "escape":
      return text(token["text"]);
    case "link":
      return link(token as unknown as Tokens.Link, ctx, depth);
    case "image":
      return [image(token as unknown as Tokens.Image, ctx)];
    case "math":
    case "math_block":
      return [formula(token as unknown as MathToken, ctx)];
    case "checkbox":
      return [h("input", { type: "checkbox", disabled: true, checked: token["checked"] === true })];
    case "html":
      // The one tag with a meaning that nothing else has inside a table cell.
      return /^<br\s*\/?>$/i.test(token.raw) ? [h("br")] : text(token.raw);
    case "text":
      return token["escaped"] ? text(token["text"]) : text(decodeEntities(String(token["text"])));
    case "paragraph":
    case "blockquote":
    case "list":
    case "table":
    case "code":
    case "heading":
    case "hr":
      return block(token, ctx, depth);
    default:
      return text(token.raw);
  }
}

function link(token: Tokens.Link, ctx: NodeContext, depth: number): Node[] {
  const target = decodeEntities(token.href);
  const url = safeUrl(target);
  const label = inlines(token.tokens, ctx, depth);
  if (url !== null)
    return [
      h("a", { href: url, target: "_blank", rel: "noopener noreferrer", title: visible(url) }, ...label),
    ];
  if (token.text === token.href) return label;
  return [h("span", { class: "acp-dead-link" }, ...label, " (", h("code", null, visible(target)), ")")];
}

function image(token: Tokens.Image, ctx: NodeContext): Node {
  const target = decodeEntities(token.href);
  const alt = visible(decodeEntities(token.text));
  if (DATA_IMAGE.test(target)) return h("img", { src: target, alt });
  const url = safeUrl(target);
  if (url === null || url.startsWith("mailto:"))
    return h(
      "span",
      { class: "acp-dead-link" },
      alt,
      " (",
      h("code", null, visible(target.slice(0, 200))),
      ")",
    );
  if (ctx.imageAllowed(url)) return h("img", { src: url, alt, referrerpolicy: "no-referrer" });
  const label = `Load image from ${new URL(url).host}`;
  return h(
    "span",
    { class: "acp-remote-image" },
    alt === "" ? null : `${alt} `,
    h("button", { type: "button", "data-acp": "image", "data-url": url, title: visible(url) }, label),
  );
}

function formula(token: MathToken, ctx: NodeContext): Node {
  const node = ctx.math(token.text, token.display);
  if (node) return h("span", { class: token.display ? "acp-math acp-math-display" : "acp-math" }, node);
  return h("code", { class: "acp-math-source" }, readable(token.raw.trim()));
}
