/** A turn or a conversation as Markdown, for the clipboard. */

import { relative } from "../safe_text";
import type { Block, Item, Permission, Session, Turn } from "../wire";
import { blockText, commandOf, diffsOf, textOf, titleOf, unfence } from "./describe";
import { promptText } from "./prompt";
import { shownTurns } from "./shown";
import { callWord, decision, endWord, reviewWord } from "./words";

export function conversationMarkdown(session: Session): string {
  const title = session.title ?? session.agent?.title ?? session.agent?.name ?? "Conversation";
  const turns = shownTurns(session, 0).map(({ turn }) => turnMarkdown(turn, session.cwd));
  return `# ${oneLine(title)}\n\n${turns.join("\n---\n\n")}`;
}

export function turnMarkdown(turn: Turn, cwd: string | null): string {
  const parts: string[] = [];
  const prompt = promptText(turn.prompt);
  if (prompt !== "") parts.push(quote(prompt));
  for (const item of turn.items) parts.push(itemMarkdown(item, turn, cwd));
  const end = turn.error ?? endWord(turn);
  if (end !== null) parts.push(`*${oneLine(end)}*`);
  if (turn.after.length > 0) {
    parts.push("*After the turn:*");
    for (const item of turn.after) parts.push(itemMarkdown(item, turn, cwd));
  }
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function itemMarkdown(item: Item, turn: Turn, cwd: string | null): string {
  switch (item.kind) {
    case "message":
      return blocksMarkdown(item.blocks);
    case "user":
      return quote(blocksMarkdown(item.blocks));
    case "thought":
      return `<details><summary>Thought</summary>\n\n${blocksMarkdown(item.blocks)}\n\n</details>`;
    case "tool_call":
      return callMarkdown(item.call, turn, cwd);
    case "plan":
      return (
        item.text ??
        item.entries
          .map((entry) => `- [${entry.status === "completed" ? "x" : " "}] ${oneLine(entry.content)}`)
          .join("\n")
      );
    case "notice":
      return `*${oneLine([item.title, item.description].filter(Boolean).join(": "))}*`;
    case "review":
      return `*${oneLine(reviewWord(item.review))}*`;
    default:
      return `*${oneLine(item.name)}*`;
  }
}

function callMarkdown(
  call: Extract<Item, { kind: "tool_call" }>["call"],
  turn: Turn,
  cwd: string | null,
): string {
  const permissions = call.permissions
    .map((key) => turn.permissions.find((one) => one.key === key))
    .filter((one): one is Permission => one !== undefined);
  const terminals = call.terminals.map((id) => turn.terminals[id]).filter((one) => one !== undefined);
  const lines = [`**${oneLine(titleOf(call, cwd))}** (${callWord(call.state, call.status)})`];
  const command = commandOf(call, terminals);
  if (command !== null && command !== call.title) lines.push(fence(command, "sh"));
  for (const diff of diffsOf(call, permissions))
    lines.push(`\`${oneLine(relative(diff.path, cwd))}\``, fence(diff.new_text, ""));
  const output = terminals.map((one) => one.output).join("") || unfence(textOf(call.content));
  if (output.trim() !== "") lines.push(fence(output, ""));
  for (const permission of permissions) {
    const said = decision(permission);
    if (said !== null) lines.push(`*${oneLine(said.word)}*`);
  }
  return lines.join("\n\n");
}

export function blocksMarkdown(blocks: readonly Block[]): string {
  return blocks.map((block) => blockText(block) ?? `*[${block.type}]*`).join("\n\n");
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** A fence longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((found) => found[0].length));
  const bar = "`".repeat(longest + 1);
  return `${bar}${language}\n${text.replace(/\n$/, "")}\n${bar}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
