import { afterEach, describe, expect, it } from "vitest";
import { createMarkdown, type Markdown, type MarkdownOptions } from "../src/markdown";
import { decodeEntities, safeUrl } from "../src/markdown_nodes";

const open: Markdown[] = [];

function show(text: string, options: MarkdownOptions = {}, done = true): HTMLElement {
  const host = document.createElement("div");
  const view = createMarkdown(host, options);
  open.push(view);
  view.update(text, done);
  return host;
}

/** The picture without the caret. */
function picture(host: HTMLElement): string {
  const copy = host.cloneNode(true) as HTMLElement;
  for (const caret of copy.querySelectorAll(".acp-caret")) caret.remove();
  copy.normalize();
  return new XMLSerializer().serializeToString(copy);
}

afterEach(() => {
  for (const view of open.splice(0)) view.dispose();
});

const DOCUMENT = `# Plan & more

Some *text* with **bold**, ~~gone~~, \`code &amp; x\` and [a link](https://example.org/?a=1&amp;b=2 "t").
Second line with <b>raw</b> &lt;html&gt; and a footnote [ref].

1. one
2. two

   more of two
   - nested
     - deeper

     para
3. three

10. ten

- [x] done
- [ ] open

* other bullet
| a | b |
|---|:-:|
| 1 | x<br>y |
| 2 | \`|\` |

> quoted
> - list
lazy

\`\`\`python
def f(x):
    return "<script>" + x

\`\`\`

    indented

    code

Setext
======

~~~
tildes
~~~
---
Price $5 and $10, but $x^2$ and \\(y\\), $$z$$.

$$
\\int_0^1 f
$$

\\[
a + b
\\]
<details>
<summary>More</summary>

inside

</details>

![remote](https://img.example/x.png) ![data](data:image/png;base64,iVBORw0KGgo=)

[ref]: https://example.net/ref
last line`;

