import assert from "node:assert/strict";
import { test } from "node:test";
import { page, type Statistics } from "../src/statistics";

const sums = { shown: 2, accepted: { all: 1, word: 1 }, rejected: 0, characters: 17 };
const found: Statistics = {
  ...sums,
  enabled: true,
  since: "2026-11-23",
  by_kind: { completion: sums },
  by_language: { python: sums },
  by_day: { "2026-11-23": sums },
  latency: { completion: { n: 2, p50: 40, p95: 90 } },
};

test("statistics are columns of plain text, which an editor does not wrap", () => {
  const lines = page(found).split("\n");
  assert.equal(lines[0], "Palimpsest: statistics since 2026-11-23");
  assert.ok(lines.every((line) => !line.includes("|")));
  const [head, row] = lines.filter((line) => /^(kind|completion) +(shown|2) /.test(line));
  assert.equal(head?.length, row?.length);
  assert.deepEqual(row?.split(/ +/), ["completion", "2", "1", "0", "1", "0", "17"]);
});

test("where nothing is counted, the page says why", () => {
  assert.match(page({ ...found, enabled: false, since: "" }), /is off\.\n\nNothing was shown yet\./);
});
