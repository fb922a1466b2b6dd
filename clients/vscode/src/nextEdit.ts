// Next edits: shown where the text will change, with a hint of how to get there.  Any change of a document takes the
// shown one away, so that what is accepted is always for the text as it is; the next is asked for on a pause.
import * as vscode from "vscode";
import type { Command, Range } from "vscode-languageclient";
import { inOneLine } from "./pure";
import { isServed, type Server } from "./server";
import { ours } from "./settings";
import { setContext } from "./status";

const IDLE_MS = 350;

interface Answer {
  edits: { id: string; textDocument: { uri: string; version: number | null }; range: Range; text: string; message: string; command: Command }[];
  total: number;
}

interface Shown {
  edit: Answer["edits"][number];
  uri: vscode.Uri;
  /** Of the document when it was shown; undefined where it is not open. */
  version: number | undefined;
  range: vscode.Range;
  total: number;
}

const isOf = (uri: vscode.Uri | undefined, document: vscode.TextDocument): boolean => document.uri.toString() === uri?.toString();
const documentOf = (uri: vscode.Uri): vscode.TextDocument | undefined => vscode.workspace.textDocuments.find((one) => isOf(uri, one));
const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);
const inRow = (text: string): string => text.replaceAll(" ", "\u00a0");

export function nextEditsIn({ subscriptions }: vscode.ExtensionContext, server: Server) {
  let shown: Shown | undefined;
  let asked = 0;
  let accepting = false;
  let timer: NodeJS.Timeout | undefined;
  const old = vscode.window.createTextEditorDecorationType({
    backgroundColor: color("diffEditor.removedTextBackground"),
    textDecoration: "line-through",
    overviewRulerColor: color("editorOverviewRuler.modifiedForeground"),
  });
  const added = vscode.window.createTextEditorDecorationType({});
  const hint = vscode.window.createTextEditorDecorationType({});

  /** What goes, struck through; what comes in its place; at the end of the cursor's line, which key leads there. */
  const draw = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = isOf(shown?.uri, editor.document) ? shown : undefined;
      editor.setDecorations(old, here && !here.range.isEmpty ? [{ range: here.range, hoverMessage: hover(here) }] : []);
      editor.setDecorations(added, here ? [fresh(here)] : []);
      editor.setDecorations(hint, shown && editor === vscode.window.activeTextEditor ? [hintFor(shown, editor)] : []);
    }
  };

  const clear = (): void => {
    clearTimeout(timer);
    asked++;
    if (shown === undefined) return;
    shown = undefined;
    void setContext("nextEdit", false);
    draw();
  };

  const show = ({ edits: [edit], total }: Answer): void => {
    const uri = edit && vscode.Uri.parse(edit.textDocument.uri, true);
    const open = uri && documentOf(uri);
    const stale = open !== undefined && edit?.textDocument.version != null && edit.textDocument.version !== open.version;
    if (edit === undefined || uri === undefined || !isServed({ uri }) || stale) return clear();
    const range = server.running.protocol2CodeConverter.asRange(edit.range);
    shown = { edit, uri, version: open?.version, range, total };
    void setContext("nextEdit", true);
    draw();
  };

  /** An answer counts if nothing was changed or asked since. */
  const ask = async ({ document, selection }: vscode.TextEditor): Promise<void> => {
    const mine = ++asked;
    const { version, uri } = document;
    const place = { textDocument: { uri: uri.toString(), version }, position: selection.active };
    const answer = await server.running.sendRequest<Answer>("palimpsest/nextEdit", place);
    if (mine === asked && version === document.version) show(answer);
  };

  const changed = ({ contentChanges, document }: vscode.TextDocumentChangeEvent): void => {
    if (contentChanges.length === 0 || !isServed(document) || accepting) return;
    clear();
    if (!ours<boolean>("nextEdit.automatic", true)) return;
    timer = setTimeout(() => {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document === document) ask(editor).catch(() => undefined); // what the status says, no message while typing
    }, IDLE_MS);
  };

  const jump = async ({ uri, version, range }: Shown): Promise<void> => {
    if (version === undefined) clear(); // of a text that may have changed on disk: it is asked for anew
    const seen = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find((one) => one && isOf(uri, one.document));
    const editor = await vscode.window.showTextDocument(uri, { viewColumn: seen?.viewColumn, selection: new vscode.Range(range.start, range.start) });
    if (version === undefined) await ask(editor);
  };

  /** It is gone before it is made, so that a second key makes nothing, and what is typed meanwhile counts. */
  const accept = async ({ edit: { id, text, command }, uri, range, version }: Shown): Promise<void> => {
    clear();
    if (documentOf(uri)?.version !== version) throw new Error("the text has changed meanwhile.");
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, range, text);
    accepting = true;
    try {
      if (!(await vscode.workspace.applyEdit(edit))) throw new Error("the editor did not make the edit.");
    } finally {
      accepting = false;
    }
    const mine = ++asked;
    const answer = await server.command<Answer>(command.command, { id });
    if (mine === asked) show(answer);
  };

  /** Jump to it; where the cursor is there, make it.  Where none is shown, ask for one, which is seen before it is made. */
  const next = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const seen = shown !== undefined;
    if (!seen) await ask(editor);
    if (shown === undefined) void vscode.window.setStatusBarMessage("Palimpsest: no next edit", 3_000);
    else if (!isHere(shown, editor)) await jump(shown);
    else if (seen) await accept(shown);
  };

  const dismiss = async (): Promise<void> => {
    const id = shown?.edit.id;
    clear();
    if (id !== undefined) await server.command("palimpsest.nextEdit.dismiss", { id });
  };

  subscriptions.push(
    old,
    added,
    hint,
    vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument((document) => isOf(shown?.uri, document) && clear()),
    vscode.window.onDidChangeTextEditorSelection(draw),
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.window.onDidChangeActiveTextEditor(draw),
    server.onBegun(clear),
  );
  return { next, dismiss, clear };
}

