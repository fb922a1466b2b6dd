// Commands that ask the server something and show what it says.
import * as vscode from "vscode";
import { message } from "./find";
import type { Pages } from "./pages";
import { plainly } from "./pure";
import type { Server } from "./server";

const slow = <T>(title: string, work: (token: vscode.CancellationToken, told: (text: string) => void) => Promise<T>): Thenable<T> =>
  vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Palimpsest: ${title}`, cancellable: true },
    (progress, token) => work(token, (text) => progress.report({ message: plainly(text) })),
  );

export async function doctor(server: Server, pages: Pages): Promise<void> {
  const found = await slow("checking the installation", (token) => server.command<{ text: string }>("palimpsest.doctor", {}, token));
  await pages.show("Palimpsest: installation", found.text);
}

export async function statistics(server: Server, pages: Pages): Promise<void> {
  await pages.show("Palimpsest: statistics", (await server.command<{ text: string }>("palimpsest.stats")).text);
}

export async function showLog(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const paths = server.isRunning ? await server.command<{ path: string; engine?: string }>("palimpsest.log").catch(() => undefined) : undefined;
  if (paths === undefined) return log.show();
  const files = [
    { label: "$(file) The server's log", description: paths.path, path: paths.path },
    ...(paths.engine ? [{ label: "$(file) The engine's log", description: paths.engine, path: paths.engine }] : []),
  ];
  const own = { label: "$(output) This extension's output", description: "starts, messages", path: "" };
  const chosen = await vscode.window.showQuickPick([...files, own], { title: "Show the Log" });
  if (chosen?.path === "") log.show();
  else if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(chosen.path), { preview: true });
}

type Switch = vscode.QuickPickItem & { run: () => Promise<boolean>; what: string };

const FEATURES = [
  ["completion", "Completions", "until the window is closed"],
  ["nextEdit", "Next edits", ""],
  ["suggestion", "Edits", ""],
] as const;

export async function toggle(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const uri = document?.uri.toString() ?? "";
  const places = [
    ["everywhere", ""],
    ...(document ? [["language", ` in ${document.languageId}`], ["folder", " in this folder"], ["buffer", " in this file"]] : []),
  ];
  const switched = ([feature, name]: readonly [string, string]): Switch[] =>
    places.map(([scope, where]) => ({
      label: `${name}${where}`,
      what: `${name}${where}`,
      run: async () => (await server.command<{ enabled: boolean }>("palimpsest.toggle", { feature, scope, uri })).enabled,
    }));
  const line = (label: string): vscode.QuickPickItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const choices: (vscode.QuickPickItem & Partial<Switch>)[] = [
    ...FEATURES.flatMap((feature) => [line(feature[2]), ...switched([feature[0], feature[1]])]),
    line("settings"),
    setting("Completions", "completion.enabled"),
    setting("Edits", "suggestion.enabled"),
    setting("Next edits", "next_edit.enabled"),
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: "Switch On or Off", placeHolder: "What is switched" });
  if (chosen?.run === undefined) return;
  const on = await chosen.run();
  vscode.window.setStatusBarMessage(`Palimpsest: ${chosen.what ?? ""} ${on ? "on" : "off"}`, 5_000);
}

/** `minutes`: a person's own key may say them. */
export async function snooze(server: Server, minutes?: number): Promise<void> {
  const choices = [
    ...[5, 15, 60].map((n) => ({ label: `For ${n} minutes`, minutes: n })),
    { label: "Show them again now", minutes: 0 },
  ];
  const chosen = minutes ?? (await vscode.window.showQuickPick(choices, { title: "Snooze Completions", placeHolder: "None is shown unasked" }))?.minutes;
  if (chosen !== undefined) await server.command("palimpsest.completion.snooze", { minutes: chosen });
}

function setting(label: string, name: string): Switch {
  const settings = vscode.workspace.getConfiguration("palimpsest");
  const now = settings.get<boolean>(name) ?? true;
  return {
    label,
    description: now ? "on" : "off",
    what: label,
    run: async () => {
      await settings.update(name, !now, vscode.ConfigurationTarget.Global);
      return !now;
    },
  };
}

interface Git {
  getAPI(version: 1): { repositories: { rootUri: vscode.Uri; inputBox: { value: string } }[] };
}

/** For what is staged; where nothing is, for what is changed.  Goes into the box of the source control view. */
export async function commitMessage(server: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const argument = uri?.scheme === "file" ? { uri: uri.toString() } : {};
  const found = await slow("writing a commit message", async (token, told) => {
    const ask = (staged: boolean): Promise<{ text: string }> => server.command("palimpsest.summarize", { ...argument, staged }, token, told);
    return ask(true).catch((error: unknown) => {
      if (token.isCancellationRequested) throw error;
      return ask(false);
    });
  });
  const git = vscode.extensions.getExtension<Git>("vscode.git");
  const repositories = git?.isActive ? git.exports.getAPI(1).repositories : [];
  const mine = repositories.find(({ rootUri }) => uri?.fsPath.startsWith(rootUri.fsPath)) ?? repositories[0];
  if (mine !== undefined) {
    mine.inputBox.value = found.text;
    await vscode.commands.executeCommand("workbench.view.scm");
    return;
  }
  await vscode.env.clipboard.writeText(found.text);
  void vscode.window.showInformationMessage(plainly(`Palimpsest: the message is in the clipboard: ${found.text.split("\n")[0] ?? ""}`));
}

export async function pin(server: Server, uri: vscode.Uri | undefined, how: "pin" | "unpin"): Promise<void> {
  const file = uri ?? vscode.window.activeTextEditor?.document.uri;
  if (file === undefined) throw new Error("open a file first.");
  const { name, tokens } = await server.command<{ name: string; tokens: number }>(`palimpsest.context.${how}`, { uri: file.toString() });
  const text = how === "pin" ? `${name} is pinned (${tokens} tokens)` : `${name} is not pinned any more`;
  vscode.window.setStatusBarMessage(`Palimpsest: ${text}`, 5_000);
}

/** What a person would otherwise see as a stack of words. */
export function sentence(error: unknown): string {
  const text = message(error).trim();
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
