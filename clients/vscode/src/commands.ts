// The commands, by the ids that clients share.
import * as vscode from "vscode";
import type { Completions } from "./completion";
import { message } from "./find";
import { install } from "./install";
import type { Server } from "./server";
import type { State } from "./state";
import { showStatus } from "./status";

export interface Parts {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  state: State;
  server: Server;
  completions: Completions;
}

type Handler = (...args: never[]) => unknown;

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { log, state, server, completions } = parts;
  const all: Record<string, Handler> = {
    complete: () => vscode.commands.executeCommand("editor.action.inlineSuggest.trigger"),
    acceptWord: () => completions.accept(server, "word"),
    acceptLine: () => completions.accept(server, "line"),
    status: () => showStatus(state),
    log: () => log.show(),
    restartServer: () => server.restart(),
    restartEngine: () => server.command("palimpsest.restartEngine"),
    install: () => install(parts),
  };
  return Object.entries(all).map(([id, handler]) =>
    vscode.commands.registerCommand(`palimpsest.client.${id}`, async (...args: never[]) => {
      try {
        return await handler(...args);
      } catch (error) {
        if (error instanceof vscode.CancellationError) return undefined;
        log.warn(`${id}: ${message(error)}`);
        void vscode.window.showWarningMessage(`Palimpsest: ${message(error)}`);
        return undefined;
      }
    }),
  );
}
