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
import { growCode } from "./growing_code";
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
  /** Long code whose end was appended without colours. */
  rough: boolean;
}

/** Parts are the same for all texts of the page. */
let mathPart: MathPart | null = null;

/** Elements that the caret may stand in, behind their text. */
const CARET_IN = /^(P|H[3-6]|UL|OL|LI|DIV|PRE|CODE|BLOCKQUOTE|TABLE|TBODY|TR|TD)$/;

export function createMarkdown(host: HTMLElement, options: MarkdownOptions = {}): Markdown {
  return new StreamingMarkdown(host, options);
}

class StreamingMarkdown implements Markdown {
  private readonly caret = h("span", { class: "acp-caret", "aria-hidden": "true" });
  private readonly allowedImages = new Set<string>();
  private readonly asked = new Set<string>();
  private readonly context: NodeContext;
  private text = "";
  private finished = false;
  private disposed = false;
  private blocks: Drawn[] = [];
  /** Blocks before this one, and the text before this offset, are settled. */
  private settled = 0;
  private offset = 0;
  private links: Links = {};
  private waiting = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: MarkdownOptions,
  ) {
    this.context = {
      math: (source, display) => this.math(source, display),
      imageAllowed: (url) => this.allowedImages.has(url),
      canInsert: options.insertCell !== undefined,
    };
    host.addEventListener("click", this.click);
  }

  update(source: string, done: boolean): void {
    const next = source.replace(/\r\n?/g, "\n");
    if (next === this.text && done === this.finished) return;
    this.caret.remove();
    if (!next.startsWith(this.text)) this.reset();
    this.text = next;
    this.finished = done;
    if (done) {
      const whole = blocksOf(next);
      const defined = Object.keys(whole.links).length > 0;
      this.replace(0, whole.blocks, (block) => block.rough || (defined && block.raw.includes("[")));
      this.settled = 0;
      this.offset = 0;
      this.settle(whole.blocks, whole.links);
      return;
    }
    const tail = blocksOf(next.slice(this.offset), this.links);
    const last = this.settled + tail.blocks.length - 1;
    this.replace(this.settled, tail.blocks, (block, index) => block.rough && index < last);
    this.settle(tail.blocks, tail.links);
    this.placeCaret();
  }

  dispose(): void {
    this.disposed = true;
    this.host.removeEventListener("click", this.click);
    this.caret.remove();
    this.reset();
  }

  private reset(): void {
    for (const block of this.blocks) block.node.remove();
    this.blocks = [];
    this.settled = 0;
    this.offset = 0;
    this.links = {};
  }

  /** Makes the blocks from `at` on equal to these; `again`: draw it although its source is the same. */
  private replace(
    at: number,
    sources: readonly BlockSource[],
    again: (block: Drawn, index: number) => boolean,
  ): void {
    sources.forEach(({ token, raw }, index) => {
      const block = this.blocks[at + index];
      if (!block) {
        const node = h("div", { class: "acp-md-block" });
        const made: Drawn = { token, raw, node, waits: false, rough: false };
        this.draw(made);
        this.blocks.push(made);
        this.host.append(node);
        return;
      }
      const open = !this.finished && index === sources.length - 1;
      const changed = block.raw !== raw || block.token.type !== token.type;
      if (!changed && !again(block, at + index)) return;
      const before = block.token;
      block.raw = raw;
      block.token = token;
      if (open && growCode(block.node, before, token)) block.rough = true;
      else this.draw(block);
    });
    for (const block of this.blocks.splice(at + sources.length)) block.node.remove();
  }

  private draw(block: Drawn): void {
    this.waiting = false;
    if (block.token.type === "code" && known(languageOf((block.token as Tokens.Code).lang)) === "later") {
      this.waiting = true;
      void this.want("languages");
    }
    const fresh = document.createElement("div");
    fresh.append(...blockNodes(block.token, this.context));
    morphChildren(block.node, fresh);
    block.waits = this.waiting;
    block.rough = false;
  }

  private settle(sources: readonly BlockSource[], found: Links): void {
    // The lexer may have normalised something; then nothing is settled, and the tail just stays longer.
    const tail = this.text.length - this.offset;
    if (sources.reduce((sum, source) => sum + source.raw.length, 0) !== tail) return;
    for (const source of sources.slice(0, -2)) {
      this.offset += source.raw.length;
      this.settled += 1;
    }
    this.links = { ...this.links, ...found };
  }

  private placeCaret(): void {
    let node: Element | null = this.blocks.at(-1)?.node ?? null;
    while (node !== null) {
      const last: Element | null = node.lastElementChild;
      // Text after the last element: the caret belongs behind it, not into the element before it.
      if (last === null || node.lastChild !== last || !CARET_IN.test(last.nodeName)) break;
      node = last;
    }
    (node ?? this.host).append(this.caret);
  }

  private math(source: string, display: boolean): Node | null {
    if (mathPart === null) {
      this.waiting = true;
      void this.want("math");
      return null;
    }
    const part = mathPart;
    // Only once the host is in its place is it known which root needs the style sheet.
    queueMicrotask(() => part.adopt(this.host.getRootNode()));
    return part.render(source, display);
  }

  private async want(name: "math" | "languages"): Promise<void> {
    if (this.asked.has(name) || !this.options.load) return;
    this.asked.add(name);
    const part = await this.options.load(name).catch(() => null);
    if (part === null || part === undefined) return;
    if (name === "math") mathPart = part as MathPart;
    else addLanguages(part as Languages);
    if (!this.disposed) this.redrawLate((block) => block.waits);
  }

  private redrawLate(which: (block: Drawn) => boolean): void {
    const change = () => {
      for (const block of this.blocks) if (which(block)) this.draw(block);
    };
    if (this.options.keepView) this.options.keepView(change);
    else change();
  }

  /** One listener for all buttons: a block that is redrawn while it streams has none of its own. */
  private readonly click = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-acp]") : null;
    if (!button) return;
    const box = button.closest<HTMLElement>(".acp-code");
    const code = box?.querySelector("code")?.textContent ?? "";
    const action = button.dataset["acp"];
    if (action === "copy") void copy(button, code);
    else if (action === "insert") this.options.insertCell?.(code, box?.dataset["language"] ?? "");
    else if (action === "image") this.allowImage(button.dataset["url"] ?? "");
  };

  private allowImage(url: string): void {
    this.allowedImages.add(url);
    this.redrawLate(({ node }) =>
      [...node.querySelectorAll<HTMLElement>("[data-url]")].some((button) => button.dataset["url"] === url),
    );
  }
}

async function copy(button: HTMLElement, code: string): Promise<void> {
  const copied = await copyText(code);
  button.textContent = copied ? "Copied" : "Copy failed";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1_500);
}
