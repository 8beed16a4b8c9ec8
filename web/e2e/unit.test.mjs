// Tests of what needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sameOriginLinks, shapeOf } from "./links.mjs";

test("only links of the same origin are followed, each once", () => {
  const links = ["/a", "a?x=1", "#top", "https://example.com/", "mailto:ada@example.com", "//[bad", "/a#b", "javascript:0"];
  assert.deepEqual(sameOriginLinks(links, "http://127.0.0.1:8700/p/"), [
    "http://127.0.0.1:8700/a",
    "http://127.0.0.1:8700/p/a?x=1",
    "http://127.0.0.1:8700/p/",
  ]);
});

test("ids and query values do not make another kind of page", () => {
  const run = "http://h/p/kv/runs/0193f3a2-1c5d-7000-8000-0123456789ab";
  assert.equal(shapeOf(`${run}?b=2&a=1&b=3`), "/p/kv/runs/{id}?a&b");
  assert.equal(shapeOf("http://h/p/kv/series/42/43"), "/p/kv/series/{n}/{n}");
  assert.equal(shapeOf("http://h/p/kv"), "/p/kv");
});
