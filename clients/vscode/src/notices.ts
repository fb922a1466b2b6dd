// What the server is told unasked: where the cursor rests, that the window has the focus again, that something was
// copied.  On idle, and never twice the same.
import * as vscode from "vscode";
import { isServed, type Server } from "./server";

const IDLE_MS = 300;

export class Notices implements vscode.Disposable {
  private readonly listening: vscode.Disposable[] = [];
  private timer: NodeJS.Timeout | undefined;
  private last = "";

  constructor(private readonly server: Server) {
    this.listening.push(
      vscode.window.onDidChangeTextEditorSelection(() => this.later()),
      vscode.window.onDidChangeActiveTextEditor(() => this.later()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.server.notify("palimpsest/event", { kind: "focus" });
      }),
      server.onBegun(() => {
        this.last = "";
        this.later();
      }),
      vscode.languages.registerDocumentPasteEditProvider(
        "*",
        { prepareDocumentPaste: (document, ranges) => this.copied(document, ranges) },
        { copyMimeTypes: ["text/plain"], providedPasteEditKinds: [] },
      ),
    );
  }

  private copied(document: vscode.TextDocument, ranges: readonly vscode.Range[]): void {
    if (!isServed(document)) return;
    const uri = document.uri.toString();
    for (const { start, end } of ranges) {
      const lines = { start: start.line, end: end.line + (end.character > 0 || end.line === start.line ? 1 : 0) };
      this.server.notify("palimpsest/event", { kind: "yank", uri, lines });
    }
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), IDLE_MS);
  }

  private tell(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !isServed(editor.document)) return;
    const { line, character } = editor.selection.active;
    const textDocument = { uri: editor.document.uri.toString(), version: editor.document.version };
    const now = `${textDocument.uri} ${textDocument.version} ${line} ${character}`;
    if (now === this.last || !this.server.isRunning) return;
    this.last = now;
    this.server.notify("palimpsest/cursor", { textDocument, position: { line, character } });
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.listening).dispose();
  }
}
