// What a person has allowed or refused the model for good: shown, and forgotten.
import * as vscode from "vscode";
import type { Server } from "./server";

interface Permission {
  folder: string;
  what: string;
  allowed: boolean;
}

const DOES: Record<string, string> = { write: "write new files", add: "add to a file", overwrite: "replace what is in a file" };

/** Those that are chosen are asked again. */
export async function askAgain(server: Server): Promise<void> {
  const { permissions } = await server.command<{ permissions: Permission[] }>("palimpsest.permissions.list");
  if (permissions.length === 0) {
    void vscode.window.showInformationMessage("Palimpsest: nothing is allowed or refused for good; the model asks each time.");
    return;
  }
  const rows = permissions.map((it) => ({
    label: `$(${it.allowed ? "check" : "circle-slash"}) ${it.allowed ? "may" : "may not"} ${DOES[it.what] ?? it.what}`,
    description: it.folder,
    it,
  }));
  const options = { title: "Have the Model Ask Again", placeHolder: "Which answers are forgotten", canPickMany: true as const };
  for (const { it } of (await vscode.window.showQuickPick(rows, options)) ?? []) {
    await server.command("palimpsest.permissions.forget", { folder: it.folder, what: it.what });
  }
}
