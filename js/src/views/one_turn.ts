/** One turn alone, for the cell that asked for it. */

import { h, show } from "../dom";
import type { Store } from "../store";
import type { Hooks } from "./context";
import { createLine } from "./notice";
import { textButton } from "./parts";
import { createPlace, enter, type Root } from "./place";
import { createTurn } from "./turn";

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
  const failure = createLine("error");
  const stop = textButton("Stop", () => {
    void ctx.request({ kind: "cancel" }).then((error) => {
      failure.update(error === null ? null : `Not stopped: ${error}`);
    });
  });
  const foot = h("div", { class: "acp-one-foot", hidden: true }, stop);
  content.append(missing.node, turn.node, failure.node, foot);

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
    show(foot, value?.active === true && ctx.live());
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
