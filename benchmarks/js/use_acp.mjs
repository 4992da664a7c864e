/**
 * What `use-acp` does with a stream: keep each notification, group them, merge the tool calls.
 *
 * node use_acp.mjs FOLDER SAMPLES < lines. A page groups and merges all notifications each time it draws; that
 * is measured at some places of the stream, and the sum over all is the area below them. Prints JSON.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [folder, samples] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/dist/state/${name}.js`).href);
const { groupNotifications, mergeToolCalls } = await load("utils");
const { useAcpStore } = await load("atoms");
const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);

function timed(work) {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** What the drawing part does with all that is there. */
function drawn(notifications) {
  for (const group of groupNotifications(notifications)) {
    const updates = group.filter((each) => each.type === "session_notification").map((each) => each.data.update);
    const calls = updates.filter((update) => "toolCallId" in update);
    if (calls.length) mergeToolCalls(calls);
  }
}

const parsed = [];
const read = timed(() => {
  for (const line of lines) parsed.push(JSON.parse(line));
});
const store = useAcpStore.getState();
const step = Math.max(1, Math.floor(lines.length / Number(samples)));
const draws = [];
let stored = 0;
for (const [index, message] of parsed.entries()) {
  // Recordings hold several sessions; one list is what costs most, so all go into one.
  const event = { type: "session_notification", data: { ...message.params, sessionId: "bench" } };
  stored += timed(() => store.addNotification(event));
  if (index % step === 0) draws.push(timed(() => drawn(useAcpStore.getState().notifications.bench)));
}
const kept = useAcpStore.getState().notifications.bench?.length ?? 0;
const draw = (draws.reduce((sum, each) => sum + each, 0) / draws.length) * lines.length;
console.log(JSON.stringify({ read: read / 1000, store: stored / 1000, draw: draw / 1000, kept }));
