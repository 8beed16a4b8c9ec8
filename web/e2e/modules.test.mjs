// Tests of the pure parts of the served scripts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { covered, matcher, neighbour } from "../static/flame.js";
import { parseNumber } from "../static/table.js";

test("numbers are read as the pages print them", () => {
  const cases = /** @type {const} */ ([
    ["12,655 op/sn = 5", 12655],
    ["▼ −47.2 % worse", -47.2],
    ["▲ +1.02 % better", 1.02],
    ["1.200 ms", 1.2e6],
    ["900.0 µs/op", 9e5],
    ["52.59 GiB", 52.59 * 1024 ** 3],
    ["×25.8", 2580],
    ["none", Number.NEGATIVE_INFINITY],
  ]);
  for (const [text, value] of cases) assert.equal(parseNumber(text), value, text);
});

test("a search is a regular expression where it is one, and plain text where it is not", () => {
  assert.ok(matcher("log.*page")("Pager.LogPage"));
  assert.ok(matcher("operator(")("Foo::operator()"));
  assert.ok(!matcher("gc")("main"));
});

test("a place under two matches counts once", () => {
  const boxes = [
    { x: 0, width: 50 },
    { x: 10, width: 20 },
    { x: 80, width: 10 },
  ];
  assert.equal(covered(boxes, 100), 0.6);
  assert.equal(covered([], 100), 0);
  assert.equal(covered(boxes, 0), 0);
});

test("arrow keys lead to the widest callee, the caller and the siblings", () => {
  const box = (/** @type {string} */ title, /** @type {number} */ row, /** @type {number} */ x, /** @type {number} */ width) =>
    /** @type {import("../static/flame.js").Box} */ (/** @type {unknown} */ ({ title, row, x, width }));
  const root = box("root", 0, 0, 100);
  const [small, large, other] = [box("small", 1, 0, 20), box("large", 1, 20, 60), box("other", 1, 80, 20)];
  const boxes = [root, small, large, other];
  assert.equal(neighbour(boxes, root, "ArrowDown"), large);
  assert.equal(neighbour(boxes, large, "ArrowUp"), root);
  assert.equal(neighbour(boxes, large, "ArrowLeft"), small);
  assert.equal(neighbour(boxes, large, "ArrowRight"), other);
  assert.equal(neighbour(boxes, other, "ArrowRight"), undefined);
  assert.equal(neighbour(boxes, other, "x"), undefined);
});
