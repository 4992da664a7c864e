/** Part "math": TeX to MathML nodes. What an agent writes is untrusted, so is what comes out of it. */
import temml from "temml";
import css from "./math.css";

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
    "color backgroundColor border borderTop borderBottom borderLeft borderRight textAlign padding paddingLeft " +
    "paddingRight paddingTop paddingBottom marginLeft marginRight fontWeight fontStyle mathStyle mathDepth mathShift " +
    "verticalAlign textDecoration width display"
  ).split(" "),
);
const CLASSES =
  /^(?:tml-(?:display|right|left|overline|underline|fbox|cancel|(?:sml|med|lrg)-pad)|upstrike|downstrike|sout)$/;
/** Longer sources are shown as they are. */
const LIMIT = 10_000;

/** What Temml builds before it makes nodes; all parts are checked when they are used. */
interface Tree {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly unknown[];
  readonly style?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Tree[];
}

/** The formula as a `<math>` element; null if it is no formula that can be shown. */
export function render(source: string, display: boolean): Element | null {
  if (source.length > LIMIT) return null;
  try {
    const tree: Tree = temml.__renderToMathMLTree(source, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      wrap: "none",
      maxExpand: 500,
      maxSize: [20, 20],
      // Definitions of one formula must not reach the next.
      macros: {},
    });
    const [math] = toNodes(tree);
    return math instanceof Element && math.localName === "math" ? math : null;
  } catch {
    return null;
  }
}

/** The nodes of a tree as far as they are on the lists; what is not goes, with all below it. */
function toNodes(tree: Tree): readonly Node[] {
  if (typeof tree.text === "string") return [document.createTextNode(tree.text)];
  const children = (tree.children ?? []).flatMap(toNodes);
  // A fragment: it has no element of its own.
  if (tree.type === undefined && tree.attributes === undefined) return children;
  if (typeof tree.type !== "string" || !TAGS.has(tree.type)) return [];
  const node = document.createElementNS(MATHML, tree.type);
  for (const [name, value] of Object.entries(tree.attributes ?? {}))
    if (ATTRIBUTES.has(name)) node.setAttribute(name, String(value));
  const names = (tree.classes ?? []).filter((name) => CLASSES.test(String(name)));
  if (names.length > 0) node.setAttribute("class", names.join(" "));
  const style = Object.entries(tree.style ?? {}).filter(
    ([name, value]) => STYLES.has(name) && /^[#\w\s.%-]+$/.test(String(value)),
  );
  if (style.length > 0)
    node.setAttribute("style", style.map(([name, value]) => `${property(name)}:${value}`).join(";"));
  node.append(...children);
  return [node];
}

function property(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

let sheet: CSSStyleSheet | null = null;

/** Gives the style sheet of formulas to the root that they are in. */
export function adopt(root: Node): void {
  if (!(root instanceof ShadowRoot) && !(root instanceof Document)) return;
  try {
    if (sheet === null) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    if (!root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  } catch {
    // Formulas are readable without it.
  }
}
