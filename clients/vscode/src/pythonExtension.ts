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

let listening: vscode.Disposable | undefined;

/** `changed`: another one is selected, in whatever folder. */
export async function selectedInterpreter(folder: vscode.Uri, changed: () => void): Promise<string | undefined> {
  const asked = async (): Promise<string | undefined> => {
    const environments = (await vscode.extensions.getExtension<PythonExtension>("ms-python.python")?.activate())?.environments;
    listening ??= environments?.onDidChangeActiveEnvironmentPath(changed);
    const found = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
    return found?.executable.uri?.fsPath;
  };
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS));
  return Promise.race([asked().catch(() => undefined), late]);
}
