import assert from "node:assert/strict";
import { test } from "node:test";
import { interpreters, stepOf } from "../src/installer";
import { page } from "../src/statistics";

test("a line of the installer is one JSON object; anything else is none of its steps", () => {
  assert.deepEqual(stepOf('{"step": "engine", "message": "building", "fraction": 0.5}'), { step: "engine", message: "building", fraction: 0.5 });
  for (const line of ["", "Collecting pygls", "[1]", "null", '"text"']) assert.equal(stepOf(line), undefined);
});

test("a Python that is new enough for sure comes before one that may be older", () => {
  const names = interpreters("linux");
  assert.ok(names.indexOf("python3.11") < names.indexOf("python3"));
  assert.ok(interpreters("win32").includes("py"));
});

test("statistics are a page of tables", () => {
  const sums = { shown: 10, accepted: { all: 3, word: 2, line: 0 }, rejected: 1, characters: 120 };
  const by = { by_kind: { completion: sums }, by_language: { python: sums }, by_day: { "2026-01-02": sums } };
  const text = page({ enabled: true, since: "2026-01-02", ...sums, ...by, latency: { completion: { n: 10, p50: 90, p95: 400 } } });
  assert.match(text, /Of 10 shown, accepted: 3 whole, 2 by word; 120 characters\./);
  assert.match(text, /\| completion \| 10 +\| 3 whole, 2 by word \| 1 +\| 120 +\|/);
  assert.match(text, /\| completion \| 10 +\| 90 ms +\| 400 ms +\|/);
  const empty = { shown: 0, accepted: { all: 0 }, rejected: 0, characters: 0, by_kind: {}, by_language: {}, by_day: {}, latency: {} };
  assert.match(page({ enabled: false, since: "", ...empty }), /Nothing is counted.*\n\nNothing was shown yet/s);
});
