/**
 * The real bundle on a fake model, without Jupyter: `index.html?state=approval_diff&theme=dark`, or a folded session
 * of a real agent: `index.html?golden=codex-cancel`.
 *
 * Serve the repository's root over http (module scripts do not load from files) and open `/js/demo/index.html`.
 */
import { INFO, STATES } from "./states.js";

const query = new URLSearchParams(location.search);
const name = query.get("state") ?? "answered";
if (query.get("theme") === "dark") document.body.classList.add("dark-lab");
document.body.dataset.jpThemeLight = String(query.get("theme") !== "dark");

/** The part of an anywidget model that the bundle uses. */
export function fakeModel(state, { dead = false } = {}) {
  const traits = { state, info: { ...INFO, height: query.get("height") } };
  const listeners = new Map();
  const tell = (event, ...values) => {
    for (const listener of listeners.get(event) ?? []) listener(...values);
  };
  const sent = [];
  return {
    comm_live: !dead,
    sent,
    get: (key) => traits[key],
    set(key, value) {
      traits[key] = value;
      tell(`change:${key}`, this);
    },
    on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (event, listener) =>
      listeners.set(
        event,
        (listeners.get(event) ?? []).filter((one) => one !== listener),
      ),
    send: (message) => sent.push(message),
    save_changes: () => undefined,
    hear: (message) => tell("msg:custom", message, []),
    widget_manager: {
      get_model: () => Promise.reject(new Error("none")),
    },
  };
}

const { default: widget } = await import("../../acp_notebook/static/widget.js");
const golden = query.get("golden");
const session =
  golden === null ? STATES[name]() : await (await fetch(`../../tests/golden/${golden}.json`)).json();
const now = Math.max(41, ...session.turns.flatMap((turn) => [turn.started ?? 0])) + 6;
const model = fakeModel({ seq: 1, now, first: 0, session }, { dead: name === "readonly" });
const { initialize, render } = widget();
initialize({ model });
const place = document.getElementById("place");
render({ model, el: place });
const root = place.firstElementChild.shadowRoot;
// Lazy parts come as from the kernel.
for (const message of model.sent.filter((one) => one.kind === "asset")) await answer(message);
model.send = (message) => {
  model.sent.push(message);
  if (message.kind === "asset") void answer(message);
};
async function answer({ name: part }) {
  const response = await fetch(`../../acp_notebook/static/parts/${part}.js`);
  model.hear({ kind: "asset", name: part, source: response.ok ? await response.text() : null });
}
Object.assign(window, { model, root, session });
document.body.dataset.ready = "true";
