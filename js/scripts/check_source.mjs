/**
 * Holds what no linter rule says: an agent's text never becomes markup or code.
 *
 * Fails on every way of turning a string into HTML or a program, in `src/` and its sub-folders. A line may
 * be let through by the comment `allow-markup: reason` on it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../src", import.meta.url));
const banned =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|parseFromString|srcdoc)\b|document\.write|\beval\s*\(|new Function\b|\bsave_changes\b/;

const problems = [];
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.[cm]?[jt]s$/.test(entry.name)) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  readFileSync(path, "utf8")
    .split("\n")
    .forEach((line, index) => {
      const code = line.replace(/^\s*(\/\/|\*|\/\*).*/, "");
      if (banned.test(code) && !/allow-markup: \S/.test(line))
        problems.push(`${relative(root, path)}:${index + 1}: ${line.trim()}`);
    });
}
if (problems.length > 0) {
  console.error(`Text must stay text (see js/scripts/check_source.mjs):\n${problems.join("\n")}`);
  process.exit(1);
}