function isHere({ uri, range }: Shown, { document, selection }: vscode.TextEditor): boolean {
  const line = selection.active.line;
  return isOf(uri, document) && range.start.line <= line && line <= range.end.line;
}

function hintFor(shown: Shown, editor: vscode.TextEditor): vscode.DecorationOptions {
  const end = editor.document.lineAt(editor.selection.active.line).range.end;
  const file = isOf(shown.uri, editor.document) ? "" : `${vscode.workspace.asRelativePath(shown.uri)}, `;
  const more = shown.total > 1 ? ` · ${shown.total - 1} more` : "";
  const text = isHere(shown, editor)
    ? `Tab: ${shown.edit.message}${more} · Esc: dismiss`
    : `Tab: next edit in ${file}line ${shown.range.start.line + 1}${more}`;
  const [ink, paper] = [color("editorInlayHint.foreground"), color("editorInlayHint.background")];
  const after = { contentText: inRow(text), color: ink, backgroundColor: paper, fontStyle: "normal", margin: "0 0 0 2em" };
  return { range: new vscode.Range(end, end), renderOptions: { after } };
}

function fresh(shown: Shown): vscode.DecorationOptions {
  const contentText = inRow(inOneLine(shown.edit.text));
  const after = {
    contentText,
    color: color("editor.foreground"),
    backgroundColor: color("diffEditor.insertedTextBackground"),
    border: "1px solid",
    borderColor: color("diffEditor.insertedTextBorder"),
    margin: "0 0 0 2px",
  };
  const range = new vscode.Range(shown.range.end, shown.range.end);
  return { range, hoverMessage: hover(shown), renderOptions: contentText === "" ? {} : { after } };
}

function hover({ edit }: Shown): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(edit.message).appendCodeblock(edit.text);
}
