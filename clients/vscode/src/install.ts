// The server on this machine: found (by the setting, in the workspace's environment and its selected interpreter's if that is allowed, on PATH, in the
// environment of our own), and installed into the latter from the wheel that the extension carries (`install.py`).
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { beside, commandOf, environment, inEnvironment, installed, type Step, stepOf, versionOf } from "./commandline";
import type { Parts } from "./extension";
import { message, plainly } from "./pure";
import { selectedInterpreter } from "./pythonExtension";

function ownEnvironment(context: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
}

/** With where it was found, in words; undefined where there is none.  Throws where the setting names something that does not run. */
export async function findServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
  const settings = vscode.workspace.getConfiguration("palimpsest.server");
  const wanted = commandOf(settings.inspect("command")?.globalValue); // never a workspace's: it would choose what is run
  if (wanted !== undefined) {
    const origin = "the setting palimpsest.server.command";
    const failed = (error: unknown): never => {
      throw new Error(`${message(error)} (${origin})`);
    };
    return { command: wanted, origin, version: await versionOf(wanted, forPrograms()).catch(failed) };
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => mayUseWorkspace() && uri.scheme === "file");
  const restart = (): void => {
    if (mayUseWorkspace()) void command("restartServer")();
  };
  const ofFolders = folders.map(async ({ uri, name }) => {
    const selected = await selectedInterpreter(uri, restart);
    const found: [string, string][] = [[`the environment of ${name}`, inEnvironment(vscode.Uri.joinPath(uri, ".venv").fsPath)]];
    return selected ? [...found, [`the interpreter selected for ${name}`, beside(selected)] as [string, string]] : found;
  });
  const places: [string, string][] = [
    ...(await Promise.all(ofFolders)).flat(),
    ["PATH", "palimpsest"],
    ...installed(workspaces()).map((program): [string, string] => ["pipx or uv", program]),
    [OWN, inEnvironment(ownEnvironment(context))], // the installer puts the program there last
  ];
  for (const [origin, program] of places) {
    const command = [program, "serve"];
    const version = await versionOf(command, forPrograms()).catch((error: unknown) => log.info(`${origin}: ${message(error)}`));
    if (version) return { command, origin, version };
  }
  return undefined;
}

/** The environment of programs that are started here. */
export function forPrograms(): NodeJS.ProcessEnv {
  return environment(workspaces());
}

