import { expect, test } from "vitest";
import type { ViewContext } from "../../src/views/context";
import { createProgress } from "../../src/views/progress";
import { session } from "../states";

/** A view whose clock the test moves; the beat is what the ticker would do each second. */
function placed() {
  const clock = { now: 100, heard: 100, beat: (): void => undefined, beats: 0 };
  const ctx = {
    now: () => clock.now,
    heard: () => clock.heard,
    live: () => true,
    agentName: () => "Ada",
    ticker: {
      start(beat: () => void) {
        clock.beat = beat;
        clock.beats += 1;
        return () => {
          clock.beats -= 1;
        };
      },
    },
  } as unknown as ViewContext;
  const view = createProgress(ctx);
  return { clock, view };
}

test("silence in a turn is counted from the last news, and ends with the next", () => {
  const { clock, view } = placed();
  const working = session({ status: "working" });
  view.update(working);
  clock.now = 119;
  clock.beat();
  expect(view.node.hidden).toBe(true);
  clock.now = 145;
  clock.beat();
  expect(view.node.hidden).toBe(false);
  expect(view.node.textContent).toBe("Nothing heard from Ada for 45 s.");
  view.update(working);
  expect(view.node.hidden).toBe(false);
  clock.heard = 145;
  view.update(session({ status: "working", title: "news" }));
  expect(view.node.hidden).toBe(true);
});

test("after a reload silence counts on, from the last record", () => {
  const { clock, view } = placed();
  clock.heard = 12;
  view.update(session({ status: "working" }));
  expect(view.node.textContent).toBe("Nothing heard from Ada for 1 min 28 s.");
  expect(view.node.hidden).toBe(false);
  // Turns from further up are paged in: that is nothing heard either.
  view.update(session({ status: "working", turns: [] }));
  expect(view.node.hidden).toBe(false);
});

test("nothing ticks while nothing is waited for", () => {
  const { clock, view } = placed();
  view.update(session({ status: "ready" }));
  expect(clock.beats).toBe(0);
  view.update(session({ status: "starting", since: 90, waits_for: "initialize" }));
  expect(clock.beats).toBe(1);
  expect(view.node.textContent).toContain("Ada has not answered initialize yet: 10 s.");
  view.update(session({ status: "ready" }));
  expect(clock.beats).toBe(0);
  expect(view.node.hidden).toBe(true);
  view.dispose();
});
