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

/** Who makes VS Code ask us once more. */
interface Asking {
  /** `revealing`: for what was prepared while a person typed. */
  why: "again" | "revealing";
  /** In place of what is shown, which stays until there is an answer. */
  replaces: boolean;
}

export class Completions {
  private shown: Shown | undefined;
  private readonly answered = new vscode.EventEmitter<void>();
  readonly offered = this.answered.event;
  /** The version of each document that an undo or redo made: who takes something back is not offered more. */
  private readonly undone = new WeakMap<vscode.TextDocument, number>();
  /** The newest change that was made while nobody could complete it. */
  private missed: CompletionTold | undefined;
  private asking: Asking | undefined;
  /** Whether completions were switched off: what VS Code shows when they are would stay. */
  private wasOff = false;
  /** Asks the server that was asked last. */
  private next: Parameters<Provide>[4] | undefined;
  private standIn: vscode.Disposable | undefined;
  /** Ours, as VS Code calls them. */
  private readonly providers: string;
  /** Where a completion was last accepted: only there a key goes behind what closes on the line. */
  private accepted: { document: vscode.TextDocument; version: number; at: vscode.Position } | undefined;

  constructor({ extension, subscriptions }: vscode.ExtensionContext, state: State) {
    this.providers = `${extension.id}:*`;
    const isReady = () => state.status?.kind === "Normal";
    subscriptions.push(
      { dispose: () => void this.standIn?.dispose() },
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
        const isOff = state.status?.kind === "Inactive";
        if (isOff && !this.wasOff) void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
        this.wasOff = isOff;
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
    await this.ask("again", isShown);
  }

  /** Makes VS Code ask a second time for the same place, as if by itself.  It does so only where a person asks, and then keeps
   *  what it shows in front of what it is answered: one way or another, what is shown has to go. */
  async ask(why: Asking["why"], replaces = false): Promise<void> {
    const asking = { why, replaces };
    this.asking = asking;
    try {
      if (replaces && (await this.replaced(asking))) return;
      asking.replaces = false;
      await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
      await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
    } finally {
      if (this.asking === asking) this.asking = undefined;
    }
  }

  /** VS Code (not an old one) asks a provider that it has not asked yet for the same place, and shows its answer in place of
   *  what it shows.  So no moment is without one, in which a Tab would be a Tab. */
  private async replaced(asking: Asking): Promise<boolean> {
    const { next } = this;
    const document = vscode.window.activeTextEditor?.document;
    if (next === undefined || document === undefined) return false;
    let heard = false;
    this.standIn?.dispose();
    this.standIn = vscode.languages.registerInlineCompletionItemProvider(
      { scheme: document.uri.scheme, language: document.languageId },
      {
        provideInlineCompletionItems: (...[asked, position, context, token]) => {
          if (this.asking !== asking || context.triggerKind !== vscode.InlineCompletionTriggerKind.Automatic) return null;
          heard = true;
          asking.replaces = false;
          return this.provide(asked, position, context, token, next);
        },
      },
    );
    await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger", { providerId: this.providers, explicit: false });
    return heard;
  }

  readonly provide: Provide = async (document, position, asked, token, next) => {
    const { Automatic } = vscode.InlineCompletionTriggerKind;
    const { asking } = this;
    this.next = next;
    if (asking?.replaces === true && asked.triggerKind !== Automatic) return null; // an old one, which asks all as if a person did
    const context = asking === undefined ? asked : { ...asked, triggerKind: Automatic };
    const unasked = asking?.why !== "revealing" && context.triggerKind === Automatic;
    if (unasked) {
      if (asking === undefined && ours<string>("completion.trigger", "automatic") === "manual") return null;
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