function workspaces(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

/** Whether the person, not a workspace, wants a workspace's own server, and trusts this one. */
function mayUseWorkspace(): boolean {
  const set = vscode.workspace.getConfiguration("palimpsest.server").inspect("useWorkspaceEnvironment")?.globalValue;
  return set === true && vscode.workspace.isTrusted;
}

const OWN = "the extension's own environment";

const command = (name: string) => () => vscode.commands.executeCommand(`palimpsest.client.${name}`);
const openSettings = (query: string) => () => vscode.commands.executeCommand("workbench.action.openSettings", query);

/** A message with buttons, and what each does. */
async function offer(show: "showInformationMessage" | "showErrorMessage", text: string, buttons: Record<string, () => unknown>): Promise<void> {
  const chosen = await vscode.window[show](plainly(text), ...Object.keys(buttons));
  if (chosen !== undefined) await buttons[chosen]?.();
}

/** There is no server: say so, and offer what to do. */
export function installUnasked(): Promise<void> {
  const text = "Palimpsest needs its server, which runs on this machine only. It can be installed into a folder of its own.";
  return offer("showInformationMessage", text, { Install: command("install"), "I Have It Elsewhere…": openSettings("palimpsest.server.command") });
}

export async function install(context: vscode.ExtensionContext, { log, server, state }: Parts): Promise<void> {
  if (state.phase === "installing") return void vscode.window.showInformationMessage("Palimpsest: the server is being installed already.");
  try {
    await server.stop();
    state.now("installing");
    const options = { location: vscode.ProgressLocation.Notification, title: "Palimpsest", cancellable: true };
    const done = await vscode.window.withProgress(options, (progress, token) => run(context, log, progress, token));
    await server.restart();
    void vscode.window.showInformationMessage(plainly(`Palimpsest: ${done.message ?? "the server is installed."}`));
  } catch (error) {
    if (!server.isRunning) await server.restart();
    if (error instanceof vscode.CancellationError) return;
    log.error(message(error));
    const buttons = { "Try Again": command("install"), "Show the Log": () => log.show() };
    void offer("showErrorMessage", `Palimpsest could not be installed: ${message(error)}`, buttons); // not awaited: it may begin again
  }
}

type Report = vscode.Progress<{ message?: string; increment?: number }>;

/** Those that are new enough for sure first; the installer says so where it is too old. */
const PYTHONS = process.platform === "win32" ? ["python", "py", "python3"] : ["python3.13", "python3.12", "python3.11", "python3.14", "python3", "python"];

async function python(): Promise<string> {
  for (const name of PYTHONS) if (await versionOf([name], forPrograms()).catch(() => "")) return name;
  throw new Error("there is no Python on PATH. Install Python 3.11 or newer, then try again; or the server itself, with `uv tool install palimpsest-lsp`.");
}

async function run(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, progress: Report, token: vscode.CancellationToken): Promise<Step> {
  const script = vscode.Uri.joinPath(context.extensionUri, "server", "install.py").fsPath;
  await fs.mkdir(context.globalStorageUri.fsPath, { recursive: true });
  const args = ["-I", script, "--into", ownEnvironment(context), "--source", await wheel(context)];
  const interpreter = await python();
  return new Promise((resolve, reject) => {
    const child = spawn(interpreter, args, { cwd: os.homedir(), env: forPrograms(), windowsHide: true });
    token.onCancellationRequested(() => child.kill());
    let last: Step = {};
    let done = 0;
    createInterface(child.stdout).on("line", (line) => {
      const said = stepOf(line);
      if (said === undefined) return;
      last = said;
      log.info(said.message ?? said.error ?? line);
      const increment = Math.max(0, 100 * (said.fraction ?? 0) - done);
      done += increment;
      progress.report({ message: said.message, increment });
    });
    createInterface(child.stderr).on("line", (line) => log.debug(line));
    child.on("error", reject);
    child.on("close", (status) => {
      if (token.isCancellationRequested) reject(new vscode.CancellationError());
      else if (last.done) resolve(last);
      else reject(new Error([last.error ?? `the installer ended with status ${status}`, last.hint].filter(Boolean).join(" ")));
    });
  });
}

/** The wheel of the server that the extension carries. */
async function wheel({ extensionUri }: vscode.ExtensionContext): Promise<string> {
  const folder = vscode.Uri.joinPath(extensionUri, "server").fsPath;
  const name = (await fs.readdir(folder).catch(() => [])).find((one) => one.endsWith(".whl"));
  if (name === undefined) throw new Error("this package of the extension carries no server. Set palimpsest.server.command.");
  return path.join(folder, name);
}

/** A newer extension carries another server than it installed before: say so, once a start. */
export async function offerUpdate(context: vscode.ExtensionContext, origin: string): Promise<void> {
  if (!origin.endsWith(OWN)) return;
  const note = await fs.readFile(path.join(ownEnvironment(context), "palimpsest-environment.json"), "utf8").catch(() => "{}");
  const carried = await wheel(context).then((file) => fs.readFile(file), () => undefined);
  if (carried === undefined || (JSON.parse(note) as { wheel?: string }).wheel === createHash("sha256").update(carried).digest("hex")) return;
  const text = "Palimpsest: this version of the extension carries a newer server.";
  await offer("showInformationMessage", text, { Update: command("install"), Later: () => undefined });
}

/** Other extensions with completions of their own, and how each is told to stop. */
const OTHERS: Record<string, string> = {
  "github.copilot": "the setting github.copilot.enable",
  "github.copilot-chat": "the setting github.copilot.enable",
  "ggml-org.llama-vscode": "the setting llama-vscode.enabled",
  "continue.continue": "the setting continue.enableTabAutocomplete",
  "codeium.codeium": "the setting codeium.enableConfig",
  "codeium.windsurfpyintellij": "its status bar item",
  "tabnine.tabnine-vscode": "its status bar item",
  "tabbyml.vscode-tabby": "the setting tabby.inlineCompletion.triggerMode",
  "supermaven.supermaven": "the command Supermaven: Toggle",
  "sourcegraph.cody-ai": "the setting cody.autocomplete.enabled",
  "amazonwebservices.amazon-q-vscode": "its status bar item",
  "google.geminicodeassist": "the setting geminicodeassist.inlineSuggestions.enableAuto",
  "danielsanmedium.dscodegpt": "the setting CodeGPT.Autocomplete.enabled",
  "visualstudioexptteam.vscodeintellicode-completions": "its status bar item",
  "milanglacier.minuet": "its own settings",
};
const SAID = "others.said";

/** Said once: both keep working, and what is shown is whichever answers. */
export async function sayOthers(context: vscode.ExtensionContext): Promise<void> {
  const said = context.globalState.get<string[]>(SAID, []);
  const found = Object.keys(OTHERS).flatMap((id) => (said.includes(id) ? [] : (vscode.extensions.getExtension(id) ?? [])));
  const [first] = found.map(({ id }) => id.toLowerCase());
  if (first === undefined) return;
  await context.globalState.update(SAID, [...said, ...found.map(({ id }) => id.toLowerCase())]);
  const names = found.map(({ id, packageJSON }) => (packageJSON as { displayName?: string }).displayName ?? id).join(", ");
  const text = `${names} completes here, too. Both work side by side, and the first answer is shown. To stop the other: ${OTHERS[first]}.`;
  const settings = vscode.workspace.getConfiguration("palimpsest");
  await offer("showInformationMessage", text, {
    "Show Its Settings": openSettings(`@ext:${first}`),
    "Only Ask Palimpsest by Hand": () => settings.update("completion.trigger", "manual", vscode.ConfigurationTarget.Global),
  });
}
