/** One line: agent and version, folder, model and mode, context, state, and the menu. */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { ChatInfo, ConfigOption, Session } from "../wire";
import type { ViewContext } from "./context";
import { icon } from "./icons";
import { createMenu, type MenuEntry } from "./menu";
import { iconButton } from "./parts";
import { count, money, passed, statusWord } from "./words";

export interface HeaderState {
  readonly session: Session | null;
  readonly info: ChatInfo | null;
  readonly live: boolean;
}

export interface Header extends View<HeaderState> {
  /** Closes the menu; false if it was not open. */
  closeMenu(): boolean;
  setExpanded(expanded: boolean): void;
}

/** What the part "controls" gives. */
interface Controls extends View<Session> {
  close(): boolean;
}

interface ControlsPart {
  create(ctx: ViewContext): Controls;
}

export interface HeaderActions {
  find(): void;
  expand(): void;
  menu(): readonly MenuEntry[];
}

export function createHeader(ctx: ViewContext, actions: HeaderActions): Header {
  const agent = h("span", { class: "acp-agent" });
  const version = h("span", { class: "acp-version acp-muted" });
  const folder = h("span", { class: "acp-folder acp-muted" });
  const demo = h(
    "span",
    { class: "acp-tag", title: "The built-in demo agent, in a scratch folder of its own" },
    "demo",
  );
  const model = h("span", { class: "acp-model acp-muted" });
  const title = h("span", { class: "acp-model acp-title acp-muted" });
  const controls = h("span", { class: "acp-controls-place" });
  const meter = h("span", { class: "acp-meter", hidden: true }, h("span", { class: "acp-meter-fill" }));
  const cost = h("span", { class: "acp-version acp-cost acp-muted", title: "Cost of this session so far" });
  const dot = h("span", { class: "acp-state-dot", "aria-hidden": "true" });
  const word = h("span", { class: "acp-state-word" });
  const seconds = h("span", { class: "acp-state-time", "aria-hidden": "true" });
  const state = h("span", { class: "acp-state" }, dot, word, seconds);
  const expand = iconButton("expand", "Taller", actions.expand);
  expand.classList.add("acp-expand");
  const find = iconButton("search", "Find in this chat (Ctrl+F)", actions.find);
  const menu = createMenu(ctx, "More", actions.menu, () => unreadNote(shown?.session ?? null));
  const node = h(
    "header",
    { class: "acp-header" },
    h("span", { class: "acp-facts" }, agent, version, demo, folder, model, title),
    controls,
    meter,
    cost,
    state,
    h("span", { class: "acp-tools" }, find, expand, menu.node),
  );
  let shown: HeaderState | null = null;
  let settings: Controls | null = null;
  let asked: string | null = null;

  /** The selectors come with a part of the bundle; until then, and without it, the names stand there. */
  function paintControls(session: Session | null, live: boolean): void {
    const offered =
      session !== null && (session.options.length > 0 || session.modes.length > 0 || session.models !== null);
    // One that could not be had is asked for again when something has happened.
    if (offered && live && settings === null && asked !== session.status) {
      asked = session.status;
      void ctx.hooks.load("controls").then((part) => {
        if (part === null || controls.childElementCount > 0) return;
        settings = (part as ControlsPart).create(ctx);
        controls.append(settings.node);
        paintControls(shown?.session ?? null, shown?.live ?? false);
      });
    }
    const drawn = settings !== null && offered && live;
    if (drawn) settings?.update(session);
    show(controls, drawn);
    node.classList.toggle("acp-has-controls", drawn);
  }

  let stop: (() => void) | null = null;

  function paintState(session: Session | null, live: boolean): void {
    const status = session?.status ?? "idle";
    const due = session?.auth?.required === true;
    setText(word, !live ? "read only" : due ? "sign in" : statusWord(status));
    node.dataset["status"] = live ? status : "gone";
    stop?.();
    stop = null;
    const turn = session?.turns.find((one) => one.active);
    const counts = live && (status === "working" || status === "stopping");
    if (counts && turn?.started != null) {
      const { started } = turn;
      stop = ctx.ticker.start(() => setText(seconds, passed(ctx.now() - started)));
    } else {
      setText(seconds, "");
    }
  }

  return {
    node,
    closeMenu: () => menu.close() || (settings?.close() ?? false),
    setExpanded(expanded) {
      expand.replaceChildren(icon(expanded ? "shrink" : "expand"));
      const label = expanded ? "As high as before" : "Taller";
      expand.title = label;
      expand.setAttribute("aria-label", label);
    },
    update(next) {
      const { session, info, live } = next;
      const before = shown;
      shown = next;
      if (before?.session === session && before.live === live) return;
      setText(agent, visible(agentTitle(session)));
      const said = session?.agent?.version ?? "";
      setText(version, said === "" ? "" : visible(said));
      show(demo, info?.demo === true);
      paintFolder(folder, session?.cwd ?? null);
      setText(title, visible(session?.title ?? ""));
      title.title = title.textContent ?? "";
      paintControls(session, live);
      setText(model, [currentModel(session), currentMode(session)].filter((one) => one !== "").join(" · "));
      model.title = model.textContent ?? "";
      const context = session?.context ?? null;
      paintMeter(meter, context);
      const spent = context?.cost;
      setText(cost, spent == null || spent.amount === 0 ? "" : money(spent.amount, spent.currency));
      if (
        before?.session?.status !== session?.status ||
        before?.session?.auth !== session?.auth ||
        before?.live !== live ||
        before?.session?.turns !== session?.turns
      ) {
        paintState(session, live);
      }
    },
    dispose() {
      stop?.();
      settings?.dispose();
      menu.dispose();
    },
  };
}

