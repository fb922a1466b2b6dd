// Edits: asked for, shown as a diff before they are applied, then applied by the server as one edit or not at all.
import * as vscode from "vscode";
import { edited, plainly } from "./pure";
import type { Suggestion, Suggestions } from "./protocol";
import type { Server } from "./server";

export const SCHEME = "palimpsest-edit";
const PENDING = "palimpsest.edit";
const MOST_BESIDE = 3;

type Tabs = readonly vscode.Tab[];
export interface Asked {
  uri: string;
  position: { line: number; character: number };
  range?: vscode.Range;
  instruction?: string;
  n?: number;
}

export class Edits implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** The texts of what is shown, by their addresses. */
  private readonly texts = new Map<string, string>();
  private last: string | undefined;
  private instruction = "";
  private readonly listening = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.window.tabGroups.onDidChangeTabs(() => this.look()),
  ];

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  here(): Promise<void> {
    return this.ask({ ...place(), n: 1 }, "Looking for an edit");
  }

  async withInstruction(): Promise<void> {
    const at = place();
    const text = await vscode.window.showInputBox({
      title: "Edit with an Instruction",
      prompt: at.range ? "What shall become of the selected lines?" : "What shall become of the code at the cursor?",
      value: this.instruction,
    });
    if (text === undefined || text.trim() === "") return;
    this.instruction = text;
    await this.ask({ ...at, instruction: text }, `Editing: ${text}`);
  }

  alternatives(): Promise<void> {
    return this.ask({ ...place(), n: 8 }, "Looking for edits", MOST_BESIDE);
  }

  /** A code action was chosen: `asked` is what it would ask. */
  ask(asked: Asked, title: string, most = 1): Promise<void> {
    return this.run("palimpsest.suggest", asked, title, most);
  }

  again(uri?: vscode.Uri): Promise<void> {
    return this.run("palimpsest.suggest.rerun", { id: this.chosen(uri) }, "Asking again");
  }

  continue(uri?: vscode.Uri): Promise<void> {
    return this.run("palimpsest.suggest.continue", { id: this.chosen(uri) }, "Going on");
  }

  async reject(uri?: vscode.Uri): Promise<void> {
    const id = this.chosen(uri);
    await this.server.command("palimpsest.suggest.reject", { id });
    await close(tabs(id));
  }

  async apply(uri?: vscode.Uri): Promise<void> {
    const id = this.chosen(uri);
    await close(tabs());
    const outcome = await this.server.command<{ applied: boolean; reason?: string }>("palimpsest.suggest.accept", { id, confirmed: true });
    if (!outcome.applied) throw new Error(outcome.reason ?? "the edit was not applied.");
  }

  private async run(command: string, argument: object, title: string, most = 1): Promise<void> {
    const options = { location: vscode.ProgressLocation.Notification, title: `Palimpsest: ${title}`, cancellable: true };
    const found = await vscode.window.withProgress(options, async (progress, token) =>
      this.server.command<Suggestions>(command, argument, token, (text) => progress.report({ message: plainly(text) })),
    );
    if (found.suggestions.length === 0) {
      const why = found.refused[0]?.reason;
      void vscode.window.showInformationMessage(plainly(`Palimpsest: ${why ? `no edit: ${why}` : "nothing to change here."}`));
      return;
    }
    await close(tabs());
    this.texts.clear();
    const shown = found.suggestions.slice(0, most);
    for (const [at, one] of shown.entries()) await this.preview(one, shown.length > 1 ? at + 1 : undefined);
    this.last = shown[0]?.id;
  }

  /** What each file would be, beside what it is. */
  private async preview(suggestion: Suggestion, column?: number): Promise<void> {
    const edit = await this.server.converter.asWorkspaceEdit(suggestion.edit);
    const pairs: [vscode.Uri, vscode.Uri][] = [];
    for (const [uri, edits] of edit.entries()) {
      const document = await vscode.workspace.openTextDocument(uri);
      const after = vscode.Uri.from({ scheme: SCHEME, path: uri.path, query: suggestion.id });
      const changes = edits.map(({ range, newText }) => ({
        start: document.offsetAt(range.start),
        end: document.offsetAt(range.end),
        text: newText,
      }));
      this.texts.set(after.toString(), edited(document.getText(), changes));
      pairs.push([uri, after]);
    }
    const title = titleOf(suggestion);
    const first = pairs[0];
    if (first === undefined) return;
    const options = { viewColumn: column ?? vscode.ViewColumn.Active, preview: false, preserveFocus: (column ?? 1) > 1 };
    if (pairs.length === 1) await vscode.commands.executeCommand("vscode.diff", ...first, title, options);
    else await vscode.commands.executeCommand("vscode.changes", title, pairs.map(([before, after]) => [before, before, after]));
    this.last = suggestion.id;
    this.look();
  }

  /** The one whose button was pressed, else the one in front, else the last. */
  private chosen(uri?: vscode.Uri): string {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const front = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const id = [uri, front].find((one) => one?.scheme === SCHEME)?.query ?? this.last;
    if (id === undefined) throw new Error("there is no edit yet: run “Palimpsest: Edit Here”.");
    return id;
  }

  private look(): void {
    void vscode.commands.executeCommand("setContext", PENDING, tabs().length > 0);
  }

  dispose(): void {
    vscode.Disposable.from(...this.listening).dispose();
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

/** Those that show an edit; with an id, those of that edit. */
function tabs(id?: string): Tabs {
  const shows = ({ input }: vscode.Tab): boolean => {
    if (input instanceof vscode.TabInputTextDiff) {
      return input.modified.scheme === SCHEME && (id === undefined || input.modified.query === id);
    }
    // The stable API has no class for an editor of several diffs.
    const diffs = (input as { textDiffs?: { modified: vscode.Uri }[] } | undefined)?.textDiffs ?? [];
    return diffs.some(({ modified }) => modified.scheme === SCHEME && (id === undefined || modified.query === id));
  };
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(shows));
}

async function close(shown: Tabs): Promise<void> {
  if (shown.length > 0) await vscode.window.tabGroups.close(shown);
}
