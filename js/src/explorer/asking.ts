/** Questions to the kernel, and what became of them. */

import type { FromKernel, ToKernel } from "./wire";

export type Answer = Exclude<FromKernel, { kind: "outline" | "asset" }>;
type Ask = Extract<ToKernel, { id: string }>;
type Bare<M> = M extends Ask ? Omit<M, "id"> : never;

export interface Asking {
  post(message: ToKernel): boolean;
  /** Null if the kernel is gone or could not answer. */
  ask<K extends Answer["kind"]>(kind: K, message: Bare<Ask>): Promise<Extract<Answer, { kind: K }> | null>;
  asset(name: string): Promise<string | null>;
  /** Hands an answer to whoever waits for it. */
  take(message: Exclude<FromKernel, { kind: "outline" }>): void;
  /** The kernel is gone: every question ends. */
  end(): void;
}

/**
 * Whether the browser runs on the server's machine. The kernel is told with each question: answers that cross
 * no network are filled up, or the server would hold them back (`NEAR` in `acp_notebook/_explore/widget.py`).
 */
export function isNear(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/**
 * Milliseconds, and how many answers in a row may take longer until they are not filled up any more: a tunnel
 * to another machine looks near as well, and has to carry what fills them.
 */
const SLOW = 100;
const PATIENCE = 5;

export function createAsking(send: (message: ToKernel) => void, gone: () => void): Asking {
  const waiting = new Map<string, (answer: Answer | null) => void>();
  const assets = new Map<string, ((source: string | null) => void)[]>();
  let lastId = 0;
  const near = isNear(location.hostname);
  let slow = 0;
  // Ids of two pages that show one explorer must differ.
  const prefix = Math.random().toString(36).slice(2, 10);

  function post(message: ToKernel): boolean {
    try {
      send(message);
      return true;
    } catch {
      gone();
      return false;
    }
  }

  return {
    post,
    ask<K extends Answer["kind"]>(kind: K, message: Bare<Ask>) {
      lastId += 1;
      const id = `${prefix}-${lastId}`;
      const begin = performance.now();
      return new Promise<Extract<Answer, { kind: K }> | null>((resolve) => {
        waiting.set(id, (answer) => {
          if (slow < PATIENCE) slow = performance.now() - begin > SLOW ? slow + 1 : 0;
          resolve(answer?.kind === kind ? (answer as Extract<Answer, { kind: K }>) : null);
        });
        if (post({ ...message, id, ...(near && slow < PATIENCE ? { near } : {}) } as ToKernel)) return;
        waiting.delete(id);
        resolve(null);
      });
    },
    asset(name) {
      return new Promise((resolve) => {
        assets.set(name, [...(assets.get(name) ?? []), resolve]);
        if (post({ kind: "asset", name })) return;
        assets.delete(name);
        resolve(null);
      });
    },
    take(message) {
      if (message.kind === "asset") {
        for (const resolve of assets.get(message.name) ?? []) resolve(message.source);
        assets.delete(message.name);
      } else if (message.id !== null) {
        waiting.get(message.id)?.(message);
        waiting.delete(message.id);
      }
    },
    end() {
      for (const resolve of [...waiting.values()]) resolve(null);
      waiting.clear();
      for (const resolvers of assets.values()) for (const resolve of resolvers) resolve(null);
      assets.clear();
    },
  };
}
