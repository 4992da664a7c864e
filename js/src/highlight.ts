/** Code as coloured nodes: five languages at hand, the rest in a part that is loaded when first needed. */
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import { createLowlight, type LanguageFn } from "lowlight";
import { LATER_LANGUAGES } from "./languages";

const lowlight = createLowlight({ bash, diff, javascript, json, python, typescript });

/** Longer code stays plain: the colours are not worth the wait. */
const LIMIT = 60_000;
/** One text node holds this much at most, so that text that grows repaints only its end. */
const PIECE = 4_000;

export interface Languages {
  readonly languages: Readonly<Record<string, LanguageFn>>;
}

/** Takes the languages of the loaded part. */
export function addLanguages(part: Languages): void {
  for (const [name, language] of Object.entries(part.languages))
    if (!lowlight.registered(name)) lowlight.register(name, language);
}

/** now: can be coloured. later: with the part. never: not known. */
export function known(language: string): "now" | "later" | "never" {
  if (lowlight.registered(language)) return "now";
  return LATER_LANGUAGES.has(language) ? "later" : "never";
}

/** The code's nodes, coloured if the language is at hand. Their text is the code. */
export function highlight(code: string, language: string): Node[] {
  if (code.length > LIMIT || !lowlight.registered(language)) return plain(code);
  return lowlight.highlight(language, code).children.map(toNode);
}

function plain(code: string): Node[] {
  const pieces: Node[] = [];
  for (let at = 0; at < code.length; at += PIECE) pieces.push(document.createTextNode(code.slice(at, at + PIECE)));
  return pieces;
}

type Tree = ReturnType<typeof lowlight.highlight>["children"][number];

function toNode(tree: Tree): Node {
  if (tree.type === "text") return document.createTextNode(tree.value);
  const span = document.createElement("span");
  if (tree.type === "element") {
    const names = tree.properties["className"];
    if (Array.isArray(names)) span.className = names.join(" ");
    for (const child of tree.children) span.appendChild(toNode(child));
  }
  return span;
}
