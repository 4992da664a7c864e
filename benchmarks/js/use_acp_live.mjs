/**
 * A turn of the streaming agent through `use-acp`'s store and merging, as a page draws it: for each piece of input.
 *
 * node use_acp_live.mjs FOLDER WORK COMMAND ARGS…; prints JSON. Nothing is drawn: what React adds comes on top.
 */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

const [folder, work, command, ...args] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/dist/state/${name}.js`).href);
const { groupNotifications, mergeToolCalls } = await load("utils");
const { useAcpStore } = await load("atoms");
const store = useAcpStore.getState();
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const lags = [];
let bytes = 0;
let rest = "";
let before = process.cpuUsage();
let begin = 0;
let shown = "";

const say = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** What the drawing part does with all that is there. */
function draw() {
  const groups = groupNotifications(useAcpStore.getState().notifications.bench ?? []);
  const texts = [];
  for (const group of groups) {
    const updates = group.map((each) => each.data.update);
    const calls = updates.filter((update) => "toolCallId" in update);
    if (calls.length > 0) for (const call of mergeToolCalls(calls)) texts.push(`${call.title} ${call.status}`);
    else texts.push(updates.map((update) => update.content?.text ?? "").join(""));
  }
  shown = texts.join("\n");
}

function handle(message) {
  if (message.id === 0) say({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } });
  if (message.id === 1) {
    before = process.cpuUsage();
    begin = Date.now();
    const prompt = [{ type: "text", text: work }];
    say({ id: 2, method: "session/prompt", params: { sessionId: "bench", prompt } });
  }
  if (message.method === "session/update") {
    const data = { ...message.params, sessionId: "bench" };
    store.addNotification({ type: "session_notification", data });
  }
  if (message.id === 2) {
    const { user, system } = process.cpuUsage(before);
    const cpu = (user + system) / 1e6;
    console.log(JSON.stringify({ cpu, bytes, lags, shown: shown.length, seconds: (Date.now() - begin) / 1000 }));
    agent.stdin.end();
  }
}

agent.stdout.on("data", (data) => {
  bytes += data.length;
  const lines = (rest + data).split("\n");
  rest = lines.pop() ?? "";
  const stamps = lines.join("").match(/t(\d{13})/g) ?? [];
  const messages = lines.filter(Boolean).map((line) => JSON.parse(line));
  for (const message of messages.filter((each) => each.method)) handle(message);
  if (stamps.length > 0) {
    draw();
    for (const stamp of stamps) lags.push(Date.now() - Number(stamp.slice(1)));
  }
  for (const message of messages.filter((each) => !each.method)) handle(message);
});
say({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
