// Commands that ask the server something and show what it says, or ask a person.
import * as vscode from "vscode";
import { LSPErrorCodes } from "vscode-languageclient";
import { plainly } from "./pure";
import type { Server } from "./server";

type Row = vscode.QuickPickItem;
const separator = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
const say = (text: string): vscode.Disposable => vscode.window.setStatusBarMessage(`Palimpsest: ${text}`, 5_000);
const tell = (text: string): void => void vscode.window.showInformationMessage(plainly(`Palimpsest: ${text}`));

export async function showLog(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const paths = await server.command<{ path: string; engine: string }>("palimpsest.log").catch(() => undefined);
  if (paths === undefined) return log.show(); // no server runs
  const files = [
    { label: "$(file) The server's log", description: paths.path, path: paths.path },
    { label: "$(file) The engine's log", description: paths.engine, path: paths.engine },
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

/** `minutes`: a person's own key may say them.  Whether it begins. */
export async function snooze(server: Server, minutes?: number): Promise<boolean> {
  const choices = [...[5, 15, 60].map((n) => ({ label: `For ${n} minutes`, minutes: n })), { label: "Show them again now", minutes: 0 }];
  const chosen = minutes ?? (await vscode.window.showQuickPick(choices, { title: "Snooze Completions", placeHolder: "Neither completions nor next edits are shown unasked" }))?.minutes;
  if (chosen !== undefined) await server.command("palimpsest.completion.snooze", { minutes: chosen });
  return chosen !== undefined && chosen !== 0;
}

interface Git {
  getAPI(version: 1): { repositories: { rootUri: vscode.Uri; inputBox: { value: string } }[] };
}

/** For what is staged; where nothing is, for what is changed.  Goes into the box of the source control view. */
export async function commitMessage(server: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const where = uri?.scheme === "file" ? { uri: uri.toString() } : {};
  const asked = { ...where, staged_first: true };
  const { text } = await server.slow<{ text: string }>("writing a commit message", "palimpsest.summarize", asked);
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
  say((await server.command<{ says: string }>(`palimpsest.context.${how}`, { uri: file.toString() })).says);
}

interface Model {
  name: string;
  title: string;
  about: string;
  facts: string;
  here: boolean;
}

/** Those that are here or can be fetched, with what each takes of this machine's memory. */
export async function chooseModel(server: Server): Promise<void> {
  const { models, used, recommended } = await server.command<{ models: Model[]; used: string; recommended: string }>("palimpsest.model.list");
  const rows = (here: boolean): (Row & { model?: Model })[] =>
    models.filter((model) => model.here === here).map((model) => {
      const sign = model.name === used ? "check" : here ? "chip" : "cloud-download";
      return { label: `$(${sign}) ${model.title}`, description: model.about, detail: model.facts, model };
    });
  const best = models.find(({ name }) => name === recommended)?.title;
  const all = [separator("on this machine"), ...rows(true), separator("to be fetched"), ...rows(false)] as (Row & { model?: Model })[];
  const chosen = await vscode.window.showQuickPick(all, {
    title: "Choose a Model",
    placeHolder: best ? `Recommended for this machine: ${best}` : "Which model",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const model = chosen?.model;
  if (model === undefined || (model.here && model.name === used)) return;
  const [doing, command] = model.here ? ["starting", "use"] : ["getting", "get"];
  const done = await server.slow<{ summary?: string }>(`${doing} ${model.title}`, `palimpsest.model.${command}`, { name: model.name });
  tell(done.summary ?? `${model.title} is used from now on.`);
}

type Permission = Record<"folder" | "what" | "says", string> & { allowed: boolean };

/** What a person has allowed or refused the model for good: those that are chosen are asked again. */
export async function askAgain(server: Server): Promise<void> {
  const { permissions } = await server.command<{ permissions: Permission[] }>("palimpsest.permissions.list");
  if (permissions.length === 0) return tell("nothing is allowed or refused for good; the model asks each time.");
  const rows = permissions.map(({ allowed, says, folder, what }) => ({
    label: `$(${allowed ? "check" : "circle-slash"}) ${says}`,
    description: folder,
    about: { folder, what },
  }));
  const options = { title: "Have the Model Ask Again", placeHolder: "Which answers are forgotten", canPickMany: true as const };
  const chosen = await vscode.window.showQuickPick(rows, options);
  for (const { about } of chosen ?? []) await server.command("palimpsest.permissions.forget", about);
  if (chosen?.length) tell("the model asks again.");
}

/** What is put where the sample is opened in a window of its own, until that has begun. */
const OPENED = "sample.opened";

interface Sample {
  folder: string;
  file: string;
  position: { line: number; character: number };
  /** What to do there. */
  says: string;
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
  void vscode.window.showInformationMessage(made.says);
  return true;
}

/** By a person, who need not be told. */
export function isCancelled(error: unknown): boolean {
  const { code, message: text } = error as { code?: unknown; message?: string };
  return error instanceof vscode.CancellationError || code === LSPErrorCodes.RequestCancelled || (text ?? "").startsWith("Canceled");
}
