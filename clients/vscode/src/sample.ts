// The sample workspace: a fresh copy of it, opened; in its window, the cursor is put where there is something to type.
import * as vscode from "vscode";
import { whatToType } from "./pure";
import type { Server } from "./server";

const OPENED = "sample.opened";

interface Sample {
  folder: string;
  file: string;
  position: { line: number; character: number };
  type?: string;
}

export async function openSample(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const made = await server.command<Sample>("palimpsest.sample");
  await context.globalState.update(OPENED, made);
  if (isOpen(made)) return goThere(made);
  const forceNewWindow = (vscode.workspace.workspaceFolders ?? []).length > 0;
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(made.folder), { forceNewWindow });
}

/** In the window that was opened for it, once. */
export async function continueSample(context: vscode.ExtensionContext): Promise<void> {
  const made = context.globalState.get<Sample>(OPENED);
  if (made === undefined || !isOpen(made)) return;
  await context.globalState.update(OPENED, undefined);
  await goThere(made);
}

function isOpen({ folder }: Sample): boolean {
  return vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === folder) ?? false;
}

async function goThere({ file, position, type }: Sample): Promise<void> {
  const at = new vscode.Position(position.line, position.character);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
  void vscode.window.showInformationMessage(whatToType(type));
}
