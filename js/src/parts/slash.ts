/** Part "slash": the agent's slash commands below the keys of the composer; arrow keys, Enter or Tab, Escape. */
import { adopt } from "../adopt";
import { h } from "../dom";
import { visible } from "../safe_text";
import type { Session } from "../wire";
import css from "./slash.css";

type Command = Session["commands"][number];

export interface Slash {
  /** Looks at the box again: its text, or the list of commands, has changed. */
  update(): void;
  /** Takes the list away; false if there was none. */
  close(): boolean;
  dispose(): void;
}

export interface Places {
  readonly box: HTMLTextAreaElement;
  /** The composer; the list goes before the row with the box. */
  readonly composer: HTMLElement;
  readonly row: HTMLElement;
  readonly commands: () => Session["commands"];
  /** Puts a text into the box. */
  readonly put: (text: string) => void;
}

const MOST = 50;
let serial = 0;

/** Names that begin with what was typed come first, then those that hold it. */
export function matches(commands: readonly Command[], typed: string): readonly Command[] {
  const wanted = typed.toLowerCase();
  const begins = commands.filter((one) => one.name.toLowerCase().startsWith(wanted));
  const holds = commands.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST);
}

export function create({ box, composer, row, commands, put }: Places): Slash {
  serial += 1;
  const id = `acp-commands-${serial}`;
  const list = h("ul", {
    class: "acp-commands",
    id,
    role: "listbox",
    "aria-label": "Commands",
    hidden: true,
  });
  let found: readonly Command[] = [];
  let at = 0;
  let dismissed: string | null = null;
  let looked = "";

  function typed(): string | null {
    const word = /^\/(\S*)$/.exec(box.value);
    return word === null || box.value === dismissed ? null : (word[1] ?? "");
  }

  function update(): void {
    const word = typed();
    if (box.value !== dismissed) dismissed = null;
    if (box.value !== looked) at = 0;
    looked = box.value;
    found = word === null ? [] : matches(commands(), word);
    at = Math.min(at, Math.max(0, found.length - 1));
    paint();
  }

  function paint(): void {
    const open = found.length > 0;
    list.hidden = !open;
    box.setAttribute("aria-autocomplete", "list");
    if (open) {
      box.setAttribute("aria-controls", id);
      box.setAttribute("aria-activedescendant", `${id}-${at}`);
    } else {
      box.removeAttribute("aria-controls");
      box.removeAttribute("aria-activedescendant");
    }
    list.replaceChildren(
      ...found.map((one, index) => {
        const hint = one.hint === null ? "" : ` ${visible(one.hint)}`;
        const node = h(
          "li",
          {
            class: "acp-command",
            id: `${id}-${index}`,
            role: "option",
            "aria-selected": String(index === at),
          },
          h("span", { class: "acp-command-name" }, `/${visible(one.name)}${hint}`),
          h("span", { class: "acp-command-about" }, visible(one.description)),
        );
        // Before the box loses the focus.
        node.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(one);
        });
        return node;
      }),
    );
    const current = list.children[at];
    if (current instanceof HTMLElement) keepInView(current);
  }

  /** By hand: `scrollIntoView` would scroll the notebook, too. */
  function keepInView(node: HTMLElement): void {
    const top = node.offsetTop - list.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + node.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top + node.offsetHeight - list.clientHeight;
  }

  /** A command that wants more is left open for it. */
  function take(command: Command): void {
    put(`/${command.name}${command.hint === null ? "" : " "}`);
    dismissed = box.value;
    found = [];
    paint();
  }

  function close(): boolean {
    if (list.hidden) return false;
    dismissed = box.value;
    found = [];
    paint();
    return true;
  }

  function onKey(event: KeyboardEvent): void {
    if (list.hidden || event.target !== box || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      at = (at + step + found.length) % found.length;
      paint();
    } else if (event.key === "Enter" || event.key === "Tab") {
      const command = found[at];
      // What is typed out already is meant: Enter sends it.
      if (command === undefined || (event.key === "Enter" && box.value === `/${command.name}`)) return;
      take(command);
    } else if (event.key === "Escape") {
      close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  composer.insertBefore(list, row);
  adopt(list.getRootNode(), css);
  composer.addEventListener("keydown", onKey, true);
  return {
    update,
    close,
    dispose() {
      composer.removeEventListener("keydown", onKey, true);
      list.remove();
    },
  };
}
