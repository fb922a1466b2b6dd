// Code actions that ask the model show their diff before anything is applied: they ask as “Edit Here” does, in place of
// being resolved into an edit that VS Code would make at once.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";

const ASKS = "palimpsest.ui.editOfAction";

export const actionsWithDiff: Pick<Middleware, "provideCodeActions" | "resolveCodeAction"> = {
  provideCodeActions: async (document, range, context, token, next) => {
    const found = await next(document, range, context, token);
    for (const action of found ?? []) {
      const data = "kind" in action ? (action as { data?: { uri?: unknown } }).data : undefined;
      if (action instanceof vscode.CodeAction && data?.uri !== undefined && action.edit === undefined) {
        action.command = { title: action.title, command: ASKS, arguments: [data] };
      }
    }
    return found;
  },
  resolveCodeAction: (action, token, next) => (action.command?.command === ASKS ? action : next(action, token)),
};
