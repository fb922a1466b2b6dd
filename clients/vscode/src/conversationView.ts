// Beside a conversation's document: its refs, descriptors, documents and checkpoints, as the server lists them.
import * as vscode from "vscode";
import type { Conversations } from "./conversations";
import type { Server } from "./server";
import type { State } from "./status";
import { icon, type Row, row, type Shown, Tree } from "./tree";

export const VIEW = "palimpsestConversation";
const CATEGORIES: Record<string, string> = { code: "symbol-method", data: "json", text: "symbol-text" };
const GROUPS = {
  refs: { title: "Refs", kind: "ref", sign: "bookmark", color: "charts.blue", context: "ref text" },
  descriptors: { title: "Descriptors", kind: "descriptor", sign: "file-binary", color: "charts.purple", context: "descriptor text" },
  documents: { title: "Documents", kind: "document", sign: "references", color: "charts.green", context: "document there" },
  checkpoints: { title: "Checkpoints", kind: "checkpoint", sign: "history", color: undefined, context: "checkpoint" },
} as const;
export type Group = keyof typeof GROUPS;

/** What the server says of one, beside what its row shows. */
type Told = Record<"id" | "label" | "about" | "more" | "uri" | "language" | "category" | "path" | "link" | "text" | "problem", string>;
export type Item = Row & Told & { kind: (typeof GROUPS)[Group]["kind"]; conversation: string };

export async function contentsOf(server: Server, conversation: string): Promise<Record<Group, Item[]> & { name: string }> {
  const found = await server.command<Record<Group, Told[]> & { name: string }>("palimpsest.conversation.contents", { conversation });
  const items = (group: Group): Item[] => found[group].map((told) => itemOf(group, told, conversation));
  const { name } = found;
  return { name, refs: items("refs"), descriptors: items("descriptors"), documents: items("documents"), checkpoints: items("checkpoints") };
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

export class ConversationView extends Tree {
  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly conversations: Conversations,
    state: State,
  ) {
    super(context, VIEW, conversations.changed, state.changed);
  }

  protected async look(): Promise<Shown> {
    const conversation = this.conversations.id;
    const found = conversation && this.server.isRunning ? await contentsOf(this.server, conversation).catch(() => undefined) : undefined;
    if (found === undefined) return { rows: [] };
    const groups = (Object.keys(GROUPS) as Group[]).filter((id) => found[id].length > 0);
    const message = groups.length > 0 ? undefined : "Parts of replies between <ref> tags, long texts and linked documents will be here.";
    return { rows: groups.map((id) => groupRow(id, found[id])), description: found.name || conversation, message };
  }
}

function groupRow(id: Group, children: Item[]): Row {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const { title, sign } = GROUPS[id];
  const collapsibleState = id === "checkpoints" ? Collapsed : Expanded;
  return row(title, { id, description: String(children.length), iconPath: icon(sign), contextValue: `group ${id}`, collapsibleState, children });
}
