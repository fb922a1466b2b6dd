// Next edits: shown where the text will change, with a hint of what the key does.  One stays for as long as it is true:
// while a person types the beginning of it, what is left is shown; any other change of a document takes it away at once,
// and the next is asked for on a pause.
import * as vscode from "vscode";
import type { Command, Range } from "vscode-languageclient";
import type { Completions } from "./completion";
import { left, PAIR, preview, type Preview } from "./preview";
import { isServed, type Server } from "./server";
import { ours } from "./settings";
import { Snippets } from "./snippets";
import { setContext } from "./status";

const IDLE_MS = 350;
/** So many rows from the cursor an edit is in view with it, and made at once. */
const NEAR = 2;

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
  /** What comes in the range's place, with the document's ends of lines; and what is there, and where in the document. */
  text: string;
  old: string;
  offset: number;
  total: number;
}

const isOf = (uri: vscode.Uri | undefined, document: vscode.TextDocument): boolean => document.uri.toString() === uri?.toString();
const documentOf = (uri: vscode.Uri): vscode.TextDocument | undefined => vscode.workspace.textDocuments.find((one) => isOf(uri, one));
const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);
const inRow = (text: string): string => text.replaceAll(" ", "\u00a0");

export function nextEditsIn({ subscriptions }: vscode.ExtensionContext, server: Server, completions: Completions) {
  let shown: Shown | undefined;
  let asked = 0;
  let accepting = false;
  let timer: NodeJS.Timeout | undefined;
  let isDrawn = false;
  const told = new Map<string, boolean>();
  const snippets = new Snippets();
  const looks = decorationTypes();

  /** For the keys: whether there is one, and whether Tab is for it. */
  const tell = (name: string, value: boolean): void => {
    if ((told.get(name) ?? false) !== value) void setContext(name, value);
    told.set(name, value);
  };

  const draw = (): void => {
    const active = vscode.window.activeTextEditor;
    const one = snippets.isIn(active) ? undefined : shown;
    if (one === undefined && !isDrawn) return;
    isDrawn = one !== undefined;
    const takesTab = one !== undefined && active !== undefined && isForTab(one, active);
    tell("nextEdit", one !== undefined);
    tell("nextEditTab", takesTab);
    for (const editor of vscode.window.visibleTextEditors) {
      const here = isOf(one?.uri, editor.document) ? one : undefined;
      const seen = here && previewOf(here, editor);
      const parts: Partial<Record<Look, vscode.DecorationOptions[]>> = here && seen ? partsOf(here, seen, editor.document) : {};
      if (one !== undefined && editor === active) parts.hint = [hintFor(one, editor, takesTab && !completions.isOffered(editor), seen?.beside ?? [])];
      for (const look of LOOKS) editor.setDecorations(looks[look], parts[look] ?? []);
    }
  };

  const clear = (): void => {
    clearTimeout(timer);
    asked++;
    if (shown === undefined) return;
    shown = undefined;
    draw();
  };

  const show = ({ edits: [edit], total }: Answer): void => {
    const uri = edit && vscode.Uri.parse(edit.textDocument.uri, true);
    const open = uri && documentOf(uri);
    const stale = open !== undefined && edit?.textDocument.version != null && edit.textDocument.version !== open.version;
    if (edit === undefined || uri === undefined || !isServed({ uri }) || stale) return clear();
    const range = server.running.protocol2CodeConverter.asRange(edit.range);
    const text = edit.text.replaceAll(/\r?\n/g, open?.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
    shown = { edit, uri, version: open?.version, range, text, old: open?.getText(range) ?? "", offset: open?.offsetAt(range.start) ?? 0, total };
    draw();
  };

  /** An answer counts if nothing was changed or asked since. */
  const ask = async ({ document, selection }: vscode.TextEditor, trigger: "automatic" | "invoked" = "automatic"): Promise<void> => {
    const mine = ++asked;
    const { version, uri } = document;
    const place = { textDocument: { uri: uri.toString(), version }, position: selection.active, trigger };
    const answer = await server.running.sendRequest<Answer>("palimpsest/nextEdit", place);
    if (mine === asked && version === document.version) show(answer);
  };

  const askOnPause = (document: vscode.TextDocument): void => {
    clearTimeout(timer);
    if (!ours<boolean>("nextEdit.automatic", true)) return;
    timer = setTimeout(() => {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document !== document || snippets.isIn(editor)) return;
      ask(editor).catch(() => undefined); // what the status says, no message while typing
    }, IDLE_MS);
  };

  /** Whether the change made the beginning of what is shown; then the rest is shown, and all of it counts as accepted. */
  const typed = ({ contentChanges: [change, ...more], document }: vscode.TextDocumentChangeEvent): boolean => {
    if (shown === undefined || change === undefined || more.length > 0 || shown.version === undefined || !isOf(shown.uri, document)) return false;
    const from = change.rangeOffset - shown.offset;
    const [begun, closed] = PAIR.test(change.text) ? [change.text.slice(0, 1), change.text.slice(1)] : [change.text, ""];
    const text = left(shown.old, shown.text, [from, from + change.rangeLength], begun, closed);
    if (text === undefined) return false;
    const offset = change.rangeOffset + begun.length;
    const at = document.positionAt(offset);
    shown = { ...shown, version: document.version, range: new vscode.Range(at, at), text, old: "", offset };
    if (text === "") accepted(shown).catch(() => undefined);
    else draw();
    return true;
  };

  const changed = (event: vscode.TextDocumentChangeEvent): void => {
    const { contentChanges, document } = event;
    if (contentChanges.length === 0 || !isServed(document) || accepting) return;
    snippets.changed(event);
    if (typed(event)) return;
    clear();
    askOnPause(document);
  };

  const moved = ({ textEditor, kind }: vscode.TextEditorSelectionChangeEvent): void => {
    if (snippets.moved(textEditor, kind) === "left" && shown === undefined) askOnPause(textEditor.document);
    draw();
  };

  const jump = async ({ uri, version, range }: Shown): Promise<void> => {
    if (version === undefined) clear(); // of a text that may have changed on disk: it is asked for anew
    const seen = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find((one) => one && isOf(uri, one.document));
    const editor = await vscode.window.showTextDocument(uri, { viewColumn: seen?.viewColumn, selection: new vscode.Range(range.start, range.start) });
    if (version === undefined) await ask(editor, "invoked");
  };

  /** The answer to that is the one after it. */
  const accepted = async ({ edit: { id, command } }: Shown): Promise<void> => {
    clear();
    const mine = ++asked;
    const answer = await server.command<Answer>(command.command, { id });
    if (mine === asked) show(answer);
  };

  /** It is gone before it is made, so that a second key makes nothing, and what is typed meanwhile counts. */
  const accept = async (one: Shown): Promise<void> => {
    clear();
    if (documentOf(one.uri)?.version !== one.version) throw new Error("the text has changed meanwhile.");
    const editor = vscode.window.activeTextEditor;
    const isIn = editor !== undefined && isOf(one.uri, editor.document) && one.range.contains(editor.selection.active);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(one.uri, one.range, one.text);
    accepting = true;
    try {
      if (!(await vscode.workspace.applyEdit(edit))) throw new Error("the editor did not make the edit.");
      if (isIn && editor.document.version - 1 === one.version) {
        const end = editor.document.positionAt(one.offset + one.text.length); // as if it had been typed; else VS Code leaves it in a word
        editor.selection = new vscode.Selection(end, end);
      }
    } finally {
      accepting = false;
    }
    await accepted(one);
  };

  /** Make it where it is in view, else jump to it.  Where none is shown, ask for one, which is seen before it is made; but
   *  a key that was pressed for one that is gone by now is the editor's own. */
  const next = async (by?: "tab"): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const seen = shown !== undefined;
    if (by === "tab" && !(shown && isForTab(shown, editor))) return vscode.commands.executeCommand("tab");
    if (!seen) await ask(editor, "invoked");
    if (shown === undefined) void vscode.window.setStatusBarMessage("Palimpsest: no next edit", 3_000);
    else if (!isNear(shown, editor)) await jump(shown);
    else if (seen) await accept(shown);
  };

  const dismiss = async (): Promise<void> => {
    const id = shown?.edit.id;
    clear();
    if (id !== undefined) await server.command("palimpsest.nextEdit.dismiss", { id });
  };

  subscriptions.push(
    ...Object.values(looks),
    vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument((document) => isOf(shown?.uri, document) && clear()),
    vscode.window.onDidChangeTextEditorSelection(moved),
    vscode.window.onDidChangeTextEditorVisibleRanges(draw),
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.window.onDidChangeActiveTextEditor(draw),
    completions.offered(draw),
    server.onBegun(clear),
  );
  return { next, dismiss, clear };
}

