// Whether a person fills in a snippet, which VS Code tells to keys alone.  It is told by what follows on a change: nobody's
// key or mouse moved the cursor, and yet it is in the midst of what came, where a snippet has its first place.  (Enter
// between two brackets does the same, with blanks alone.)
import type * as vscode from "vscode";

interface Place {
  document: vscode.TextDocument;
  version: number;
  start: number;
  end: number;
}

export class Snippets {
  /** The last change, if it can have been a snippet. */
  private came: Place | undefined;
  private snippet: Place | undefined;

  isIn(editor: vscode.TextEditor | undefined): boolean {
    return this.snippet !== undefined && this.snippet.document === editor?.document;
  }

  changed({ contentChanges: [change, ...more], document, reason }: vscode.TextDocumentChangeEvent): void {
    if (change === undefined) return;
    const { rangeOffset: start, rangeLength, text } = change;
    const { version } = document;
    this.came = more.length === 0 && reason === undefined && /\S/.test(text) ? { document, version, start, end: start + text.length } : undefined;
    const { snippet } = this;
    if (snippet?.document !== document) return;
    const isInside = more.length === 0 && snippet.start <= start && start + rangeLength <= snippet.end;
    this.snippet = isInside ? { ...snippet, version, end: snippet.end + text.length - rangeLength } : undefined;
  }

  /** Says when the cursor has gone to the end of the snippet, or elsewhere. */
  moved({ document, selection }: vscode.TextEditor, kind: vscode.TextEditorSelectionChangeKind | undefined): "left" | undefined {
    const [from, to] = [document.offsetAt(selection.start), document.offsetAt(selection.end)];
    const within = (place: Place | undefined): place is Place =>
      place?.document === document && place.version === document.version && place.start <= from && to <= place.end && from < place.end;
    if (kind === undefined && within(this.came) && this.came.start < to) this.snippet = this.came;
    else if (this.snippet?.document === document && !within(this.snippet)) {
      this.snippet = undefined;
      return "left";
    }
    return undefined;
  }
}
