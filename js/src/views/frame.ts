/** The whole chat: header, log, composer. */

import { copyText } from "../clipboard";
import { append, h, setText, show } from "../dom";
import type { ChatState, Store } from "../store";
import type { ChatInfo, Session, Turn } from "../wire";
import { conversationMarkdown } from "./as_markdown";
import { createChildren } from "./children";
import { createComposer } from "./composer";
import type { Hooks, ViewContext } from "./context";
import { createEmpty } from "./empty";
import { createEnded } from "./ended";
import { createFind, type Hit } from "./find";
import { createHeader } from "./header";
import type { MenuEntry } from "./menu";
import { createLine } from "./notice";
import { textButton } from "./parts";
import { createPlace, enter, type Root } from "./place";
import { createProgress } from "./progress";
import { createResize } from "./resize";
import { asksIn } from "./scope";
import { shownTurns } from "./shown";
import { createSignIn } from "./sign_in";
import { createTurnGroups } from "./turn_groups";
import { count } from "./words";

export type { Hooks } from "./context";
export { mountTurn } from "./one_turn";

interface Panel {
  readonly node: HTMLElement;
  close(): boolean;
}

/** What the parts "sessions" and "wire_log" give. */
interface PanelPart {
  open(ctx: ViewContext, leave: () => void): Panel;
}

/** Draws the chat into the root and keeps it up to date until the returned function is called. */
export function mountChat(root: Root, store: Store, info: ChatInfo, hooks: Hooks): () => void {
  const earlier = textButton("Show earlier turns", () => store.page());
  earlier.classList.add("acp-earlier");
  const warnings = h("div", { class: "acp-warnings" });
  const content = h("div", { class: "acp-content" });
  const log = h(
    "div",
    { class: "acp-log", role: "log", "aria-live": "polite", "aria-label": "Conversation", tabindex: "-1" },
    content,
  );
  const place = createPlace(root, store, info, hooks, log, content, { moved: () => paintChips(), focusNext });
  const { ctx } = place;
  const anyWaiting = createWaiting();

  const turns = createTurnGroups(ctx);
  const header = createHeader(ctx, {
    find: () => find.open(),
    expand: () => resize.toggle(),
    menu: menuEntries,
  });
  const find = createFind(
    ctx,
    { session: () => store.state.session, first: () => store.state.first, go },
    () => composer.focus(),
  );
  const empty = createEmpty(info, (text) => composer.put(text));
  const ended = createEnded(ctx, () => composer.focus());
  const children = createChildren(ctx);
  const stale = createLine("info");
  const progress = createProgress(ctx);
  const signIn = createSignIn(ctx);
  let panel: Panel | null = null;
  const composer = createComposer(ctx, () => {
    ctx.reading.flush();
    ctx.reading.toTail();
  });
  const approvals = chip("acp-approval-chip", () => toCard());
  const latest = chip("acp-latest-chip", () => {
    ctx.reading.toTail();
    log.focus({ preventScroll: true });
  });
  setText(latest, "Jump to latest");
  const chips = h("div", { class: "acp-float" }, approvals, latest);
  append(content, [earlier, empty.node, turns.node, children.node, warnings, signIn.node, ended.node]);
  const bottom = h("div", { class: "acp-bottom" }, chips, stale.node, progress.node, composer.node);
  const frame = h(
    "section",
    { class: "acp-frame", "aria-label": "Chat with an agent" },
    header.node,
    find.node,
    log,
    bottom,
    place.live,
  );
  const resize = createResize(frame, (expanded) => header.setExpanded(expanded));
  frame.append(resize.handle);
  if (info.height !== null) frame.style.setProperty("--acp-height", info.height);

  function update(): void {
    const state = store.state;
    const { session } = state;
    const live = ctx.live();
    header.update({ session, info, live });
    const shown = session === null ? [] : shownTurns(session, state.first);
    turns.update(shown);
    show(turns.node, shown.length > 0);
    show(earlier, state.first > 0 && live);
    show(empty.node, shown.length === 0 && state.first === 0 && session?.status !== "ended");
    empty.update(session);
    children.update(session);
    paintWarnings(warnings, session);
    ended.update(session);
    stale.update(
      state.silent
        ? "The kernel does not answer. It may be busy; if it was restarted, run this cell again."
        : state.twinStale
          ? "The saved copy below this chat is older than what is shown. Run this cell again to renew it."
          : null,
    );
    progress.update(session);
    signIn.update(session);
    composer.update({ session, first: state.first, reason: reasonOf(state) });
    frame.classList.toggle("acp-readonly", !live);
    ctx.reading.settle();
  }

  function go(hit: Hit): HTMLElement | null {
    const view = turns.get(hit.turn);
    if (view === undefined) return null;
    const node =
      hit.item < 0
        ? (view.node.querySelector<HTMLElement>(".acp-prompt") ?? view.node)
        : view.open(hit.item, hit.after);
    if (node !== null) ctx.reading.reveal(node);
    return node;
  }

  /** A card counts as seen when its buttons are: they are what it waits for. */
  function isSeen(card: HTMLElement): boolean {
    return ctx.reading.inView(card.querySelector<HTMLElement>(".acp-answer-row") ?? card);
  }

  function waitingCards(): HTMLElement[] {
    return [...turns.node.querySelectorAll<HTMLElement>(".acp-card:not(.acp-answered)")];
  }

  function focusNext(): void {
    const [card] = waitingCards();
    if (card === undefined) return composer.focus();
    if (!isSeen(card)) ctx.reading.reveal(card);
    card.focus({ preventScroll: true });
  }

  function toCard(): void {
    const hidden = waitingCards().find((card) => !isSeen(card)) ?? waitingCards()[0];
    if (hidden === undefined) return;
    ctx.reading.reveal(hidden);
    hidden.focus({ preventScroll: true });
  }

  function paintChips(): void {
    const waiting = anyWaiting(store.state.session) ? waitingCards() : [];
    const unseen = waiting.some((card) => !isSeen(card));
    if (unseen) setText(approvals, `${count(waiting.length, "approval")} waiting`);
    show(approvals, ctx.live() && unseen);
    show(latest, !ctx.reading.following && log.scrollHeight - log.clientHeight - log.scrollTop > 40);
  }

  function menuEntries(): readonly MenuEntry[] {
    const entries: MenuEntry[] = [
      { label: "Copy conversation", icon: "copy", run: copyAll },
      { label: "Find", icon: "search", run: () => find.open() },
      { label: resize.expanded ? "As high as before" : "Taller", icon: "expand", run: () => resize.toggle() },
    ];
    if (ctx.live()) {
      entries.push({ label: "Sessions", icon: "clock", run: () => openPanel("sessions") });
      entries.push({ label: "Wire log", icon: "execute", run: () => openPanel("wire_log") });
      if (store.state.session?.auth?.logout === true)
        entries.push({ label: "Sign out", icon: "ban", run: () => tell("sign_out") });
      entries.push({ label: "Restart agent", icon: "restart", run: () => tell("restart") });
      if (store.state.session?.status !== "ended")
        entries.push({ label: "Close chat", icon: "cross", run: () => tell("close") });
    }
    return entries;
  }

  function openPanel(name: "sessions" | "wire_log"): void {
    void ctx.hooks.load(name).then((part) => {
      if (part === null) return composer.fail("This could not be loaded from the kernel.");
      panel?.close();
      panel = (part as PanelPart).open(ctx, () => composer.focus());
      log.before(panel.node);
      panel.node.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
    });
  }

  function copyAll(): void {
    const { session } = store.state;
    if (session === null) return;
    void copyText(conversationMarkdown(session)).then((done) =>
      ctx.announce(done ? "Conversation copied" : "The browser did not allow copying"),
    );
  }

  function tell(kind: "restart" | "close" | "sign_out"): void {
    void ctx.request({ kind }).then((error) => {
      if (error !== null) composer.fail(error);
    });
  }

  const ends = enter(frame, ctx, {
    stop: () => composer.stop(),
    find: () => find.open(),
    closeOpen: () => header.closeMenu() || composer.closeOpen() || (panel?.close() ?? false) || find.close(),
  });
  root.append(frame);
  const leave = store.subscribe(update);
  update();
  ctx.reading.toTail();

  return () => {
    leave();
    ends();
    header.dispose();
    turns.dispose();
    children.dispose();
    progress.dispose();
    composer.dispose();
    place.dispose();
    frame.remove();
  };
}

