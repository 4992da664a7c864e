import { describe, expect, it } from "vitest";
import { ansiNodes, ansiText } from "../src/ansi";
import { cpuSeconds } from "./cpu";

function html(text: string): string {
  const box = document.createElement("div");
  box.append(ansiNodes(text));
  return [...box.childNodes]
    .map((node) =>
      node instanceof HTMLElement
        ? `[${[node.className, node.getAttribute("style")].filter(Boolean).join(" ")}|${node.textContent}]`
        : node.textContent,
    )
    .join("");
}

describe("ansiNodes", () => {
  it("shows colours and weights", () => {
    expect(html("\u001b[31mred\u001b[0m plain \u001b[1;4;92mok\u001b[m")).toBe(
      "[acp-fg-1|red] plain [acp-ansi-bold acp-ansi-underline acp-fg-10|ok]",
    );
    expect(html("\u001b[38;5;208mo\u001b[48;2;1;2;3mb\u001b[39;49mn")).toBe(
      "[color: rgb(255, 135, 0);|o][color: rgb(255, 135, 0); background-color: rgb(1, 2, 3);|b]n",
    );
    expect(html("\u001b[38:2::9:8:7mx\u001b[38;5;250my")).toBe(
      "[color: rgb(9, 8, 7);|x][color: rgb(188, 188, 188);|y]",
    );
    expect(html("\u001b[2md\u001b[22mn\u001b[7mr\u001b[27mn")).toBe("[acp-ansi-dim|d]n[acp-ansi-reverse|r]n");
  });

  it("lets a carriage return overwrite its line, colours included", () => {
    expect(ansiText("10%\r50%\r100%\nnext\r\n")).toBe("100%\nnext\n");
    expect(ansiText("abcdef\rXY")).toBe("XYcdef");
    expect(html("\u001b[31mabc\u001b[0m\rX")).toBe("X[acp-fg-1|bc]");
  });

  it("drops every other sequence, also in its 8-bit form and when it is cut off", () => {
    expect(ansiText("a\u001b[2Jb\u001b[10;5Hc\u001b[?25ld\u001b(Be\u001b7f")).toBe("abcdef");
    expect(ansiText("\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007")).toBe("link");
    expect(ansiText("\u001b]52;c;ZXZpbA==\u001b\\x\u001bPq#0\u001b\\y\u009d0;title\u009cz")).toBe("xyz");
    expect(html("\u009b31mred\u009b0m")).toBe("[acp-fg-1|red]");
    expect(ansiText("text\u001b[3")).toBe("text");
    expect(ansiText("text\u001b")).toBe("text");
    expect(ansiText("bell\u0007 back\u0008 nul\u0000 del\u007f")).toBe("bell back nul del");
  });

  it("takes wrong parameters without harm", () => {
    expect(html("\u001b[38;5mx")).toBe("x");
    expect(html("\u001b[38;5;999mx")).toBe("x");
    expect(html("\u001b[38;2;300;0;0mx")).toBe("x");
    expect(html("\u001b[>4;1mx\u001b[12345678901234mx")).toBe("xx");
  });

  it("is bounded, and keeps the end", () => {
    const text = `${"line of output\n".repeat(100_000)}the end`;
    const shown = ansiText(text);
    expect(shown.length).toBeLessThan(600_000);
    expect(shown.startsWith("line of output\n")).toBe(true);
    expect(shown.endsWith("the end")).toBe(true);
    const seconds = cpuSeconds(() => {
      ansiText("\u001b[".repeat(200_000));
      ansiText("\r".repeat(200_000));
      ansiText(`${"x".repeat(100_000)}\r${"y".repeat(100_000)}`);
      ansiText("\u001b]".repeat(200_000));
    });
    // What is quadratic takes a minute.
    expect(seconds).toBeLessThan(10);
  });
});
