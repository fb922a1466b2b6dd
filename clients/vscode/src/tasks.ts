// Commands that ask the server something and show what it says, or ask a person.
import * as vscode from "vscode";
import { LSPErrorCodes } from "vscode-languageclient";
import { message } from "./install";
import { plainly } from "./pure";
import type { Server } from "./server";

type Row = vscode.QuickPickItem;
const separator = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
const say = (text: string): vscode.Disposable => vscode.window.setStatusBarMessage(`Palimpsest: ${text}`, 5_000);
const tell = (text: string): void => void vscode.window.showInformationMessage(plainly(`Palimpsest: ${text}`));

export async function showLog(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const paths = server.isRunning ? await server.command<{ path: string; engine?: string }>("palimpsest.log").catch(() => undefined) : undefined;
  if (paths === undefined) return log.show();
  const files = [
    { label: "$(file) The server's log", description: paths.path, path: paths.path },
    ...(paths.engine ? [{ label: "$(file) The engine's log", description: paths.engine, path: paths.engine }] : []),
    { label: "$(output) This extension's output", description: "starts, messages", path: "" },
  ];
  const chosen = await vscode.window.showQuickPick(files, { title: "Show the Log" });
  if (chosen?.path === "") log.show();
  else if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(chosen.path), { preview: true });
}

/** With the setting that switches each for good. */
const FEATURES = [
  { feature: "completion", name: "Completions", setting: "completion.enabled" },
  { feature: "nextEdit", name: "Next edits", setting: "next_edit.enabled" },
  { feature: "suggestion", name: "Edits", setting: "suggestion.enabled" },
];

export async function toggle(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const settings = vscode.workspace.getConfiguration("palimpsest");
  const here = document ? [["language", ` in ${document.languageId}`], ["folder", " in this folder"], ["buffer", " in this file"]] : [];
  const untilClosed = FEATURES.flatMap(({ feature, name }) =>
    [["everywhere", ""], ...here].map(([scope, where]) => ({ label: `${name}${where}`, ask: { feature, scope, uri: document?.uri.toString() ?? "" } })),
  );
  const forGood = FEATURES.map(({ name, setting }) => ({ label: name, description: settings.get(setting) === false ? "off" : "on", setting }));
  const choices: (Row & { ask?: object; setting?: string })[] = [separator("until the window is closed"), ...untilClosed, separator("settings"), ...forGood];
  const chosen = await vscode.window.showQuickPick(choices, { title: "Switch On or Off", placeHolder: "What is switched" });
  if (chosen === undefined) return;
  let on = chosen.description === "off";
  if (chosen.setting) await settings.update(chosen.setting, on, vscode.ConfigurationTarget.Global);
  else on = (await server.command<{ enabled: boolean }>("palimpsest.toggle", chosen.ask)).enabled;
  say(`${chosen.label} ${on ? "on" : "off"}`);
}

/** `minutes`: a person's own key may say them. */
export async function snooze(server: Server, minutes?: number): Promise<void> {
  const choices = [...[5, 15, 60].map((n) => ({ label: `For ${n} minutes`, minutes: n })), { label: "Show them again now", minutes: 0 }];
  const chosen = minutes ?? (await vscode.window.showQuickPick(choices, { title: "Snooze Completions", placeHolder: "None is shown unasked" }))?.minutes;
  if (chosen !== undefined) await server.command("palimpsest.completion.snooze", { minutes: chosen });
}

interface Git {
  getAPI(version: 1): { repositories: { rootUri: vscode.Uri; inputBox: { value: string } }[] };
}

/** For what is staged; where nothing is, for what is changed.  Goes into the box of the source control view. */
export async function commitMessage(server: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const where = uri?.scheme === "file" ? { uri: uri.toString() } : {};
  const write = (staged: boolean): Thenable<{ text: string }> => server.slow("writing a commit message", "palimpsest.summarize", { ...where, staged });
  const { text } = await write(true).then(undefined, (error: unknown) => {
    if (isCancelled(error)) throw error;
    return write(false);
  });
  const git = vscode.extensions.getExtension<Git>("vscode.git");
  const repositories = git?.isActive ? git.exports.getAPI(1).repositories : [];
  const mine = repositories.find(({ rootUri }) => uri?.fsPath.startsWith(rootUri.fsPath)) ?? repositories[0];
  if (mine !== undefined) {
    mine.inputBox.value = text;
    return vscode.commands.executeCommand("workbench.view.scm");
  }
  await vscode.env.clipboard.writeText(text);
  tell(`the message is in the clipboard: ${text.split("\n")[0] ?? ""}`);
}

