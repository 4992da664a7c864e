/**
 * Whether a model has a living comm: true, false, or null where that cannot be known.
 *
 * anywidget shows its modules a proxy that leaves this out, but a change event hands over the real model. So
 * the trait `state` is changed once, there and back; nothing of it is sent.
 */
interface StateModel {
  get(name: "state"): unknown;
  set(name: "state", value: unknown): void;
  on(name: "change:state", callback: (model: unknown) => void): void;
  off(name: "change:state", callback: (model: unknown) => void): void;
}

export function liveness(model: StateModel): () => boolean | null {
  let real: { readonly comm_live: unknown } | null = null;
  const hear = (found: unknown) => {
    if (typeof found === "object" && found !== null && "comm_live" in found) real = found;
  };
  model.on("change:state", hear);
  const state = model.get("state");
  // Values are compared in depth: a mere copy would be no change.
  model.set(
    "state",
    typeof state === "object" && state !== null ? { ...state, probe: true } : { probe: true },
  );
  model.set("state", state);
  model.off("change:state", hear);
  return () => (real === null ? null : real.comm_live === true);
}
