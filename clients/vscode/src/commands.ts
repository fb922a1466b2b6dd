// The commands: those that clients share (`palimpsest.client.*`) and those of this client's own buttons (`palimpsest.ui.*`).
import * as vscode from "vscode";
import type { CacheMap } from "./cacheMap";
import type { Closers } from "./closers";
import type { Completions } from "./completion";
import type { ConversationItems } from "./conversationItems";
import type { Conversations } from "./conversations";
import { type Node as ConversationNode, VIEW as CONVERSATION } from "./conversationView";
import { type ContextView, type Node, VIEW } from "./contextView";
import type { Asked, Edits } from "./edits";
import { install } from "./install";
import { chooseModel } from "./models";
import type { NextEdits } from "./nextEdit";
import type { Pages } from "./pages";
import { askAgain } from "./permissions";
import { plainly } from "./pure";
import { openSample } from "./sample";
import type { Server } from "./server";
import type { State } from "./state";
import { showStatus } from "./status";
import { commitMessage, doctor, pin, sentence, showLog, snooze, statistics, toggle } from "./tasks";
import { showGraph } from "./virtual";

export interface Parts {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  state: State;
  server: Server;
  completions: Completions;
  closers: Closers;
  nextEdits: NextEdits;
  edits: Edits;
  contextView: ContextView;
  cacheMap: CacheMap;
  pages: Pages;
  conversations: Conversations;
  conversationItems: ConversationItems;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what VS Code hands a command depends on where it was chosen
type Handler = (argument?: any) => unknown;
const run = vscode.commands.executeCommand;

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const all = { ...shared(parts), ...buttons(parts), ...ofConversations(parts) };
  return Object.entries(all).map(([id, handler]) =>
    vscode.commands.registerCommand(`palimpsest.${id}`, async (argument?: unknown) => {
      try {
        return await handler(argument);
      } catch (error) {
        if (error instanceof vscode.CancellationError || sentence(error).startsWith("Canceled")) return undefined;
        parts.log.warn(`${id}: ${sentence(error)}`);
        void vscode.window.showWarningMessage(plainly(`Palimpsest: ${sentence(error)}`));
        return undefined;
      }
    }),
  );
}

function shared(parts: Parts): Record<string, Handler> {
  const { context, log, state, server, completions, closers, nextEdits, edits, cacheMap, pages, contextView } = parts;
  const of: Record<string, Handler> = {
    complete: () => run("editor.action.inlineSuggest.trigger"),
    show: () => completions.reveal(),
    jump: () => closers.jump(),
    snooze: (minutes?: number) => snooze(server, minutes),
    nextEdit: () => nextEdits.next(),
    "nextEdit.dismiss": () => nextEdits.dismiss(),
    edit: () => edits.here(),
    "edit.instruction": () => edits.withInstruction(),
    "edit.alternatives": () => edits.alternatives(),
    "edit.accept": (uri?: vscode.Uri) => edits.apply(uri),
    "edit.reject": (uri?: vscode.Uri) => edits.reject(uri),
    "edit.again": (uri?: vscode.Uri) => edits.again(uri),
    "edit.continue": (uri?: vscode.Uri) => edits.continue(uri),
    context: () => run(`${VIEW}.focus`),
    "context.pin": (uri?: vscode.Uri) => pin(server, uri, "pin").then(() => contextView.later()),
    "context.unpin": (uri?: vscode.Uri) => pin(server, uri, "unpin").then(() => contextView.later()),
    cache: () => cacheMap.show(),
    "cache.reset": () => server.command("palimpsest.cache.reset"),
    toggle: () => toggle(server).then(() => nextEdits.clear()), // what is off is not shown; the next change asks anew
    commitMessage: () => commitMessage(server),
    model: () => chooseModel(server),
    statistics: () => statistics(server, pages),
    doctor: () => doctor(server, pages),
    log: () => showLog(server, log),
    status: () => showStatus(state),
    restartEngine: () => server.command("palimpsest.restartEngine"),
    restartServer: () => server.restart(),
    install: () => install(parts),
    sample: () => openSample(context, server),
    walkthrough: () => run("workbench.action.openWalkthrough", `${context.extension.id}#start`, false),
  };
  return Object.fromEntries(Object.entries(of).map(([id, handler]) => [`client.${id}`, handler]));
}

function ofConversations({ server, conversations, conversationItems: items }: Parts): Record<string, Handler> {
  const conversation: Record<string, Handler> = {
    new: () => conversations.begin(),
    open: () => conversations.open(),
    send: () => conversations.send(),
    stop: () => conversations.stop(),
    fork: () => conversations.fork(),
    compact: () => conversations.compact(),
    checkpoint: () => items.checkpoint(),
    restore: (node?: ConversationNode) => items.restore(node),
    write: (node?: ConversationNode) => items.write(node),
    permissions: () => askAgain(server),
    usage: () => items.usage(),
    view: async () => {
      await conversations.showView();
      await run(`${CONVERSATION}.focus`);
    },
    graph: () => showGraph(server),
  };
  return {
    ...Object.fromEntries(Object.entries(conversation).map(([id, handler]) => [`client.conversation.${id}`, handler])),
    "ui.openItem": (node: Exclude<ConversationNode, { kind: "group" }>) => items.open(node),
    "ui.insertItem": (node: ConversationNode) => items.insert(node),
    "ui.copyItem": (node: ConversationNode) => items.copy(node),
    "ui.renameDescriptor": (node: ConversationNode) => items.rename(node),
    "ui.summarizeDescriptor": (node: ConversationNode) => items.summarize(node),
    "ui.closeDescriptor": (node: ConversationNode) => items.close(node),
    "ui.relatedDocuments": (node: ConversationNode) => items.related(node),
  };
}

function buttons({ server, completions, closers, edits, contextView, pages }: Parts): Record<string, Handler> {
  const block = (node: Node | undefined): (Node & { kind: "block" })["block"] => {
    if (node?.kind !== "block") throw new Error("that is no block.");
    return node.block;
  };
  const uriOf = (node: Node | undefined): vscode.Uri => vscode.Uri.parse(block(node).uri ?? "", true);
  return {
    "ui.acceptWord": () => completions.accept(server, "word").then(() => closers.note()),
    "ui.acceptLine": () => completions.accept(server, "line").then(() => closers.note()),
    "ui.editOfAction": (asked: Asked) => edits.ask(asked, "Looking for an edit"),
    "ui.refreshContext": () => contextView.later(),
    "ui.pinBlock": (node?: Node) => pin(server, uriOf(node), "pin").then(() => contextView.later()),
    "ui.unpinBlock": (node?: Node) => pin(server, uriOf(node), "unpin").then(() => contextView.later()),
    "ui.dropBlock": async (node?: Node) => {
      const { type, name } = block(node);
      await server.command("palimpsest.context.drop", { type, name });
      contextView.later();
    },
    "ui.openBlock": async (node?: Node) => {
      const { uri, line, name, text } = block(node);
      if (!uri) return pages.show(name, text);
      const at = new vscode.Position(line ?? 0, 0);
      return vscode.window.showTextDocument(vscode.Uri.parse(uri, true), { selection: new vscode.Range(at, at), preview: true });
    },
  };
}