export function agentTitle(session: Session | null): string {
  const agent = session?.agent;
  if (agent == null) return "Agent";
  const program = agent.command[0]?.split(/[\\/]/).pop();
  return agent.title ?? agent.name ?? program ?? "Agent";
}

function paintFolder(node: HTMLElement, cwd: string | null): void {
  show(node, cwd !== null);
  if (cwd === null || node.title === visible(cwd)) return;
  const parts = cwd.split(/[\\/]/).filter((part) => part !== "");
  node.title = visible(cwd);
  node.replaceChildren(icon("folder"), h("span", {}, visible(parts.slice(-1).join("/") || cwd)));
}

function optionOf(session: Session | null, category: string): ConfigOption | undefined {
  return session?.options.find((option) => option.category === category);
}

function choiceName(option: ConfigOption): string {
  const value = String(option.value ?? "");
  return visible(option.choices.find((choice) => choice.value === value)?.name ?? value);
}

/** Config options win over the older model and mode lists: an agent that has both means the first. */
function currentModel(session: Session | null): string {
  const option = optionOf(session, "model");
  if (option !== undefined) return choiceName(option);
  const models = session?.models ?? null;
  if (models === null || models.current === null) return "";
  return visible(models.available.find((one) => one.id === models.current)?.name ?? models.current);
}

function currentMode(session: Session | null): string {
  const option = optionOf(session, "mode");
  if (option !== undefined) return choiceName(option);
  const mode = session?.mode ?? null;
  if (mode === null) return "";
  return visible(session?.modes.find((one) => one.id === mode)?.name ?? mode);
}

/** Nothing is lost without a word: how much the agent sent that made no sense, by name in the title. */
function unreadNote(session: Session | null): HTMLElement | null {
  const unread = Object.entries(session?.unread ?? {});
  const sum = unread.reduce((before, [, times]) => before + times, 0);
  if (sum === 0) return null;
  const title = unread.map(([name, times]) => `${visible(name)}: ${times}`).join(", ");
  const text = `${count(sum, "message")} from the agent not understood`;
  return h("div", { class: "acp-menu-note acp-muted acp-small", role: "note", title }, text);
}

function paintMeter(node: HTMLElement, context: Session["context"]): void {
  const { used = null, size = null } = context ?? {};
  const known = used !== null && size !== null && size > 0;
  show(node, known);
  if (!known) return;
  const share = Math.min(1, used / size);
  const fill = node.firstElementChild;
  if (fill instanceof HTMLElement) fill.style.width = `${(share * 100).toFixed(1)}%`;
  node.classList.toggle("acp-full", share > 0.85);
  const words = `Context: ${count(used, "token")} of ${count(size, "token")} used`;
  node.title = words;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", words);
}
