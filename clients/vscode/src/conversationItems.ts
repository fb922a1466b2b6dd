// What can be done with a conversation's refs, descriptors, documents and checkpoints.
import * as vscode from "vscode";
import type { Conversations } from "./conversations";
import type { Item, Node } from "./conversationView";
import { plural } from "./pure";
import type { Range } from "vscode-languageclient";
import type { Checkpoint, Descriptor, RelatedDocument, Written } from "./protocol";
import { isServed, type Server } from "./server";
import { showVirtual, virtualUri } from "./virtual";

const MOST_FILES = 2_000;
const MODES = [
  { label: "$(new-file) Write", description: "a new file, or in place of what is in it (you are asked)", mode: "write" },
  { label: "$(arrow-down) Append", description: "behind what is in it", mode: "append" },
  { label: "$(indent) Insert at a line…", description: "before that line", mode: "insert" },
];

type Kind<K> = Item & { kind: K };
type Text = Kind<"ref"> | Kind<"descriptor">;

export class ConversationItems implements vscode.Disposable {
  /** The last editor of a file: what is at hand when a virtual document or the view has the focus. */
  private editor: vscode.TextEditor | undefined;
  private readonly listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.note(editor));

  constructor(
    private readonly server: Server,
    private readonly conversations: Conversations,
  ) {
    this.note(vscode.window.activeTextEditor);
  }

  async open(item: Item): Promise<void> {
    if (item.kind === "ref") await showVirtual(virtualUri("ref", item.conversation, item.ref.id), item.ref.language);
    else if (item.kind === "descriptor") await showVirtual(virtualUri("fd", item.conversation, item.descriptor.fd), item.descriptor.language);
    else if (item.kind === "document") await this.openDocument(item);
  }

  async write(node?: Node): Promise<void> {
    const item = node ? text(node) : await this.choose("Write to File");
    if (item === undefined) return;
    const file_path = await chooseFile(pathOf(item));
    if (file_path === undefined) return;
    const how = await vscode.window.showQuickPick(MODES, { title: `Write to ${file_path}`, placeHolder: "How" });
    if (how === undefined) return;
    const line = how.mode === "insert" ? await chooseLine(file_path) : undefined;
    if (how.mode === "insert" && line === undefined) return;
    const asked = { conversation: item.conversation, file_path, mode: how.mode, ask: true, ...(line ? { insert_at_line: line } : {}) };
    const done = item.kind === "ref"
      ? await this.server.command<Written>("palimpsest.refs.write", { ...asked, ref_id: item.ref.id })
      : await this.server.command<Written>("palimpsest.fd.write", { ...asked, fd: item.descriptor.fd });
    vscode.window.setStatusBarMessage(`Palimpsest: ${plural(done.lines, "line")} to ${done.file_path}`, 5_000);
  }

  async insert(node: Node): Promise<void> {
    const item = text(node);
    const editor = vscode.window.visibleTextEditors.find((it) => it.document === this.editor?.document) ?? this.editor;
    if (editor === undefined || editor.document.isClosed) throw new Error("put the cursor into a file first.");
    const content = await this.content(item);
    const shown = await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn, selection: editor.selection });
    await shown.edit((edit) => shown.selections.forEach((selection) => edit.replace(selection, content)));
  }

  async copy(node: Node): Promise<void> {
    await vscode.env.clipboard.writeText(await this.content(text(node)));
    vscode.window.setStatusBarMessage("Palimpsest: copied", 3_000);
  }

  async rename(node: Node): Promise<void> {
    const { conversation, descriptor } = of(node, "descriptor");
    const name = await vscode.window.showInputBox({ title: `Rename ${descriptor.fd}`, value: descriptor.name, prompt: "A name that stands for its id" });
    if (name) await this.server.command("palimpsest.fd.rename", { conversation, names: { [descriptor.fd]: name } });
  }

  async summarize(node: Node): Promise<void> {
    const { conversation, descriptor } = of(node, "descriptor");
    const { descriptors } = await vscode.window.withProgress({ location: { viewId: "palimpsestConversation" } }, () =>
      this.server.command<{ descriptors: Descriptor[] }>("palimpsest.fd.summarize", { conversation, fd: descriptor.fd }),
    );
    vscode.window.setStatusBarMessage(`Palimpsest: ${descriptors[0]?.summary ?? ""}`, 10_000);
  }

  async close(node: Node): Promise<void> {
    const { conversation, descriptor } = of(node, "descriptor");
    await this.server.command("palimpsest.fd.close", { conversation, fds: [descriptor.fd] });
  }

  async related(node: Node): Promise<void> {
    const { conversation, document } = of(node, "document");
    const about = { text: `${document.wikilink} ${document.summary}`, conversation };
    const { documents } = await this.server.command<{ documents: RelatedDocument[] }>("palimpsest.documents.related", about);
    if (documents.length === 0) return void vscode.window.setStatusBarMessage("Palimpsest: no related documents", 5_000);
    const rows = documents.map((it) => ({ label: `$(book) ${it.title || it.path}`, description: it.path, detail: it.why || it.summary, uri: it.uri }));
    const chosen = await vscode.window.showQuickPick(rows, { title: `Related to ${document.path ?? document.wikilink}`, matchOnDescription: true });
    if (chosen?.uri) await vscode.window.showTextDocument(vscode.Uri.parse(chosen.uri, true), { preview: true });
  }

  async checkpoint(): Promise<void> {
    const conversation = this.conversations.need();
    const name = await vscode.window.showInputBox({ title: "Keep a Checkpoint", prompt: "Its name (may be empty)" });
    if (name !== undefined) await this.server.command("palimpsest.checkpoint.create", { conversation, name });
  }

  async restore(node?: Node): Promise<void> {
    const item = node ? of(node, "checkpoint") : await this.chooseCheckpoint();
    if (item === undefined) return;
    const { conversation, checkpoint } = item;
    const question = `Go back to “${checkpoint.name || checkpoint.created.replace("T", " ")}”? What is there now is kept as a checkpoint.`;
    const yes = await vscode.window.showWarningMessage(question, { modal: true }, "Go Back");
    if (yes) await this.server.command("palimpsest.checkpoint.restore", { conversation, checkpoint_id: checkpoint.checkpoint_id });
  }

  async usage(): Promise<void> {
    await showVirtual(virtualUri("usage", this.conversations.need(), "Token usage.md"), "markdown");
  }

  dispose(): void {
    this.listening.dispose();
  }

  private note(editor: vscode.TextEditor | undefined): void {
    if (editor && isServed(editor.document)) this.editor = editor;
  }

  private async content(item: Text): Promise<string> {
    if (item.kind === "ref") {
      const { content } = await this.server.command<{ content: string }>("palimpsest.refs.get", { conversation: item.conversation, ref_id: item.ref.id });
      return content;
    }
    const uri = virtualUri("fd", item.conversation, item.descriptor.fd).toString();
    return (await this.server.command<{ text: string }>("palimpsest.virtual.read", { uri })).text;
  }

  private async openDocument({ document }: Kind<"document">): Promise<void> {
    if (!document.uri) throw new Error(`${document.wikilink}: ${document.problem || "it is not there any more"}`);
    if (document.snippet === "" || document.path === null) {
      await vscode.window.showTextDocument(vscode.Uri.parse(document.uri, true), { preview: true });
      return;
    }
    const link = `[[${document.path}${document.fragment ? `#${document.fragment}` : ""}]]`;
    const { uri, range } = await this.server.command<{ uri: string; range: Range }>("palimpsest.documents.open", { link, text: document.snippet });
    const { start, end } = range; // selected here too: not every window shows what a server asks for
    const selection = new vscode.Range(start.line, start.character, end.line, end.character);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri, true), { preview: true, selection });
  }

  private async chooseCheckpoint(): Promise<Kind<"checkpoint"> | undefined> {
    const conversation = this.conversations.need();
    const { checkpoints } = await this.server.command<{ checkpoints: Checkpoint[] }>("palimpsest.checkpoint.list", { conversation });
    if (checkpoints.length === 0) throw new Error("the conversation has no checkpoints.");
    const rows = checkpoints.map((checkpoint) => ({
      label: `$(history) ${checkpoint.name || checkpoint.checkpoint_id}`,
      description: checkpoint.created.replace("T", " ") + (checkpoint.automatic ? ", automatic" : ""),
      item: { kind: "checkpoint" as const, conversation, checkpoint },
    }));
    return (await vscode.window.showQuickPick(rows, { title: "Go Back to a Checkpoint", placeHolder: "What is there now is kept as another one" }))?.item;
  }

  /** From the palette: any of the conversation's refs and descriptors. */
  private async choose(title: string): Promise<Text | undefined> {
    const conversation = this.conversations.need();
    const [{ refs }, { descriptors }] = await Promise.all([
      this.server.command<{ refs: Kind<"ref">["ref"][] }>("palimpsest.refs.list", { conversation }),
      this.server.command<{ descriptors: Descriptor[] }>("palimpsest.fd.list", { conversation }),
    ]);
    const items: Text[] = [
      ...refs.map((ref): Text => ({ kind: "ref", conversation, ref })),
      ...descriptors.map((descriptor): Text => ({ kind: "descriptor", conversation, descriptor })),
    ];
    if (items.length === 0) throw new Error("the conversation has neither refs nor descriptors.");
    const rows = items.map((item) =>
      item.kind === "ref"
        ? { label: `$(bookmark) ${item.ref.id}`, description: item.ref.language, item }
        : { label: `$(file-binary) ${item.descriptor.name || item.descriptor.fd}`, description: item.descriptor.source, item },
    );
    return (await vscode.window.showQuickPick(rows, { title, placeHolder: "Which text" }))?.item;
  }
}

