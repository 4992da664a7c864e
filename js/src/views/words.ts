/** Every word the views say about states, ends, decisions and times, in one place. */

import { visible } from "../safe_text";
import type { CallState, Permission, Review, Session, Turn } from "../wire";

/** "0.4 s", "12 s", "3 min 05 s", "2 h 04 min". */
export function duration(seconds: number): string {
  const value = Math.max(0, seconds);
  if (value < 1) return `${Math.max(0.1, Math.round(value * 10) / 10)} s`;
  const whole = Math.round(value);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Seconds that pass; nothing before the first. */
export function passed(seconds: number): string {
  return seconds < 1 ? "" : duration(Math.floor(seconds));
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

const KNOWN_STATUS = new Set(["pending", "in_progress", "completed", "failed"]);

/** The word beside a call. A status that the protocol does not know is shown as the agent's own word. */
export function callWord(state: CallState, status: string | null, live = true): string {
  const own = status !== null && !KNOWN_STATUS.has(status) ? visible(status) : null;
  switch (state) {
    case "approval-requested":
      return live ? "waits for you" : "not answered";
    case "output-denied":
      return "refused";
    case "output-available":
      return "done";
    case "output-error":
      return "failed";
    case "stopped":
      return own ?? "stopped";
    case "approval-responded":
      return own ?? "running";
    default:
      return own ?? (status === "pending" ? "pending" : "running");
  }
}

/** How a turn ended, where that needs saying; null when the answer speaks for itself. */
export function endWord(turn: Turn): string | null {
  if (turn.status === "error" || turn.active) return null;
  switch (turn.stop_reason) {
    case "end_turn":
      if (turn.cancel_requested) return "You asked to stop; the agent had already finished.";
      return turn.items.length === 0 && turn.after.length === 0
        ? "The agent ended the turn without an answer."
        : null;
    case null:
      return null;
    case "cancelled":
      return turn.cancel_requested ? "Stopped by you." : "The agent stopped this turn.";
    case "refusal":
      return "The agent refused to go on.";
    case "max_tokens":
      return "Cut short: the answer reached the model's limit of tokens.";
    case "max_turn_requests":
      return "Cut short: the turn reached its limit of model requests.";
    default:
      return `Ended: ${visible(turn.stop_reason)}`;
  }
}

export function isLasting(kind: string): boolean {
  return kind.endsWith("_always");
}

/** Who decided what, by the option's own name; null while the request waits. */
export function decision(
  permission: Permission,
): { readonly word: string; readonly refused: boolean } | null {
  if (permission.outcome === null) return null;
  if (permission.outcome === "cancelled") {
    const why = permission.decided_by === "cancel" ? "" : who(permission);
    return { word: `Withdrawn unanswered${why}`, refused: true };
  }
  const option = permission.options.find((one) => one.id === permission.option_id);
  if (permission.review?.outcome === "applied")
    return {
      word: `${reviewWord(permission.review)}; the agent was answered: ${visible(option?.name ?? "?")}`,
      refused: false,
    };
  const name = option === undefined ? visible(permission.option_id ?? "?") : visible(option.name);
  const refused = option?.kind.startsWith("reject") ?? false;
  // Several options of one kind are a question; "allowed" would misread the answer.
  const choices = permission.options.filter((one) => one.kind === option?.kind).length;
  const allowed = option?.kind.startsWith("allow") === true && choices === 1;
  const verb = refused ? "Refused" : allowed ? "Allowed" : "Answered";
  const kept = { chat: ", remembered for this chat", folder: ", remembered for this folder" };
  const memory = permission.remembered === null ? "" : kept[permission.remembered];
  return { word: `${verb}${who(permission)}: ${name}${memory}`, refused };
}

/** Nothing where the records do not tell, as in recordings of other clients. */
/** What became of a review by hunk, and who decided. */
export function reviewWord(review: Review): string {
  const back = review.way === "take_back";
  const by = who(review);
  const all = review.files.reduce((sum, file) => sum + file.hunks.length, 0);
  switch (review.outcome) {
    case null:
      return "Waits for you";
    case "applied":
      return `${review.chosen.length} of ${count(all, "hunk")} ${back ? "taken back" : "written"}${by}`;
    case "refused":
      return `${back ? "Nothing taken back" : "Refused"}${by}`;
    default:
      return "Withdrawn undecided";
  }
}

function who(decided: Pick<Permission, "decided_by">): string {
  switch (decided.decided_by) {
    case "person":
      return " by you";
    case null:
      return "";
    case "policy":
      return " by the chat's policy";
    case "cancel":
      return " by the stop";
    default:
      return ` by the rule ${visible(decided.decided_by)}`;
  }
}

/** One or two words for the header. The seconds are added by the header's own ticker. */
export function statusWord(status: Session["status"]): string {
  switch (status) {
    case "idle":
      return "not started";
    case "starting":
      return "starting";
    case "ready":
      return "ready";
    case "working":
      return "working";
    case "waiting":
      return "waiting for you";
    case "stopping":
      return "stopping";
    default:
      return "ended";
  }
}

export function money(amount: number, currency: string): string {
  const digits = amount < 1 ? 4 : 2;
  return `${amount.toFixed(digits)} ${visible(currency)}`;
}
