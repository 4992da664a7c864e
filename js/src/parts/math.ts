/** Part "math": TeX to MathML nodes. What an agent writes is untrusted, so is what comes out of it. */
import temml from "temml";

const MATHML = "http://www.w3.org/1998/Math/MathML";

const TAGS = new Set(
  (
    "math mrow mi mn mo ms mtext mspace msup msub msubsup munder mover munderover mfrac msqrt mroot mtable mtr mtd " +
    "mstyle mpadded mphantom menclose merror mmultiscripts mprescripts none semantics"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "display displaystyle scriptlevel mathvariant mathcolor mathbackground mathsize stretchy fence separator form " +
    "accent accentunder lspace rspace width height depth voffset linethickness columnalign rowalign columnspacing " +
    "rowspacing columnlines rowlines notation movablelimits largeop symmetric minsize maxsize columnspan rowspan dir"
  ).split(" "),
);
// Lengths and colours that Temml sets itself; nothing that loads or covers anything.
const STYLES = new Set(
  (
    "color background-color border border-top border-bottom border-left border-right text-align padding padding-left " +
    "padding-right padding-top padding-bottom margin-left margin-right font-weight font-style math-style math-depth " +
    "math-shift vertical-align text-decoration width"
  ).split(" "),
);
const CLASSES = /^(tml-|temml-|ff-narrow|ff-nudge|special-fraction|textstyle|wbk|mathcal|mathscr)/;
/** Longer sources are shown as they are. */
const LIMIT = 10_000;

/** The formula as a `<math>` element; null if it is no formula that can be shown. */
export function render(source: string, display: boolean): Element | null {
  if (source.length > LIMIT) return null;
  const into = document.createElement("div");
  try {
    temml.render(source, into, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: false,
      maxExpand: 500,
      maxSize: [20, 20],
      macros: {},
    });
  } catch {
    return null;
  }
  const math = into.firstElementChild;
  if (math?.localName !== "math") return null;
  return copyAllowed(math);
}

/** A copy that holds only what is on the lists; an element that is not goes, with all below it. */
function copyAllowed(from: Element): Element | null {
  if (!TAGS.has(from.localName)) return null;
  const to = document.createElementNS(MATHML, from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) to.setAttribute(name, value);
  const names = [...from.classList].filter((name) => CLASSES.test(name));
  if (names.length > 0) to.setAttribute("class", names.join(" "));
  copyStyle(from as HTMLElement, to as HTMLElement);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent ?? "");
    else if (child.nodeType === Node.ELEMENT_NODE) {
      const copy = copyAllowed(child as Element);
      if (copy) to.append(copy);
    }
  }
  return to;
}

function copyStyle(from: HTMLElement, to: HTMLElement): void {
  for (const declaration of (from.getAttribute("style") ?? "").split(";")) {
    const [name, value] = declaration.split(/:(.*)/s).map((part) => part?.trim());
    if (!name || !value || !STYLES.has(name) || !/^[#\w\s.%-]+$/.test(value)) continue;
    to.style?.setProperty(name, value);
  }
}
