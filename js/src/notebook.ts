/**
 * The notebook document around a widget, as JupyterLab and Notebook 7 show it to their widget manager.
 *
 * None of it is promised to widgets, so every step is looked for before it is taken; other front ends have
 * no such document, and then there is nothing to do.
 */

interface OutputModel {
  toJSON(): Record<string, unknown>;
}

interface OutputsModel {
  readonly length: number;
  get(index: number): OutputModel;
  set(index: number, output: Record<string, unknown>): void;
}

interface CellModel {
  readonly outputs?: OutputsModel;
}

interface CellsModel {
  readonly length: number;
  get(index: number): CellModel;
}

interface SharedModel {
  insertCell(index: number, cell: Record<string, unknown>): unknown;
}

interface SaveSignal {
  connect(slot: (sender: unknown, state: unknown) => void): unknown;
  disconnect(slot: (sender: unknown, state: unknown) => void): unknown;
}

export interface NotebookDocument {
  readonly cells: CellsModel;
  readonly shared: SharedModel | null;
  readonly readOnly: boolean;
  /**
   * Calls before each save, while what is saved can still be changed; gives the way to end that. Null where
   * nobody would call: among them documents that several people edit, which a server saves by itself.
   */
  readonly beforeSave: ((callback: () => void) => () => void) | null;
  /** Marks the document as one that has to be saved. */
  touch(): void;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The document of the notebook that a widget manager works for, or null. */
export function notebookOf(manager: unknown): NotebookDocument | null {
  const model = field(field(manager, "context"), "model");
  const cells = field(model, "cells");
  if (typeof field(cells, "get") !== "function" || typeof field(cells, "length") !== "number") return null;
  const shared = field(model, "sharedModel");
  const saves = field(field(manager, "context"), "saveState");
  return {
    cells: cells as CellsModel,
    shared: typeof field(shared, "insertCell") === "function" ? (shared as SharedModel) : null,
    readOnly: field(model, "readOnly") === true,
    beforeSave:
      typeof field(saves, "connect") !== "function" || field(model, "collaborative") === true
        ? null
        : (callback) => {
            const slot = (_: unknown, state: unknown) => {
              if (state === "started") callback();
            };
            (saves as SaveSignal).connect(slot);
            return () => (saves as SaveSignal).disconnect(slot);
          },
    touch() {
      (model as { dirty: boolean }).dirty = true;
    },
  };
}

export interface OutputPlace {
  readonly cell: number;
  readonly outputs: OutputsModel;
  readonly index: number;
  /** The output as nbformat has it. */
  readonly output: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** All outputs whose MIME bundle passes, in the order of the document. */
export function findOutputs(
  document: NotebookDocument,
  passes: (data: Readonly<Record<string, unknown>>) => boolean,
): readonly OutputPlace[] {
  const found: OutputPlace[] = [];
  for (let cell = 0; cell < document.cells.length; cell += 1) {
    const outputs = document.cells.get(cell).outputs;
    if (!outputs || typeof outputs.get !== "function") continue;
    for (let index = 0; index < outputs.length; index += 1) {
      const output = outputs.get(index).toJSON();
      const data = output["data"];
      if (typeof data !== "object" || data === null) continue;
      if (passes(data as Record<string, unknown>))
        found.push({ cell, outputs, index, output, data: data as Record<string, unknown> });
    }
  }
  return found;
}

/** A text of a MIME bundle, which nbformat allows to be a list of lines. */
export function mimeText(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join("") : "";
}

/** Puts code into a new cell after the given one; false if this document cannot. */
export function insertCell(document: NotebookDocument, after: number, source: string): boolean {
  if (document.shared === null || document.readOnly) return false;
  document.shared.insertCell(after + 1, { cell_type: "code", source, metadata: {}, outputs: [] });
  return true;
}
