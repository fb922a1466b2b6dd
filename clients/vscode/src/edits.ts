// Edits: asked for, shown as a diff before they are applied, then applied by the server as one edit or not at all.
import * as vscode from "vscode";
import type { Middleware, WorkspaceEdit } from "vscode-languageclient";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Commands } from "./commands";
import { plainly } from "./pure";
import type { Server } from "./server";
import { setContext } from "./status";

const SCHEME = "palimpsest-edit";
const MOST_BESIDE = 3;
const ASKS = "ui.editOfAction";

interface Suggestion {
  id: string;
  name: string;
  edit: WorkspaceEdit;
  agreement: number;
  summary: string;
  flags: string[];
}

/** What `palimpsest.suggest` is asked. */
export interface Asked {
  uri: string;
  position: { line: number; character: number };
  range?: vscode.Range;
  instruction?: string;
  n?: number;
}

export class Edits implements vscode.TextDocumentContentProvider {
  /** The texts of what is shown, by their addresses. */
  private readonly texts = new Map<string, string>();
  private last: string | undefined;
  private instruction = "";

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    const look = (): void => void setContext("edit", tabs().length > 0);
    subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this), vscode.window.tabGroups.onDidChangeTabs(look));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  readonly commands: Commands = {
    "client.edit": () => this.ask({ ...place(), n: 1 }, "Looking for an edit"),
    "client.edit.instruction": async () => {
      const at = place();
      const text = await vscode.window.showInputBox({
        title: "Edit with an Instruction",
        prompt: at.range ? "What shall become of the selected lines?" : "What shall become of the code at the cursor?",
        value: this.instruction,
      });
      if (text === undefined || text.trim() === "") return;
      this.instruction = text;
      await this.ask({ ...at, instruction: text }, `Editing: ${text}`);
    },
    "client.edit.alternatives": () => this.ask({ ...place(), n: 8 }, "Looking for edits", MOST_BESIDE),
    "client.edit.accept": async (uri?: vscode.Uri) => {
      const id = this.chosen(uri);
      await vscode.window.tabGroups.close(tabs());
      const outcome = await this.server.command<{ applied: boolean; reason?: string }>("palimpsest.suggest.accept", { id, confirmed: true });
      if (!outcome.applied) throw new Error(outcome.reason ?? "the edit was not applied.");
    },
    "client.edit.reject": async (uri?: vscode.Uri) => {
      const id = this.chosen(uri);
      await this.server.command("palimpsest.suggest.reject", { id });
      await vscode.window.tabGroups.close(tabs(id));
    },
    "client.edit.again": (uri?: vscode.Uri) => this.run("palimpsest.suggest.rerun", { id: this.chosen(uri) }, "Asking again"),
    "client.edit.continue": (uri?: vscode.Uri) => this.run("palimpsest.suggest.continue", { id: this.chosen(uri) }, "Going on"),
    /** A code action was chosen: what it would ask. */
    [ASKS]: (asked: Asked) => this.ask(asked, "Looking for an edit"),
  };

  private ask(asked: Asked, title: string, most = 1): Promise<void> {
    return this.run("palimpsest.suggest", asked, title, most);
  }

  private async run(command: string, argument: object, title: string, most = 1): Promise<void> {
    const found = await this.server.slow<{ suggestions: Suggestion[]; refused: { reason: string }[] }>(title, command, argument);
    if (found.suggestions.length === 0) {
      const why = found.refused[0]?.reason;
      return void vscode.window.showInformationMessage(plainly(`Palimpsest: ${why ? `no edit: ${why}` : "nothing to change here."}`));
    }
    await vscode.window.tabGroups.close(tabs());
    this.texts.clear();
    const shown = found.suggestions.slice(0, most);
    for (const [at, one] of shown.entries()) await this.preview(one, shown.length > 1 ? at + 1 : undefined);
    this.last = shown[0]?.id;
  }

  /** What each file would be, beside what it is. */
  private async preview(suggestion: Suggestion, column?: number): Promise<void> {
    const edit = await this.server.converters.protocol2CodeConverter.asWorkspaceEdit(suggestion.edit);
    const pairs: [vscode.Uri, vscode.Uri][] = [];
    for (const [uri, edits] of edit.entries()) {
      const document = await vscode.workspace.openTextDocument(uri);
      const after = vscode.Uri.from({ scheme: SCHEME, path: uri.path, query: suggestion.id });
      const before = TextDocument.create(uri.toString(), document.languageId, document.version, document.getText());
      this.texts.set(after.toString(), TextDocument.applyEdits(before, edits));
      pairs.push([uri, after]);
    }
    const title = titleOf(suggestion);
    const [first] = pairs;
    if (first === undefined) return;
    const options = { viewColumn: column ?? vscode.ViewColumn.Active, preview: false, preserveFocus: (column ?? 1) > 1 };
    if (pairs.length === 1) await vscode.commands.executeCommand("vscode.diff", ...first, title, options);
    else await vscode.commands.executeCommand("vscode.changes", title, pairs.map(([before, after]) => [before, before, after]));
  }

  /** The one whose button was pressed, else the one in front, else the last. */
  private chosen(uri?: vscode.Uri): string {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const front = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const id = [uri, front].find((one) => one?.scheme === SCHEME)?.query ?? this.last;
    if (id === undefined) throw new Error("there is no edit yet: run “Palimpsest: Edit Here”.");
    return id;
  }
}

function place(): Asked {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new Error("open a file first.");
  const { active, start, end, isEmpty } = editor.selection;
  const at = { uri: editor.document.uri.toString(), position: { line: active.line, character: active.character } };
  return isEmpty ? at : { ...at, range: new vscode.Range(start, end) };
}

/** How many files there are, VS Code adds. */
function titleOf({ summary, name, agreement, flags }: Suggestion): string {
  const what = summary || `Edit of ${name}`;
  const share = agreement < 1 ? ` · ${Math.round(agreement * 100)} % agree` : "";
  return `${what}${share}${flags.length > 0 ? ` · ${flags.join(", ")}` : ""}`;
}

/** Those that show an edit; with an id, those of that edit.  The stable API has no class for an editor of several diffs. */
function tabs(id?: string): vscode.Tab[] {
  const shows = ({ input }: vscode.Tab): boolean => {
    const { modified, textDiffs = [] } = (input ?? {}) as { modified?: vscode.Uri; textDiffs?: { modified: vscode.Uri }[] };
    return [modified, ...textDiffs.map((one) => one.modified)].some((uri) => uri?.scheme === SCHEME && (id === undefined || uri.query === id));
  };
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(shows));
}

/**
 * Code actions that ask the model show their diff before anything is applied: they ask as “Edit Here” does, in place of
 * being resolved into an edit that VS Code would make at once.
 */
export const actionsWithDiff: Pick<Middleware, "provideCodeActions" | "resolveCodeAction"> = {
  provideCodeActions: async (document, range, context, token, next) => {
    const found = await next(document, range, context, token);
    for (const action of found ?? []) {
      const data = "kind" in action ? (action as { data?: { uri?: unknown } }).data : undefined;
      if (action instanceof vscode.CodeAction && data?.uri !== undefined && action.edit === undefined) {
        action.command = { title: action.title, command: `palimpsest.${ASKS}`, arguments: [data] };
      }
    }
    return found;
  },
  resolveCodeAction: (action, token, next) => (action.command?.command === `palimpsest.${ASKS}` ? action : next(action, token)),
};
