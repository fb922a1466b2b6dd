// The commands: those that clients share (`palimpsest.client.*`) and those of this client's own buttons (`palimpsest.ui.*`).
import * as vscode from "vscode";
import type { BlockRow } from "./contextView";
import type { Parts } from "./extension";
import { install } from "./install";
import { type Page, showGraph } from "./pages";
import { message, plainly } from "./pure";
import { enterKey } from "./settings";
import { showStatus } from "./status";
import { askAgain, chooseModel, commitMessage, isCancelled, openSample, pin, showLog, snooze, toggle } from "./tasks";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what VS Code hands a command depends on where it was chosen
type Handler = (argument?: any) => unknown;
/** By their names without `palimpsest.`. */
export type Commands = Record<string, Handler>;
const run = vscode.commands.executeCommand;

export function registerCommands(context: vscode.ExtensionContext, parts: Parts): vscode.Disposable[] {
  const all = { ...commandsOf(context, parts), ...parts.edits.commands, ...parts.conversations.commands, ...parts.items };
  return Object.entries(all).map(([id, handler]) =>
    vscode.commands.registerCommand(`palimpsest.${id}`, async (argument?: unknown) => {
      try {
        return await handler(argument);
      } catch (error) {
        if (isCancelled(error)) return undefined;
        parts.log.warn(`${id}: ${message(error)}`);
        void vscode.window.showWarningMessage(plainly(`Palimpsest: ${message(error)}`));
        return undefined;
      }
    }),
  );
}

function commandsOf(context: vscode.ExtensionContext, parts: Parts): Commands {
  const { log, state, server, completions, nextEdits, pages, refreshContext } = parts;
  const change = (what: "pin" | "unpin", uri?: vscode.Uri): Promise<void> => pin(server, uri, what).then(refreshContext);
  const uriOf = ({ block }: BlockRow): vscode.Uri => vscode.Uri.parse(block.uri ?? "", true);
  return {
    "client.complete": () => run("editor.action.inlineSuggest.trigger"),
    "client.show": () => completions.ask("revealing"),
    "client.jump": () => completions.jump(),
    "client.snooze": (minutes?: number) => snooze(server, minutes).then((begins) => begins && nextEdits.clear()),
    "client.nextEdit": (by?: "tab") => nextEdits.next(by),
    "client.nextEdit.dismiss": () => nextEdits.dismiss(),
    "client.context": () => run("palimpsestContext.focus"),
    "client.context.why": () => server.command<Page>("palimpsest.page", { name: "why" }).then((page) => pages.show("Palimpsest: why", page)),
    "client.context.pin": (uri?: vscode.Uri) => change("pin", uri),
    "client.context.unpin": (uri?: vscode.Uri) => change("unpin", uri),
    "client.cache": () => pages.showCache(),
    "client.cache.reset": () => server.command("palimpsest.cache.reset"),
    "client.toggle": () => toggle(server).then(() => nextEdits.clear()), // what is off is not shown; the next change asks anew
    "client.commitMessage": () => commitMessage(server),
    "client.conversation.permissions": () => askAgain(server),
    "client.conversation.graph": () => showGraph(server),
    "client.model": () => chooseModel(server),
    "client.key": () => enterKey(context),
    "client.statistics": () => server.command<Page>("palimpsest.stats").then(({ text }) => pages.show("Palimpsest: statistics", { text })),
    "client.doctor": () =>
      server.slow<Page>("checking the installation", "palimpsest.doctor").then(({ text }) => pages.show("Palimpsest: installation", { text })),
    "client.log": () => showLog(server, log),
    "client.status": () => showStatus(state),
    "client.restartEngine": () => server.command("palimpsest.restartEngine"),
    "client.restartServer": () => server.restart(),
    "client.install": () => install(context, parts),
    "client.sample": () => openSample(context, server),
    "client.walkthrough": () => run("workbench.action.openWalkthrough", `${context.extension.id}#start`, false),
    "ui.acceptWord": () => completions.accept(server, "word"),
    "ui.acceptLine": () => completions.accept(server, "line"),
    "ui.refreshContext": refreshContext,
    "ui.pinBlock": (row: BlockRow) => change("pin", uriOf(row)),
    "ui.unpinBlock": (row: BlockRow) => change("unpin", uriOf(row)),
    "ui.dropBlock": ({ block: { type, name } }: BlockRow) => server.command("palimpsest.context.drop", { type, name }).then(refreshContext),
    "ui.openBlock": ({ block: { uri, line, name, text } }: BlockRow) => {
      const at = new vscode.Position(line ?? 0, 0);
      if (!uri) return pages.show(name, { text });
      return vscode.window.showTextDocument(vscode.Uri.parse(uri, true), { selection: new vscode.Range(at, at), preview: true });
    },
  };
}
