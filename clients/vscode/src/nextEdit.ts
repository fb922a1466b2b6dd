// Next edits: shown where the text will change, with a hint of how to get there.  Any change of a document takes the
// shown one away, so that what is accepted is always for the text as it is; the next is asked for on a pause.
import * as vscode from "vscode";
import { inOneLine } from "./pure";
import type { NextEdit, NextEdits as Answer } from "./protocol";
import { isServed, type Server } from "./server";
import { ours } from "./settings";

const IDLE_MS = 350;
const VISIBLE = "palimpsest.nextEdit";

interface Shown {
  edit: NextEdit;
  uri: vscode.Uri;
  /** Of the document when it was shown; undefined where it is not open. */
  version: number | undefined;
  range: vscode.Range;
  total: number;
}

const documentOf = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

export class NextEdits implements vscode.Disposable {
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
  private readonly listening = [
    this.old,
    this.fresh,
    this.hint,
    vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.toString() === this.shown?.uri.toString() && this.clear()),
    vscode.window.onDidChangeTextEditorSelection(() => this.draw()),
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.window.onDidChangeActiveTextEditor(() => this.draw()),
  ];

  constructor(private readonly server: Server) {
    this.listening.push(server.onBegun(() => this.clear()));
  }

  /** Jump to it; where the cursor is there, make it.  Where none is shown, ask for one, which is seen before it is made. */
  async next(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const seen = this.shown !== undefined;
    if (!seen) await this.ask(editor, editor.selection.active);
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
    if (editor?.document !== event.document || !ours("nextEdit.automatic", true)) return;
    this.timer = setTimeout(() => {
      const now = vscode.window.activeTextEditor;
      if (now?.document !== event.document || !this.server.isRunning) return;
      this.ask(now, now.selection.active).catch(() => undefined); // what the status says, no message while typing
    }, IDLE_MS);
  }

  /** An answer counts if nothing was changed or asked since. */
  private async ask({ document }: vscode.TextEditor, { line, character }: vscode.Position): Promise<void> {
    const mine = ++this.asked;
    const version = document.version;
    const textDocument = { uri: document.uri.toString(), version };
    const answer = await this.server.request<Answer>("palimpsest/nextEdit", { textDocument, position: { line, character } });
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
    void vscode.commands.executeCommand("setContext", VISIBLE, true);
    this.draw();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.asked++;
    if (this.shown === undefined) return;
    this.shown = undefined;
    void vscode.commands.executeCommand("setContext", VISIBLE, false);
    this.draw();
  }

  private async jump(shown: Shown): Promise<void> {
    const before = vscode.window.activeTextEditor;
    const cursor = shown.range.start;
    if (before?.document.uri.toString() === shown.uri.toString()) {
      before.selection = new vscode.Selection(cursor, cursor);
      before.revealRange(shown.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    if (shown.version === undefined) this.clear(); // of a text that may have changed on disk: it is asked for anew
    const editor = await vscode.window.showTextDocument(shown.uri, { selection: new vscode.Range(cursor, cursor) });
    if (shown.version === undefined) await this.ask(editor, editor.selection.active);
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
    return document.uri.toString() === uri.toString() && range.start.line <= line && line <= range.end.line;
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const shown = this.shown;
      const inside = shown?.uri.toString() === editor.document.uri.toString();
      editor.setDecorations(this.old, shown && inside && !shown.range.isEmpty ? [{ range: shown.range, hoverMessage: hover(shown) }] : []);
      editor.setDecorations(this.fresh, shown && inside ? [fresh(shown)] : []);
      const active = editor === vscode.window.activeTextEditor;
      editor.setDecorations(this.hint, shown && active ? [this.hintFor(shown, editor)] : []);
    }
  }

  /** At the end of the cursor's line: where it is, and which key leads there. */
  private hintFor(shown: Shown, editor: vscode.TextEditor): vscode.DecorationOptions {
    const end = editor.document.lineAt(editor.selection.active.line).range.end;
    const elsewhere = shown.uri.toString() !== editor.document.uri.toString();
    const file = elsewhere ? `${vscode.workspace.asRelativePath(shown.uri)}, ` : "";
    const more = shown.total > 1 ? ` · ${shown.total - 1} more` : "";
    const text = this.isHere(shown, editor)
      ? `Tab: ${shown.edit.message}${more} · Esc: dismiss`
      : `Tab: next edit in ${file}line ${shown.range.start.line + 1}${more}`;
    return { range: new vscode.Range(end, end), renderOptions: { after: label(text) } };
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.listening).dispose();
  }
}

function fresh(shown: Shown): vscode.DecorationOptions {
  const text = inOneLine(shown.edit.text).replaceAll(" ", "\u00a0");
  const after = {
    contentText: text,
    color: color("editor.foreground"),
    backgroundColor: color("diffEditor.insertedTextBackground"),
    border: "1px solid",
    borderColor: color("diffEditor.insertedTextBorder"),
    margin: "0 0 0 2px",
  };
  const range = new vscode.Range(shown.range.end, shown.range.end);
  return { range, hoverMessage: hover(shown), renderOptions: text === "" ? {} : { after } };
}

function label(text: string): vscode.ThemableDecorationAttachmentRenderOptions {
  return {
    contentText: text.replaceAll(" ", "\u00a0"),
    color: color("editorInlayHint.foreground"),
    backgroundColor: color("editorInlayHint.background"),
    fontStyle: "normal",
    margin: "0 0 0 2em",
  };
}

function hover({ edit }: Shown): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(edit.message).appendCodeblock(edit.text);
}
