// The server's life: found, started, ended.  That one which died is started again, and how often, is the library's rule.
import { randomUUID } from "node:crypto";
import * as os from "node:os";
import * as vscode from "vscode";
import type { CloseHandlerResult, ErrorHandler, GenericNotificationHandler, InitializeParams, LanguageClientOptions, Middleware } from "vscode-languageclient/node";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State as ClientState } from "vscode-languageclient/node";
import { WorkDoneProgress } from "vscode-languageclient/node";
import { findServer, forPrograms, installUnasked } from "./install";
import { message, plainly } from "./pure";
import { forServer, keyForServer } from "./settings";
import { setContext, type State, type Status } from "./status";

/** Documents that a person edits; those of other schemes are only shown, and left alone. */
const SCHEMES = ["file", "untitled", "vscode-remote", "vscode-vfs", "inmemory"];
export function isServed(document: Pick<vscode.TextDocument, "uri">): boolean {
  return SCHEMES.includes(document.uri.scheme) || document.uri.scheme === "vscode-notebook-cell";
}

/** Commands that an installation may lack; what needs one is not shown then (clients/shared/commands.json). */
const MAY_LACK = ["palimpsest.conversation.new"];

/** What goes wrong is said by the state; the library would open a message for each. */
class Client extends LanguageClient {
  override error(text: string, data?: unknown): void {
    super.error(text, data, false);
  }

  /** Code actions have a command then, rather than an edit that VS Code would make before anybody has seen it. */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    delete params.capabilities.textDocument?.codeAction?.resolveSupport;
  }
}

export class Server {
  private readonly begun = new vscode.EventEmitter<void>();
  /** A server runs, and knows nothing yet of what the one before was told. */
  readonly onBegun = this.begun.event;
  private readonly listeners: [method: string, tell: GenericNotificationHandler][] = [];
  private client: Client | undefined;
  /** Counts what a person or a setting has asked for; a newer one ends a start that is still going on. */
  private wish = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly state: State,
    private readonly log: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {
    this.on("palimpsest/status", (status: Status) => state.told(status));
  }

  async restart(): Promise<void> {
    const mine = await this.halt();
    if (mine !== this.wish) return;
    this.state.now("starting");
    try {
      const [found, key] = await Promise.all([findServer(this.context, this.log), keyForServer(this.context)]);
      if (mine !== this.wish) return;
      if (found === undefined) {
        this.state.now("absent");
        return void installUnasked();
      }
      this.log.info(`${found.version} from ${found.origin}: ${found.command.join(" ")}`);
      this.state.origin = `${found.version}, from ${found.origin}`;
      this.client = this.made(found.command, key);
      await this.client.start();
    } catch (error) {
      if (mine !== this.wish || this.state.phase === "failed") return;
      this.log.error(message(error));
      this.state.now("failed", `The server does not start: ${message(error)}`);
    }
  }

  async stop(): Promise<void> {
    if ((await this.halt()) === this.wish) this.state.now("stopped");
  }

  /** What a server says by itself, whichever one runs. */
  on(method: string, tell: GenericNotificationHandler): void {
    this.listeners.push([method, tell]);
  }

  get isRunning(): boolean {
    return this.state.phase === "running";
  }

  /** Throws with a sentence for a person, as what is asked of it does. */
  get running(): LanguageClient {
    if (!this.isRunning || this.client === undefined) throw new Error("The server is not running: run “Palimpsest: Show Status”.");
    return this.client;
  }

  /** One of the server's commands. */
  async command<T>(name: string, argument: object = {}): Promise<T> {
    return this.running.sendRequest<T>("workspace/executeCommand", { command: name, arguments: [argument] });
  }

  /** The same, with a message that shows how far it is and can end it. */
  slow<T>(title: string, command: string, argument: object = {}): Thenable<T> {
    const client = this.running;
    const params = { command, arguments: [argument], workDoneToken: randomUUID() };
    const options = { location: vscode.ProgressLocation.Notification, title: `Palimpsest: ${title}`, cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
      const listening = client.onProgress(WorkDoneProgress.type, params.workDoneToken, (value) => {
        if (value.kind === "report") progress.report({ message: plainly(value.message ?? "") });
      });
      try {
        return await client.sendRequest<T>("workspace/executeCommand", params, token);
      } finally {
        listening.dispose();
      }
    });
  }

  /** Dropped where no server runs: what is told is only of use to one that does. */
  notify(method: string, params: object): void {
    if (this.isRunning) void this.running.sendNotification(method, params).catch(() => undefined);
  }

  /** Ends what runs or is being started; says which wish this is. */
  private async halt(): Promise<number> {
    const mine = ++this.wish;
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning() === false) client.serverProcess?.kill(); // it may never answer
    this.ended = this.ended.then(() => client?.dispose()).catch((error: unknown) => this.log.debug(`stopping: ${message(error)}`));
    await this.ended;
    return mine;
  }

  private made([command = "", ...args]: readonly string[], key: Record<string, string>): Client {
    const options: LanguageClientOptions = {
      documentSelector: [...SCHEMES.map((scheme) => ({ scheme })), { notebook: "*", language: "*" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => forServer(this.context),
      middleware: this.middleware,
      initializationFailedHandler: () => false,
      errorHandler: { error: () => ({ action: ErrorAction.Continue }), closed: () => this.closed(client, rule) },
    };
    // Not in the workspace: Python would look there for modules.
    const how = { cwd: os.homedir(), env: { ...forPrograms(), ...key } };
    const client = new Client("palimpsest", "Palimpsest", { command, args, options: how }, options);
    const rule = client.createDefaultErrorHandler();
    for (const [method, tell] of this.listeners) {
      client.onNotification(method, (told: object) => (client === this.client ? tell(told) : undefined));
    }
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === ClientState.Running) {
        const known = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
        for (const command of MAY_LACK) void setContext(`lacks.${command}`, !known.includes(command));
        this.state.now("running");
        this.begun.fire();
      } else if (newState === ClientState.StartFailed && this.state.phase === "starting") {
        this.state.now("failed", "The server does not start. Its log says why.");
      }
    });
    return client;
  }

  /** The connection is gone.  Where no server has answered yet, another would not either. */
  private async closed(client: Client, rule: ErrorHandler): Promise<CloseHandlerResult> {
    const ended = { action: CloseAction.DoNotRestart, handled: true };
    if (client !== this.client) return ended;
    if (client.state !== ClientState.Running) {
      this.state.now("failed", "The server ended before it had started. Its log says why.");
      return ended;
    }
    const { action, message: why } = await rule.closed();
    const again = action === CloseAction.Restart;
    this.state.now(again ? "starting" : "failed", again ? "The server ended unexpectedly and is started again." : why);
    return { action, handled: true };
  }
}
