// Conversations as documents: begun, opened, sent, forked; which one a person is at.
import * as vscode from "vscode";
import type { Commands } from "./commands";
import { conversationIn, lastTurn, plural } from "./pure";
import { isServed, type Server } from "./server";
import { setContext } from "./status";

const SUFFIX = ".palimpsest.md";
export const SEND = "palimpsest.conversation.send";
export const FORK = "palimpsest.conversation.fork";
const HEAD_LINES = 40;
const NONE = "open a conversation first: run “Palimpsest: Open Conversation…”.";

interface Opened {
  conversation: string;
  uri: string;
  text: string;
}

/** The id in a conversation's document; undefined for any other, and for one that nothing was said in. */
export function idOf(document: vscode.TextDocument): string | undefined {
  const head = new vscode.Range(0, 0, HEAD_LINES, 0);
  return isServed(document) ? conversationIn(document.getText(head)) : undefined;
}

/** The turn that is sent goes to the top of its editors: the reply comes below it, and is to be seen. */
export function toTop(uri: string): void {
  for (const editor of vscode.window.visibleTextEditors) {
    if (editor.document.uri.toString() !== uri) continue;
    const turn = lastTurn(editor.document.getText());
    if (turn !== undefined) editor.revealRange(new vscode.Range(turn, 0, turn, 0), vscode.TextEditorRevealType.AtTop);
  }
}

export type Conversations = ReturnType<typeof conversationsIn>;

/** The conversation in the active editor, or the one that was there last. */
export function conversationsIn({ subscriptions }: vscode.ExtensionContext, server: Server) {
  /** Another one, or something in it. */
  const changed = new vscode.EventEmitter<void>();
  let last: string | undefined;

  const need = (): string => {
    if (last === undefined) throw new Error(NONE);
    return last;
  };

  /** The document that shows it, if it is open. */
  const shown = (): vscode.TextDocument | undefined =>
    vscode.workspace.textDocuments.find((document) => last !== undefined && idOf(document) === last);

  /** Of the active document, which need not have an id yet: a new one, known by its name, gets it by being sent. */
  const uri = (): string => {
    const document = vscode.window.activeTextEditor?.document;
    const isOne = document && (document.uri.path.toLowerCase().endsWith(SUFFIX) || idOf(document) !== undefined);
    const { uri } = (isOne ? document : shown()) ?? {};
    if (uri === undefined) throw new Error(NONE);
    return uri.toString();
  };

  /** The view is there from the first conversation on: before, it would take the context's room. */
  const showView = (): Thenable<void> => setContext("talks", true);

  const look = (): void => {
    const document = vscode.window.activeTextEditor?.document;
    const id = document && idOf(document);
    void setContext("conversation", id !== undefined);
    if (id === undefined || id === last) return;
    last = id;
    void showView();
    changed.fire();
  };

  const show = async (found: Opened): Promise<void> => {
    const document = await documentOf(found);
    const end = document.lineAt(document.lineCount - 1).range.end;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
    look();
  };

  const begin = async (): Promise<void> => show(await server.command<Opened>("palimpsest.conversation.new"));

  /** A copy that goes on by itself: beside the document that it is asked from if that is a file, else in one of no file. */
  const fork = async (asked: { uri?: string | undefined; conversation: string }): Promise<void> => {
    const { uri, ...copy } = asked;
    if (uri !== undefined && vscode.Uri.parse(uri).scheme !== "untitled") await server.command(FORK, asked);
    else await show(await server.command<Opened>(FORK, copy));
  };

  subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const isHead = contentChanges.some(({ range }) => range.start.line < HEAD_LINES);
      if (isHead && document === vscode.window.activeTextEditor?.document) look();
    }),
    server.onBegun(look),
  );
  server.on("palimpsest/conversation", ({ conversation, answering }: { conversation: string; answering: boolean }) => {
    if (conversation !== last) return;
    void setContext("answering", answering);
    changed.fire();
  });

  const commands: Commands = {
    "client.conversation.new": begin,
    "client.conversation.open": async () => {
      type Talk = Record<"conversation" | "name" | "updated" | "uri", string> & { answering: boolean };
      const { conversations } = await server.command<{ conversations: Talk[] }>("palimpsest.conversation.list");
      const rows = conversations.map((it) => ({
        label: `$(${it.answering ? "loading~spin" : "comment-discussion"}) ${it.name || it.conversation}`,
        description: it.updated.replace("T", " "),
        ...(it.uri ? { detail: vscode.workspace.asRelativePath(vscode.Uri.parse(it.uri)) } : {}),
        conversation: it.conversation,
      }));
      const none = { label: "$(add) New conversation", conversation: "" };
      const options = { title: "Open Conversation", placeHolder: `${plural(rows.length, "conversation")} in this workspace`, matchOnDetail: true };
      const chosen = await vscode.window.showQuickPick([...rows, none], options);
      if (chosen === none) return begin();
      if (chosen) await show(await server.command<Opened>("palimpsest.conversation.open", { conversation: chosen.conversation }));
    },
    "client.conversation.send": async () => {
      const asked = { uri: uri() };
      toTop(asked.uri);
      await server.command(SEND, asked);
    },
    "client.conversation.stop": () => server.command("palimpsest.conversation.stop", { uri: uri() }),
    "client.conversation.compact": async (most?: unknown) => {
      const target = typeof most === "number" ? most : undefined; // a menu has an argument of its own
      const instruction = await vscode.window.showInputBox({
        title: "Compact Conversation",
        prompt: "A summary takes the place of what was said so far for the model; the turns themselves stay.",
        placeHolder: "How the summary is written (may be empty)",
      });
      if (instruction === undefined) return;
      const asked = { conversation: need(), instruction, target };
      const { says } = await server.command<{ says: string }>("palimpsest.conversation.compact", asked);
      vscode.window.setStatusBarMessage(`Palimpsest: ${says}`, 10_000);
    },
    "client.conversation.fork": () => fork({ conversation: need(), uri: shown()?.uri.toString() }),
    "client.conversation.view": () => showView().then(() => vscode.commands.executeCommand("palimpsestConversation.focus")),
  };
  return { id: () => last, need, fork, changed: changed.event, commands };
}

async function documentOf({ conversation, uri, text }: Opened): Promise<vscode.TextDocument> {
  const shows = (document: vscode.TextDocument): boolean => idOf(document) === conversation;
  const where = vscode.Uri.parse(uri);
  // A file that is gone, or shows another one by now, is no loss: the database has all of it.
  const file = where.scheme === "untitled" ? undefined : await vscode.workspace.openTextDocument(where).then(undefined, () => undefined);
  return vscode.workspace.textDocuments.find(shows) ?? (file && shows(file) ? file : await untitled(where, text));
}

/** Called as the conversation is, with its text: a document of no file until it is saved. */
async function untitled(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const name = uri.path.split("/").pop() ?? "";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = folder && vscode.Uri.joinPath(folder, name);
  const taken = file && (await vscode.workspace.fs.stat(file).then(() => true, () => false));
  if (taken) return vscode.workspace.openTextDocument({ language: "markdown", content: text });
  const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: "untitled", path: file?.path ?? name }));
  if (document.getText() === text) return document;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}