export async function pin(server: Server, uri: vscode.Uri | undefined, how: "pin" | "unpin"): Promise<void> {
  const file = uri ?? vscode.window.activeTextEditor?.document.uri;
  if (file === undefined) throw new Error("open a file first.");
  const { name, tokens } = await server.command<{ name: string; tokens: number }>(`palimpsest.context.${how}`, { uri: file.toString() });
  say(how === "pin" ? `${name} is pinned (${tokens} tokens)` : `${name} is not pinned any more`);
}

interface Model {
  name: string;
  title: string;
  purpose: string;
  size_gb: number;
  memory_gib: number;
  licence: string;
  here: boolean;
  fits: boolean;
}

/** Those that are here or can be fetched, with what each takes of this machine's memory. */
export async function chooseModel(server: Server): Promise<void> {
  const { models, used, recommended } = await server.command<{ models: Model[]; used: string; recommended: string }>("palimpsest.model.list");
  const rowOf = (model: Model): Row & { model: Model } => {
    const { name, title, purpose, size_gb, memory_gib, licence, here, fits } = model;
    const is = [name === used && "in use", name === "default" && "the default", name === recommended && "recommended here"];
    const marks = [...is, !fits && "too large for this machine"];
    const facts = [purpose, `${size_gb.toLocaleString("en")} GB`, `${memory_gib.toLocaleString("en")} GiB of memory`, licence];
    const icon = name === used ? "check" : here ? "chip" : "cloud-download";
    return { label: `$(${icon}) ${title}`, description: marks.filter(Boolean).join(" · "), detail: facts.filter(Boolean).join(" · "), model };
  };
  const rows = (here: boolean): (Row & { model?: Model })[] => models.filter((model) => model.here === here).map(rowOf);
  const best = models.find(({ name }) => name === recommended)?.title;
  const chosen = await vscode.window.showQuickPick([separator("on this machine"), ...rows(true), separator("to be fetched"), ...rows(false)], {
    title: "Choose a Model",
    placeHolder: best ? `Recommended for this machine: ${best}` : "Which model",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const model = (chosen as { model?: Model } | undefined)?.model;
  if (model === undefined || model.name === used) return;
  const [doing, command] = model.here ? ["starting", "use"] : ["getting", "get"];
  const done = await server.slow<{ summary?: string }>(`${doing} ${model.title}`, `palimpsest.model.${command}`, { name: model.name });
  tell(done.summary ?? `${model.title} is used from now on.`);
}

const DOES: Record<string, string> = { write: "write new files", add: "add to a file", overwrite: "replace what is in a file" };

/** What a person has allowed or refused the model for good: those that are chosen are asked again. */
export async function askAgain(server: Server): Promise<void> {
  const { permissions } = await server.command<{ permissions: { folder: string; what: string; allowed: boolean }[] }>("palimpsest.permissions.list");
  if (permissions.length === 0) return tell("nothing is allowed or refused for good; the model asks each time.");
  const rows = permissions.map(({ folder, what, allowed }) => ({
    label: `$(${allowed ? "check" : "circle-slash"}) ${allowed ? "may" : "may not"} ${DOES[what] ?? what}`,
    description: folder,
    about: { folder, what },
  }));
  const options = { title: "Have the Model Ask Again", placeHolder: "Which answers are forgotten", canPickMany: true as const };
  for (const { about } of (await vscode.window.showQuickPick(rows, options)) ?? []) await server.command("palimpsest.permissions.forget", about);
}

/** What a person would otherwise see as a stack of words. */
export function sentence(error: unknown): string {
  const text = message(error).trim();
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** By a person, who need not be told. */
export function isCancelled(error: unknown): boolean {
  const { code, message: text } = error as { code?: unknown; message?: string };
  return error instanceof vscode.CancellationError || code === LSPErrorCodes.RequestCancelled || (text ?? "").startsWith("Canceled");
}