/** Where it and the cursor are in view together; not where its file was not open, and may be another by now. */
function isNear({ uri, version, range }: Shown, { document, selection, visibleRanges }: vscode.TextEditor): boolean {
  const line = selection.active.line;
  const isClose = range.start.line - NEAR <= line && line <= range.end.line + NEAR;
  return version !== undefined && isOf(uri, document) && isClose && visibleRanges.some((seen) => seen.start.line <= range.start.line && range.start.line <= seen.end.line);
}

/** Tab indents what is selected, and a row that is empty yet, unless it is the edit's. */
function isForTab({ uri, range }: Shown, { document, selection, selections }: vscode.TextEditor): boolean {
  const line = selection.active.line;
  const isAt = isOf(uri, document) && range.start.line <= line && line <= range.end.line;
  return selection.isEmpty && selections.length === 1 && (isAt || !document.lineAt(line).isEmptyOrWhitespace);
}

const LOOKS = ["old", "gone", "added", "above", "hint"] as const;
type Look = (typeof LOOKS)[number];

function decorationTypes(): Record<Look, vscode.TextEditorDecorationType> {
  const made = (options: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType => vscode.window.createTextEditorDecorationType(options);
  const ruler = color("editorOverviewRuler.modifiedForeground");
  return {
    old: made({ backgroundColor: color("diffEditor.removedTextBackground"), textDecoration: "line-through", overviewRulerColor: ruler }),
    gone: made({ backgroundColor: color("diffEditor.removedLineBackground"), isWholeLine: true }),
    above: made({ isWholeLine: true, borderStyle: "dashed", borderWidth: "1px 0 0 0", borderColor: color("editorGutter.addedBackground"), overviewRulerColor: ruler }),
    added: made({}),
    hint: made({}),
  };
}

function previewOf({ range, text }: Shown, { document, options }: vscode.TextEditor): Preview {
  return preview({ count: document.lineCount, at: (row) => document.lineAt(row).text }, document.validateRange(range), text, Number(options.tabSize));
}

/** What goes, struck through; what comes, behind it. */
function partsOf({ edit }: Shown, seen: Preview, document: vscode.TextDocument): Record<Exclude<Look, "hint">, vscode.DecorationOptions[]> {
  const { within, gone, beside, above, diff } = seen;
  const hoverMessage = new vscode.MarkdownString().appendText(edit.message).appendCodeblock(diff, "diff");
  const rangeOf = (row: number): vscode.Range => document.lineAt(row).range;
  const added = (row: number, at: number, text: string, margin: string): vscode.DecorationOptions => {
    const [paper, borderColor] = [color("diffEditor.insertedTextBackground"), color("diffEditor.insertedTextBorder")];
    const after = { contentText: inRow(text), color: color("editor.foreground"), backgroundColor: paper, border: "1px solid", borderColor, margin };
    return { range: new vscode.Range(row, at, row, at), hoverMessage, renderOptions: { after } };
  };
  const whole = gone.map((row) => ({ row, from: document.lineAt(row).firstNonWhitespaceCharacterIndex, to: rangeOf(row).end.character }));
  return {
    old: [...within, ...whole].filter(({ from, to }) => from < to).map(({ row, from, to }) => ({ range: new vscode.Range(row, from, row, to), hoverMessage })),
    gone: beside.length > 0 ? [] : gone.map((row) => ({ range: rangeOf(row), hoverMessage })),
    added: [
      ...within.filter(({ text }) => text !== "").map(({ row, to, text }) => added(row, to, text, "0 0 0 2px")),
      ...beside.map(({ row, margin, text }) => added(row, rangeOf(row).end.character, text, `0 0 0 ${margin}ch`)),
    ],
    above: above === undefined ? [] : [{ range: rangeOf(Math.min(above, document.lineCount - 1)), hoverMessage }],
  };
}

/** In the cursor's row, or where a column stands there, above or below it.  Of Tab it speaks only where nothing else can be
 *  on the screen that Tab is for first. */
function hintFor(shown: Shown, editor: vscode.TextEditor, saysTab: boolean, column: Preview["beside"]): vscode.DecorationOptions {
  const { document, selection } = editor;
  const rows = column.map(({ row }) => row);
  const free = [selection.active.line, Math.min(...rows) - 1, Math.max(...rows) + 1].find((row) => row >= 0 && row < document.lineCount && !rows.includes(row));
  const end = document.lineAt(free ?? selection.active.line).range.end;
  const file = isOf(shown.uri, document) ? "" : `${vscode.workspace.asRelativePath(shown.uri)}, `;
  const more = shown.total > 1 ? ` · ${shown.total - 1} more` : "";
  const what = isNear(shown, editor) ? `${shown.edit.message}${more} · Esc: dismiss` : `next edit in ${file}line ${shown.range.start.line + 1}${more}`;
  const [ink, paper] = [color("editorInlayHint.foreground"), color("editorInlayHint.background")];
  const contentText = inRow(saysTab ? `Tab: ${what}` : what);
  const after = { contentText, color: ink, backgroundColor: paper, fontStyle: "normal", margin: "0 0 0 2em" };
  return { range: new vscode.Range(end, end), renderOptions: { after } };
}