/** Whether anything waits in a session; of a long conversation only turns that changed are looked into. */
function createWaiting(): (session: Session | null) => boolean {
  let shown: Session | null = null;
  let turns: readonly Turn[] = [];
  let asks: boolean[] = [];
  return (session) => {
    if (session !== shown && session !== null) {
      asks = session.turns.map((turn, index) =>
        turn === turns[index] ? (asks[index] ?? false) : asksIn(turn),
      );
      ({ turns } = session);
    }
    shown = session;
    if (session === null) return false;
    return asks.includes(true) || (session.preamble !== null && asksIn(session.preamble));
  };
}

function reasonOf(state: ChatState): string | null {
  if (state.connection.kind === "gone") return state.connection.reason;
  return state.session?.status === "ended" && state.session.exit === null ? "This chat is closed." : null;
}

function paintWarnings(node: HTMLElement, session: Session | null): void {
  const lines = session?.warnings ?? [];
  if (node.childElementCount === lines.length) return;
  node.replaceChildren();
  for (const line of lines) {
    const view = createLine("warning");
    view.update(line);
    node.append(view.node);
  }
}

function chip(name: string, run: () => void): HTMLButtonElement {
  const button = h("button", { class: `acp-float-chip ${name}`, type: "button", hidden: true });
  button.addEventListener("click", run);
  return button;
}
