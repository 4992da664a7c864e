import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    // Generous: a busy machine is no failure.
    testTimeout: 60_000,
    restoreMocks: true,
    // One worker: the suite is small, and starting a second jsdom costs more than it saves.
    maxWorkers: 1,
    isolate: true,
  },
});
