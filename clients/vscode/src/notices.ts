// What the server is told unasked: where the cursor rests, that the window has the focus again, that something was
// copied, and what other extensions find wrong (errors and warnings).  On idle, and never twice the same.
import * as vscode from "vscode";
import { isServed, type Server } from "./server";

const IDLE_MS = 300;
const OURS = "palimpsest";

export class Notices {
  private timer: NodeJS.Timeout | undefined;
  private place = "";
  private readonly changed = new Set<string>();
  /** Documents of which the server was told that something is wrong. */
  private readonly told = new Set<string>();

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    subscriptions.push(
      vscode.window.onDidChangeTextEditorSelection(() => this.later()),
      vscode.window.onDidChangeActiveTextEditor(() => this.later()),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.later(uris)),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.later([uri])),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.told.delete(uri.toString())),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.server.notify("palimpsest/event", { kind: "focus" });
      }),
      server.onBegun(() => {
        this.place = "";
        this.told.clear();
        this.later(vscode.workspace.textDocuments.map(({ uri }) => uri));
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

  private later(uris: readonly vscode.Uri[] = []): void {
    for (const uri of uris) this.changed.add(uri.toString());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), IDLE_MS);
  }

  private tell(): void {
    if (!this.server.isRunning) return;
    const { code2ProtocolConverter: converter } = this.server.converters;
    const editor = vscode.window.activeTextEditor;
    if (editor && isServed(editor.document)) {
      const textDocument = converter.asVersionedTextDocumentIdentifier(editor.document);
      const told = { textDocument, position: converter.asPosition(editor.selection.active) };
      if (JSON.stringify(told) !== this.place) this.server.notify("palimpsest/cursor", told);
      this.place = JSON.stringify(told);
    }
    for (const document of vscode.workspace.textDocuments) {
      const uri = document.uri.toString();
      if (!this.changed.has(uri) || !isServed(document)) continue;
      const wrong = vscode.languages.getDiagnostics(document.uri).filter(isSerious);
      if (wrong.length === 0 && !this.told.has(uri)) continue;
      this.told.add(uri);
      const textDocument = converter.asVersionedTextDocumentIdentifier(document);
      this.server.notify("palimpsest/diagnostics", { textDocument, diagnostics: converter.asDiagnosticsSync(wrong) });
    }
    this.changed.clear();
  }
}

function isSerious({ severity, source }: vscode.Diagnostic): boolean {
  return severity <= vscode.DiagnosticSeverity.Warning && source !== OURS;
}
