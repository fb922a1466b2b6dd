// The interpreter that a person has selected for a folder in Microsoft's Python extension, where that is installed.
import * as vscode from "vscode";

/** What is used of its interface. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** It looks for interpreters when it starts; nobody waits longer for its answer. */
const PATIENCE_MS = 5_000;

const selection = new vscode.EventEmitter<void>();
/** Another interpreter was selected than was asked for. */
export const onSelected = selection.event;
let listening: vscode.Disposable | undefined;

export async function selectedInterpreter(folder: vscode.Uri): Promise<string | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS));
  return Promise.race([asked(folder).catch(() => undefined), late]);
}

async function asked(folder: vscode.Uri): Promise<string | undefined> {
  const python = await vscode.extensions.getExtension<PythonExtension>("ms-python.python")?.activate();
  if (python === undefined) return undefined;
  const { environments } = python;
  listening ??= environments.onDidChangeActiveEnvironmentPath(() => selection.fire());
  const found = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return found?.executable.uri?.fsPath;
}
