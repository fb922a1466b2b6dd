// What the model sees of the code at the cursor: the editing block, the context blocks with tokens and state, budgets.
import * as vscode from "vscode";
import { COLORS } from "./pages";
import type { Server } from "./server";
import { icon, type Row, row, type Shown, tree } from "./tree";

const SIGNS = { resident: "circle-filled", stored: "archive", wanted: "circle-outline", "left out": "circle-slash" };

export interface Block {
  type: string;
  name: string;
  text: string;
  about: string;
  state: keyof typeof SIGNS;
  uri?: string | null;
  line?: number | null;
  pinned?: boolean;
  source?: string;
}
export type BlockRow = Row & { block: Block };

interface Context {
  editing: { type: string; name: string; uri: string; text: string };
  blocks: Block[];
  /** All blocks together. */
  about: string;
  /** Of the whole, then of its parts. */
  budgets: { label: string; about: string }[];
}

/** What is returned has it ask again. */
export function contextView(context: vscode.ExtensionContext, server: Server, ...changes: vscode.Event<void>[]): () => void {
  const look = async (): Promise<Shown> => {
    if (!server.isRunning) return { rows: [], message: "The server is not running." };
    // Where the cursor was last in code: a conversation is about that, too.
    const found = await server.command<Context>("palimpsest.context.show").catch(() => undefined);
    if (found === undefined) return { rows: [], message: "Put the cursor into code to see what the model sees of it." };
    return { rows: rowsOf(found), description: vscode.workspace.asRelativePath(vscode.Uri.parse(found.editing.uri, true)) };
  };
  return tree(context, "palimpsestContext", look, ...changes);
}

function rowsOf({ editing, blocks, about, budgets }: Context): Row[] {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const [whole, ...parts] = budgets.map(({ label, about }) => row(label, { id: `budget ${label}`, description: about }));
  return [
    row("Context", { ...whole, iconPath: icon("dashboard"), collapsibleState: Collapsed, children: parts }),
    row(editing.name, { description: `${editing.type} at the cursor`, iconPath: icon("edit"), tooltip: code(editing.text) }),
    row("Blocks", { id: "blocks", description: about, collapsibleState: Expanded, children: blocks.map(blockRow) }),
  ];
}

function blockRow(block: Block): BlockRow {
  const marks = [block.pinned && "pinned", block.uri && "file", block.source === "outside" && "put"];
  const made = row(block.name, {
    block,
    description: block.about,
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
