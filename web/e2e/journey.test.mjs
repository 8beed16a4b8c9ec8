// The browser journey. Needs a running perfblame with the demo data: PERFBLAME_URL=http://127.0.0.1:8700 npm run journey

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, open, screenshots } from "./browser.mjs";
import { crawl } from "./crawl.mjs";

const address = process.env["PERFBLAME_URL"];
assert.ok(address, "PERFBLAME_URL must name a running perfblame");

/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
});

test("the first page opens without a complaint, at both widths", async () => {
  const { context, page, watch } = await open(browser);
  const response = await page.goto(address, { waitUntil: "load" });
  assert.equal(response?.status(), 200);
  await screenshots(page, "start");
  assert.deepEqual(watch.take(), []);
  await context.close();
});

for (const scripts of [true, false]) {
  test(`every page that can be reached is sound with scripts ${scripts ? "on" : "off"}`, async (context) => {
    const { visited, problems } = await crawl(browser, address, { scripts });
    context.diagnostic(`${visited.length} pages`);
    assert.ok(visited.length > 1, "the first page links nowhere");
    assert.deepEqual(problems, []);
  });
}