describe("createMarkdown", () => {
  it("draws headings, lists, tasks, tables, quotes, code and links", () => {
    const host = show(DOCUMENT);
    expect(host.querySelector("h3")?.textContent).toBe("Plan & more");
    expect([...host.querySelectorAll("ol > li")].map((li) => li.firstChild?.textContent)).toContain("one");
    expect(host.querySelectorAll("input[type=checkbox]")).toHaveLength(2);
    expect(host.querySelectorAll("input:checked")).toHaveLength(1);
    expect(host.querySelectorAll("tbody tr")).toHaveLength(2);
    expect(host.querySelector("td.acp-align-center br")).not.toBeNull();
    expect(host.querySelector("blockquote li")).not.toBeNull();
    expect(host.querySelector("code")?.textContent).toBe("code &amp; x");
    const link = host.querySelector("a");
    expect(link?.getAttribute("href")).toBe("https://example.org/?a=1&b=2");
    expect([link?.rel, link?.target]).toEqual(["noopener noreferrer", "_blank"]);
    const code = host.querySelector(".acp-code");
    expect(code?.querySelector(".acp-code-language")?.textContent).toBe("python");
    expect(code?.querySelector("code")?.textContent).toBe('def f(x):\n    return "<script>" + x\n');
    expect(code?.querySelector(".hljs-keyword")?.textContent).toBe("def");
  });

  it("shows after any prefix, however it was cut, what it shows for that text as a whole", () => {
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    for (let end = 1; end <= DOCUMENT.length; end += 1) {
      view.update(DOCUMENT.slice(0, end), false);
      if (end % 29 !== 0 && end !== DOCUMENT.length) continue;
      const prefix = DOCUMENT.slice(0, end);
      const branch = document.createElement("div");
      const other = createMarkdown(branch);
      for (let at = 0; at < end; at += 5 + (at % 23)) other.update(prefix.slice(0, at), false);
      other.update(prefix, true);
      expect(picture(branch)).toBe(picture(show(prefix)));
      other.dispose();
    }
    view.update(DOCUMENT, true);
    expect(picture(host)).toBe(picture(show(DOCUMENT)));
  });

  it("shows while it streams what the whole text gives, link definitions further down aside", () => {
    const text = DOCUMENT.replace("[ref].", "ref.").replace(/\[ref\]: .*\n/, "");
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    for (let end = 1; end <= text.length; end += 1) {
      view.update(text.slice(0, end), false);
      if (end % 5 === 0)
        expect(picture(host), text.slice(end - 40, end)).toBe(picture(show(text.slice(0, end))));
    }
  });

  it("never touches a finished block again, and keeps the nodes of the open one", () => {
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    view.update("one\n\ntwo\n\n- a\n- b", false);
    const finished = host.children[0];
    const item = host.querySelector("li");
    const seen: MutationRecord[] = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    if (finished)
      observer.observe(finished, { childList: true, subtree: true, characterData: true, attributes: true });
    for (const more of ["\n- c", "\n- c\n\nafter", "\n- c\n\nafter\n\nmore"])
      view.update(`one\n\ntwo\n\n- a\n- b${more}`, false);
    view.update("one\n\ntwo\n\n- a\n- b\n- c\n\nafter\n\nmore", true);
    seen.push(...observer.takeRecords());
    observer.disconnect();
    expect(seen).toEqual([]);
    expect(host.querySelector("li")).toBe(item);
    expect(host.children[0]).toBe(finished);
  });

  it("appends to long code without redrawing it, and colours it when it is finished", () => {
    const code = 'x = compute(1, "two")  # note\n'.repeat(600);
    const text = `before\n\n\`\`\`python\n${code}\`\`\`\n\nafter`;
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    let first: Node | null | undefined = null;
    for (let end = 900; end < text.length - 8; end += 900) {
      view.update(text.slice(0, end), false);
      expect(host.querySelector("code")?.textContent).toBe(text.slice(18, end).replace(/\n$/, ""));
      if (end === 9_000) first = host.querySelector("code")?.lastChild;
    }
    expect(host.querySelectorAll(".hljs-comment").length).toBeLessThan(300);
    expect(host.contains(first ?? null)).toBe(true);
    const half = document.createElement("div");
    const other = createMarkdown(half);
    other.update(text.slice(0, 9_000), false);
    other.update(text.slice(0, 12_000), false);
    other.update(text, false);
    expect(picture(half)).toBe(picture(show(text)));
    other.update(text.slice(0, 9_000), false);
    other.update(text.slice(0, 12_000), false);
    other.update(text.slice(0, 12_000), true);
    expect(picture(half)).toBe(picture(show(text.slice(0, 12_000))));
    other.dispose();
    view.update(text, true);
    expect(picture(host)).toBe(picture(show(text)));
  });

  it("starts anew when the text is another one, and may grow after it was done", () => {
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    view.update("first text\n\n- of\n\nmany\n\n# blocks\n\nin it", false);
    view.update("other\n\n- x", false);
    expect(picture(host)).toBe(picture(show("other\n\n- x")));
    view.update("other", false);
    expect(host.textContent).toBe("other");
    view.update("other", true);
    view.update("other\n\n1. a\n\n2", false);
    view.update("other\n\n1. a\n\n2. b", true);
    expect(picture(host)).toBe(picture(show("other\n\n1. a\n\n2. b")));
  });

  it("has a caret at the end while it streams, and none when it is done", () => {
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    view.update("- a\n- b", false);
    expect(host.querySelector(".acp-caret")?.parentElement?.textContent).toBe("b");
    view.update("- a\n- b\n", true);
    expect(host.querySelector(".acp-caret")).toBeNull();
  });

  it("offers code for a cell and removes its listener in the end", () => {
    const cells: string[][] = [];
    const host = show("```Python title=x\nx = 1\n```", { insertCell: (...cell) => cells.push(cell) });
    const button = host.querySelector<HTMLElement>("[data-acp=insert]");
    button?.click();
    expect(cells).toEqual([["x = 1", "python"]]);
    const detached = button as HTMLElement;
    for (const view of open.splice(0)) view.dispose();
    host.append(detached);
    detached.click();
    expect(cells).toHaveLength(1);
    expect(show("```\nx\n```").querySelector("[data-acp=insert]")).toBeNull();
  });

  it("loads a remote image only after a click, and keeps it while the text grows", () => {
    const host = document.createElement("div");
    const view = createMarkdown(host);
    open.push(view);
    const text = "![Chart](https://img.example/a.png?x=1)";
    view.update(text, false);
    expect(host.querySelector("img")).toBeNull();
    expect(host.querySelector("button")?.textContent).toBe("Load image from img.example");
    host.querySelector("button")?.click();
    expect(host.querySelector("img")?.getAttribute("src")).toBe("https://img.example/a.png?x=1");
    view.update(`${text} and more`, false);
    expect(host.querySelectorAll("img")).toHaveLength(1);
  });

  it("shows formulas as source until the math part is there, then redraws them where the view allows", async () => {
    let bring: (part: unknown) => void = () => undefined;
    const asked: string[] = [];
    const wrapped: string[] = [];
    const options: MarkdownOptions = {
      load: (name) => {
        asked.push(name);
        return new Promise((resolve) => {
          bring = resolve;
        });
      },
      keepView: (change) => {
        wrapped.push("before");
        change();
        wrapped.push("after");
      },
    };
    const host = show("Price $5 and $10; $x^2$ and \\(y\\)\n\n$$\nz\n$$\n\n`$a$`", options);
    expect([...host.querySelectorAll("code.acp-math-source")].map((code) => code.textContent)).toEqual([
      "$x^2$",
      "\\(y\\)",
      "$$\nz\n$$",
    ]);
    bring(await import("../src/parts/math"));
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toEqual(["math"]);
    expect(wrapped).toEqual(["before", "after"]);
    expect(host.querySelectorAll("math")).toHaveLength(3);
    for (const math of host.querySelectorAll("math")) expect(math.textContent).not.toBe("");
    expect(host.textContent).toContain("Price $5 and $10");
  });
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <img src=x onerror=alert(1)> text",
  "<svg/onload=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java&#x73;cript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example/a)",
  "[x](/relative)",
  "[x](#anchor)",
  "[x](https:javascript:alert(1))",
  "[x](http://)",
  "<javascript:alert(1)>",
  "[x][r]\n\n[r]: javascript:alert(1)",
  "[x][r]\n\n[r]: <java\tscript:alert(1)>",
  "![x](javascript:alert(1))",
  "![x](//host/x.png)",
  "![x](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)",
  "![x](data:text/html;base64,PHN2Zz48L3N2Zz4=)",
  '![x](https://a.example/"onerror="alert(1).png)',
  '![" onerror="alert(1)](https://a.example/x.png)',
  '[x](https://a.example "onmouseover=alert(1)")',
  "```html\n<script>alert(1)</script>\n```",
  "```<script>alert(1)</script>\ncode\n```",
  "| <script>x</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<style>*{display:none}</style>",
  "<pre>&lt;b&gt;</pre>",
  "# <a href='javascript:alert(1)'>x</a>",
  "- <form action=//evil.example><input name=q>",
  "$\\href{javascript:alert(1)}{x}$",
  "$\\includegraphics{https://evil.example/x.png}$",
  "$\\class{acp-composer}{x}$ $\\style{position:fixed;inset:0}{x}$ $\\data{a=b}{x}$",
  "$$\\def\\a{\\a\\a}\\a$$",
  "$\\color{red;background:url(https://evil.example)}{x}$",
  "`<script>alert(1)</script>`",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "*[x](javascript:alert(1))*",
  "[![x](javascript:alert(1))](javascript:alert(2))",
  "[<img src=x onerror=alert(1)>](https://ok.example)",
  "[__proto__]: https://ok.example\n\n[__proto__] [constructor]",
];

const TAGS = new Set(
  (
    "DIV SPAN P H3 H4 H5 H6 UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD PRE CODE A IMG BR HR STRONG EM DEL INPUT " +
    "BUTTON"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  "class data-acp data-url data-language type title href target rel src alt tabindex start disabled checked".split(
    " ",
  ),
);

describe("hostile text", () => {
  it.each(HOSTILE)("stays text: %s", async (text) => {
    const math = await import("../src/parts/math");
    const host = show(text, {
      load: async (name) => (name === "math" ? math : null),
      insertCell: () => undefined,
    });
    await new Promise((resolve) => setTimeout(resolve));
    for (const node of host.querySelectorAll("*")) {
      if (node.namespaceURI === "http://www.w3.org/1998/Math/MathML") {
        for (const { name, value } of node.attributes) {
          expect(["href", "src", "xlink:href"], text).not.toContain(name);
          expect(name.startsWith("on") || name.startsWith("data-"), text).toBe(false);
          expect(value, text).not.toMatch(/url|position|acp-|javascript/i);
        }
        continue;
      }
      expect(TAGS, `${node.nodeName} in ${text}`).toContain(node.nodeName);
      for (const { name } of node.attributes) expect(ATTRIBUTES, `${name} in ${text}`).toContain(name);
      if (node instanceof HTMLAnchorElement) expect(node.protocol, text).toMatch(/^(https?|mailto):$/);
      if (node instanceof HTMLImageElement)
        expect(node.getAttribute("src"), text).toMatch(/^data:image\/(png|jpeg|gif|webp);/);
    }
    const shown = host.textContent ?? "";
    if (/^<|^text/.test(text) && !text.includes("javascript")) expect(shown.trim()).toBe(text);
  });

  it("shows a link that may not be followed with its target", () => {
    const host = show("see [the file](src/a.py) and [x](javascript:alert(1))");
    expect(host.textContent).toBe("see the file (src/a.py) and x (javascript:alert(1))");
    expect(host.querySelector("a")).toBeNull();
  });

  it("makes characters visible that reorder text or code", () => {
    expect(show("a\u202eb `c\u2066d`\n\n```\ne\u202ef\n```").textContent).toContain("a⟨U+202E⟩b c⟨U+2066⟩d");
  });

  it("survives nesting without end", () => {
    const deep = `${">".repeat(600)} x`;
    expect(show(deep).textContent).toContain("x");
    expect(show(deep).querySelectorAll("blockquote").length).toBeLessThan(50);
    expect(show(`${"[".repeat(3000)}x`).textContent).toContain("x");
    expect(show(`${"*a ".repeat(3000)}`).textContent).toContain("a");
  });
});

describe("helpers", () => {
  it("decodes character references", () => {
    expect(decodeEntities("&lt;b&gt; &amp;amp; &#65; &#x42; &nope; &copy; &#0; &#xD800; & &;")).toBe(
      "<b> &amp; A B &nope; © \ufffd \ufffd & &;",
    );
  });

  it("follows whole web and mail addresses only", () => {
    expect(safeUrl("https://a.example/x")).toBe("https://a.example/x");
    expect(safeUrl("MAILTO:a@b.example")).toBe("mailto:a@b.example");
    for (const target of ["//a", "a", "javascript:x", "data:x", "http:x", " https://a", "https://"])
      expect(safeUrl(target), target).toBeNull();
  });
});
