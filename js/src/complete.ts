/** A saved state may be older than the views that draw it: what it does not have yet stands here. */
import type { Permission, Session, Snapshot, Terminal, ToolCall, Turn } from "./wire";

type Fallback<T> = Partial<T>;

const SHOWS = { content: [], diffs: [], locations: [] };
const PERMISSION: Fallback<Permission> = {
  ...SHOWS,
  options: [],
  outcome: null,
  option_id: null,
  decided_by: null,
  covers: null,
  remembered: null,
};
const TERMINAL: Fallback<Terminal> = { args: [], truncated: false, exited: true, released: true };
const CALL: Fallback<ToolCall> = { ...SHOWS, permissions: [], terminals: [] };
const TURN: Fallback<Turn> = {
  prompt: [],
  items: [],
  after: [],
  permissions: [],
  terminals: {},
  usage: null,
  cost: null,
  error: null,
  told: false,
};
const SESSION: Fallback<Session> = {
  agent: null,
  cwd: null,
  title: null,
  waits_for: null,
  since: null,
  commands: [],
  modes: [],
  mode: null,
  options: [],
  models: null,
  context: null,
  preamble: null,
  turns: [],
  children: {},
  warnings: [],
  unread: {},
  exit: null,
};

/** The snapshot with everything in it that the views read; itself if nothing was missing. */
export function complete(snapshot: Snapshot): Snapshot {
  return change(snapshot, { session: completeSession(snapshot.session) });
}

function completeSession(session: Session): Session {
  const whole = fill(session, SESSION);
  return change(whole, {
    preamble: whole.preamble === null ? null : completeTurn(whole.preamble),
    turns: each(whole.turns, completeTurn),
    children: values(whole.children, completeSession),
  });
}

function completeTurn(turn: Turn): Turn {
  const whole = fill(turn, TURN);
  const item = (one: Turn["items"][number]) =>
    one.kind === "tool_call" ? change(one, { call: fill(one.call, CALL) }) : one;
  return change(whole, {
    items: each(whole.items, item),
    after: each(whole.after, item),
    permissions: each(whole.permissions, (one) => fill(one, PERMISSION)),
    terminals: values(whole.terminals, (one) => fill(one, TERMINAL)),
  });
}

function fill<T extends object>(value: T, fallback: Fallback<T>): T {
  return Object.keys(fallback).every((key) => key in value) ? value : { ...fallback, ...value };
}

function change<T extends object>(value: T, part: Partial<T>): T {
  const keys = Object.keys(part) as (keyof T)[];
  return keys.every((key) => value[key] === part[key]) ? value : { ...value, ...part };
}

function each<T>(list: readonly T[], whole: (one: T) => T): readonly T[] {
  const all = list.map(whole);
  return all.every((one, at) => one === list[at]) ? list : all;
}

function values<T>(table: Readonly<Record<string, T>>, whole: (one: T) => T): Readonly<Record<string, T>> {
  return change(table, Object.fromEntries(Object.entries(table).map(([key, one]) => [key, whole(one)])));
}
