// Documents that are only read: those that the server writes, by their addresses (`palimpsest:`), its pages in the colours
// of their kinds, what the doctor says, a block.  What is seen is kept up to date.
import * as vscode from "vscode";
import type { Server } from "./server";
import type { State } from "./status";

const SCHEME = "palimpsest";
const PAGES = "palimpsest-page";
const CACHE = vscode.Uri.from({ scheme: PAGES, path: "/Cache Map" });
/** In characters: half a window has room for it. */
const WIDTH = 40;
const AT_MOST_EVERY_MS = 250;
/** The theme's, of the kinds of blocks and of what else a page marks; what is not in here is dim. */
export const COLORS: Record<string, string> = {
  class: "charts.blue",
  scope: "charts.purple",
  package: "charts.yellow",
  documentation: "charts.green",
  filesystem: "terminal.ansiCyan",
  file: "terminal.ansiMagenta",
  recent: "terminal.ansiBrightBlue",
  editing: "charts.red",
  free: "editorIndentGuide.background1",
  used: "charts.blue",
  ready: "charts.green",
};

/** What `palimpsest.page` answers. */
export interface Page {
  text: string;
  marks?: { range: { start: vscode.Position; end: vscode.Position }; kind: string }[];
}

export class Pages implements vscode.TextDocumentContentProvider {
  private readonly pages = new Map<string, Page>();
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.emitter.event;
  private readonly decorations = new Map<string, vscode.TextEditorDecorationType>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly state: State,
  ) {
    subscriptions.push(
      vscode.workspace.registerTextDocumentContentProvider(PAGES, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === PAGES && this.draw()),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.draw();
        this.later();
      }),
      state.changed(() => this.later()),
      server.onConversation(({ conversation }) => this.refreshOf(conversation)),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.pages.get(uri.path)?.text ?? "";
  }

  async show(name: string, page: Page): Promise<void> {
    const uri = vscode.Uri.from({ scheme: PAGES, path: `/${name}` });
    this.write(uri, page);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** Where the cache's blocks are, beside the code that they are for. */
  async showCache(): Promise<void> {
    await this.refresh();
    const viewColumn = this.cacheEditor?.viewColumn ?? vscode.ViewColumn.Beside;
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(CACHE), PAGES);
    await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true });
  }

  private get cacheEditor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === CACHE.toString());
  }

  private later(): void {
    if (this.cacheEditor) this.timer ??= setTimeout(() => void this.refresh(), AT_MOST_EVERY_MS);
  }

  private async refresh(): Promise<void> {
    const { cause, status } = this.state;
    const none = { text: cause || status?.message || "There is no engine whose cache could be shown." };
    this.write(CACHE, await this.server.command<Page>("palimpsest.page", { name: "cache", width: WIDTH }).catch(() => none));
    this.timer = undefined;
  }

  /** The server's documents of a conversation that are open are asked for again. */
  private refreshOf(conversation: string): void {
    const open = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME && uri.path.includes(conversation));
    for (const { onDidChangeEmitter } of this.server.contents?.getProviders() ?? []) open.forEach(({ uri }) => onDidChangeEmitter.fire(uri));
  }

  private write(uri: vscode.Uri, page: Page): void {
    this.pages.set(uri.path, page);
    this.emitter.fire(uri);
    this.draw(); // the text may be the same, and the colours others
  }

  /** The rows of a map are filled up to the rows above and below; all else is coloured. */
  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const page = editor.document.uri.scheme === PAGES ? this.pages.get(editor.document.uri.path) : undefined;
      if (page === undefined || editor.document.getText() !== page.text) continue; // it is drawn when the text has come
      const ranges = new Map<vscode.TextEditorDecorationType, vscode.Range[]>([...this.decorations.values()].map((type) => [type, []]));
      for (const { range: { start, end }, kind } of page.marks ?? []) {
        const range = new vscode.Range(start.line, start.character, end.line, end.character);
        const type = this.decoration(kind, kind !== "free" && /^[█·]+$/.test(editor.document.lineAt(start.line).text));
        ranges.set(type, [...(ranges.get(type) ?? []), range]);
      }
      for (const [type, where] of ranges) editor.setDecorations(type, where);
    }
  }

  private decoration(kind: string, filled: boolean): vscode.TextEditorDecorationType {
    const color = new vscode.ThemeColor(COLORS[kind] ?? "descriptionForeground");
    const look = kind === "title" ? { fontWeight: "bold" } : { color, ...(filled && { backgroundColor: color }) };
    const type = this.decorations.get(`${kind} ${filled}`) ?? vscode.window.createTextEditorDecorationType(look);
    this.decorations.set(`${kind} ${filled}`, type);
    return type;
  }
}

/** A document of the server's, in the colours of its language, where there is such a one. */
export async function showVirtual(address: string, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true));
  const known = language && (await vscode.languages.getLanguages()).includes(language);
  await vscode.window.showTextDocument(known ? await vscode.languages.setTextDocumentLanguage(document, language) : document, { preview: true });
}

/** Documents and conversations as a graph: the server's picture, in a page that runs nothing. */
export async function showGraph(server: Server): Promise<void> {
  const { svg } = await server.command<{ svg: string }>("palimpsest.documents.graph");
  const panel = vscode.window.createWebviewPanel("palimpsestGraph", "Documents of Conversations", vscode.ViewColumn.Active, {});
  const picture = Buffer.from(svg, "utf-8").toString("base64");
  panel.webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>body { padding: 1em; text-align: center } img { max-width: 100%; background: white; border-radius: 6px }</style></head>
<body><img alt="Which conversations refer to which documents" src="data:image/svg+xml;base64,${picture}"></body></html>`;
}
