// Documents that are only read: those that the server writes, by their addresses (`palimpsest:`), its pages in the colours
// of their kinds, what the doctor says, a block.  What is seen is kept up to date.
import * as vscode from "vscode";
import type { Server } from "./server";
import type { State } from "./status";

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

export function showsPages({ subscriptions }: vscode.ExtensionContext, server: Server, state: State) {
  const pages = new Map<string, Page>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const decorations = new Map<string, vscode.TextEditorDecorationType>();
  let timer: NodeJS.Timeout | undefined;

  const decoration = (kind: string, filled: boolean): vscode.TextEditorDecorationType => {
    const color = new vscode.ThemeColor(COLORS[kind] ?? "descriptionForeground");
    const look = kind === "title" ? { fontWeight: "bold" } : { color, ...(filled && { backgroundColor: color }) };
    const type = decorations.get(`${kind} ${filled}`) ?? vscode.window.createTextEditorDecorationType(look);
    decorations.set(`${kind} ${filled}`, type);
    return type;
  };

  /** The rows of a map are filled up to the rows above and below; all else is coloured. */
  const draw = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      const page = editor.document.uri.scheme === PAGES ? pages.get(editor.document.uri.path) : undefined;
      if (page === undefined || editor.document.getText() !== page.text) continue; // it is drawn when the text has come
      const ranges = new Map<vscode.TextEditorDecorationType, vscode.Range[]>([...decorations.values()].map((type) => [type, []]));
      for (const { range: { start, end }, kind } of page.marks ?? []) {
        const range = new vscode.Range(start.line, start.character, end.line, end.character);
        const type = decoration(kind, kind !== "free" && /^[█·]+$/.test(editor.document.lineAt(start.line).text));
        ranges.set(type, [...(ranges.get(type) ?? []), range]);
      }
      for (const [type, where] of ranges) editor.setDecorations(type, where);
    }
  };

  const write = (uri: vscode.Uri, page: Page): void => {
    pages.set(uri.path, page);
    changed.fire(uri);
    draw(); // the text may be the same, and the colours others
  };

  const cacheEditor = (): vscode.TextEditor | undefined =>
    vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === CACHE.toString());

  const refresh = async (): Promise<void> => {
    const none = { text: state.cause || state.status?.message || "There is no engine whose cache could be shown." };
    write(CACHE, await server.command<Page>("palimpsest.page", { name: "cache", width: WIDTH }).catch(() => none));
    timer = undefined;
  };

  const later = (): void => {
    if (cacheEditor()) timer ??= setTimeout(() => void refresh(), AT_MOST_EVERY_MS);
  };

  subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(PAGES, {
      onDidChange: changed.event,
      provideTextDocumentContent: ({ path }) => pages.get(path)?.text,
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === PAGES && draw()),
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.window.onDidChangeVisibleTextEditors(later),
    state.changed(later),
  );

  return {
    show: async (name: string, page: Page): Promise<void> => {
      const uri = vscode.Uri.from({ scheme: PAGES, path: `/${name}` });
      write(uri, page);
      await vscode.window.showTextDocument(uri, { preview: true });
    },
    /** Where the cache's blocks are, beside the code that they are for. */
    showCache: async (): Promise<void> => {
      await refresh();
      const viewColumn = cacheEditor()?.viewColumn ?? vscode.ViewColumn.Beside;
      const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(CACHE), PAGES);
      await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true });
    },
  };
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
