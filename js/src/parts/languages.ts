/** Part "languages": the grammars that are not in the first bundle. Names: `LATER_LANGUAGES`. */
import c from "highlight.js/lib/languages/c";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import haskell from "highlight.js/lib/languages/haskell";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import julia from "highlight.js/lib/languages/julia";
import kotlin from "highlight.js/lib/languages/kotlin";
import latex from "highlight.js/lib/languages/latex";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import perl from "highlight.js/lib/languages/perl";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import r from "highlight.js/lib/languages/r";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import scss from "highlight.js/lib/languages/scss";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({
  c,
  cmake,
  cpp,
  csharp,
  css,
  dockerfile,
  go,
  graphql,
  haskell,
  ini,
  java,
  javascript,
  julia,
  kotlin,
  latex,
  lua,
  makefile,
  markdown,
  perl,
  php,
  powershell,
  r,
  ruby,
  rust,
  scala,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

lowlight.registerAlias({ julia: ["jl"] });

/** The names and aliases that `highlight` knows. */
export function knows(language: string): boolean {
  return lowlight.registered(language);
}

export function highlight(code: string, language: string): Node[] | null {
  return lowlight.registered(language) ? lowlight.highlight(language, code).children.map(toNode) : null;
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
