// @ts-check
// Tables marked `data-table`: sorting by a click on a head, and a filter field where `data-filter` names one.
// Columns that the server sorts (their head holds a link) are left to it, so that one order has one address.

/**
 * The value a cell is sorted by: its first number with a scaled unit, else its text.
 * @param {HTMLTableCellElement | undefined} cell
 * @returns {number | string}
 */
export function sortKey(cell) {
  const text = (cell?.textContent ?? "").trim();
  if (!cell?.classList.contains("num")) {
    return text.toLowerCase();
  }
  return parseNumber(text);
}

/** Factors of scaled units to one another, so that 1.2 ms sorts above 900 µs. */
const SCALES = new Map([
  ["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9],
  ["B", 1], ["KiB", 1024], ["MiB", 1024 ** 2], ["GiB", 1024 ** 3], ["TiB", 1024 ** 4],
]);

/**
 * Reads `▼ −47.2 % worse`, `×25.8`, `12,655 op/s` or `1.234 ms/op`; nothing readable sorts last.
 * @param {string} text
 * @returns {number}
 */
export function parseNumber(text) {
  const found = /([×−+-]?)\s*([\d][\d,]*(?:\.\d+)?(?:e[+−-]?\d+)?)\s*([a-zµA-Z]+)?/u.exec(text);
  if (!found) {
    return Number.NEGATIVE_INFINITY;
  }
  const size = Number((found[2] ?? "").replaceAll(",", "").replace("−", "-"));
  const factor = found[1] === "×" ? 100 : (SCALES.get(found[3] ?? "") ?? 1);
  return (found[1] === "−" || found[1] === "-" ? -1 : 1) * size * factor;
}

/**
 * @param {HTMLTableElement} table
 * @param {number} column
 * @param {HTMLTableCellElement} head
 */
function sort(table, column, head) {
  const body = table.tBodies[0];
  if (!body) {
    return;
  }
  const descending = head.getAttribute("aria-sort") !== "descending";
  for (const other of table.tHead?.rows[0]?.cells ?? []) {
    if (other.hasAttribute("aria-sort")) {
      other.setAttribute("aria-sort", "none");
    }
  }
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
  rows.sort((a, b) => {
    const order =
      typeof a.key === "number" && typeof b.key === "number"
        ? a.key - b.key
        : String(a.key).localeCompare(String(b.key));
    return descending ? -order : order;
  });
  body.append(...rows.map(({ row }) => row));
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, column) => {
    if (head.querySelector("a") || head.classList.contains("strip-cell") || !head.textContent?.trim()) {
      return;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sort(table, column, head));
  });
}

/**
 * @param {HTMLTableElement} table
 * @param {string} label
 */
function makeFilterable(table, label) {
  const field = document.createElement("input");
  field.type = "search";
  field.className = "table-filter";
  field.placeholder = label;
  field.setAttribute("aria-label", label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/u).filter(Boolean);
    for (const row of table.tBodies[0]?.rows ?? []) {
      const text = (row.textContent ?? "").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  (table.closest(".scroll") ?? table).before(field);
}

if (typeof document !== "undefined") {
  for (const table of document.querySelectorAll("table[data-table]")) {
    if (table instanceof HTMLTableElement) {
      makeSortable(table);
      if (table.dataset.filter && (table.tBodies[0]?.rows.length ?? 0) > 8) {
        makeFilterable(table, table.dataset.filter);
      }
    }
  }
}
