/** Patches of the folded state: pure functions on its JSON form. */
import type { Op, Path, Session } from "./wire";

/** Thrown when a patch does not fit the state that is held: ask for the whole state then. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** A step of a path with turn indices made relative; null: it leads to a turn that is not held. */
function localPath(path: Path, first: number): Path | null {
  if (path[0] !== "turns" || path.length === 1) return path;
  const turn = path[1];
  if (typeof turn !== "number") throw new PatchError("a turn is named by its index");
  return turn < first ? null : ["turns", turn - first, ...path.slice(2)];
}

/** Applies the ops of one patch; containers that this patch has already copied are changed in place. */
class Patcher {
  private readonly fresh = new Set<Container>();
  root: Container;

  constructor(
    root: Session,
    private readonly first: number,
  ) {
    this.root = root as unknown as Container;
  }

  apply(op: Op): void {
    const path = localPath(op[1], this.first);
    if (path === null) return;
    const whole = path.length === 1 && path[0] === "turns";
    switch (op[0]) {
      case "set":
        return this.set(path, whole ? (op[2] as unknown[]).slice(this.first) : op[2]);
      case "app":
        return this.set(path, this.text(path) + op[2]);
      case "trim":
        return this.set(path, this.text(path).slice(op[2]));
      case "push": {
        this.list(path).push(...op[2]);
        return;
      }
      case "cut": {
        const list = this.list(path);
        list.length = Math.min(list.length, Math.max(0, whole ? op[2] - this.first : op[2]));
        return;
      }
      case "del":
        return this.remove(path);
      default:
        throw new PatchError(`unknown step ${String((op as readonly unknown[])[0])}`);
    }
  }

  private own(value: unknown): Container {
    if (!isContainer(value)) throw new PatchError("a path leads through something that is not a container");
    if (this.fresh.has(value)) return value;
    const copy: Container = Array.isArray(value) ? value.slice() : { ...value };
    this.fresh.add(copy);
    return copy;
  }

  private read(container: Container, key: string | number): unknown {
    if (!Object.hasOwn(container, key)) throw new PatchError(`nothing stands at ${String(key)}`);
    return (container as Record<string | number, unknown>)[key];
  }

  private write(container: Container, key: string | number, value: unknown): void {
    if (Array.isArray(container)) {
      if (typeof key !== "number" || key < 0 || key > container.length)
        throw new PatchError(`no place ${key}`);
      container[key] = value;
    } else {
      // A key of an agent's making may be "__proto__": it must become a key, not a prototype.
      Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }

  /** The container that holds the last step of a path, copied together with all above it. */
  private parent(path: Path): Container {
    this.root = this.own(this.root);
    let container = this.root;
    for (const key of path.slice(0, -1)) {
      const child = this.own(this.read(container, key));
      this.write(container, key, child);
      container = child;
    }
    return container;
  }

  private last(path: Path): string | number {
    const key = path.at(-1);
    if (key === undefined) throw new PatchError("an empty path");
    return key;
  }

  private set(path: Path, value: unknown): void {
    if (path.length === 0) {
      if (!isContainer(value)) throw new PatchError("the state is an object");
      this.root = value;
    } else {
      this.write(this.parent(path), this.last(path), value);
    }
  }

  private text(path: Path): string {
    let value: unknown = this.root;
    for (const key of path) {
      if (!isContainer(value)) throw new PatchError("a path leads through something that is not a container");
      value = this.read(value, key);
    }
    if (typeof value !== "string") throw new PatchError(`no text at ${path.join(".")}`);
    return value;
  }

  private list(path: Path): unknown[] {
    const parent = this.parent(path);
    const key = this.last(path);
    const list = this.own(this.read(parent, key));
    if (!Array.isArray(list)) throw new PatchError(`no list at ${path.join(".")}`);
    this.write(parent, key, list);
    return list;
  }

  private remove(path: Path): void {
    const parent = this.parent(path);
    const key = this.last(path);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[String(key)];
  }
}

/**
 * The state after a patch. What no step touches stays the same object.
 *
 * @param first absolute index of the first turn that is held; steps that touch earlier turns are skipped
 * @throws PatchError if a step does not fit the state
 */
export function applyPatch(session: Session, ops: readonly Op[], first = 0): Session {
  if (ops.length === 0) return session;
  const patcher = new Patcher(session, first);
  for (const op of ops) patcher.apply(op);
  return patcher.root as unknown as Session;
}

/** The new value with every part that equals the old one's replaced by the old object. */
export function shareStructure<T>(old: unknown, value: T): T {
  if (old === value || !isContainer(old) || !isContainer(value)) return value;
  if (Array.isArray(old) !== Array.isArray(value)) return value;
  if (Array.isArray(value)) {
    const before = old as unknown[];
    const shared = value.map((item, index) => shareStructure(before[index], item));
    const same = shared.length === before.length && shared.every((item, index) => item === before[index]);
    return (same ? before : shared) as T;
  }
  const before = old as Record<string, unknown>;
  const keys = Object.keys(value);
  let same = keys.length === Object.keys(before).length;
  const entries = keys.map((key) => {
    const had = Object.hasOwn(before, key) ? before[key] : undefined;
    const item = shareStructure(had, (value as Record<string, unknown>)[key]);
    if (item !== had || !Object.hasOwn(before, key)) same = false;
    return [key, item] as const;
  });
  return (same ? before : Object.fromEntries(entries)) as T;
}
