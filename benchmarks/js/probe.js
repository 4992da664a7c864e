/** Runs before the page's own scripts: long tasks, big messages, frames and timers that are asked for. */
(() => {
  const probe = { tasks: [], came: [], frames: 0, timers: 0, seen: {}, counting: false };
  window.probe = probe;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      probe.tasks.push({ at: performance.timeOrigin + entry.startTime, took: entry.duration });
    }
  }).observe({ entryTypes: ["longtask"] });

  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        const size = data.byteLength ?? data.size ?? data.length;
        probe.came.push({ at: Date.now(), size });
        if (probe.came.length > 20_000) probe.came.splice(0, 10_000);
      });
    }
  };

  /** Whether the caller is code of a widget: its module comes from a blob or a data address. */
  const ours = () => /blob:|data:text|anywidget/.test(new Error().stack ?? "");
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    if (probe.counting && ours()) probe.frames += 1;
    return frame(callback);
  };
  for (const name of ["setTimeout", "setInterval"]) {
    const original = window[name].bind(window);
    window[name] = (...args) => {
      if (probe.counting && ours()) probe.timers += 1;
      return original(...args);
    };
  }

  /** Every element of a selector in our views. */
  probe.all = (selector) =>
    [...document.querySelectorAll(".acp-notebook-view")].flatMap((host) =>
      host.shadowRoot ? [...host.shadowRoot.querySelectorAll(selector)] : [],
    );
  probe.find = (selector) => probe.all(selector)[0] ?? null;

  /** Notes the first frame in which something is there, under a name. */
  probe.watch = (name, selector) => {
    probe.seen[name] = 0;
    const look = () => {
      if (probe.find(selector)) probe.seen[name] = Date.now();
      else frame(look);
    };
    frame(look);
  };
})();
