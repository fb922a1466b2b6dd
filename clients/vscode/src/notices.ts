// What the server is told unasked: where the cursor rests, that the window has the focus again, that something was
// copied, and what other extensions find wrong (errors and warnings).  On idle, and never twice the same.
import * as vscode from "vscode";
import { isServed, type Server } from "./server";

const IDLE_MS = 300;
const OURS = "palimpsest";

/** The event: the server knows where the cursor is now. */
export function tellUnasked({ subscriptions }: vscode.ExtensionContext, server: Server): vscode.Event<void> {
  const placed = new vscode.EventEmitter<void>();
  const changed = new Set<string>();
  /** Documents of which the server was told that something is wrong. */
  const told = new Set<string>();
  let editor = vscode.window.activeTextEditor;
  let place = "";
  let timer: NodeJS.Timeout | undefined;

  const later = (uris: readonly vscode.Uri[] = []): void => {
    for (const uri of uris) changed.add(uri.toString());
    clearTimeout(timer);
    timer = setTimeout(tell, IDLE_MS);
  };

  const tellPlace = (): void => {
    if (!server.isRunning || !editor || editor.document.isClosed || !isServed(editor.document)) return;
    const textDocument = server.running.code2ProtocolConverter.asVersionedTextDocumentIdentifier(editor.document);
    const now = { textDocument, position: editor.selection.active };
    if (JSON.stringify(now) !== place) server.notify("palimpsest/cursor", now);
    place = JSON.stringify(now);
    placed.fire();
  };

  const tell = (): void => {
    tellPlace();
    if (!server.isRunning) return;
    const { code2ProtocolConverter: converter } = server.running;
    for (const document of vscode.workspace.textDocuments) {
      const uri = document.uri.toString();
      if (!changed.has(uri) || !isServed(document)) continue;
      const wrong = vscode.languages.getDiagnostics(document.uri).filter(({ severity, source }) => severity <= vscode.DiagnosticSeverity.Warning && source !== OURS);
      if (wrong.length === 0 && !told.has(uri)) continue;
      told.add(uri);
      const textDocument = converter.asVersionedTextDocumentIdentifier(document);
      server.notify("palimpsest/diagnostics", { textDocument, diagnostics: converter.asDiagnosticsSync(wrong) });
    }
    changed.clear();
  };

  const copied = (document: vscode.TextDocument, ranges: readonly vscode.Range[]): void => {
    if (!isServed(document)) return;
    const uri = document.uri.toString();
    for (const { start, end } of ranges) {
      const lines = { start: start.line, end: end.line + (end.character > 0 || end.line === start.line ? 1 : 0) };
      server.notify("palimpsest/event", { kind: "yank", uri, lines });
    }
  };

  subscriptions.push(
    vscode.window.onDidChangeTextEditorSelection(() => later()),
    vscode.window.onDidChangeActiveTextEditor((next) => {
      tellPlace(); // what is said in a conversation is said about the code where one was before, however shortly
      editor = next;
      later();
    }),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => later(uris)),
    vscode.workspace.onDidOpenTextDocument(({ uri }) => later([uri])),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => told.delete(uri.toString())),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && server.notify("palimpsest/event", { kind: "focus" })),
    server.onBegun(() => {
      place = "";
      told.clear();
      later(vscode.workspace.textDocuments.map(({ uri }) => uri));
    }),
    vscode.languages.registerDocumentPasteEditProvider(
      "*",
      { prepareDocumentPaste: copied },
      { copyMimeTypes: ["text/plain"], providedPasteEditKinds: [] },
    ),
  );
  return placed.event;
}
