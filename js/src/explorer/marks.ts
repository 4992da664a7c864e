/** Marks words in an element where the browser can do that without changing the content. */

const NAME = "acp-find";
const MOST = 500;

/** Gives the element of the first word that was found; without words all marks go. */
export function markWords(place: HTMLElement | null, words: readonly string[]): Element | null {
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== "");
  const ranges = place === null || wanted.length === 0 ? [] : rangesOf(place, wanted);
  if (typeof Highlight !== "undefined" && "highlights" in CSS) {
    if (ranges.length === 0) CSS.highlights.delete(NAME);
    else CSS.highlights.set(NAME, new Highlight(...ranges));
  }
  return ranges[0]?.startContainer.parentElement ?? null;
}

function rangesOf(place: HTMLElement, words: readonly string[]): readonly Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (const word of words) {
      for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + word.length)) {
        const range = new Range();
        range.setStart(node, from);
        range.setEnd(node, from + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
