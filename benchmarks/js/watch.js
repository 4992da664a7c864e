/** Watches for the newest stamp on the screen, frame by frame, and for long tasks. */
(selector) => {
  const seen = { stamps: [], tasks: [], last: 0, frame: 0 };
  window.bench = seen;
  const host = find(document);
  let newest = 0;

  function find(root) {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(selector)) return element;
      const inside = element.shadowRoot && find(element.shadowRoot);
      if (inside) return inside;
    }
    return null;
  }

  /** The end of what is shown, without asking for the whole text each frame. */
  function tail() {
    let node = host;
    while (node.lastElementChild && node.lastElementChild.textContent.length > 400) node = node.lastElementChild;
    return node.textContent.slice(-600);
  }

  function frame() {
    const stamps = tail().match(/t(\d{13})/g) ?? [];
    const stamp = Math.max(0, ...stamps.map((found) => Number(found.slice(1))));
    if (stamp > newest) {
      newest = stamp;
      seen.last = Date.now();
      seen.stamps.push(seen.last - stamp);
    }
    seen.frame = requestAnimationFrame(frame);
  }

  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  });
  observer.observe({ entryTypes: ["longtask"] });
  seen.frame = requestAnimationFrame(frame);
};
