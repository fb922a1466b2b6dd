// Command lines of servers and interpreters, and what install.py prints: no editor in here, so that it is tested as it is.
import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const WINDOWS = process.platform === "win32";
/** A first start of Python on a cold disk takes seconds. */
const VERSION_WAIT_MS = 20_000;

/** The setting `server.command` as a command line: a path stands for `PATH serve`. */
export function commandOf(setting: unknown): string[] | undefined {
  const given = typeof setting === "string" ? [setting] : Array.isArray(setting) ? setting : [];
  const words = given.filter((word): word is string => typeof word === "string");
  if (words.length === 0 || words[0]?.trim() === "") return undefined;
  const [program = "", ...rest] = words;
  return [program.replace(/^~(?=\/|$)/, () => os.homedir()), ...(rest.length > 0 ? rest : ["serve"])];
}

/** The same program asked for its version: `serve` and what follows it is for a server. */
export function versionCommand(command: readonly string[]): string[] {
  const serve = command.lastIndexOf("serve");
  return [...(serve > 0 ? command.slice(0, serve) : command), "--version"];
}

export function inEnvironment(folder: string): string {
  return WINDOWS ? path.join(folder, "Scripts", "palimpsest.exe") : path.join(folder, "bin", "palimpsest");
}

/** The program of the environment that an interpreter is of. */
export function beside(interpreter: string): string {
  return path.join(path.dirname(interpreter), WINDOWS ? "palimpsest.exe" : "palimpsest");
}

/** The program that pipx or uv installed, which an editor that a desktop starts may not have on PATH. */
export function installed(workspaces: readonly string[]): string[] {
  const folder = path.join(os.homedir(), ".local", "bin");
  return workspaces.some((around) => isIn(folder, around)) ? [] : [path.join(folder, WINDOWS ? "palimpsest.exe" : "palimpsest")];
}

const SEARCHED = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];
const PYTHONS = ["PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR"];

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

function isIn(folder: string, around: string): boolean {
  const way = path.relative(real(around), real(folder));
  return !path.isAbsolute(way) && way.split(path.sep)[0] !== "..";
}

/** The environment of what is started here: no folder comes before Python's own modules, and no program or library is looked for in a workspace. */
export function environment(workspaces: readonly string[], given: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const names = WINDOWS ? (name: string) => name.toUpperCase() : (name: string) => name;
  const kept = Object.entries(given).filter(([name]) => !PYTHONS.includes(names(name)));
  const trusted = (folder: string): boolean => path.isAbsolute(folder) && !workspaces.some((around) => isIn(folder, around));
  const cleaned = kept.map(([name, value = ""]) =>
    SEARCHED.includes(names(name)) ? [name, value.split(path.delimiter).filter(trusted).join(path.delimiter)] : [name, value],
  );
  return { ...(Object.fromEntries(cleaned) as NodeJS.ProcessEnv), PYTHONSAFEPATH: "1" };
}

/** What it says of its version; throws with a sentence for a person.  A name is looked for on PATH. */
export async function versionOf(command: readonly string[], env: NodeJS.ProcessEnv = environment([])): Promise<string> {
  const [program = "", ...args] = versionCommand(command);
  return new Promise((resolve, reject) => {
    // Not in the workspace: Python would look there for modules, and relative entries of PATH would mean it.
    execFile(program, args, { timeout: VERSION_WAIT_MS, cwd: os.homedir(), env }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trim());
      const last = stderr.trim().split("\n").pop() ?? "";
      const why = error.killed ? "did not answer in time" : last || error.message;
      reject(new Error(`${program} cannot be started: ${why}`));
    });
  });
}

/** What install.py prints, a line of JSON for each. */
export interface Step {
  message?: string;
  fraction?: number;
  done?: boolean;
  error?: string;
  hint?: string;
}

/** One line of JSON; anything else is no step. */
export function stepOf(line: string): Step | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
