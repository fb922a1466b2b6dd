// A view with rows that are asked for anew once things have settled.
import * as vscode from "vscode";

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

export abstract class Tree implements vscode.TreeDataProvider<Row> {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  protected readonly view: vscode.TreeView<Row>;
  private timer: NodeJS.Timeout | undefined;
  private rows: Row[] = [];
  private asked = 0;

  constructor({ subscriptions }: vscode.ExtensionContext, id: string, ...changes: vscode.Event<unknown>[]) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this });
    subscriptions.push(this.view, ...[this.view.onDidChangeVisibility, ...changes].map((event) => event(() => this.later())));
  }

  /** Undefined: what is shown stays. */
  protected abstract look(): Promise<Shown | undefined>;

  later(): void {
    clearTimeout(this.timer);
    if (this.view.visible) this.timer = setTimeout(() => void this.refresh(), 200);
  }

  private async refresh(): Promise<void> {
    const mine = ++this.asked;
    const found = await this.look();
    if (mine !== this.asked || found === undefined) return;
    this.rows = found.rows;
    this.view.message = found.message;
    this.view.description = found.description;
    this.emitter.fire(undefined);
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? this.rows : (row.children ?? []);
  }

  getTreeItem(row: Row): Row {
    return row;
  }
}
