import assert from "node:assert/strict";
import { test } from "node:test";
import { left, preview } from "../src/preview";

type Place = readonly [line: number, character: number];
const shown = (text: string, [line, character]: Place, [endLine, endCharacter]: Place, come: string) => {
  const rows = text.split("\n");
  const range = { start: { line, character }, end: { line: endLine, character: endCharacter } };
  return preview({ count: rows.length, at: (row) => rows[row] ?? "" }, range, come, 4);
};

test("what is short stands in its row, in words", () => {
  assert.deepEqual(shown("a\nx = subtotal(1)", [1, 4], [1, 12], "sum_of_lines").within, [{ row: 1, from: 4, to: 12, text: "sum_of_lines" }]);
  assert.deepEqual(shown("x = total()", [0, 0], [0, 11], "x = total(tax)").within, [{ row: 0, from: 10, to: 10, text: "tax" }]);
  assert.deepEqual(shown("f(a, b)", [0, 3], [0, 6], "").within, [{ row: 0, from: 3, to: 6, text: "" }]);
});

test("rows that change a little each show it in themselves", () => {
  const { within, beside } = shown("one(a)\ntwo\nthree(a)", [0, 0], [2, 8], "one(b)\ntwo\nthree(b)");
  assert.deepEqual(within.map(({ row, text }) => [row, text]), [[0, "b"], [2, "b"]]);
  assert.deepEqual(beside, []);
});

test("more stands beside the rows, in a column to the right of the longest", () => {
  const { within, gone, beside, diff } = shown("if a:\n    return something(a)\nend", [0, 0], [1, 23], "return all(\n\ta,\n\tb,\n)");
  assert.deepEqual(within, []);
  assert.deepEqual(gone, [0, 1]);
  const column = ["return all(", "    a,", "    b, … +1 line"].map((row) => row.padEnd(16));
  assert.deepEqual(beside.map(({ text }) => text), column);
  assert.deepEqual(beside.map(({ row, margin }) => [row, margin]), [[0, 22], [1, 4], [2, 24]]);
  assert.equal(diff, "-if a:\n-    return something(a)\n+return all(\n+\ta,\n+\tb,\n+)");
});

test("a long change of a row is not squeezed into its midst", () => {
  const { within, beside } = shown("f(a)\n\n\n", [0, 2], [0, 3], `${"x".repeat(50)}, ${"y".repeat(20)}`);
  assert.deepEqual(within, []);
  assert.deepEqual(beside.map(({ row, text }) => [row, text.trimEnd()]), [[0, `f(${"x".repeat(50)},`], [1, `    ${"y".repeat(20)})`]]);
  assert.equal(shown("f(\n", [0, 2], [0, 2], "x".repeat(61)).within.length, 1, "at its end there is room");
});

test("a long row does not push the column out of view", () => {
  const rows = ["x".repeat(90), "a", "b", "c"].join("\n");
  assert.deepEqual(shown(rows, [0, 0], [1, 1], "some\nother\nrows").beside.map(({ row }) => row), [1, 2, 3]);
  assert.deepEqual(shown(rows, [0, 0], [0, 90], "some\nmore\nother\nrows").beside.map(({ row }) => row), [0, 1, 2, 3], "if there are rows");
});

test("whole rows go, and come between others", () => {
  const gone = shown("import os\nimport sys\n\nx", [1, 0], [2, 0], "");
  assert.deepEqual([gone.gone, gone.beside, gone.above], [[1], [], undefined]);
  const come = shown("import os\n\nx", [0, 9], [0, 9], "\nimport sys");
  assert.deepEqual([come.gone, come.beside.map(({ row, text }) => [row, text]), come.above], [[], [[1, "import sys"]], 1]);
});

test("what is left of an edit while its beginning is typed", () => {
  assert.equal(left("subtotal", "sum_of_lines", [0, 8], "s"), "um_of_lines");
  assert.equal(left("subtotal", "sum_of_lines", [1, 8], ""), "um_of_lines");
  assert.equal(left("total", "total_sum", [5, 5], "_s"), "um");
  assert.equal(left("", "um", [0, 0], "um"), "");
  assert.equal(left("", "f(a)", [0, 0], "f(", ")"), "a");
  assert.equal(left("old()", "", [0, 5], ""), "");
  for (const [from, to, typed] of [[0, 8, "x"], [8, 8, "s"], [0, 9, "s"], [-1, 8, "s"], [0, 4, "s"]] as const) {
    assert.equal(left("subtotal", "sum_of_lines", [from, to], typed), undefined, `${from}-${to} ${typed}`);
  }
});