function of<K extends Item["kind"]>(node: Node, kind: K): Kind<K> {
  if (node.kind !== kind) throw new Error(`that is no ${kind}.`);
  return node as Kind<K>;
}

function text(node: Node): Text {
  return node.kind === "descriptor" ? of(node, "descriptor") : of(node, "ref");
}

function pathOf(item: Text): string {
  return item.kind === "ref" ? item.ref.path : "";
}

/** A file of the workspace, or the path that is typed: relative to its folder. */
async function chooseFile(proposed: string): Promise<string | undefined> {
  const found = (await vscode.workspace.findFiles("**/*", undefined, MOST_FILES)).map((uri) => vscode.workspace.asRelativePath(uri, false)).sort();
  const known = new Set(found);
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { path: string }>();
  pick.title = "Write to File";
  pick.placeholder = "A file of the workspace, or the path of a new one";
  const list = (): void => {
    const typed = pick.value.trim();
    const own = typed && !known.has(typed) ? [{ label: `$(new-file) ${typed}`, description: "new file", path: typed, alwaysShow: true }] : [];
    pick.items = [...own, ...found.map((path) => ({ label: `$(file) ${path}`, path }))];
  };
  pick.value = proposed;
  list();
  pick.onDidChangeValue(list);
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.path);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

async function chooseLine(file: string): Promise<number | undefined> {
  const editor = vscode.window.visibleTextEditors.find((it) => vscode.workspace.asRelativePath(it.document.uri, false) === file);
  const typed = await vscode.window.showInputBox({
    title: `Insert into ${file}`,
    prompt: "Before which line, from 1",
    value: String((editor?.selection.active.line ?? 0) + 1),
    validateInput: (value) => (/^[1-9]\d{0,8}$/.test(value.trim()) ? undefined : "A line's number is wanted."),
  });
  return typed === undefined ? undefined : Number(typed);
}
