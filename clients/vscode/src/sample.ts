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
  if (await continueSample(context)) return;
  const forceNewWindow = vscode.workspace.workspaceFolders !== undefined;
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(made.folder), { forceNewWindow });
}

/** In the window that was opened for it, once. */
export async function continueSample(context: vscode.ExtensionContext): Promise<boolean> {
  const made = context.globalState.get<Sample>(OPENED);
  if (!vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === made?.folder) || made === undefined) return false;
  await context.globalState.update(OPENED, undefined);
  const at = new vscode.Position(made.position.line, made.position.character);
  await vscode.window.showTextDocument(vscode.Uri.file(made.file), { selection: new vscode.Range(at, at) });
  void vscode.window.showInformationMessage(whatToType(made.type));
  return true;
}
