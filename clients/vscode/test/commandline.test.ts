import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { beside, commandOf, environment, inEnvironment, installed, stepOf, versionCommand, versionOf } from "../src/commandline";

test("the setting is a path or a command line", () => {
  assert.equal(commandOf([]), undefined);
  assert.equal(commandOf(""), undefined);
  assert.equal(commandOf(undefined), undefined);
  assert.equal(commandOf({}), undefined);
  assert.deepEqual(commandOf("/opt/palimpsest"), ["/opt/palimpsest", "serve"]);
  assert.deepEqual(commandOf(["~/bin/palimpsest"]), [join(homedir(), "bin/palimpsest"), "serve"]);
  assert.deepEqual(commandOf(["python3", "-m", "palimpsest", "serve"]), ["python3", "-m", "palimpsest", "serve"]);
});

test("a server is asked for its version without being made to serve", () => {
  assert.deepEqual(versionCommand(["/opt/palimpsest", "serve"]), ["/opt/palimpsest", "--version"]);
  assert.deepEqual(versionCommand(["py", "-m", "palimpsest", "serve", "--tcp", "x"]), ["py", "-m", "palimpsest", "--version"]);
  assert.deepEqual(versionCommand(["serve"]), ["serve", "--version"]);
});

test("what pipx and uv install is found where they put it, unless that is a workspace", () => {
  const program = process.platform === "win32" ? "palimpsest.exe" : "palimpsest";
  assert.deepEqual(installed([join(homedir(), "code")]), [join(homedir(), ".local", "bin", program)]);
  assert.deepEqual(installed([join(homedir(), "code"), homedir()]), []);
});

test("programs are found on PATH, but not through its relative entries", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  const [before, path] = [process.cwd(), process.env["PATH"]];
  try {
    const program = join(folder, "bin", "palimpsest");
    mkdirSync(join(folder, "bin"));
    writeFileSync(program, "#!/bin/sh\necho palimpsest 1.2.3\n");
    await assert.rejects(versionOf([program, "serve"]), /cannot be started/);
    chmodSync(program, 0o755);
    assert.equal(inEnvironment(folder), program);
    assert.equal(beside(join(folder, "bin", "python3")), program);
    assert.equal(await versionOf([program, "serve"]), "palimpsest 1.2.3");
    process.env["PATH"] = ["/nowhere", join(folder, "bin")].join(delimiter);
    assert.equal(await versionOf(["palimpsest", "serve"]), "palimpsest 1.2.3");
    process.chdir(folder);
    process.env["PATH"] = ["bin", ".", ""].join(delimiter);
    await assert.rejects(versionOf(["palimpsest", "serve"]), /cannot be started/);
    writeFileSync(program, "#!/bin/sh\necho 'No module named palimpsest' >&2; exit 1\n");
    await assert.rejects(versionOf([program, "serve"]), /cannot be started: No module named palimpsest/);
    await assert.rejects(versionOf([join(folder, "none"), "serve"]), /cannot be started/);
  } finally {
    process.chdir(before);
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  }
});

test("what is started finds no module, program or library of a workspace", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  try {
    const [inside, ours] = [join(folder, "bin"), join(tmpdir(), "elsewhere")];
    const listed = ["", ".", "bin", inside, folder, ours].join(delimiter);
    const given = { PATH: listed, LD_LIBRARY_PATH: listed, PYTHONPATH: ".", PYTHONHOME: folder, PYTHONUSERBASE: folder, LANG: "C" };
    assert.deepEqual(environment([folder], given), { PATH: ours, LD_LIBRARY_PATH: ours, LANG: "C", PYTHONSAFEPATH: "1" });
    assert.equal(environment([], given)["PATH"], [inside, folder, ours].join(delimiter));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a line of the installer is one JSON object; anything else is none of its steps", () => {
  assert.deepEqual(stepOf('{"step": "engine", "message": "fetching", "fraction": 0.5}'), { step: "engine", message: "fetching", fraction: 0.5 });
  for (const line of ["", "Collecting pygls", "[1]", "null", '"text"']) assert.equal(stepOf(line), undefined);
});
