// Starts the system's Chromium and watches its pages: whatever a visitor's console would complain about fails the test.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The folder of the pictures. */
export const SCREENSHOTS = join(dirname(fileURLToPath(import.meta.url)), "screenshots");

/** The widths that pages must look good at, in CSS pixels: a laptop and a phone. */
export const WIDTHS = /** @type {const} */ ([1280, 400]);

/**
 * The path of Chromium: `PERFBLAME_CHROMIUM`, else the PATH, else macOS's applications.
 *
 * @returns {string}
 */
export function findChromium() {
  const given = process.env["PERFBLAME_CHROMIUM"];
  if (given) return given;
  for (const name of NAMES) {
    try {
      return execFileSync("sh", ["-c", 'command -v "$0"', name], { encoding: "utf8" }).trim();
    } catch {
      // Not this name.
    }
  }
  const application = APPLICATIONS.find((path) => existsSync(path));
  if (application === undefined) throw new Error(`no Chromium found (looked for ${NAMES.join(", ")})`);
  return application;
}

/** @returns {Promise<import("playwright-core").Browser>} */
export function launch() {
  const args = ["--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  // Chromium's sandbox refuses to run as root, as in most containers.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: findChromium(), headless: true, args });
}

/**
 * What went wrong on a page since it was last asked.
 *
 * @typedef {object} Watch
 * @property {() => string[]} take  the complaints, and forgets them
 */

/**
 * Collects what must not happen: errors and warnings on the console (violations of the content security policy are
 * among them), uncaught exceptions, failed requests, answers of 400 and above.
 *
 * @param {import("playwright-core").Page} page
 * @returns {Watch}
 */
export function watch(page) {
  /** @type {string[]} */
  let complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => {
    // A page that is left cancels what it was loading, and a download is no page.
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") complaints.push(`request failed: ${request.url()} ${why}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`HTTP ${response.status()}: ${response.url()}`);
  });
  return {
    take() {
      const taken = complaints;
      complaints = [];
      return taken;
    },
  };
}

/**
 * A page of its own context, watched.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {{ width?: number, scripts?: boolean, dark?: boolean }} [how]  1280 px, scripts on and light unless said
 */
export async function open(browser, { width = WIDTHS[0], scripts = true, dark = false } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    javaScriptEnabled: scripts,
    colorScheme: dark ? "dark" : "light",
    // Whatever moves would make pictures differ.
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  return { context, page, watch: watch(page) };
}

/**
 * How far the page is wider than the window, in CSS pixels. 0 means that nothing scrolls sideways; boxes that scroll
 * inside themselves, as wide tables may, do not count.
 *
 * @param {import("playwright-core").Page} page
 */
export function sidewaysOverflow(page) {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}

/**
 * Keeps a picture of the whole page at both widths, light and dark, as `screenshots/NAME-1280.png`,
 * `NAME-400.png` and `NAME-1280-dark.png`.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function screenshots(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  const shoot = (/** @type {string} */ file) => page.screenshot({ path: join(SCREENSHOTS, `${file}.png`), fullPage: true });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await shoot(`${name}-${width}`);
  }
  await page.setViewportSize({ width: WIDTHS[0], height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(`${name}-${WIDTHS[0]}-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
}
