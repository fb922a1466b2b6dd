// Puts the parts together.
import * as vscode from "vscode";
import { Completions } from "./completion";
import { registerCommands } from "./commands";
import { installUnasked } from "./install";
import { Notices } from "./notices";
import { Server } from "./server";
import { forServer } from "./settings";
import { State } from "./state";
import { StatusBar } from "./status";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Palimpsest", { log: true });
  const state = new State();
  const completions = new Completions();
  const middleware = {
    provideInlineCompletionItems: completions.provide,
    workspace: {
      configuration: (params: { items: unknown[] }) => params.items.map(() => forServer(context, state.meanwhile)),
    },
  };
  const made = new Server(context, state, log, middleware, () => void installUnasked());
  server = made;
  context.subscriptions.push(
    log,
    state,
    made,
    new StatusBar(state),
    new Notices(made),
    ...registerCommands({ context, log, state, server: made, completions }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("palimpsest.server")) void made.restart();
      else if (event.affectsConfiguration("palimpsest")) made.configurationChanged();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void made.restart()),
  );
  void made.restart();
}

export function deactivate(): Thenable<void> | undefined {
  return server?.stop();
}
