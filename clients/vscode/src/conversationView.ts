// Beside a conversation's document: its refs, descriptors, documents and checkpoints.
import * as vscode from "vscode";
import type { Conversations } from "./conversations";
import { plural } from "./pure";
import type { Checkpoint, ConversationDocument, Descriptor, Ref } from "./protocol";
import type { Server } from "./server";
import type { State } from "./state";

export const VIEW = "palimpsestConversation";
const SETTLED_MS = 150;
const ICONS: Record<string, string> = { code: "symbol-method", data: "json", text: "symbol-text" };

export type Group = { kind: "group"; id: "refs" | "descriptors" | "documents" | "checkpoints"; label: string; icon: string; children: Item[] };
export type Item =
  | { kind: "ref"; conversation: string; ref: Ref }
  | { kind: "descriptor"; conversation: string; descriptor: Descriptor }
  | { kind: "document"; conversation: string; document: ConversationDocument }
  | { kind: "checkpoint"; conversation: string; checkpoint: Checkpoint };
export type Node = Group | Item;

export class ConversationView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly listening: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private shown: Group[] = [];
  private asked = 0;

  constructor(
    private readonly server: Server,
    private readonly conversations: Conversations,
    state: State,
  ) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.listening = [
      this.view,
      new vscode.Disposable(() => this.emitter.dispose()),
      this.view.onDidChangeVisibility(() => this.later()),
      conversations.changed(() => this.later()),
      state.changed(() => this.later()),
    ];
  }

  later(): void {
    clearTimeout(this.timer);
    if (this.view.visible) this.timer = setTimeout(() => void this.refresh(), SETTLED_MS);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.shown;
    return node.kind === "group" ? node.children : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = node.kind === "group" ? groupItem(node) : ITEMS[node.kind](node as never);
    if (node.kind !== "group" && node.kind !== "checkpoint") {
      item.command = { command: "palimpsest.ui.openItem", title: "Open", arguments: [node] };
    }
    return item;
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.listening).dispose();
  }

  private async refresh(): Promise<void> {
    const mine = ++this.asked;
    const conversation = this.conversations.id;
    const isShown = conversation !== undefined && this.server.isRunning;
    const found = isShown ? await this.look(conversation).catch(() => undefined) : undefined;
    if (mine !== this.asked) return;
    this.shown = found?.groups ?? [];
    const nothing = found !== undefined && found.groups.length === 0;
    this.view.message = nothing ? "Parts of replies between <ref> tags, long texts and linked documents will be here." : undefined;
    this.view.description = found?.name;
    this.emitter.fire(undefined);
  }

  private async look(conversation: string): Promise<{ name: string; groups: Group[] }> {
    const ask = <T>(command: string, argument: object = { conversation }): Promise<T> => this.server.command<T>(`palimpsest.${command}`, argument);
    const [talks, refs, descriptors, documents, checkpoints] = await Promise.all([
      ask<{ conversations: { conversation: string; name: string }[] }>("conversation.list", {}),
      ask<{ refs: Ref[] }>("refs.list"),
      ask<{ descriptors: Descriptor[] }>("fd.list"),
      ask<{ documents: ConversationDocument[] }>("documents.list"),
      ask<{ checkpoints: Checkpoint[] }>("checkpoint.list"),
    ]);
    const group = (id: Group["id"], label: string, icon: string, children: Item[]): Group => ({ kind: "group", id, label, icon, children });
    const groups = [
      group("refs", "Refs", "bookmark", refs.refs.map((ref) => ({ kind: "ref", conversation, ref }))),
      group("descriptors", "Descriptors", "file-binary", descriptors.descriptors.map((descriptor) => ({ kind: "descriptor", conversation, descriptor }))),
      group("documents", "Documents", "references", eachOnce(documents.documents).map((document) => ({ kind: "document", conversation, document }))),
      group("checkpoints", "Checkpoints", "history", checkpoints.checkpoints.map((checkpoint) => ({ kind: "checkpoint", conversation, checkpoint }))),
    ];
    const name = talks.conversations.find((it) => it.conversation === conversation)?.name;
    return { name: name || conversation, groups: groups.filter(({ children }) => children.length > 0) };
  }
}

/** A document that several turns link to is one row, with all turns' numbers. */
function eachOnce(documents: ConversationDocument[]): ConversationDocument[] {
  const found = new Map<string, ConversationDocument>();
  for (const one of documents) {
    const about = one.path ?? one.wikilink;
    const first = found.get(about);
    found.set(about, first ? { ...first, read: first.read || one.read, summary: first.summary || one.summary } : one);
  }
  return [...found.values()];
}

function groupItem({ id, label, icon, children }: Group): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, id === "checkpoints" ? Collapsed : Expanded);
  item.id = id;
  item.description = String(children.length);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.contextValue = `group ${id}`;
  return item;
}

/** In a person's words. */
function sourceOf({ source }: Descriptor): string {
  return source === "user_input" ? "your message" : source;
}

const ITEMS = {
  ref: ({ ref }: Item & { kind: "ref" }): vscode.TreeItem => {
    const item = new vscode.TreeItem(ref.id);
    const versions = ref.versions > 1 ? [plural(ref.versions, "version")] : [];
    item.description = [ref.language || ref.category, plural(ref.lines, "line"), ...versions].filter(Boolean).join(" · ");
    item.iconPath = new vscode.ThemeIcon(ICONS[ref.category] ?? "bookmark", new vscode.ThemeColor("charts.blue"));
    item.tooltip = `${ref.id}: ${plural(ref.chars, "character")}, turn ${ref.turn ?? "–"}${ref.path ? `, for ${ref.path}` : ""}`;
    item.contextValue = "ref text";
    return item;
  },
  descriptor: ({ descriptor }: Item & { kind: "descriptor" }): vscode.TreeItem => {
    const item = new vscode.TreeItem(descriptor.name || descriptor.fd);
    const id = descriptor.name ? [descriptor.fd] : [];
    item.description = [...id, plural(descriptor.total_lines, "line"), plural(descriptor.pages, "page"), sourceOf(descriptor)].join(" · ");
    item.tooltip = descriptor.summary || `${descriptor.fd}: ${plural(descriptor.chars, "character")}, from ${sourceOf(descriptor)}`;
    item.iconPath = new vscode.ThemeIcon("file-binary", new vscode.ThemeColor("charts.purple"));
    item.contextValue = "descriptor text";
    return item;
  },
  document: ({ document }: Item & { kind: "document" }): vscode.TreeItem => {
    const item = new vscode.TreeItem(document.path ?? document.wikilink);
    const how = document.read ? "read" : document.kind === "direct" ? "linked" : "found";
    item.description = document.problem || `${how} · ${document.wikilink}`;
    item.tooltip = document.summary || item.description;
    const color = new vscode.ThemeColor(document.problem ? "charts.yellow" : "charts.green");
    item.iconPath = new vscode.ThemeIcon(document.problem ? "warning" : "book", color);
    item.contextValue = document.problem ? "document broken" : "document there";
    return item;
  },
  checkpoint: ({ checkpoint }: Item & { kind: "checkpoint" }): vscode.TreeItem => {
    const item = new vscode.TreeItem(checkpoint.name || checkpoint.checkpoint_id);
    item.description = `${checkpoint.created.replace("T", " ")}${checkpoint.automatic ? " · automatic" : ""}`;
    item.iconPath = new vscode.ThemeIcon("history");
    item.contextValue = "checkpoint";
    return item;
  },
};
