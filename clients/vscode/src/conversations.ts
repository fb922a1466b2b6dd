// Conversations as documents: begun, opened, sent, forked; which one a person is at.
import * as vscode from "vscode";
import type { Commands } from "./commands";
import { conversationIn, lastTurn, plural } from "./pure";
import { isServed, type Server } from "./server";
import { setContext } from "./status";

export const SUFFIX = ".palimpsest.md";
export const SEND = "palimpsest.conversation.send";
export const FORK = "palimpsest.conversation.fork";
const HEAD_LINES = 40;
const NONE = "open a conversation first: run “Palimpsest: Open Conversation…”.";
const WRITERS = { model: "the model", mechanical: "rules", person: "you" };

interface Opened {
  conversation: string;
  uri: string;
  text: string;
}

/** What is copied, up to which turn, and the document that it is asked from. */
export interface Fork {
  readonly conversation: string;
  readonly turn?: number;
  readonly uri?: string | undefined;
}

/** The id in a conversation's document; undefined for any other, and for one that nothing was said in. */
export function idOf(document: vscode.TextDocument): string | undefined {
  const head = new vscode.Range(0, 0, HEAD_LINES, 0);
  return isServed(document) ? conversationIn(document.getText(head)) : undefined;
}

/** Also one that nothing was said in, by its name. */
export function isConversation(document: vscode.TextDocument): boolean {
  return document.uri.path.toLowerCase().endsWith(SUFFIX) || idOf(document) !== undefined;
}

/** The turn that is sent goes to the top of its editors: the reply comes below it, and is to be seen. */
export function toTop(uri: string): void {
  for (const editor of vscode.window.visibleTextEditors) {
    if (editor.document.uri.toString() !== uri) continue;
    const turn = lastTurn(editor.document.getText());
    if (turn !== undefined) editor.revealRange(new vscode.Range(turn, 0, turn, 0), vscode.TextEditorRevealType.AtTop);
  }
}

/** The conversation in the active editor, or the one that was there last. */
export class Conversations {
  private readonly emitter = new vscode.EventEmitter<void>();
  /** Another one, or something in it. */
  readonly changed = this.emitter.event;
  private last: string | undefined;

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    subscriptions.push(
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const isHead = contentChanges.some(({ range }) => range.start.line < HEAD_LINES);
        if (isHead && document === vscode.window.activeTextEditor?.document) this.look();
      }),
      server.onBegun(() => this.look()),
      server.onConversation(({ conversation, answering }) => {
        if (conversation !== this.last) return;
        void setContext("answering", answering);
        this.emitter.fire();
      }),
    );
  }

  get id(): string | undefined {
    return this.last;
  }

  /** The document that shows it, if it is open. */
  get document(): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((document) => this.last !== undefined && idOf(document) === this.last);
  }

  readonly commands: Commands = {
    "client.conversation.new": () => this.begin(),
    "client.conversation.open": async () => {
      type Talk = Record<"conversation" | "name" | "updated" | "uri", string> & { answering: boolean };
      const { conversations } = await this.server.command<{ conversations: Talk[] }>("palimpsest.conversation.list");
      const rows = conversations.map((it) => ({
        label: `$(${it.answering ? "loading~spin" : "comment-discussion"}) ${it.name || it.conversation}`,
        description: it.updated.replace("T", " "),
        ...(it.uri ? { detail: vscode.workspace.asRelativePath(vscode.Uri.parse(it.uri)) } : {}),
        conversation: it.conversation,
      }));
      const begin = { label: "$(add) New conversation", conversation: "" };
      const options = { title: "Open Conversation", placeHolder: `${plural(rows.length, "conversation")} in this workspace`, matchOnDetail: true };
      const chosen = await vscode.window.showQuickPick([...rows, begin], options);
      if (chosen === undefined) return;
      if (chosen.conversation === "") return this.begin();
      await this.show(await this.server.command<Opened>("palimpsest.conversation.open", { conversation: chosen.conversation }));
    },
    "client.conversation.send": async () => {
      const uri = this.uri();
      toTop(uri);
      await this.server.command(SEND, { uri });
    },
    "client.conversation.stop": () => this.server.command("palimpsest.conversation.stop", { uri: this.uri() }),
    "client.conversation.compact": async () => {
      const instruction = await vscode.window.showInputBox({
        title: "Compact Conversation",
        prompt: "A summary takes the place of what was said so far for the model; the turns themselves stay.",
        placeHolder: "How the summary is written (may be empty)",
      });
      if (instruction === undefined) return;
      const conversation = this.need();
      const asked = { conversation, ...(instruction && { instruction }) };
      const { written_by } = await this.server.command<{ written_by: keyof typeof WRITERS }>("palimpsest.conversation.compact", asked);
      vscode.window.setStatusBarMessage(`Palimpsest: a summary, written by ${WRITERS[written_by]}, stands for what was said`, 10_000);
    },
    "client.conversation.fork": () => this.fork({ conversation: this.need(), uri: this.document?.uri.toString() }),
    "client.conversation.view": () => this.showView().then(() => vscode.commands.executeCommand("palimpsestConversation.focus")),
  };

  private async begin(): Promise<void> {
    await this.show(await this.server.command<Opened>("palimpsest.conversation.new"));
  }

  /** A copy that goes on by itself: beside the document if that is a file, else in a document of no file. */
  async fork(asked: Fork): Promise<void> {
    const { uri, ...copy } = asked;
    if (uri !== undefined && vscode.Uri.parse(uri).scheme !== "untitled") await this.server.command(FORK, asked);
    else await this.show(await this.server.command<Opened>(FORK, copy));
  }

  need(): string {
    if (this.last === undefined) throw new Error(NONE);
    return this.last;
  }

  /** The view is there from the first conversation on: before, it would take the context's room. */
  private showView(): Thenable<void> {
    return setContext("talks", true);
  }

  /** Of the active document, which need not have an id yet: a new one gets it by being sent. */
  private uri(): string {
    const document = vscode.window.activeTextEditor?.document;
    const uri = (document && isConversation(document) ? document : this.document)?.uri;
    if (uri === undefined) throw new Error(NONE);
    return uri.toString();
  }

  private look(): void {
    const document = vscode.window.activeTextEditor?.document;
    const id = document && idOf(document);
    void setContext("conversation", id !== undefined);
    if (id !== undefined && id !== this.last) {
      this.last = id;
      void this.showView();
      this.emitter.fire();
    }
  }

  private async show({ conversation, uri, text }: Opened): Promise<void> {
    const shows = (document: vscode.TextDocument): boolean => idOf(document) === conversation;
    const where = vscode.Uri.parse(uri);
    // A file that is gone, or shows another one by now, is no loss: the database has all of it.
    const file = where.scheme === "untitled" ? undefined : await vscode.workspace.openTextDocument(where).then(undefined, () => undefined);
    const document = vscode.workspace.textDocuments.find(shows) ?? (file && shows(file) ? file : await untitled(where, text));
    const end = document.lineAt(document.lineCount - 1).range.end;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
    this.look();
  }
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
