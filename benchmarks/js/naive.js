/** The baseline's view: draws the whole state, or (incremental) appends what is new. */

function texts(state) {
  const items = (state.turns ?? []).flatMap((turn) => turn.items);
  return items.map((item) => {
    if (item.kind === "tool_call") return `${item.call.title} ${item.call.status}`;
    return (item.blocks ?? []).map((block) => block.text ?? "").join("");
  });
}

function render({ model, el }) {
  const host = document.createElement("div");
  host.className = "naive";
  host.style.cssText = "height: 500px; overflow: auto";
  el.attachShadow({ mode: "open" }).append(host);
  let shown = 0;
  let last = null;
  let frame = 0;

  function draw() {
    frame = 0;
    const all = texts(model.get("state")).join("\n\n");
    if (model.get("incremental")) {
      last ??= host.appendChild(document.createElement("p"));
      last.append(all.slice(shown));
      shown = all.length;
    } else {
      const paragraphs = all.split("\n\n").map((text) => {
        const paragraph = document.createElement("p");
        paragraph.textContent = text;
        return paragraph;
      });
      host.replaceChildren(...paragraphs);
    }
    host.scrollTop = host.scrollHeight;
  }

  model.on("change:state", () => {
    frame ||= requestAnimationFrame(draw);
  });
  draw();
}

export default { render };
