// Edits: asked for, shown as a diff before they are applied, then applied by the server as one edit or not at all.
import * as vscode from "vscode";
import type { Commands } from "./commands";
import { plainly } from "./pure";
import type { Server } from "./server";
import { setContext } from "./status";

const MOST_BESIDE = 3;
/** The command of code actions: what it says of a place is asked as “Edit Here” asks. */
export const APPLY = "palimpsest.suggest.apply";

interface Suggestion {
  id: string;
  title: string;
  documents: { uri: string; draft: string }[];
}

export function editsIn({ subscriptions }: vscode.ExtensionContext, server: Server) {
  let last: string | undefined;
  let instruction = "";
  subscriptions.push(vscode.window.tabGroups.onDidChangeTabs(() => void setContext("edit", tabs().length > 0)));

  const run = async (command: string, argument: object, title: string, most = 1): Promise<void> => {
    const found = await server.slow<{ suggestions: Suggestion[]; why_not: string }>(title, command, argument);
    if (found.why_not) return void vscode.window.showInformationMessage(plainly(`Palimpsest: ${found.why_not}`));
    await vscode.window.tabGroups.close(tabs());
    const shown = found.suggestions.slice(0, most);
    for (const [at, one] of shown.entries()) await preview(one, shown.length > 1 ? at + 1 : undefined);
    last = shown[0]?.id;
  };

  const ask = (asked: object, title = "Looking for an edit", most = 1): Promise<void> => run("palimpsest.suggest", asked, title, most);

  /** The one whose button was pressed, else the one in front, else the last. */
  const chosen = (uri?: vscode.Uri): string => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const front = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const id = idIn(uri) ?? idIn(front) ?? last;
    if (id === undefined) throw new Error("there is no edit yet: run “Palimpsest: Edit Here”.");
    return id;
  };

  const commands: Commands = {
    "client.edit": () => ask({ ...place(), n: 1 }),
    "client.edit.instruction": async () => {
      const at = place();
      const text = await vscode.window.showInputBox({
        title: "Edit with an Instruction",
        prompt: at.range ? "What shall become of the selected lines?" : "What shall become of the code at the cursor?",
        value: instruction,
      });
      if (text === undefined || text.trim() === "") return;
      instruction = text;
      await ask({ ...at, instruction }, `Editing: ${text}`);
    },
    "client.edit.alternatives": () => ask({ ...place(), n: 8 }, "Looking for edits", MOST_BESIDE),
    "client.edit.accept": async (uri?: vscode.Uri) => {
      const id = chosen(uri);
      await vscode.window.tabGroups.close(tabs());
      const outcome = await server.command<{ applied: boolean; reason?: string }>("palimpsest.suggest.accept", { id, confirmed: true });
      if (!outcome.applied) throw new Error(outcome.reason ?? "the edit was not applied.");
    },
    "client.edit.reject": async (uri?: vscode.Uri) => {
      const id = chosen(uri);
      await server.command("palimpsest.suggest.reject", { id });
      await vscode.window.tabGroups.close(tabs(id));
    },
    "client.edit.again": (uri?: vscode.Uri) => run("palimpsest.suggest.rerun", { id: chosen(uri) }, "Asking again"),
    "client.edit.continue": (uri?: vscode.Uri) => run("palimpsest.suggest.continue", { id: chosen(uri) }, "Going on"),
  };
  return { ask, commands };
}

/** What each file would be, beside what it is. */
async function preview({ title, documents }: Suggestion, column?: number): Promise<void> {
  const pairs = documents.map(({ uri, draft }) => [vscode.Uri.parse(uri, true), vscode.Uri.parse(draft, true)] as const);
  const [first] = pairs;
  const options = { viewColumn: column ?? vscode.ViewColumn.Active, preview: false, preserveFocus: (column ?? 1) > 1 };
  if (pairs.length === 1 && first) await vscode.commands.executeCommand("vscode.diff", ...first, title, options);
  else await vscode.commands.executeCommand("vscode.changes", title, pairs.map(([before, after]) => [before, before, after]));
}

function place() {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new Error("open a file first.");
  const { active, start, end, isEmpty } = editor.selection;
  return { uri: editor.document.uri.toString(), position: active, range: isEmpty ? undefined : { start, end } };
}

/** Of an edit, in the address of one of the server's documents that are as that edit would leave them. */
function idIn(uri: vscode.Uri | undefined): string | undefined {
  return /^palimpsest:\/draft\/([^/]+)\//.exec(String(uri))?.[1];
}

/** Those that show an edit; with an id, those of that edit.  The stable API has no class for an editor of several diffs. */
function tabs(id?: string): vscode.Tab[] {
  const shows = ({ input }: vscode.Tab): boolean => {
    const { modified, textDiffs = [] } = (input ?? {}) as { modified?: vscode.Uri; textDiffs?: { modified: vscode.Uri }[] };
    return [modified, ...textDiffs.map((one) => one.modified)].map(idIn).some((one) => one !== undefined && one === (id ?? one));
  };
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(shows));
}
