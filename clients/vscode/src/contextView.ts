// What the model sees of the code at the cursor: the editing block, the context blocks with tokens and state, budgets.
import * as vscode from "vscode";
import { isConversation } from "./conversations";
import { COLORS } from "./pages";
import { bar, plural } from "./pure";
import { isServed, type Server } from "./server";
import type { State } from "./status";
import { icon, type Row, row, type Shown, Tree } from "./tree";

export const VIEW = "palimpsestContext";
const SIGNS = { resident: "circle-filled", stored: "archive", wanted: "circle-outline" };
const STATES = { resident: "", stored: " · kept in memory", wanted: " · not decoded yet" };

export interface Block {
  type: string;
  name: string;
  text: string;
  tokens: number;
  state: keyof typeof STATES;
  uri?: string | null;
  line?: number | null;
  pinned?: boolean;
  source?: string;
}
export type BlockRow = Row & { block: Block };

interface Context {
  editing: { type: string; name: string; text: string };
  blocks: Block[];
}

interface Usage {
  total: number;
  used: number;
  parts: { system: number; blocks: number; tail: { used: number } };
  budgets: { blocks: number; tail: number };
}

export class ContextView extends Tree {
  /** Where the cursor was last in code: a conversation is about that, too. */
  place: { uri: vscode.Uri; position: vscode.Position } | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
    state: State,
  ) {
    super(context, VIEW, vscode.window.onDidChangeTextEditorSelection, vscode.window.onDidChangeActiveTextEditor, state.changed);
  }

  /** The place is noted also while the view is not shown: it may be opened from a conversation. */
  override later(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor && isServed(editor.document) && !isConversation(editor.document)) {
      this.place = { uri: editor.document.uri, position: editor.selection.active };
    }
    super.later();
  }

  protected async look(): Promise<Shown | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined && !isServed(editor.document)) return undefined; // what was seen of the code before stays
    const open = vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === this.place?.uri.toString());
    if (!open) this.place = undefined; // it was closed
    if (!this.server.isRunning) return { rows: [], message: "The server is not running." };
    const rows = this.place && (await this.rowsAt(this.place.uri, this.place.position).catch(() => undefined));
    if (this.place === undefined || rows === undefined) return { rows: [], message: "Put the cursor into code to see what the model sees of it." };
    return { rows, description: vscode.workspace.asRelativePath(this.place.uri) };
  }

  private async rowsAt(uri: vscode.Uri, { line, character }: vscode.Position): Promise<Row[]> {
    const at = { uri: uri.toString(), position: { line, character } };
    const [{ editing, blocks }, usage] = await Promise.all([
      this.server.command<Context>("palimpsest.context.show", at),
      this.server.command<Usage>("palimpsest.context.usage", at).catch(() => undefined),
    ]);
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
    return [
      ...(usage ? [budgets(usage)] : []),
      row(editing.name, { description: `${editing.type} at the cursor`, iconPath: icon("edit"), tooltip: code(editing.text) }),
      row("Blocks", {
        id: "blocks",
        description: `${blocks.length}, ${plural(tokens, "token")}`,
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
        children: blocks.map(blockRow),
      }),
    ];
  }
}

function budgets({ used, total, parts, budgets }: Usage): Row {
  const one = (label: string, used: number, of: number, more = {}): Row =>
    row(label, { id: `budget ${label}`, description: `${bar(used, of, 6)} ${used.toLocaleString("en")} of ${of.toLocaleString("en")}`, ...more });
  const children = [
    one("Blocks", parts.blocks, budgets.blocks),
    one("Code at the cursor", parts.tail.used, budgets.tail),
    one("Instructions", parts.system, total),
  ];
  return one("Context", used, total, { iconPath: icon("dashboard"), collapsibleState: vscode.TreeItemCollapsibleState.Collapsed, children });
}

function blockRow(block: Block): BlockRow {
  const marks = [block.pinned && "pinned", block.uri && "file", block.source === "outside" && "put"];
  const made = row(block.name, {
    block,
    description: `${plural(block.tokens, "token")} · ${block.type === "filesystem" ? "file tree" : block.type}${STATES[block.state]}`,
    iconPath: icon(block.pinned ? "pinned" : SIGNS[block.state], COLORS[block.type] ?? "charts.foreground"),
    tooltip: code(block.text),
    contextValue: ["block", ...marks].filter(Boolean).join(" "),
  });
  made.command = { command: "palimpsest.ui.openBlock", title: "Open", arguments: [made] };
  return made;
}

function code(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString().appendCodeblock(text.length > 3_000 ? `${text.slice(0, 3_000)}…` : text);
}
