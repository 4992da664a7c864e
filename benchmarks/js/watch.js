/** Watches for new stamps on the screen, frame by frame: the lag of each chunk, or of each newest one. */
([selector, each]) => {
  const seen = { stamps: [], last: 0, frame: 0 };
  window.bench = seen;
  const host = find(document);
  // What is there already says nothing about lag.
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
  function tail(length) {
    let node = host;
    while (node.lastElementChild && node.lastElementChild.textContent.length > length) node = node.lastElementChild;
    return node.textContent.slice(-length - 200);
  }

  const stampsIn = (text) => (text.match(/t(\d{13})/g) ?? []).map((found) => Number(found.slice(1)));

  function frame() {
    if (stampsIn(tail(400)).some((stamp) => stamp > newest)) {
      const now = Date.now();
      const fresh = stampsIn(tail(each ? 20_000 : 400)).filter((stamp) => stamp > newest);
      seen.last = now;
      for (const stamp of each ? fresh : [Math.max(...fresh)]) seen.stamps.push(now - stamp);
      newest = Math.max(...fresh);
    }
    seen.frame = requestAnimationFrame(frame);
  }

  newest = Math.max(0, ...stampsIn(tail(20_000)));
  seen.frame = requestAnimationFrame(frame);
};
