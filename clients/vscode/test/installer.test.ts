import assert from "node:assert/strict";
import { test } from "node:test";
import { interpreters, stepOf } from "../src/installer";

test("a line of the installer is one JSON object; anything else is none of its steps", () => {
  assert.deepEqual(stepOf('{"step": "engine", "message": "fetching", "fraction": 0.5}'), { step: "engine", message: "fetching", fraction: 0.5 });
  for (const line of ["", "Collecting pygls", "[1]", "null", '"text"']) assert.equal(stepOf(line), undefined);
});

test("a Python that is new enough for sure comes before one that may be older", () => {
  const names = interpreters("linux");
  assert.ok(names.indexOf("python3.11") < names.indexOf("python3"));
  assert.ok(interpreters("win32").includes("py"));
});
