// A view with rows that are asked for anew once things have settled.
import * as vscode from "vscode";

const SETTLED_MS = 200;

export interface Row extends vscode.TreeItem {
  label: string;
  iconPath?: vscode.ThemeIcon;
  children?: Row[];
}

/** What is shown of one; `T` is what the row's buttons want to know. */
export function row<T extends object>(label: string, look: Omit<Row, "label"> & T): Row & T {
  return Object.assign(new vscode.TreeItem(label), { label }, look);
}

export const icon = (name: string, color?: string): vscode.ThemeIcon => new vscode.ThemeIcon(name, color ? new vscode.ThemeColor(color) : undefined);

export interface Shown {
  rows: Row[];
  message?: string;
  /** Beside the view's name. */
  description?: string;
}

/** A view with the rows that `look` gives, anew where one of the changes happens; what is returned is one more reason. */
export function tree({ subscriptions }: vscode.ExtensionContext, id: string, look: () => Promise<Shown>, ...changes: vscode.Event<unknown>[]): () => void {
  const emitter = new vscode.EventEmitter<void>();
  let rows: Row[] = [];
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;
  const view = vscode.window.createTreeView<Row>(id, {
    treeDataProvider: {
      onDidChangeTreeData: emitter.event,
      getChildren: (row) => (row === undefined ? rows : row.children),
      getTreeItem: (row) => row,
    },
  });

  const refresh = async (): Promise<void> => {
    const mine = ++asked;
    const found = await look();
    if (mine !== asked) return;
    rows = found.rows;
    view.message = found.message;
    view.description = found.description;
    emitter.fire();
  };
  const later = (): void => {
    clearTimeout(timer);
    if (view.visible) timer = setTimeout(() => void refresh(), SETTLED_MS);
  };
  subscriptions.push(view, ...[view.onDidChangeVisibility, ...changes].map((event) => event(later)));
  return later;
}
