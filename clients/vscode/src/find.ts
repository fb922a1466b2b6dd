// Which server is started: the setting, the workspace's environment and its selected interpreter's (if allowed), PATH, the
// environment of our own.
import * as vscode from "vscode";
import { beside, commandOf, inEnvironment, isProgram, onPath, versionOf } from "./commandline";
import { selectedInterpreter } from "./pythonExtension";

export interface Found {
  command: string[];
  /** Where it was found, in words. */
  origin: string;
  version: string;
}

export function ownEnvironment(context: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
}

/** Throws where the setting names something that does not run; undefined where there is no server at all. */
export async function findServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Found | undefined> {
  const settings = vscode.workspace.getConfiguration("palimpsest.server");
  const set = settings.inspect("command")?.globalValue; // never a workspace's: it would choose what is run
  const wanted = commandOf(set);
  if (wanted !== undefined) {
    try {
      return { command: wanted, origin: "the setting palimpsest.server.command", version: await versionOf(wanted) };
    } catch (error) {
      throw new Error(`${message(error)} (the setting palimpsest.server.command)`);
    }
  }
  for (const [program, origin] of await candidates(context)) {
    try {
      const command = [program, "serve"];
      return { command, origin, version: await versionOf(command) };
    } catch (error) {
      log.warn(`${origin}: ${message(error)}`);
    }
  }
  return undefined;
}

async function candidates(context: vscode.ExtensionContext): Promise<[string, string][]> {
  const found: [string, string][] = [];
  if (mayUseWorkspace()) {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme === "file") {
        const environment = vscode.Uri.joinPath(folder.uri, ".venv").fsPath;
        found.push([inEnvironment(environment), `the environment of ${folder.name}`]);
        const interpreter = await selectedInterpreter(folder.uri);
        if (interpreter !== undefined) found.push([beside(interpreter), `the interpreter selected for ${folder.name}`]);
      }
    }
  }
  const path = await onPath("palimpsest");
  if (path !== undefined) found.push([path, "PATH"]);
  found.push([inEnvironment(ownEnvironment(context)), OWN]); // the installer puts the program there last
  const runnable = await Promise.all(found.map(([program]) => isProgram(program)));
  return found.filter((_, at) => runnable[at]);
}

/** Whether the person, not a workspace, wants a workspace's own server, and trusts this one. */
export function mayUseWorkspace(): boolean {
  const set = vscode.workspace.getConfiguration("palimpsest.server").inspect("useWorkspaceEnvironment")?.globalValue;
  return set === true && vscode.workspace.isTrusted;
}

export const OWN = "the extension's own environment";

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
