// @ts-check
// Flame graphs: a line that says what is under the pointer, a search, and the arrow keys. Zooming stays a link.

/** Height of a row in the pictures' own units; inlined frames overlap their caller by one unit. */
const ROW = 18;

/**
 * A box of the graph: the link or group that holds one rectangle and its title.
 * @typedef {{ element: SVGElement, title: string, x: number, row: number, width: number }} Box
 */

/**
 * @param {SVGSVGElement} svg
 * @returns {Box[]}
 */
function boxesOf(svg) {
  /** @type {Box[]} */
  const boxes = [];
  for (const title of svg.querySelectorAll("g title, a title")) {
    const element = title.closest("a, g");
    const rect = element?.querySelector("rect");
    if (element instanceof SVGElement && rect instanceof SVGRectElement) {
      boxes.push({
        element,
        title: title.textContent ?? "",
        x: rect.x.baseVal.value,
        row: Math.round(rect.y.baseVal.value / ROW),
        width: rect.width.baseVal.value,
      });
    }
  }
  return boxes;
}

/**
 * The box that an arrow key leads to.
 * @param {Box[]} boxes
 * @param {Box} from
 * @param {string} key
 * @returns {Box | undefined}
 */
export function neighbour(boxes, from, key) {
  const end = from.x + from.width;
  const inRow = (/** @type {number} */ row) => boxes.filter((box) => box.row === row).sort((a, b) => a.x - b.x);
  switch (key) {
    case "ArrowDown":
      return inRow(from.row + 1)
        .filter((box) => box.x >= from.x - 0.5 && box.x + box.width <= end + 0.5)
        .sort((a, b) => b.width - a.width)[0];
    case "ArrowUp":
      return inRow(from.row - 1).find((box) => box.x <= from.x + 0.5 && box.x + box.width >= end - 0.5);
    case "ArrowLeft":
      return inRow(from.row).filter((box) => box.x < from.x).at(-1);
    case "ArrowRight":
      return inRow(from.row).find((box) => box.x > from.x);
    default:
      return undefined;
  }
}

/**
 * The matcher of a search: a regular expression where it is one, else plain text. Both without regard to case.
 * @param {string} text
 * @returns {(name: string) => boolean}
 */
export function matcher(text) {
  try {
    const pattern = new RegExp(text, "iu");
    return (name) => pattern.test(name);
  } catch {
    const plain = text.toLowerCase();
    return (name) => name.toLowerCase().includes(plain);
  }
}

/**
 * Part of the width that matching boxes cover, each place once however deep it matches.
 * @param {{ x: number, width: number }[]} matched
 * @param {number} whole
 * @returns {number}
 */
export function covered(matched, whole) {
  let sum = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { x, width } of [...matched].sort((a, b) => a.x - b.x)) {
    sum += Math.max(0, x + width - Math.max(x, end));
    end = Math.max(end, x + width);
  }
  return whole > 0 ? Math.min(1, sum / whole) : 0;
}

/** @param {SVGSVGElement} svg */
function enhance(svg) {
  const boxes = boxesOf(svg);
  if (boxes.length === 0) {
    return;
  }
  const whole = Math.max(...boxes.map((box) => box.width));
  const status = document.createElement("p");
  status.className = "flame-status";
  status.setAttribute("aria-live", "polite");
  status.textContent = "Point at a box for its numbers; a click zooms.";
  const tools = document.createElement("div");
  tools.className = "flame-tools";
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Search frames";
  field.setAttribute("aria-label", "Search frames");
  const result = document.createElement("span");
  result.setAttribute("aria-live", "polite");
  tools.append(field, result);
  const picture = svg.parentElement;
  picture?.before(tools);
  picture?.after(status);

  const byElement = new Map(boxes.map((box) => [/** @type {Element} */ (box.element), box]));
  const boxAt = (/** @type {EventTarget | null} */ target) => {
    const element = target instanceof Element ? target.closest("a, g") : null;
    return element ? byElement.get(element) : undefined;
  };
  const show = (/** @type {Event} */ event) => {
    const box = boxAt(event.target);
    if (box) {
      status.textContent = box.title;
    }
  };
  svg.addEventListener("pointerover", show);
  svg.addEventListener("focusin", show);
  svg.addEventListener("keydown", (event) => {
    const from = boxAt(event.target);
    const to = from && neighbour(boxes, from, event.key);
    if (to) {
      event.preventDefault();
      to.element.focus();
    }
  });
  field.addEventListener("input", () => {
    const matches = field.value ? matcher(field.value) : () => false;
    const matched = boxes.filter((box) => {
      const yes = matches(box.title.split(" · ")[0] ?? "");
      box.element.classList.toggle("is-match", yes);
      return yes;
    });
    svg.classList.toggle("is-searched", field.value !== "");
    result.textContent = field.value
      ? `${matched.length} boxes, ${(covered(matched, whole) * 100).toFixed(1)} % of the width`
      : "";
  });
}

if (typeof document !== "undefined") {
  for (const figure of document.querySelectorAll("[data-flame]")) {
    const svg = figure.querySelector("svg");
    if (svg instanceof SVGSVGElement) {
      enhance(svg);
    }
  }
}
