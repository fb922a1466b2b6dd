// Puts the parts together.
import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Completions, type CompletionTold } from "./completion";
import { contextView } from "./contextView";
import { conversationView, itemCommands } from "./conversationItems";
import { conversationsIn, FORK, SEND, toTop } from "./conversations";
import { APPLY, editsIn } from "./edits";
import { offerUpdate, sayOthers } from "./install";
import { nextEditsIn } from "./nextEdit";
import { tellUnasked } from "./notices";
import { showsPages } from "./pages";
import { Server } from "./server";
import { forServer } from "./settings";
import { setContext, State, statusBar } from "./status";
import { continueSample } from "./tasks";

export type Parts = ReturnType<typeof partsOf>;
let server: Server | undefined;

function partsOf(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel("Palimpsest", { log: true });
  const state = new State();
  const completions = new Completions(context, state);
  const server = new Server(context, state, log, {
    provideInlineCompletionItems: completions.provide,
    executeCommand: (command, args, next) => {
      if (command === "palimpsest.completion.accepted") {
        void setContext("completed", true);
        completions.note();
      }
      if (command === SEND) toTop(String((args[0] as { uri?: string } | undefined)?.uri));
      if (command === FORK) return conversations.fork(args[0] as { conversation: string });
      if (command === APPLY) return edits.ask(args[0] as object);
      return next(command, args) as unknown;
    },
    workspace: { configuration: (params) => params.items.map(() => forServer(context) as object) },
  });
  const conversations = conversationsIn(context, server);
  const edits = editsIn(context, server);
  return {
    log, state, server, completions, conversations, edits,
    nextEdits: nextEditsIn(context, server, completions),
    pages: showsPages(context, server, state),
    items: itemCommands(context, server, conversations),
    refreshContext: contextView(context, server, tellUnasked(context, server), state.changed),
  };
}

export function activate(context: vscode.ExtensionContext): void {
  const parts = partsOf(context);
  const { state, completions, conversations } = parts;
  const made = (server = parts.server);
  made.on("palimpsest/completion", (told: CompletionTold) => void completions.again(told));
  conversationView(context, made, conversations, state.changed);
  statusBar(context, state);
  context.subscriptions.push(
    parts.log,
    ...registerCommands(context, parts),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("palimpsest.server")) void made.restart();
      else if (event.affectsConfiguration("palimpsest")) made.notify("workspace/didChangeConfiguration", { settings: null });
    }),
    context.secrets.onDidChange(() => void made.restart()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void made.restart()),
  );
  void made.restart().then(() => offerUpdate(context, state.origin));
  void sayOthers(context);
  void continueSample(context);
}

export function deactivate(): Thenable<void> | undefined {
  return server?.stop();
}
