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

export class NextEdits {
  private shown: Shown | undefined;
  private asked = 0;
  private accepting = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly old = vscode.window.createTextEditorDecorationType({
    backgroundColor: color("diffEditor.removedTextBackground"),
    textDecoration: "line-through",
    overviewRulerColor: color("editorOverviewRuler.modifiedForeground"),
  });
  private readonly fresh = vscode.window.createTextEditorDecorationType({});
  private readonly hint = vscode.window.createTextEditorDecorationType({});

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    const draw = (): void => this.draw();
    subscriptions.push(
      this.old,
      this.fresh,
      this.hint,
      vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
      vscode.workspace.onDidCloseTextDocument((document) => isOf(this.shown?.uri, document) && this.clear()),
      vscode.window.onDidChangeTextEditorSelection(draw),
      vscode.window.onDidChangeVisibleTextEditors(draw),
      vscode.window.onDidChangeActiveTextEditor(draw),
      server.onBegun(() => this.clear()),
    );
  }

  /** Jump to it; where the cursor is there, make it.  Where none is shown, ask for one, which is seen before it is made. */
  async next(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const seen = this.shown !== undefined;
    if (!seen) await this.ask(editor);
    const shown = this.shown;
    if (shown === undefined) void vscode.window.setStatusBarMessage("Palimpsest: no next edit", 3_000);
    else if (!this.isHere(shown, editor)) await this.jump(shown);
    else if (seen) await this.accept(shown);
  }

  async dismiss(): Promise<void> {
    const shown = this.shown;
    this.clear();
    if (shown !== undefined) await this.server.command("palimpsest.nextEdit.dismiss", { id: shown.edit.id });
  }

  private changed(event: vscode.TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0 || !isServed(event.document) || this.accepting) return;
    this.clear();
    const editor = vscode.window.activeTextEditor;
    if (editor?.document !== event.document || !ours<boolean>("nextEdit.automatic", true)) return;
    this.timer = setTimeout(() => {
      const now = vscode.window.activeTextEditor;
      if (now?.document !== event.document || !this.server.isRunning) return;
      this.ask(now).catch(() => undefined); // what the status says, no message while typing
    }, IDLE_MS);
  }

  /** An answer counts if nothing was changed or asked since. */
  private async ask({ document, selection }: vscode.TextEditor): Promise<void> {
    const mine = ++this.asked;
    const { version, uri } = document;
    const position = { line: selection.active.line, character: selection.active.character };
    const answer = await this.server.request<Answer>("palimpsest/nextEdit", { textDocument: { uri: uri.toString(), version }, position });
    if (mine === this.asked && version === document.version) this.show(answer);
  }

  private show(answer: Answer | null): void {
    const edit = answer?.edits[0];
    const uri = edit && vscode.Uri.parse(edit.textDocument.uri, true);
    const open = uri && documentOf(uri);
    const stale = open !== undefined && edit?.textDocument.version != null && edit.textDocument.version !== open.version;
    if (edit === undefined || uri === undefined || !isServed({ uri }) || stale) return this.clear();
    const { start, end } = edit.range;
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    this.shown = { edit, uri, version: open?.version, range, total: answer?.total ?? 1 };
    void setContext("nextEdit", true);
    this.draw();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.asked++;
    if (this.shown === undefined) return;
    this.shown = undefined;
    void setContext("nextEdit", false);
    this.draw();
  }

  private async jump({ uri, version, range }: Shown): Promise<void> {
    if (version === undefined) this.clear(); // of a text that may have changed on disk: it is asked for anew
    const seen = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find((one) => one && isOf(uri, one.document));
    const editor = await vscode.window.showTextDocument(uri, { viewColumn: seen?.viewColumn, selection: new vscode.Range(range.start, range.start) });
    if (version === undefined) await this.ask(editor);
  }

  /** It is gone before it is made, so that a second key makes nothing, and what is typed meanwhile counts. */
  private async accept({ edit: { id, text, command }, uri, range, version }: Shown): Promise<void> {
    this.clear();
    if (documentOf(uri)?.version !== version) throw new Error("the text has changed meanwhile.");
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, range, text);
    this.accepting = true;
    try {
      if (!(await vscode.workspace.applyEdit(edit))) throw new Error("the editor did not make the edit.");
    } finally {
      this.accepting = false;
    }
    const mine = ++this.asked;
    const answer = await this.server.command<Answer>(command.command, { id });
    if (mine === this.asked) this.show(answer);
  }

  private isHere({ uri, range }: Shown, { document, selection }: vscode.TextEditor): boolean {
    const line = selection.active.line;
    return isOf(uri, document) && range.start.line <= line && line <= range.end.line;
  }

  /** What goes, struck through; what comes in its place; at the end of the cursor's line, which key leads there. */
  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const shown = this.shown;
      const inside = shown && isOf(shown.uri, editor.document);
      editor.setDecorations(this.old, inside && !shown.range.isEmpty ? [{ range: shown.range, hoverMessage: hover(shown) }] : []);
      editor.setDecorations(this.fresh, inside ? [fresh(shown)] : []);
      editor.setDecorations(this.hint, shown && editor === vscode.window.activeTextEditor ? [this.hintFor(shown, editor)] : []);
    }
  }

  private hintFor(shown: Shown, editor: vscode.TextEditor): vscode.DecorationOptions {
    const end = editor.document.lineAt(editor.selection.active.line).range.end;
    const file = isOf(shown.uri, editor.document) ? "" : `${vscode.workspace.asRelativePath(shown.uri)}, `;
    const more = shown.total > 1 ? ` · ${shown.total - 1} more` : "";
    const text = this.isHere(shown, editor)
      ? `Tab: ${shown.edit.message}${more} · Esc: dismiss`
      : `Tab: next edit in ${file}line ${shown.range.start.line + 1}${more}`;
    const [ink, paper] = [color("editorInlayHint.foreground"), color("editorInlayHint.background")];
    const after = { contentText: inRow(text), color: ink, backgroundColor: paper, fontStyle: "normal", margin: "0 0 0 2em" };
    return { range: new vscode.Range(end, end), renderOptions: { after } };
  }
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
