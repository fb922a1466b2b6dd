// `palimpsest:` documents, which the server writes (`workspace/textDocumentContent`): their addresses, and shown anew
// when their conversation changes.  A picture is shown as one.
import * as vscode from "vscode";
import type { Server } from "./server";

export const SCHEME = "palimpsest";

export function virtualUri(kind: "ref" | "fd" | "usage", ...parts: string[]): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${[kind, ...parts].join("/")}` });
}

/** In the colours of its language, where there is such a one. */
export async function showVirtual(uri: vscode.Uri, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const known = language && (await vscode.languages.getLanguages()).includes(language);
  await vscode.window.showTextDocument(known ? await vscode.languages.setTextDocumentLanguage(document, language) : document, { preview: true });
}

/** Those that are open are asked for again. */
export function refreshVirtual(server: Server): vscode.Disposable {
  return server.onConversation(({ conversation }) => {
    const providers = server.contents?.getProviders() ?? [];
    const open = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME && uri.path.includes(conversation));
    for (const { uri } of open) for (const { onDidChangeEmitter } of providers) onDidChangeEmitter.fire(uri);
  });
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
