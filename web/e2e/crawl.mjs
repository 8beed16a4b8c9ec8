// Opens every page that a visitor can reach by links, and reports what is wrong with any of them.

import { open, sidewaysOverflow, WIDTHS } from "./browser.mjs";
import { sameOriginLinks, shapeOf } from "./links.mjs";

/** A flame graph links to thousands of zooms; a few of each kind of page tell enough. */
const PER_SHAPE = 4;

/**
 * @typedef {object} Crawl
 * @property {string[]} visited  the addresses opened, in order
 * @property {string[]} problems  one line each: the address and what is wrong
 */

/**
 * Breadth first from `start`. Every HTML page must answer 200, say nothing on the console, have a title and a main
 * heading, and not scroll sideways on a phone; everything else that is linked (SVG, JSON, PNG) must answer 200.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} start
 * @param {{ scripts: boolean, limit?: number }} how
 * @returns {Promise<Crawl>}
 */
export async function crawl(browser, start, { scripts, limit = 60 }) {
  const { context, page, watch } = await open(browser, { scripts });
  /** @type {Map<string, number>} */
  const perShape = new Map();
  const queue = [new URL(start).href];
  const seen = new Set(queue);
  /** @type {Crawl} */
  const crawled = { visited: [], problems: [] };
  try {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      const shape = shapeOf(address);
      const before = perShape.get(shape) ?? 0;
      if (before >= PER_SHAPE) continue;
      perShape.set(shape, before + 1);
      if (crawled.visited.length === limit) break;
      crawled.visited.push(address);
      const found = await visit(page, address);
      crawled.problems.push(...[...found.wrong, ...watch.take()].map((text) => `${address}: ${text}`));
      for (const link of sameOriginLinks(found.links, address)) {
        if (!seen.has(link)) {
          seen.add(link);
          queue.push(link);
        }
      }
    }
  } finally {
    await context.close();
  }
  return crawled;
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} address
 * @returns {Promise<{ wrong: string[], links: string[] }>}
 */
async function visit(page, address) {
  // Asked for first without a browser: a download would make `goto` fail, and a picture has no links.
  const head = await page.request.get(address, { maxRedirects: 5 });
  const type = head.headers()["content-type"] ?? "";
  if (!type.startsWith("text/html")) {
    return { wrong: head.status() === 200 ? [] : [`HTTP ${head.status()}`], links: [] };
  }
  await page.setViewportSize({ width: WIDTHS[0], height: 900 });
  const response = await page.goto(address, { waitUntil: "load" });
  /** @type {string[]} */
  const wrong = [];
  if (response?.status() !== 200) wrong.push(`HTTP ${response?.status()}`);
  if ((await page.title()).trim() === "") wrong.push("no title");
  if ((await page.locator("h1").count()) !== 1) wrong.push("not exactly one main heading");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await sidewaysOverflow(page);
    if (overflow > 0) wrong.push(`${overflow} px too wide at ${width} px`);
  }
  const links = await page.locator("a[href]").evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
  return { wrong, links };
}
