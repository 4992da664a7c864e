/** What browsers have and jsdom lacks, as far as the code relies on it without asking. */
if (globalThis.CSS === undefined) {
  Object.defineProperty(globalThis, "CSS", {
    configurable: true,
    value: { supports: () => false, escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") },
  });
}
