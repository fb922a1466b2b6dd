// What other extensions find wrong in open documents, passed on to the server: errors and warnings, not ours.
import * as vscode from "vscode";
import { isServed, type Server } from "./server";

const PAUSE_MS = 300;
const OURS = "palimpsest";
const SERIOUS = [vscode.DiagnosticSeverity.Error, vscode.DiagnosticSeverity.Warning];

export class Diagnostics implements vscode.Disposable {
  private readonly listening: vscode.Disposable[] = [];
  private readonly changed = new Set<string>();
  /** Documents of which the server was told something. */
  private readonly told = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.listening.push(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.later(uris)),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.later([uri])),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.told.delete(uri.toString())),
      server.onBegun(() => {
        this.told.clear();
        this.later(vscode.workspace.textDocuments.map(({ uri }) => uri));
      }),
    );
  }

  private later(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) this.changed.add(uri.toString());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), PAUSE_MS);
  }

  private tell(): void {
    if (!this.server.isRunning) return;
    for (const document of vscode.workspace.textDocuments) {
      const uri = document.uri.toString();
      if (!this.changed.has(uri) || !isServed(document)) continue;
      const diagnostics = vscode.languages.getDiagnostics(document.uri).filter(isSerious).map(plain);
      if (diagnostics.length === 0 && !this.told.has(uri)) continue;
      this.told.add(uri);
      this.server.notify("palimpsest/diagnostics", { textDocument: { uri, version: document.version }, diagnostics });
    }
    this.changed.clear();
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.listening).dispose();
  }
}

function isSerious(found: vscode.Diagnostic): boolean {
  return SERIOUS.includes(found.severity) && found.source !== OURS;
}

function plain({ range, message, severity, source, code }: vscode.Diagnostic): object {
  const value = typeof code === "object" ? code.value : code;
  const { start, end } = range;
  return {
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    message,
    severity: severity + 1,
    source,
    code: value,
  };
}
