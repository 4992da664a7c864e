/**
 * Streaming Markdown in an element.
 *
 * Blocks that are finished are never touched again while the text grows; only the last two are parsed and
 * redrawn (two, because what stands last can still turn out to belong to the block before it, as "2" after
 * "1. a" does once ". b" follows). When the text is done it is parsed once as a whole, and what the parts
 * could not know (a link defined further down) is put right in place.
 */
import { copyText } from "./clipboard";
import { h } from "./dom";
import { addLanguages, known, type Languages } from "./highlight";
import { type BlockSource, blocksOf, type Links, type Token, type Tokens } from "./markdown_lexer";
import { blockNodes, languageOf, type NodeContext } from "./markdown_nodes";
import { morphChildren } from "./morph";

export interface Markdown {
  /** Shows this text. `done`: nothing more will come. */
  update(text: string, done: boolean): void;
  dispose(): void;
}

export interface MarkdownOptions {
  /** Puts code into a new notebook cell; code blocks have no such button without it. */
  readonly insertCell?: ((source: string, language: string) => void) | undefined;
  /** Brings the parts "math" and "languages" (their modules, or null if they cannot be had). */
  readonly load?: ((name: string) => Promise<unknown>) | undefined;
  /** Wraps changes that come late, so that what the person reads can be kept where it is. */
  readonly keepView?: ((change: () => void) => void) | undefined;
}

interface MathPart {
  render(source: string, display: boolean): Element | null;
  adopt(root: Node): void;
}

interface Drawn {
  raw: string;
  token: Token;
  readonly node: HTMLElement;
  /** A formula or a language that is not here yet. */
  waits: boolean;
}

/** Parts are the same for all texts of the page. */
let mathPart: MathPart | null = null;

export function createMarkdown(host: HTMLElement, options: MarkdownOptions = {}): Markdown {
  const caret = h("span", { class: "acp-caret", "aria-hidden": "true" });
  const allowedImages = new Set<string>();
  let text = "";
  let finished = false;
  let disposed = false;
  let blocks: Drawn[] = [];
  /** Blocks before this one, and the text before this offset, are settled. */
  let settled = 0;
  let offset = 0;
  let links: Links = {};
  let waiting = false;

  const context: NodeContext = {
    math(source, display) {
      if (mathPart === null) {
        waiting = true;
        void want("math");
        return null;
      }
      const part = mathPart;
      // Only once the host is in its place is it known which root needs the style sheet.
      queueMicrotask(() => part.adopt(host.getRootNode()));
      return part.render(source, display);
    },
    imageAllowed: (url) => allowedImages.has(url),
    canInsert: options.insertCell !== undefined,
  };

  const asked = new Set<string>();
  async function want(name: "math" | "languages"): Promise<void> {
    if (asked.has(name) || !options.load) return;
    asked.add(name);
    const part = await options.load(name).catch(() => null);
    if (part === null || part === undefined) return;
    if (name === "math") mathPart = part as MathPart;
    else addLanguages(part as Languages);
    if (!disposed) redrawLate((block) => block.waits);
  }

  function redrawLate(which: (block: Drawn) => boolean): void {
    const change = () => {
      for (const block of blocks) if (which(block)) draw(block);
    };
    if (options.keepView) options.keepView(change);
    else change();
  }

  function draw(block: Drawn): void {
    waiting = false;
    if (block.token.type === "code") {
      const language = languageOf((block.token as Tokens.Code).lang);
      if (known(language) === "later") {
        waiting = true;
        void want("languages");
      }
    }
    const fresh = document.createElement("div");
    fresh.append(...blockNodes(block.token, context));
    morphChildren(block.node, fresh);
    block.waits = waiting;
  }

  function make({ token, raw }: BlockSource): Drawn {
    const block: Drawn = { token, raw, node: h("div", { class: "acp-md-block" }), waits: false };
    draw(block);
    return block;
  }

  /** Makes the blocks from `at` on equal to these. */
  function replace(
    at: number,
    sources: readonly BlockSource[],
    again: (source: BlockSource) => boolean,
  ): void {
    sources.forEach((source, index) => {
      const block = blocks[at + index];
      if (!block) {
        const made = make(source);
        blocks.push(made);
        host.append(made.node);
      } else if (block.raw !== source.raw || block.token.type !== source.token.type || again(source)) {
        block.raw = source.raw;
        block.token = source.token;
        draw(block);
      }
    });
    for (const block of blocks.splice(at + sources.length)) block.node.remove();
  }

  function settle(sources: readonly BlockSource[], found: Links): void {
    // The lexer may have normalised something; then nothing is settled, and the tail just stays longer.
    const tail = text.length - offset;
    if (sources.reduce((sum, source) => sum + source.raw.length, 0) !== tail) return;
    for (const source of sources.slice(0, -2)) {
      offset += source.raw.length;
      settled += 1;
    }
    links = { ...links, ...found };
  }

  function placeCaret(): void {
    let node: Element | null = blocks.at(-1)?.node ?? null;
    while (node !== null) {
      const last: Element | null = node.lastElementChild;
      if (
        last === null ||
        !/^(P|H[3-6]|UL|OL|LI|DIV|PRE|CODE|BLOCKQUOTE|TABLE|TBODY|TR|TD)$/.test(last.nodeName)
      )
        break;
      // Text after the last element: the caret belongs behind it, not into `code` before it.
      if (node.lastChild !== last) break;
      node = last;
    }
    (node ?? host).append(caret);
  }

  function reset(): void {
    for (const block of blocks) block.node.remove();
    blocks = [];
    settled = 0;
    offset = 0;
    links = {};
  }

  function update(source: string, done: boolean): void {
    const next = source.replace(/\r\n?/g, "\n");
    if (next === text && done === finished) return;
    caret.remove();
    if (!next.startsWith(text)) reset();
    text = next;
    finished = done;
    if (done) {
      const whole = blocksOf(text);
      const defined = Object.keys(whole.links).length > 0;
      replace(0, whole.blocks, ({ raw }) => defined && raw.includes("["));
      settled = 0;
      offset = 0;
      settle(whole.blocks, whole.links);
      return;
    }
    const tail = blocksOf(text.slice(offset), links);
    replace(settled, tail.blocks, () => false);
    settle(tail.blocks, tail.links);
    placeCaret();
  }

  function click(event: Event): void {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-acp]") : null;
    if (!button) return;
    const box = button.closest<HTMLElement>(".acp-code");
    const code = box?.querySelector("code")?.textContent ?? "";
    if (button.dataset["acp"] === "copy") void copy(button, code);
    if (button.dataset["acp"] === "insert") options.insertCell?.(code, box?.dataset["language"] ?? "");
    if (button.dataset["acp"] === "image") {
      const url = button.dataset["url"] ?? "";
      allowedImages.add(url);
      redrawLate(({ node }) =>
        [...node.querySelectorAll<HTMLElement>("[data-url]")].some((el) => el.dataset["url"] === url),
      );
    }
  }

  host.addEventListener("click", click);
  return {
    update,
    dispose() {
      disposed = true;
      host.removeEventListener("click", click);
      caret.remove();
      reset();
    },
  };
}

async function copy(button: HTMLElement, code: string): Promise<void> {
  const copied = await copyText(code);
  button.textContent = copied ? "Copied" : "Copy failed";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1_500);
}
