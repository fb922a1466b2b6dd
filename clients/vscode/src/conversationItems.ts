// What is in a conversation, as the server lists it beside its document: refs, descriptors, documents, checkpoints; and
// what can be done with these.
import * as vscode from "vscode";
import type { Range } from "vscode-languageclient";
import type { Commands } from "./commands";
import type { Conversations } from "./conversations";
import { showVirtual } from "./pages";
import { plural } from "./pure";
import { isServed, type Server } from "./server";
import { icon, type Row, row, type Shown, tree } from "./tree";

const MOST_FILES = 2_000;
const MODES = [
  { label: "$(new-file) Write", description: "a new file, or in place of what is in it (you are asked)", mode: "write" },
  { label: "$(arrow-down) Append", description: "behind what is in it", mode: "append" },
  { label: "$(indent) Insert at a line…", description: "before that line", mode: "insert" },
];
const CATEGORIES: Record<string, string> = { code: "symbol-method", data: "json", text: "symbol-text" };
const GROUPS = {
  refs: { title: "Refs", kind: "ref", sign: "bookmark", color: "charts.blue", context: "ref text" },
  descriptors: { title: "Descriptors", kind: "descriptor", sign: "file-binary", color: "charts.purple", context: "descriptor text" },
  documents: { title: "Documents", kind: "document", sign: "references", color: "charts.green", context: "document there" },
  checkpoints: { title: "Checkpoints", kind: "checkpoint", sign: "history", color: undefined, context: "checkpoint" },
} as const;
type Group = keyof typeof GROUPS;

/** What the server says of one, beside what its row shows. */
type Told = Record<"id" | "label" | "about" | "more" | "uri" | "language" | "category" | "path" | "link" | "text" | "problem", string>;
type Item = Row & Told & { kind: (typeof GROUPS)[Group]["kind"]; conversation: string };

/** `of`: the items of a group. */
async function contentsOf(server: Server, conversation: string): Promise<{ name: string; of: (group: Group) => Item[] }> {
  const found = await server.command<Record<Group, Told[]> & { name: string }>("palimpsest.conversation.contents", { conversation });
  return { name: found.name, of: (group) => found[group].map((told) => itemOf(group, told, conversation)) };
}

function itemOf(group: Group, told: Told, conversation: string): Item {
  const { kind, sign, color, context } = GROUPS[group];
  const shown = kind === "document" ? "book" : (CATEGORIES[told.category] ?? sign);
  const item = row(told.label, {
    ...told,
    kind,
    conversation,
    id: told.id,
    description: told.about,
    tooltip: told.more,
    iconPath: told.problem ? icon("warning", "charts.yellow") : icon(shown, color),
    contextValue: told.problem ? "document broken" : context,
  });
  if (kind !== "checkpoint") item.command = { command: "palimpsest.ui.openItem", title: "Open", arguments: [item] };
  return item;
}

export function conversationView(context: vscode.ExtensionContext, server: Server, conversations: Conversations, changed: vscode.Event<void>): void {
  const look = async (): Promise<Shown> => {
    const conversation = conversations.id();
    const found = conversation && (await contentsOf(server, conversation).catch(() => undefined));
    if (!found) return { rows: [] };
    const rows = (Object.keys(GROUPS) as Group[]).map((id) => groupRow(id, found.of(id))).filter(({ children }) => children?.length);
    const message = rows.length > 0 ? undefined : "Parts of replies between <ref> tags, long texts and linked documents will be here.";
    return { rows, description: found.name || conversation, message };
  };
  tree(context, "palimpsestConversation", look, conversations.changed, changed);
}

function groupRow(id: Group, children: Item[]): Row {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const { title, sign } = GROUPS[id];
  const collapsibleState = id === "checkpoints" ? Collapsed : Expanded;
  return row(title, { id, description: String(children.length), iconPath: icon(sign), contextValue: `group ${id}`, collapsibleState, children });
}

const say = (text: string, ms = 5_000): vscode.Disposable => vscode.window.setStatusBarMessage(`Palimpsest: ${text}`, ms);

