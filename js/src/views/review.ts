/**
 * Review: an edit that may be accepted in parts. As an item of its own (a write that waits, an edit that is taken
 * back) it is a card; beside a permission it opens within that card. What is chosen with comes with a part of the
 * bundle; without it the hunks are shown, and all or none can be taken.
 */

import { diffLines } from "../diff";
import { renderDiff } from "../diff_view";
import { h, setText, show, type View } from "../dom";
import { relative, visible } from "../safe_text";
import type { Item, Review } from "../wire";
import { holdsFocus, type ViewContext } from "./context";
import { createFold, textButton } from "./parts";
import type { Reports } from "./reports";
import type { ItemInTurn } from "./scope";
import { reviewWord } from "./words";

/** What the part "hunks" gives. */
export interface HunksPart {
  choose(place: HTMLElement, tools: Tools): void;
  reports(place: HTMLElement, ctx: ViewContext, reports: Reports): void;
}

export interface Tools {
  readonly review: Review;
  readonly cwd: string | null;
  readonly diffLines: typeof diffLines;
  /** The words of the button that applies that many of all. */
  label(chosen: number, all: number): string;
  /** Sends the choice; the sentence says why it was not carried out. */
  apply(chosen: readonly number[], stop: boolean): Promise<string | null>;
  /** After the height has changed. */
  settle(): void;
}

type ReviewItem = Extract<Item, { readonly kind: "review" }>;

const VERBS = { permission: "Apply", write: "Write", take_back: "Take back" } as const;
const NOTHING = { permission: "", write: "Refuse", take_back: "Keep all" } as const;

function pathsIn(review: Review, cwd: string | null): string {
  const paths = review.files.map((file) => visible(relative(file.path, cwd)));
  return paths.length > 2 ? `${paths.length} files` : paths.join(", ");
}

function label(review: Review, chosen: number, all: number): string {
  if (chosen === 0 && review.way !== "permission") return NOTHING[review.way];
  return `${VERBS[review.way]} ${chosen} of ${all} ${all === 1 ? "hunk" : "hunks"}`;
}

const hunksOf = (review: Review) => review.files.flatMap((file) => file.hunks);

/** Lets the person choose; null where that part of the bundle is not to be had. */
export async function chooseHunks(ctx: ViewContext, place: HTMLElement, review: Review): Promise<boolean> {
  const part = (await ctx.hooks.load("hunks")) as HunksPart | null;
  part?.choose(place, {
    review,
    cwd: ctx.cwd(),
    diffLines,
    label: (chosen, all) => label(review, chosen, all),
    apply: (chosen, stop) =>
      ctx.live()
        ? ctx.request({ kind: "apply", review: review.key, chosen, stop })
        : Promise.resolve("The kernel cannot be reached."),
    settle: () => ctx.reading.settle(),
  });
  ctx.reading.settle();
  return part !== null;
}

/** The hunks to be read; which of them were taken, once that is decided. */
function plain(ctx: ViewContext, place: HTMLElement, review: Review): void {
  place.replaceChildren();
  for (const file of review.files) {
    if (file.problem !== null)
      place.append(h("div", { class: "acp-muted acp-small" }, visible(file.problem)));
    for (const hunk of file.hunks) {
      if (review.outcome !== null && review.chosen.length < hunksOf(review).length)
        place.append(
          h(
            "div",
            { class: "acp-muted acp-small" },
            review.chosen.includes(hunk.index) ? "taken" : "left out",
          ),
        );
      const [old_text, new_text] = [hunk.before + hunk.old + hunk.after, hunk.before + hunk.new + hunk.after];
      renderDiff(place, { path: file.path, old_text, new_text }, { cwd: ctx.cwd(), folded: false });
    }
  }
}

/** The call whose edit is about to be taken back: its review gets the focus. */
let expected: string | null = null;

/** Asks the kernel for a review of a finished edit. */
export async function takeBack(ctx: ViewContext, turn: number, call: string): Promise<string | null> {
  expected = call;
  const problem = await ctx.request({ kind: "take_back", turn, call });
  if (problem !== null) expected = null;
  return problem;
}

export function createReview(ctx: ViewContext): View<ItemInTurn<ReviewItem>> {
  const title = h("div", { class: "acp-card-title" });
  const place = h("div", { class: "acp-review" });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const row = h("div", { class: "acp-answer-row" });
  const body = h("div", { class: "acp-card-body" }, title, place, row, failure);
  const node = h("div", { class: "acp-card", tabindex: "-1", role: "group" }, body);
  const words = h("span", { class: "acp-decision-word" });
  const after = h("div");
  const fold = createFold(ctx, "decision", [words], () => {
    if (shown !== null) plain(ctx, after, shown);
  });
  fold.body.append(after);
  let shown: Review | null = null;

  function send(all: boolean): void {
    if (shown === null || shown.outcome !== null || !ctx.live()) return;
    const chosen = all ? hunksOf(shown).map((hunk) => hunk.index) : [];
    void ctx.request({ kind: "apply", review: shown.key, chosen, stop: false }).then((error) => {
      setText(failure, error ?? "");
      show(failure, error !== null);
    });
  }

  function begin(review: Review): void {
    const paths = pathsIn(review, ctx.cwd());
    setText(title, review.way === "write" ? `Write ${paths}?` : `Take back the edit of ${paths}?`);
    node.setAttribute("aria-label", title.textContent ?? "");
    plain(ctx, place, review);
    if (!ctx.live()) return;
    const all = hunksOf(review).length;
    row.replaceChildren(
      textButton(label(review, all, all), () => send(true)),
      textButton(label(review, 0, all), () => send(false)),
    );
    ctx.announce(`Review waiting: ${title.textContent}`);
    void chooseHunks(ctx, place, review).then((there) => {
      show(row, !there);
      if (expected === null || expected !== review.call_id || review.way !== "take_back") return;
      expected = null;
      ctx.reading.reveal(node);
      (place.querySelector<HTMLElement>("[tabindex]") ?? node).focus({ preventScroll: true });
    });
  }

  return {
    node,
    update({ item: { review } }) {
      const before = shown;
      shown = review;
      if (before === review) return;
      if (review.outcome === null) {
        if (before === null) begin(review);
        setText(failure, review.problem ?? "");
        return show(failure, review.problem !== null);
      }
      if (before !== null && before.outcome !== null) return;
      const hadFocus = holdsFocus(ctx, node);
      setText(words, `${reviewWord(review)}: ${pathsIn(review, ctx.cwd())}`);
      node.classList.add("acp-answered", "acp-compact");
      node.replaceChildren(fold.node);
      if (hadFocus) ctx.focusNext();
    },
    dispose: () => undefined,
  };
}
