// What the model sees of the code at the cursor: the editing block, the context blocks with tokens and state, budgets.
import * as vscode from "vscode";
import { isConversation } from "./conversations";
import { bar, plural } from "./pure";
import type { Context, ContextBlock, ContextUsage } from "./protocol";
import { isServed, type Server } from "./server";
import type { State } from "./state";

export const VIEW = "palimpsestContext";
const SETTLED_MS = 250;
const STATES = { resident: "", stored: " · kept in memory", wanted: " · not decoded yet" };
const TYPES: Record<string, string> = { filesystem: "file tree" };
const ICONS = { resident: "circle-filled", stored: "archive", wanted: "circle-outline" };
const COLORS: Record<string, string> = {
  class: "charts.blue",
  scope: "charts.purple",
  package: "charts.yellow",
  documentation: "charts.green",
  filesystem: "terminal.ansiCyan",
  file: "terminal.ansiMagenta",
};

export type Node =
  | { kind: "budget"; label: string; used: number; of: number; children?: Node[] }
  | { kind: "editing"; name: string; type: string; text: string }
  | { kind: "blocks"; blocks: ContextBlock[] }
  | { kind: "block"; block: ContextBlock };

interface Place {
  uri: vscode.Uri;
  position: vscode.Position;
}

export class ContextView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly listening: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private shown: { context: Context; usage: ContextUsage | undefined } | undefined;
  private asked = 0;
  /** Where the cursor was last in code: a conversation is about that, too. */
  private place: Place | undefined;

  constructor(
    private readonly server: Server,
    state: State,
  ) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.listening = [
      this.view,
      new vscode.Disposable(() => this.emitter.dispose()),
      this.view.onDidChangeVisibility(() => this.later()),
      vscode.window.onDidChangeTextEditorSelection(() => this.later()),
      vscode.window.onDidChangeActiveTextEditor(() => this.later()),
      state.changed(() => this.later()),
    ];
  }

  later(): void {
    this.note();
    clearTimeout(this.timer);
    if (this.view.visible) this.timer = setTimeout(() => void this.refresh(), SETTLED_MS);
  }

  /** Also while the view is not shown: it may be opened from a conversation. */
  private note(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !isServed(editor.document) || isConversation(editor.document)) return;
    this.place = { uri: editor.document.uri, position: editor.selection.active };
  }

  private async refresh(): Promise<void> {
    const mine = ++this.asked;
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined && !isServed(editor.document)) return; // what was seen of the code before stays
    const uri = this.place?.uri.toString();
    if (!vscode.workspace.textDocuments.some((it) => it.uri.toString() === uri)) this.place = undefined; // it was closed
    const found = this.place && this.server.isRunning ? await this.look(this.place).catch(() => undefined) : undefined;
    if (mine !== this.asked) return;
    this.shown = found;
    const none = this.server.isRunning ? "Put the cursor into code to see what the model sees of it." : "The server is not running.";
    this.view.message = found ? undefined : none;
    this.view.description = found && this.place ? vscode.workspace.asRelativePath(this.place.uri) : undefined;
    this.emitter.fire(undefined);
  }

  private async look({ uri, position: { line, character } }: Place): Promise<{ context: Context; usage: ContextUsage | undefined }> {
    const at = { uri: uri.toString(), position: { line, character } };
    const [context, usage] = await Promise.all([
      this.server.command<Context>("palimpsest.context.show", at),
      this.server.command<ContextUsage>("palimpsest.context.usage", at).catch(() => undefined),
    ]);
    return { context, usage };
  }

  getChildren(node?: Node): Node[] {
    if (node?.kind === "budget") return node.children ?? [];
    if (node?.kind === "blocks") return node.blocks.map((block) => ({ kind: "block", block }));
    if (node !== undefined || this.shown === undefined) return [];
    const { context, usage } = this.shown;
    const { name, type, text } = context.editing;
    return [
      ...(usage ? [budgetOf(usage)] : []),
      { kind: "editing", name, type, text },
      { kind: "blocks", blocks: context.blocks },
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "budget":
        return budgetItem(node);
      case "editing": {
        const item = new vscode.TreeItem(node.name);
        item.description = `${node.type} at the cursor`;
        item.iconPath = new vscode.ThemeIcon("edit");
        item.tooltip = code(node.text);
        item.contextValue = "editing";
        return item;
      }
      case "blocks": {
        const item = new vscode.TreeItem("Blocks", vscode.TreeItemCollapsibleState.Expanded);
        const tokens = node.blocks.reduce((sum, block) => sum + block.tokens, 0);
        item.description = `${node.blocks.length}, ${plural(tokens, "token")}`;
        item.id = "blocks";
        return item;
      }
      case "block":
        return blockItem(node.block);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.listening).dispose();
  }
}

function budgetOf({ used, total, parts, budgets }: ContextUsage): Node {
  const children: Node[] = [];
  const part = (label: string, used: number | undefined, of: number): unknown => used !== undefined && children.push({ kind: "budget", label, used, of });
  part("Blocks", parts.blocks, budgets?.blocks ?? total);
  part("Code at the cursor", parts.tail?.used, parts.tail?.budget ?? total);
  part("Instructions", parts.system, total);
  return { kind: "budget", label: "Context", used, of: total, children };
}

function budgetItem({ label, used, of, children }: Node & { kind: "budget" }): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, children?.length ? Collapsed : None);
  item.id = `budget ${label}`;
  item.description = `${bar(used, of, 6)} ${used.toLocaleString("en")} of ${of.toLocaleString("en")}`;
  item.tooltip = `${label}: ${used.toLocaleString("en")} of ${plural(of, "token")}`;
  item.iconPath = children ? new vscode.ThemeIcon("dashboard") : undefined;
  return item;
}

function blockItem(block: ContextBlock): vscode.TreeItem {
  const item = new vscode.TreeItem(block.name);
  item.description = `${plural(block.tokens, "token")} · ${TYPES[block.type] ?? block.type}${STATES[block.state]}`;
  const icon = block.pinned ? "pinned" : ICONS[block.state];
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(COLORS[block.type] ?? "charts.foreground"));
  item.tooltip = code(block.text);
  item.contextValue = `block${block.pinned ? " pinned" : ""}${block.uri ? " file" : ""}${block.source === "outside" ? " put" : ""}`;
  item.command = { command: "palimpsest.ui.openBlock", title: "Open", arguments: [{ kind: "block", block }] };
  return item;
}

function code(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString().appendCodeblock(text.length > 3_000 ? `${text.slice(0, 3_000)}…` : text);
}
