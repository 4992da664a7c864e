import { describe, expect, it } from "vitest";
import { renderDiff } from "../src/diff_view";

const numbered = (count: number, word = "line") =>
  `${Array.from({ length: count }, (_, i) => `${word} ${i + 1}`).join("\n")}\n`;

function draw(
  oldText: string | null,
  newText: string,
  options = {},
  path = "/project/src/a.py",
): HTMLElement {
  const host = document.createElement("div");
  renderDiff(host, { path, old_text: oldText, new_text: newText }, { cwd: "/project", ...options });
  return host;
}

const rows = (host: HTMLElement) =>
  [...host.querySelectorAll(".acp-diff-row")].map(
    (row) =>
      `${[...row.querySelectorAll("[data-line]")].map((cell) => cell.getAttribute("data-line")).join("|")} ${row.querySelector(".acp-diff-sign")?.textContent}${row.querySelector(".acp-diff-text")?.textContent}`,
  );

describe("renderDiff", () => {
  it("has a head line with the path and what was added and removed, and the lines with their numbers", () => {
    const host = draw("a\nb = one\nc\n", "a\nb = two\nc\nd\n");
    expect(host.querySelector("summary")?.textContent).toBe("src/a.py+2−1");
    expect(rows(host)).toEqual(["1|1  a", "2| −b = one", "|2 +b = two", "3|3  c", "|4 +d"]);
    expect([...host.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["one", "two"]);
  });

  it("names a new file, and says when nothing differs", () => {
    expect(draw(null, "x\n").querySelector("summary")?.textContent).toContain("new file");
    expect(draw("x\n", "x\n").textContent).toContain("No difference");
  });

  it("makes its rows when it is first opened", () => {
    const host = draw("a\n", "b\n", { folded: true });
    const details = host.querySelector("details");
    expect([details?.open, rows(host).length]).toEqual([false, 0]);
    if (details) details.open = true;
    details?.dispatchEvent(new Event("toggle"));
    details?.dispatchEvent(new Event("toggle"));
    expect(rows(host)).toHaveLength(2);
  });

  it("folds a long diff behind a button that says how much there is", () => {
    const host = draw(null, numbered(100), { rows: 20 });
    expect(rows(host)).toHaveLength(20);
    const more = host.querySelector<HTMLButtonElement>(".acp-diff-more");
    expect(more?.textContent).toBe("Show 80 more lines");
    more?.click();
    expect(rows(host)).toHaveLength(100);
    expect(host.querySelector(".acp-diff-more")).toBeNull();
    expect(rows(draw(null, numbered(25), { rows: 20 }))).toHaveLength(25);
  });

  it("keeps the focus inside when the button goes", () => {
    const host = draw(null, numbered(100), { rows: 20 });
    document.body.append(host);
    const more = host.querySelector<HTMLButtonElement>(".acp-diff-more");
    more?.focus();
    more?.click();
    expect(host.contains(document.activeElement)).toBe(true);
    host.remove();
  });

  it("shows hostile paths and lines as text", () => {
    const host = draw("<b>\u202ea</b>\n", "<img src=x onerror=alert(1)>\r\n", {}, "/project/<b>\u202e.py");
    expect(host.querySelector("b, img")).toBeNull();
    expect(host.querySelector("summary")?.textContent).toContain("<b>⟨U+202E⟩.py");
    expect(rows(host)).toEqual(["1| −<b>⟨U+202E⟩a</b>", "|1 +<img src=x onerror=alert(1)>"]);
  });

  it("goes away", () => {
    const host = document.createElement("div");
    renderDiff(host, { path: "a", old_text: "a", new_text: "b" })();
    expect(host.childNodes).toHaveLength(0);
  });
});
