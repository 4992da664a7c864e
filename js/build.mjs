/**
 * Builds the bundles into `acp_notebook/static/`.
 *
 * - `widget.js`: the chat with its CSS inside, as anywidget imports it;
 * - `explorer.js`: what a transcript displays, with the chat's views inside;
 * - `turn.js`: the view of one turn, which borrows everything else from the chat's model;
 * - `parts/*.js`: ES modules that the browser asks the kernel for when they are first needed.
 *
 * `node build.mjs --sizes` also prints what each file weighs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = join(here, "..", "acp_notebook", "static");

/** A style sheet becomes a string: the widget adopts it in its own shadow root. */
const cssAsText = {
  name: "css-as-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async (args) => {
      const result = await esbuild.build({
        entryPoints: [args.path],
        bundle: true,
        minify: true,
        write: false,
        logLevel: "silent",
      });
      return { contents: result.outputFiles[0].text, loader: "text" };
    });
  },
};

/**
 * Of marked we take the lexer alone. Its one file also makes a ready instance when it is loaded, which keeps
 * the parser and the renderer: a fifth of its weight, and the one part that writes HTML. What it does for
 * the dialect of 2004 (`pedantic`, never set here) falls away as well.
 */
const lexerOfMarked = {
  name: "lexer-of-marked",
  setup(build) {
    build.onLoad({ filter: /marked\.esm\.js$/ }, (args) => {
      const source = readFileSync(args.path, "utf8");
      const instance =
        /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse[\s\S]*?(?=export\{)(?=.*?(\w+) as Lexer)(?=.*?(\w+) as getDefaults)[^}]*\}/;
      const pedantic = /\bthis\.options\.pedantic\b/g;
      if (!instance.test(source) || !pedantic.test(source))
        throw new Error("marked looks different now: see lexerOfMarked in build.mjs");
      const contents = source
        .replace(instance, "export{$2 as Lexer,$3 as getDefaults}")
        .replace(pedantic, "false");
      return { contents, loader: "js" };
    });
  },
};

const parts = readdirSync(join(here, "src", "parts")).filter((name) => name.endsWith(".ts"));
const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  // Non-ASCII in the source survives any server's charset only as escapes.
  charset: "ascii",
  logLevel: "warning",
  plugins: [cssAsText, lexerOfMarked],
};

rmSync(join(out, "parts"), { recursive: true, force: true });
mkdirSync(join(out, "parts"), { recursive: true });
await Promise.all([
  esbuild.build({
    ...common,
    entryPoints: [join(here, "src", "widget.ts")],
    outfile: join(out, "widget.js"),
  }),
  esbuild.build({
    ...common,
    entryPoints: [join(here, "src", "explorer", "explorer.ts")],
    outfile: join(out, "explorer.js"),
  }),
  esbuild.build({
    ...common,
    entryPoints: [join(here, "src", "turn_stub.ts")],
    outfile: join(out, "turn.js"),
  }),
  ...parts.map((name) =>
    esbuild.build({
      ...common,
      entryPoints: [join(here, "src", "parts", name)],
      outfile: join(out, "parts", `${basename(name, ".ts")}.js`),
    }),
  ),
]);

/** Bytes that a file may weigh: the bundle travels to every browser and is saved in notebooks. */
const limits = { "widget.js": 60 * 1024, "explorer.js": 72 * 1024, "turn.js": 3 * 1024 };
let tooLarge = false;
for (const name of [
  "widget.js",
  "explorer.js",
  "turn.js",
  ...parts.map((part) => `parts/${basename(part, ".ts")}.js`),
]) {
  const bytes = readFileSync(join(out, name));
  const weight = name === "turn.js" ? bytes.length : gzipSync(bytes).length;
  if (process.argv.includes("--sizes"))
    console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes).length} gzip`);
  if (name in limits && weight > limits[name]) {
    console.error(`${name} weighs ${weight} bytes, more than the ${limits[name]} allowed`);
    tooLarge = true;
  }
}
if (tooLarge) process.exit(1);
