/** Small states for tests, as the kernel would send them. */
import type { Item, Session, Snapshot, Turn } from "../src/wire";

export function turn(part: Partial<Turn> = {}): Turn {
  return {
    session_id: "s",
    prompt: [{ type: "text", text: "question" }],
    items: [],
    after: [],
    permissions: [],
    terminals: {},
    usage: null,
    cost: null,
    stop_reason: null,
    status: "ready",
    active: false,
    error: null,
    cancel_requested: false,
    replayed: false,
    told: false,
    started: 1,
    ended: null,
    ...part,
  };
}

export function message(text: string, streaming = false): Item {
  return {
    kind: "message",
    blocks: [{ type: "text", text }],
    streaming,
    message_id: null,
    started: 1,
    ended: streaming ? null : 2,
  };
}

export function session(part: Partial<Session> = {}): Session {
  return {
    version: 1,
    session_id: "s",
    status: "ready",
    agent: null,
    cwd: "/project",
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
    ...part,
  };
}

export function snapshot(seq: number, part: Partial<Session> = {}, first = 0, now = 10): Snapshot {
  return { seq, now, first, session: session(part) };
}
