/** Beside a request's options: choosing from the hunks of its diffs, which the kernel then writes itself. */

import { h, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Permission, Review } from "../wire";
import type { ViewContext } from "./context";
import { textButton } from "./parts";
import { chooseHunks } from "./review";

/** @param card gets a class while hunks stand in the place of the diffs */
export function createHunkOffer(ctx: ViewContext, card: HTMLElement): View<Permission> {
  const note = h("div", { class: "acp-muted acp-small" });
  const place = h("div", { class: "acp-review" });
  const button = textButton("Choose hunks", () => open(true));
  const node = h("div", { class: "acp-hunk-offer", hidden: true }, note, button, place);
  let shown: Review | null = null;

  function open(focus: boolean): void {
    const review = shown;
    if (review === null) return;
    void chooseHunks(ctx, place, review).then((there) => {
      if (!there || shown === null) return;
      card.classList.add("acp-choosing");
      show(button, false);
      if (focus) place.querySelector<HTMLElement>(".acp-hunk")?.focus({ preventScroll: true });
    });
  }

  return {
    node,
    update({ outcome, review }) {
      if (outcome !== null || review == null) {
        shown = null;
        place.replaceChildren();
        card.classList.remove("acp-choosing");
        return show(node, false);
      }
      const first = shown === null;
      shown = review;
      const earlier = review.files.map((file) => file.earlier).filter((one) => one !== null);
      const problems = review.files.flatMap((file) => file.problem ?? []);
      if (problems.length > 0) problems.unshift("Not to be had by hunk:");
      const hunks = review.files.reduce((sum, file) => sum + file.hunks.length, 0);
      note.textContent = visible([review.problem ?? "", ...earlier, ...problems].join(" ").trim());
      // The one hunk of a request is what its own options are about.
      const choice = hunks > 1 || (hunks === 1 && earlier.length > 0);
      if (first) show(button, choice && ctx.live());
      show(node, choice || note.textContent !== "");
      // The agent's diff starts from a file that is no more; what is left of it does not.
      if (first && choice && earlier.length > 0 && ctx.live()) open(false);
    },
    dispose: () => undefined,
  };
}
