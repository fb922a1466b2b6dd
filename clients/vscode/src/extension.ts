// Puts the parts together.
import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Completions } from "./completion";
import { ContextView } from "./contextView";
import { itemCommands } from "./conversationItems";
import { Conversations, FORK, SEND, toTop, type Fork } from "./conversations";
import { ConversationView } from "./conversationView";
import { actionsWithDiff, Edits } from "./edits";
import { installUnasked, mayUseWorkspace, offerUpdate, sayOthers } from "./install";
import { NextEdits } from "./nextEdit";
import { Notices } from "./notices";
import { Pages } from "./pages";
import { onSelected } from "./pythonExtension";
import { continueSample } from "./sample";
import { Server } from "./server";
import { forServer } from "./settings";
import { setContext, State, StatusBar } from "./status";

export type Parts = ReturnType<typeof partsOf>;
let server: Server | undefined;

function partsOf(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel("Palimpsest", { log: true });
  const state = new State();
  const completions = new Completions(context, state);
  const server = new Server(context, state, log, () => void installUnasked(), {
    ...actionsWithDiff,
    provideInlineCompletionItems: completions.provide,
    executeCommand: (command, args, next) => {
      if (command === "palimpsest.completion.accepted") {
        void setContext("completed", true);
        completions.note();
      }
      if (command === SEND) toTop(String((args[0] as { uri?: string } | undefined)?.uri));
      if (command === FORK) return conversations.fork(args[0] as Fork);
      return next(command, args) as unknown;
    },
    workspace: { configuration: (params) => params.items.map(() => forServer(context) as object) },
  });
  const conversations = new Conversations(context, server);
  return {
    log, state, server, completions, conversations,
    nextEdits: new NextEdits(context, server),
    edits: new Edits(context, server),
    contextView: new ContextView(context, server, state),
    conversationView: new ConversationView(context, server, conversations, state),
    pages: new Pages(context, server, state),
    items: itemCommands(context, server, conversations),
    statusBar: new StatusBar(context, state),
    notices: new Notices(context, server),
  };
}

export function activate(context: vscode.ExtensionContext): void {
  const parts = partsOf(context);
  const { state, completions } = parts;
  const made = (server = parts.server);
  context.subscriptions.push(
    parts.log,
    ...registerCommands(context, parts),
    made.onCompletion((told) => void completions.again(told)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("palimpsest.server")) void made.restart();
      else if (event.affectsConfiguration("palimpsest")) made.notify("workspace/didChangeConfiguration", { settings: null });
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void made.restart()),
    onSelected(() => {
      if (mayUseWorkspace()) void made.restart();
    }),
  );
  void made.restart().then(() => offerUpdate(context, state.origin));
  void sayOthers(context);
  void continueSample(context);
}

export function deactivate(): Thenable<void> | undefined {
  return server?.stop();
}
