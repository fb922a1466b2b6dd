// Conversations as documents: begun, opened, sent, forked; which one a person is at.
import * as vscode from "vscode";
import { conversationIn, lastTurn, plainly, plural } from "./pure";
import type { Compacted, Conversation, OpenedConversation } from "./protocol";
import { isServed, type Server } from "./server";

export const SUFFIX = ".palimpsest.md";
export const SEND = "palimpsest.conversation.send";
export const FORK = "palimpsest.conversation.fork";
const HEAD_LINES = 40;

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
export class Conversations implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  /** Another one, or something in it. */
  readonly changed = this.emitter.event;
  private readonly listening: vscode.Disposable[];
  private last: string | undefined;

  constructor(private readonly server: Server) {
    this.listening = [
      new vscode.Disposable(() => this.emitter.dispose()),
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const isHead = contentChanges.some(({ range }) => range.start.line < HEAD_LINES);
        if (isHead && document === vscode.window.activeTextEditor?.document) this.look();
      }),
      server.onBegun(() => this.look()),
      server.onConversation(({ conversation, answering }) => {
        if (conversation !== this.last) return;
        void vscode.commands.executeCommand("setContext", "palimpsest.answering", answering);
        this.emitter.fire();
      }),
    ];
  }

  get id(): string | undefined {
    return this.last;
  }

  /** The document that shows it, if it is open. */
  get document(): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((document) => this.last !== undefined && idOf(document) === this.last);
  }

  async begin(): Promise<void> {
    await this.show(await this.server.command<OpenedConversation>("palimpsest.conversation.new"));
  }

  async open(): Promise<void> {
    const { conversations } = await this.server.command<{ conversations: Conversation[] }>("palimpsest.conversation.list");
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
    await this.show(await this.server.command<OpenedConversation>("palimpsest.conversation.open", { conversation: chosen.conversation }));
  }

  async send(): Promise<void> {
    const uri = this.uri();
    toTop(uri);
    await this.server.command(SEND, { uri });
  }

  async stop(): Promise<void> {
    await this.server.command("palimpsest.conversation.stop", { uri: this.uri() });
  }

  /** A copy that goes on by itself: beside the document if that is a file, else in a document of no file. */
  async fork(asked: Fork = { conversation: this.need(), uri: this.document?.uri.toString() }): Promise<void> {
    const { uri, ...copy } = asked;
    if (uri !== undefined && vscode.Uri.parse(uri).scheme !== "untitled") await this.server.command(FORK, asked);
    else await this.show(await this.server.command<OpenedConversation>(FORK, copy));
  }

  async compact(): Promise<void> {
    const instruction = await vscode.window.showInputBox({
      title: "Compact Conversation",
      prompt: "A summary takes the place of what was said so far for the model; the turns themselves stay.",
      placeHolder: "How the summary is written (may be empty)",
    });
    if (instruction === undefined) return;
    const conversation = this.need();
    const location = vscode.ProgressLocation.Window;
    const { written_by } = await vscode.window.withProgress({ location, title: "Palimpsest: compacting" }, () =>
      this.server.command<Compacted>("palimpsest.conversation.compact", { conversation, ...(instruction ? { instruction } : {}) }),
    );
    const writer = { model: "the model", mechanical: "rules", person: "you" }[written_by];
    vscode.window.setStatusBarMessage(plainly(`Palimpsest: a summary, written by ${writer}, stands for what was said`), 10_000);
  }

  need(): string {
    if (this.last === undefined) throw new Error("open a conversation first: run “Palimpsest: Open Conversation…”.");
    return this.last;
  }

  /** The view is there from the first conversation on: before, it would take the context's room. */
  async showView(): Promise<void> {
    await vscode.commands.executeCommand("setContext", "palimpsest.talks", true);
  }

  dispose(): void {
    vscode.Disposable.from(...this.listening).dispose();
  }

  /** Of the active document, which need not have an id yet: a new one gets it by being sent. */
  private uri(): string {
    const document = vscode.window.activeTextEditor?.document;
    const uri = (document && isConversation(document) ? document : this.document)?.uri;
    if (uri === undefined) throw new Error("open a conversation first: run “Palimpsest: Open Conversation…”.");
    return uri.toString();
  }

  private look(): void {
    const document = vscode.window.activeTextEditor?.document;
    const id = document && idOf(document);
    void vscode.commands.executeCommand("setContext", "palimpsest.conversation", id !== undefined);
    if (id !== undefined && id !== this.last) {
      this.last = id;
      void this.showView();
      this.emitter.fire();
    }
  }

  private async show({ conversation, uri, text }: OpenedConversation): Promise<void> {
    const open = vscode.workspace.textDocuments.find((document) => idOf(document) === conversation);
    const document = open ?? (await this.kept(uri, conversation)) ?? (await untitled(uri, text));
    const end = document.lineAt(document.lineCount - 1).range.end;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
    this.look();
  }

  /** Its file, if that still shows it. */
  private async kept(uri: string, conversation: string): Promise<vscode.TextDocument | undefined> {
    const where = vscode.Uri.parse(uri);
    if (where.scheme === "untitled") return undefined;
    try {
      const document = await vscode.workspace.openTextDocument(where);
      return idOf(document) === conversation ? document : undefined;
    } catch {
      return undefined; // it is gone; the database has all of it
    }
  }
}

/** Called as the conversation is, with its text: a document of no file until it is saved. */
async function untitled(uri: string, text: string): Promise<vscode.TextDocument> {
  const name = vscode.Uri.parse(uri).path.split("/").pop() ?? "";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const path = folder ? vscode.Uri.joinPath(folder, name).path : name;
  const where = vscode.Uri.from({ scheme: "untitled", path });
  const taken = await isThere(folder, name);
  const document = await (taken ? vscode.workspace.openTextDocument({ language: "markdown", content: text }) : vscode.workspace.openTextDocument(where));
  if (document.getText() === text) return document;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}

async function isThere(folder: vscode.Uri | undefined, name: string): Promise<boolean> {
  if (folder === undefined) return false;
  return vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, name)).then(() => true, () => false);
}
