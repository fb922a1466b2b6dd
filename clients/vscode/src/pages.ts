// Texts that are only read: what the doctor says, the statistics, a block.
import * as vscode from "vscode";

export const PAGES = "palimpsest-page";

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.emitter.event;
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(PAGES, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: PAGES, path: `/${name}` });
    this.texts.set(uri.path, text);
    this.emitter.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.provider.dispose();
    this.emitter.dispose();
  }
}
