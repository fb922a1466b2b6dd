// Puts the parts together.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import { CacheMap } from "./cacheMap";
import { actionsWithDiff } from "./codeActions";
import { Closers } from "./closers";
import { registerCommands } from "./commands";
import { Completions } from "./completion";
import { ContextView } from "./contextView";
import { ConversationItems } from "./conversationItems";
import { Conversations, FORK, SEND, toTop, type Fork } from "./conversations";
import { ConversationView } from "./conversationView";
import { Diagnostics } from "./diagnostics";
import { Edits } from "./edits";
import { mayUseWorkspace } from "./find";
import { installUnasked, offerUpdate } from "./install";
import { NextEdits } from "./nextEdit";
import { Notices } from "./notices";
import { sayOthers } from "./others";
import { Pages } from "./pages";
import { onSelected } from "./pythonExtension";
import { continueSample } from "./sample";
import { Server } from "./server";
import { forServer } from "./settings";
import { State } from "./state";
import { StatusBar } from "./status";
import { refreshVirtual } from "./virtual";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Palimpsest", { log: true });
  const state = new State();
  const completions = new Completions(state);
  const closers = new Closers();
  const middleware: Middleware = {
    ...actionsWithDiff,
    provideInlineCompletionItems: completions.provide,
    executeCommand: (command, args, next) => {
      if (command === "palimpsest.completion.accepted") {
        void vscode.commands.executeCommand("setContext", "palimpsest.completed", true);
        closers.note();
      }
      if (command === SEND) toTop(String((args[0] as { uri?: string } | undefined)?.uri));
      if (command === FORK) return conversations.fork(args[0] as Fork);
      return next(command, args) as unknown;
    },
    workspace: { configuration: (params) => params.items.map(() => forServer(context) as object) },
  };
  const made = new Server(context, state, log, middleware, () => void installUnasked());
  server = made;
  const conversations = new Conversations(made);
  const parts = {
    context, log, state, completions, closers, server: made,
    nextEdits: new NextEdits(made),
    edits: new Edits(made),
    contextView: new ContextView(made, state),
    cacheMap: new CacheMap(context, made, state),
    pages: new Pages(),
    conversations,
    conversationItems: new ConversationItems(made, conversations),
  };
  const { nextEdits, edits, contextView, cacheMap, pages, conversationItems } = parts;
  context.subscriptions.push(
    made.onCompletion((told) => void completions.again(told)),
    log, state, made, completions, closers, nextEdits, edits, contextView, cacheMap, pages, conversations, conversationItems,
    new ConversationView(made, conversations, state),
    refreshVirtual(made),
    new StatusBar(state),
    new Notices(made),
    new Diagnostics(made),
    ...registerCommands(parts),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("palimpsest.server")) void made.restart();
      else if (event.affectsConfiguration("palimpsest")) made.configurationChanged();
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
