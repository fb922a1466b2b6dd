// Installs the server into an environment of the extension's own, from the wheel it carries (`install.py`).
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { onPath } from "./commandline";
import { message, OWN, ownEnvironment } from "./find";
import { interpreters, type Step, stepOf } from "./installer";
import { plainly } from "./pure";
import type { Server } from "./server";
import type { State } from "./state";

interface Parts {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  state: State;
  server: Server;
}

/** There is no server: say so, and offer what to do. */
export async function installUnasked(): Promise<void> {
  const [install, setting] = ["Install", "I Have It Elsewhere…"];
  const chosen = await vscode.window.showInformationMessage(
    "Palimpsest needs its server, which runs on this machine only. It can be installed into a folder of its own.",
    install,
    setting,
  );
  if (chosen === install) await vscode.commands.executeCommand("palimpsest.client.install");
  if (chosen === setting) await vscode.commands.executeCommand("workbench.action.openSettings", "palimpsest.server.command");
}

let going = false;

export async function install(parts: Parts): Promise<void> {
  if (going) return void vscode.window.showInformationMessage("Palimpsest: the server is being installed already.");
  going = true;
  try {
    await parts.server.stop();
    parts.state.now("installing");
    const options = { location: vscode.ProgressLocation.Notification, title: "Palimpsest", cancellable: true };
    const done = await vscode.window.withProgress(options, (progress, token) => run(parts, progress, token));
    await parts.server.restart();
    void vscode.window.showInformationMessage(plainly(`Palimpsest: ${done.message ?? "the server is installed."}`));
  } catch (error) {
    if (!parts.server.isRunning) await parts.server.restart();
    if (!(error instanceof vscode.CancellationError)) void failed(parts, message(error)); // not awaited: it may begin again
  } finally {
    going = false;
  }
}

async function failed({ log }: Parts, why: string): Promise<void> {
  log.error(why);
  const [again, show] = ["Try Again", "Show the Log"];
  const chosen = await vscode.window.showErrorMessage(plainly(`Palimpsest could not be installed: ${why}`), again, show);
  if (chosen === again) await vscode.commands.executeCommand("palimpsest.client.install");
  if (chosen === show) log.show();
}

type Report = vscode.Progress<{ message?: string; increment?: number }>;

async function run({ context, log }: Parts, progress: Report, token: vscode.CancellationToken): Promise<Step> {
  const script = vscode.Uri.joinPath(context.extensionUri, "server", "install.py").fsPath;
  const into = ownEnvironment(context);
  await fs.mkdir(context.globalStorageUri.fsPath, { recursive: true });
  const python = await interpreter();
  const args = ["-I", script, "--into", into, "--source", await wheel(context)];
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, { cwd: os.homedir(), windowsHide: true });
    token.onCancellationRequested(() => child.kill());
    let rest = "";
    let last: Step = {};
    let done = 0;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const said = stepOf(line);
        if (said === undefined) continue;
        last = said;
        log.info(said.message ?? said.error ?? line);
        const increment = Math.max(0, 100 * (said.fraction ?? 0) - done);
        done += increment;
        progress.report({ message: said.message, increment });
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => log.debug(text.trimEnd()));
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
  const digest = carried && createHash("sha256").update(carried).digest("hex");
  if (digest === undefined || (JSON.parse(note) as { wheel?: string }).wheel === digest) return;
  const update = "Update";
  const chosen = await vscode.window.showInformationMessage("Palimpsest: this version of the extension carries a newer server.", update, "Later");
  if (chosen === update) await vscode.commands.executeCommand("palimpsest.client.install");
}

async function interpreter(): Promise<string> {
  for (const name of interpreters(process.platform)) {
    const found = await onPath(name);
    if (found !== undefined) return found;
  }
  throw new Error("there is no Python on PATH. Install Python 3.11 or newer, then try again; or the server itself, with `uv tool install palimpsest-lsp`.");
}
