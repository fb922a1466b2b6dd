// Inline completions are VS Code's own; this adds when they are asked for (by hand, after a delay, again where the server
// has another one by now, or is ready only now) and counts those of which a word or a line is accepted: VS Code tells a
// provider only of what is accepted as a whole.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import { acceptedPart, closing, type Offered } from "./pure";
import type { Server } from "./server";
import { ours } from "./settings";
import { setContext, type State } from "./status";

type Provide = NonNullable<Middleware["provideInlineCompletionItems"]>;

/** `palimpsest/completion`: what is offered there is another completion than was answered. */
export interface CompletionTold {
  textDocument: { uri: string; version: number };
  position?: { line: number; character: number };
}

interface Shown {
  uri: string;
  version: number;
  position: vscode.Position;
  offered: Offered[];
  /** Where what is offered begins. */
  start: vscode.Position;
}

export class Completions {
  private shown: Shown | undefined;
  private readonly answered = new vscode.EventEmitter<void>();
  readonly offered = this.answered.event;
  /** The version of each document that an undo or redo made: who takes something back is not offered more. */
  private readonly undone = new WeakMap<vscode.TextDocument, number>();
  /** The newest change that was made while nobody could complete it. */
  private missed: CompletionTold | undefined;
  private asking: "again" | "revealing" | undefined;
  /** Where a completion was last accepted: only there a key goes behind what closes on the line. */
  private accepted: { document: vscode.TextDocument; version: number; at: vscode.Position } | undefined;

  constructor({ subscriptions }: vscode.ExtensionContext, state: State) {
    const isReady = () => state.status?.kind === "Normal";
    subscriptions.push(
      vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
        if (reason !== undefined) this.undone.set(document, document.version);
        if (!isReady()) this.missed = { textDocument: { uri: document.uri.toString(), version: document.version } };
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor: { document, selection } }) => {
        // The acceptance itself may move the cursor only now, as no person does.
        if (kind === undefined && this.accepted?.document === document) this.accepted.at = selection.active;
        this.look();
      }),
      state.changed(() => {
        if (!isReady()) return;
        if (this.missed !== undefined) void this.again(this.missed);
        this.missed = undefined;
      }),
    );
  }

  /** Asks once more at the cursor, where it and its document are still as they were. */
  async again({ textDocument: { uri, version }, position }: CompletionTold): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const cursor = editor?.selection.active;
    if (editor?.document.uri.toString() !== uri || editor.document.version !== version || !editor.selection.isEmpty) return;
    if (position !== undefined && (cursor?.line !== position.line || cursor.character !== position.character)) return;
    const isShown = this.shown?.uri === uri && this.shown.version === version;
    if (!isShown && ours<string>("completion.trigger", "automatic") === "manual") return;
    await this.ask("again");
  }

  /** `revealing`: for what was prepared while a person typed.  VS Code asks a second time for the same place only where a
   *  person does, and then keeps what it shows in front of what it is answered; the server is asked as if by VS Code. */
  async ask(why: "again" | "revealing"): Promise<void> {
    this.asking = why;
    try {
      await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
      await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
    } finally {
      this.asking = undefined;
    }
  }

  readonly provide: Provide = async (document, position, asked, token, next) => {
    const { Automatic } = vscode.InlineCompletionTriggerKind;
    const context = this.asking === undefined ? asked : { ...asked, triggerKind: Automatic };
    const unasked = this.asking !== "revealing" && context.triggerKind === Automatic;
    if (unasked) {
      if (this.asking === undefined && ours<string>("completion.trigger", "automatic") === "manual") return null;
      if (this.undone.get(document) === document.version) return null;
      const delay = ours<number>("completion.delay_ms", 0);
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      if (token.isCancellationRequested) return null;
    }
    const version = document.version;
    const answer = await next(document, position, context, token);
    if (document.version !== version || token.isCancellationRequested) return null;
    if (unasked && ours<string>("completion.show", "always") === "key") return null; // the server has it ready now
    const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
    if (items.length > 0) {
      this.shown = remembered(document, position, items);
      this.answered.fire();
    }
    return answer;
  };

  /** Whether one was answered for the text and the cursor as they are, and so may be on the screen. */
  isOffered({ document, selection }: vscode.TextEditor): boolean {
    const { uri, version, position } = this.shown ?? {};
    return uri === document.uri.toString() && version === document.version && position?.isEqual(selection.active) === true;
  }

  /** A completion was accepted, and the cursor is behind it. */
  note(): void {
    const editor = vscode.window.activeTextEditor;
    this.accepted = editor && { document: editor.document, version: editor.document.version, at: editor.selection.active };
    this.look();
  }

  /** Behind what closes. */
  jump(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const to = editor.selection.active.translate(0, length(editor));
    editor.selection = new vscode.Selection(to, to);
  }

  private look(): void {
    const editor = vscode.window.activeTextEditor;
    const { document, version, at } = this.accepted ?? {};
    const there = editor !== undefined && editor.document === document && document.version === version && at?.isEqual(editor.selection.active);
    void setContext("closes", there === true && length(editor) > 0);
  }

  /** VS Code tells nobody of what is accepted in part. */
  async accept(server: Server, part: "word" | "line"): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const before = editor?.selection.active;
    const builtIn = part === "word" ? "acceptNextWord" : "acceptNextLine";
    await vscode.commands.executeCommand(`editor.action.inlineSuggest.${builtIn}`);
    this.note();
    const shown = this.shown;
    if (editor === undefined || before === undefined || shown?.uri !== editor.document.uri.toString()) return;
    const after = editor.selection.active;
    if (!after.isAfter(before) || shown.start.isAfter(before)) return;
    const typed = editor.document.getText(new vscode.Range(shown.start, before));
    const inserted = editor.document.getText(new vscode.Range(before, after));
    const one = acceptedPart(shown.offered, typed, inserted);
    if (one === undefined) return; // another provider's
    server.notify("palimpsest/event", { kind: "accepted", what: "completion", part, chars: inserted.length, id: one.id });
  }
}

function remembered(document: vscode.TextDocument, position: vscode.Position, items: vscode.InlineCompletionItem[]): Shown {
  const offered = items.map((item) => ({
    text: typeof item.insertText === "string" ? item.insertText : (item.filterText ?? ""),
    id: (item.command?.arguments?.[0] as { id?: string } | undefined)?.id ?? "",
  }));
  return { uri: document.uri.toString(), version: document.version, position, offered, start: items[0]?.range?.start ?? position };
}

function length({ document, selection: { active } }: vscode.TextEditor): number {
  return closing(document.lineAt(active.line).text.slice(active.character));
}
