/** The whole chat: header, log, composer; and one turn alone, for the cell that asked for it. */

import { copyText } from "../clipboard";
import { append, h, keyedList, setText, show } from "../dom";
import { createMarkdown } from "../markdown";
import { visible } from "../safe_text";
import type { ChatState, Store } from "../store";
import type { ChatInfo, Session, Turn } from "../wire";
import { conversationMarkdown } from "./as_markdown";
import { createComposer } from "./composer";
import { focused, type Hooks, type ViewContext } from "./context";
import { createEmpty } from "./empty";
import { createEnded } from "./ended";
import { createFind, type Hit } from "./find";
import { agentTitle, createHeader } from "./header";
import { keepKeys } from "./keys";
import type { MenuEntry } from "./menu";
import { createLine } from "./notice";
import { textButton } from "./parts";
import { createReading } from "./reading";
import { createResize } from "./resize";
import { waitingIn } from "./scope";
import { followTheme } from "./theme";
import { createTicker } from "./ticker";
import { createTurn, type TurnView } from "./turn";
import { count } from "./words";

export type { Hooks } from "./context";

type Root = ShadowRoot | HTMLElement;

interface Place {
  readonly ctx: ViewContext;
  readonly log: HTMLElement;
  readonly live: HTMLElement;
  dispose(): void;
}

/** What the chat's view and the view of one turn have in common. */
function createPlace(
  root: Root,
  store: Store,
  info: ChatInfo | null,
  hooks: Hooks,
  log: HTMLElement,
  content: HTMLElement,
  calls: { moved(): void; focusNext(): void },
): Place {
  const live = h("div", { class: "acp-sr-only", "aria-live": "assertive", role: "status" });
  const ticker = createTicker();
  const reading = createReading(log, content, () => calls.moved());
  const ctx: ViewContext = {
    info,
    hooks,
    reading,
    ticker,
    root: root instanceof ShadowRoot ? root : root.ownerDocument,
    now: () => store.now(),
    cwd: () => store.state.session?.cwd ?? null,
    agentName: () => visible(agentTitle(store.state.session)),
    live: () => store.state.connection.kind === "live",
    request: (message) => store.request(message),
    markdown: (host) =>
      createMarkdown(host, {
        load: hooks.load,
        insertCell: hooks.insertCell,
        keepView(change) {
          change();
          reading.settle();
        },
      }),
    focusNext: () => calls.focusNext(),
    announce: (sentence) => setText(live, sentence),
  };
  return {
    ctx,
    log,
    live,
    dispose() {
      reading.dispose();
      ticker.dispose();
    },
  };
}

