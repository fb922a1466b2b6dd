// The cache map: a panel that draws what `palimpsest.cache.map` answers, anew whenever the server says that something
// was decoded.  The panel has one script of our own, and gets data only as messages.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { CacheMap as Map, ContextUsage } from "./protocol";
import type { Server } from "./server";
import type { State } from "./state";

const AT_MOST_EVERY_MS = 250;

export class CacheMap implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly state: State,
  ) {
    this.listening = state.changed(() => this.later());
  }

  show(): void {
    if (this.panel !== undefined) return this.panel.reveal(undefined, true);
    const media = vscode.Uri.joinPath(this.context.extensionUri, "media");
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("palimpsestCache", "Cache Map", column, {
      enableScripts: true,
      localResourceRoots: [media],
      retainContextWhenHidden: false,
    });
    this.panel = panel;
    panel.onDidDispose(() => (this.panel = undefined));
    panel.onDidChangeViewState(() => this.later());
    panel.webview.onDidReceiveMessage((message: unknown) => {
      if (message === "ready") this.later();
    });
    panel.webview.html = page(panel.webview, media);
  }

  private later(): void {
    if (this.panel?.visible && this.timer === undefined) this.timer = setTimeout(() => void this.draw(), AT_MOST_EVERY_MS);
  }

  private async draw(): Promise<void> {
    this.timer = undefined;
    const { panel, server, state } = this;
    let message: object;
    try {
      const [map, usage] = await Promise.all([
        server.command<Map>("palimpsest.cache.map"),
        server.command<ContextUsage>("palimpsest.context.usage").catch(() => undefined),
      ]);
      message = { map, usage, last: state.status?.last, model: state.status?.model };
    } catch {
      message = { none: state.cause || state.status?.message || "There is no engine whose cache could be shown." };
    }
    if (panel === this.panel) await panel?.webview.postMessage(message);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.dispose();
    this.panel?.dispose();
  }
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Cache Map</title>
<link rel="stylesheet" nonce="${nonce}" href="${file("cache.css")}">
</head>
<body>
<main id="map"></main>
<script nonce="${nonce}" src="${file("cache.js")}"></script>
</body>
</html>`;
}