export function itemCommands({ subscriptions }: vscode.ExtensionContext, server: Server, conversations: Conversations): Commands {
  /** The last editor of a file: what is at hand when a virtual document or the view has the focus. */
  let last: vscode.TextEditor | undefined;
  const note = (editor: vscode.TextEditor | undefined): void => {
    if (editor && isServed(editor.document)) last = editor;
  };
  note(vscode.window.activeTextEditor);
  subscriptions.push(vscode.window.onDidChangeActiveTextEditor(note));

  const contentOf = ({ uri }: Item): Promise<string> =>
    server.command<{ text: string }>("palimpsest.virtual.read", { uri }).then(({ text }) => text);

  /** From the palette: any of the conversation's. */
  async function choose(title: string, placeHolder: string, none: string, groups: Group[]): Promise<Item | undefined> {
    const found = await contentsOf(server, conversations.need());
    const rows = groups.flatMap(found.of).map((item) => ({ label: item.label, description: item.about, iconPath: item.iconPath, item }));
    if (rows.length === 0) throw new Error(`the conversation has ${none}.`);
    return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.item;
  }

  return {
    "ui.openItem": async ({ kind, uri, language, link, text, label, problem }: Item) => {
      if (problem) throw new Error(`${label}: ${problem}`);
      if (kind !== "document") return showVirtual(uri, language);
      if (text === "") return showFile(uri);
      const found = await server.command<{ uri: string; range: Range }>("palimpsest.documents.open", { link, text });
      await showFile(found.uri, found.range); // selected here too: not every window shows what a server asks for
    },
    "ui.insertItem": async (item: Item) => {
      const editor = vscode.window.visibleTextEditors.find((it) => it.document === last?.document) ?? last;
      if (editor === undefined || editor.document.isClosed) throw new Error("put the cursor into a file first.");
      const content = await contentOf(item);
      const shown = await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn, selection: editor.selection });
      await shown.edit((edit) => shown.selections.forEach((selection) => edit.replace(selection, content)));
    },
    "ui.copyItem": async (item: Item) => {
      await vscode.env.clipboard.writeText(await contentOf(item));
      say("copied", 3_000);
    },
    "ui.renameDescriptor": async ({ conversation, id, label }: Item) => {
      const value = label === id ? "" : label;
      const name = await vscode.window.showInputBox({ title: `Rename ${id}`, value, prompt: "A name that stands for its id" });
      if (name) await server.command("palimpsest.fd.rename", { conversation, names: { [id]: name } });
    },
    "ui.summarizeDescriptor": async ({ conversation, id }: Item) => {
      const { descriptors } = await server.command<{ descriptors: { summary: string }[] }>("palimpsest.fd.summarize", { conversation, fd: id });
      say(descriptors[0]?.summary ?? "", 10_000);
    },
    "ui.closeDescriptor": ({ conversation, id }: Item) => server.command("palimpsest.fd.close", { conversation, fds: [id] }),
    "ui.relatedDocuments": async ({ conversation, link, more, label }: Item) => {
      type Related = Record<"path" | "title" | "why" | "summary" | "uri", string>;
      const about = { text: `${link} ${more}`, conversation };
      const { documents } = await server.command<{ documents: Related[] }>("palimpsest.documents.related", about);
      if (documents.length === 0) return void say("no related documents");
      const rows = documents.map((it) => ({ label: `$(book) ${it.title || it.path}`, description: it.path, detail: it.why || it.summary, uri: it.uri }));
      const chosen = await vscode.window.showQuickPick(rows, { title: `Related to ${label}`, matchOnDescription: true });
      if (chosen?.uri) await showFile(chosen.uri);
    },
    "client.conversation.write": async (chosen?: Item) => {
      const item = chosen ?? (await choose("Write to File", "Which text", "neither refs nor descriptors", ["refs", "descriptors"]));
      const file_path = item && (await chooseFile(item.path));
      if (item === undefined || file_path === undefined) return;
      const how = await vscode.window.showQuickPick(MODES, { title: `Write to ${file_path}`, placeHolder: "How" });
      const line = how?.mode === "insert" ? await chooseLine(file_path) : undefined;
      if (how === undefined || (how.mode === "insert" && line === undefined)) return;
      const which = item.kind === "ref" ? { ref_id: item.id } : { fd: item.id };
      const asked = { conversation: item.conversation, file_path, mode: how.mode, ask: true, ...(line ? { insert_at_line: line } : {}), ...which };
      const done = await server.command<{ lines: number; file_path: string }>(`palimpsest.${item.kind === "ref" ? "refs" : "fd"}.write`, asked);
      say(`${plural(done.lines, "line")} to ${done.file_path}`);
    },
    "client.conversation.checkpoint": async () => {
      const conversation = conversations.need();
      const name = await vscode.window.showInputBox({ title: "Keep a Checkpoint", prompt: "Its name (may be empty)" });
      if (name !== undefined) await server.command("palimpsest.checkpoint.create", { conversation, name });
    },
    "client.conversation.restore": async (chosen?: Item) => {
      const what = "What is there now is kept as another one";
      const item = chosen ?? (await choose("Go Back to a Checkpoint", what, "no checkpoints", ["checkpoints"]));
      if (item === undefined) return;
      const { conversation, id, label, about } = item;
      const question = `Go back to “${label === id ? about : label}”? What is there now is kept as a checkpoint.`;
      const yes = await vscode.window.showWarningMessage(question, { modal: true }, "Go Back");
      if (yes) await server.command("palimpsest.checkpoint.restore", { conversation, checkpoint_id: id });
    },
    "client.conversation.usage": () => showVirtual(`palimpsest:/usage/${conversations.need()}/Token%20usage.md`, "markdown"),
  };
}

async function showFile(uri: string, range?: Range): Promise<void> {
  const selection = range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri, true), { preview: true, selection });
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