/** Draws the chat into the root and keeps it up to date until the returned function is called. */
export function mountChat(root: Root, store: Store, info: ChatInfo, hooks: Hooks): () => void {
  const turnsNode = h("div", { class: "acp-turns" });
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
  const ended = createEnded(ctx);
  const stale = createLine("info");
  const composer = createComposer(ctx, () => {
    ctx.reading.flush();
    ctx.reading.toTail();
  });
  const approvals = chip("acp-approval-chip", () => toCard());
  const latest = chip("acp-latest-chip", () => ctx.reading.toTail());
  setText(latest, "Jump to latest");
  const chips = h("div", { class: "acp-float" }, approvals, latest);
  append(content, [earlier, empty.node, turnsNode, warnings, ended.node]);
  const bottom = h("div", { class: "acp-bottom" }, chips, stale.node, composer.node);
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

  const turns = keyedList<Shown>(
    turnsNode,
    (shown) => String(shown.index),
    () => {
      const view = createTurn(ctx);
      return {
        node: view.node,
        update: (shown: Shown) => view.update(shown.turn),
        dispose: () => view.dispose(),
        view,
      };
    },
  );

  function update(): void {
    const state = store.state;
    const { session } = state;
    const live = ctx.live();
    header.update({ session, info, live });
    const shown = session === null ? [] : shownTurns(session, state.first);
    turns.update(shown);
    show(turnsNode, shown.length > 0);
    show(earlier, state.first > 0 && live);
    show(empty.node, shown.length === 0 && state.first === 0 && session?.status !== "ended");
    empty.update(session);
    paintWarnings(warnings, session);
    ended.update(session);
    stale.update(
      state.twinStale
        ? "The saved copy below this chat is older than what is shown. Run this cell again to renew it."
        : null,
    );
    composer.update({ session, first: state.first, reason: reasonOf(state) });
    frame.classList.toggle("acp-readonly", !live);
    ctx.reading.settle();
  }

  function go(hit: Hit): HTMLElement | null {
    const view = (turns.get(String(hit.turn)) as { view?: TurnView } | undefined)?.view;
    if (view === undefined) return null;
    const node =
      hit.item < 0
        ? (view.node.querySelector<HTMLElement>(".acp-prompt") ?? view.node)
        : view.open(hit.item, hit.after);
    if (node !== null) ctx.reading.reveal(node);
    return node;
  }

  function waitingCards(): HTMLElement[] {
    return [...turnsNode.querySelectorAll<HTMLElement>(".acp-card:not(.acp-answered)")];
  }

  function focusNext(): void {
    const [card] = waitingCards();
    if (card === undefined) return composer.focus();
    if (!ctx.reading.inView(card)) ctx.reading.reveal(card);
    card.focus({ preventScroll: true });
  }

  function toCard(): void {
    const hidden = waitingCards().find((card) => !ctx.reading.inView(card)) ?? waitingCards()[0];
    if (hidden === undefined) return;
    ctx.reading.reveal(hidden);
    hidden.focus({ preventScroll: true });
  }

  function paintChips(): void {
    const waiting = waitingCards();
    const unseen = waiting.some((card) => !ctx.reading.inView(card));
    setText(approvals, `${count(waiting.length, "approval")} waiting`);
    show(approvals, ctx.live() && waiting.length > 0 && unseen);
    show(latest, !ctx.reading.following && log.scrollHeight - log.clientHeight - log.scrollTop > 40);
  }

  function menuEntries(): readonly MenuEntry[] {
    const entries: MenuEntry[] = [
      { label: "Copy conversation", icon: "copy", run: copyAll },
      { label: "Find", icon: "search", run: () => find.open() },
      { label: resize.expanded ? "As high as before" : "Taller", icon: "expand", run: () => resize.toggle() },
    ];
    if (ctx.live()) {
      entries.push({ label: "Restart agent", icon: "restart", run: () => tell("restart") });
      if (store.state.session?.status !== "ended")
        entries.push({ label: "Close chat", icon: "cross", run: () => tell("close") });
    }
    return entries;
  }

  function copyAll(): void {
    const { session } = store.state;
    if (session === null) return;
    void copyText(conversationMarkdown(session)).then((done) =>
      ctx.announce(done ? "Conversation copied" : "The browser did not allow copying"),
    );
  }

  function tell(kind: "restart" | "close"): void {
    void ctx.request({ kind }).then((error) => {
      if (error !== null) ctx.announce(error);
    });
  }

  const ends = enter(frame, ctx, {
    stop: () => composer.stop(),
    find: () => find.open(),
    closeOpen: () => header.closeMenu() || find.close(),
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
    composer.dispose();
    place.dispose();
    frame.remove();
  };
}

/** Draws one turn, approvals included, for the cell that asked for it. */
export function mountTurn(root: Root, store: Store, turnIndex: number, hooks: Hooks): () => void {
  const content = h("div", { class: "acp-content" });
  const log = h(
    "div",
    {
      class: "acp-log acp-log-one",
      role: "log",
      "aria-live": "polite",
      "aria-label": "Turn",
      tabindex: "-1",
    },
    content,
  );
  const frame = h(
    "section",
    { class: "acp-frame acp-one-turn", "aria-label": "One turn with an agent" },
    log,
  );
  const place = createPlace(root, store, null, hooks, log, content, { moved: () => undefined, focusNext });
  const { ctx } = place;
  frame.append(place.live);
  const turn = createTurn(ctx);
  const missing = createLine("info");
  const stop = textButton("Stop", () => {
    void ctx.request({ kind: "cancel" }).then((error) => {
      if (error !== null) ctx.announce(error);
    });
  });
  const foot = h("div", { class: "acp-one-foot", hidden: true }, stop);
  content.append(missing.node, turn.node, foot);

  function focusNext(): void {
    (content.querySelector<HTMLElement>(".acp-card:not(.acp-answered)") ?? log).focus({
      preventScroll: true,
    });
  }

  function update(): void {
    const { session, first } = store.state;
    const value = session?.turns[turnIndex - first];
    const gone = value === undefined;
    missing.update(gone ? "This turn is shown in the chat's own cell." : null);
    show(turn.node, !gone);
    if (value !== undefined) turn.update(value);
    show(foot, value?.active === true && ctx.live() && waitingIn(value).length === 0);
    ctx.reading.settle();
  }

  const ends = enter(frame, ctx, {
    stop: () => stop.click(),
    find: () => undefined,
    closeOpen: () => false,
  });
  root.append(frame);
  const leave = store.subscribe(update);
  update();
  return () => {
    leave();
    ends();
    turn.dispose();
    place.dispose();
    frame.remove();
  };
}

interface Shown {
  readonly turn: Turn;
  /** Absolute index; -1: what came before the first prompt. */
  readonly index: number;
}

/** Queued turns stand above the composer; a replayed one is drawn only if its session has no live ones. */
function shownTurns(session: Session, first: number): readonly Shown[] {
  const live = new Set(session.turns.filter((turn) => !turn.replayed).map((turn) => turn.session_id));
  const shown: Shown[] = [];
  if (session.preamble !== null && first === 0) shown.push({ turn: session.preamble, index: -1 });
  session.turns.forEach((turn, index) => {
    if (turn.status === "queued" || (turn.replayed && live.has(turn.session_id))) return;
    shown.push({ turn, index: first + index });
  });
  return shown;
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

/** Keys stay inside, and a click inside puts the focus inside. */
function enter(
  frame: HTMLElement,
  ctx: ViewContext,
  actions: { stop(): void; find(): void; closeOpen(): boolean },
): () => void {
  const log = frame.querySelector<HTMLElement>(".acp-log");
  const onClick = (): void => {
    const active = focused(ctx);
    if (active === null || !frame.contains(active)) log?.focus({ preventScroll: true });
  };
  const leaveTheme = followTheme(frame);
  const leaveKeys = keepKeys(frame, {
    ...actions,
    focusNotebook() {
      const active = focused(ctx);
      if (active instanceof HTMLElement) active.blur();
      ctx.hooks.focusNotebook?.();
    },
  });
  frame.addEventListener("click", onClick);
  return () => {
    leaveKeys();
    leaveTheme();
    frame.removeEventListener("click", onClick);
  };
}
