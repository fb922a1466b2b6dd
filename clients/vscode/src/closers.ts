// The cursor goes behind what closes on its line.  Owner of where a completion was last accepted: only there a key does it.
import * as vscode from "vscode";
import { closing } from "./pure";

export class Closers implements vscode.Disposable {
  private accepted: { document: vscode.TextDocument; version: number; at: vscode.Position } | undefined;
  private readonly listener = vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
    const last = this.accepted; // the acceptance itself may move the cursor only now, as no person does
    if (kind === undefined && last?.document === textEditor.document) last.at = textEditor.selection.active;
    this.look();
  });

  dispose(): void {
    this.listener.dispose();
  }

  /** A completion was accepted, and the cursor is behind it. */
  note(): void {
    const editor = vscode.window.activeTextEditor;
    this.accepted = editor && { document: editor.document, version: editor.document.version, at: editor.selection.active };
    this.look();
  }

  jump(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const at = editor.selection.active;
    const to = at.translate(0, length(editor));
    editor.selection = new vscode.Selection(to, to);
  }

  private look(): void {
    const editor = vscode.window.activeTextEditor;
    const last = this.accepted;
    const there =
      editor !== undefined && last?.document === editor.document && last.version === editor.document.version && editor.selection.active.isEqual(last.at);
    void vscode.commands.executeCommand("setContext", "palimpsest.closes", there && length(editor) > 0);
  }
}

function length({ document, selection: { active } }: vscode.TextEditor): number {
  return closing(document.lineAt(active.line).text.slice(active.character));
}
