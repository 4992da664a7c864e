/** Parts of the bundle that the kernel sends when they are first needed. */

const parts = new Map<string, Promise<unknown>>();

/** Imports a part whose source `asset` asks the kernel for; null if it cannot be had. */
export function loadPart(asset: (name: string) => Promise<string | null>, name: string): Promise<unknown> {
  const held = parts.get(name);
  if (held) return held;
  const part = asset(name)
    .then((source) => (source === null ? null : importSource(source)))
    .catch(() => null)
    .then((module) => {
      // Asked for again later: a kernel may come back.
      if (module === null) parts.delete(name);
      return module;
    });
  parts.set(name, part);
  return part;
}

async function importSource(source: string): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(/* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
