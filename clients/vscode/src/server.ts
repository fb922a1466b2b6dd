// The server's life: found, started, watched, started again, stopped.  One thing at a time (`Queue`); a newer wish ends
// a start that is still going on.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  TextDocumentContentRequest,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import { findServer, type Found, message } from "./find";
import { Deaths, Queue } from "./pure";
import type { CompletionTold, ConversationTold, Status } from "./protocol";
import { forServer } from "./settings";
import type { State } from "./state";

/** Documents that a person edits; those of other schemes are only shown, and left alone. */
const SCHEMES = ["file", "untitled", "vscode-remote", "vscode-vfs", "inmemory"];
export const SELECTOR = [
  ...SCHEMES.map((scheme) => ({ scheme })),
  { notebook: "*", language: "*" },
];
export function isServed(document: Pick<vscode.TextDocument, "uri">): boolean {
  return SCHEMES.includes(document.uri.scheme) || document.uri.scheme === "vscode-notebook-cell";
}

const AGAIN_MS = 1_000;

/** What goes wrong is said by the state; the library would open a message for each. */
class Client extends LanguageClient {
  override error(text: string, data?: unknown): void {
    super.error(text, data, false);
  }
}

const contentsOf = (client: LanguageClient) => client.getFeature(TextDocumentContentRequest.method);

interface Run {
  client: Client;
  process: ChildProcess | undefined;
  given_up: boolean;
}

export class Server {
  private readonly queue = new Queue();
  private readonly deaths = new Deaths();
  private readonly begun = new vscode.EventEmitter<void>();
  /** A server runs, and knows nothing yet of what the one before was told. */
  readonly onBegun = this.begun.event;
  private readonly told = new vscode.EventEmitter<ConversationTold>();
  /** A conversation is not as it was. */
  readonly onConversation = this.told.event;
  private readonly completion = new vscode.EventEmitter<CompletionTold>();
  readonly onCompletion = this.completion.event;
  private run: Run | undefined;
  private wish = 0;
  private abort: () => void = () => undefined;
  private again: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly state: State,
    private readonly log: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
    private readonly absent: () => void,
  ) {}

  /** A person's wish: what died before is forgotten. */
  restart(): Promise<void> {
    this.deaths.forget();
    return this.startAnew();
  }

  stop(): Promise<void> {
    this.newWish();
    return this.queue.run(async () => {
      await this.halt();
      this.state.now("stopped");
    });
  }

  get isRunning(): boolean {
    return this.run !== undefined && this.state.phase === "running";
  }

  /** One of the server's commands.  Throws with a sentence for a person. */
  async command<T>(name: string, argument: object = {}, token?: vscode.CancellationToken, told?: (text: string) => void): Promise<T> {
    const client = this.need();
    const workDoneToken = `palimpsest-client-${randomUUID()}`;
    const progress = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === "report") told?.(value.message ?? "");
    });
    try {
      const params = { command: name, arguments: [argument], workDoneToken };
      return await this.request<T>("workspace/executeCommand", params, token);
    } finally {
      progress.dispose();
    }
  }

  async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T> {
    const client = this.need();
    // Not with an undefined token: the library would send a list of two.
    return token === undefined ? client.sendRequest<T>(method, params) : client.sendRequest<T>(method, params, token);
  }

  /** Dropped where no server runs: what is told is only of use to one that does. */
  notify(method: string, params: object): void {
    if (this.isRunning) void this.run?.client.sendNotification(method, params).catch(() => undefined);
  }

  /** What the library has made of the server's document contents. */
  get contents(): ReturnType<typeof contentsOf> | undefined {
    return this.isRunning ? contentsOf(this.need()) : undefined;
  }

  get converter(): LanguageClient["protocol2CodeConverter"] {
    return this.need().protocol2CodeConverter;
  }

  configurationChanged(): void {
    this.notify("workspace/didChangeConfiguration", { settings: null });
  }

  dispose(): void {
    this.begun.dispose();
    this.told.dispose();
    this.completion.dispose();
  }

  private need(): Client {
    if (!this.isRunning || this.run === undefined) throw new Error("The server is not running: run “Palimpsest: Show Status”.");
    return this.run.client;
  }

  private newWish(): number {
    clearTimeout(this.again);
    this.abort();
    return ++this.wish;
  }

  private startAnew(): Promise<void> {
    const mine = this.newWish();
    return this.queue.run(async () => {
      await this.halt();
      if (mine === this.wish) await this.begin(mine);
    });
  }

  private async begin(mine: number): Promise<void> {
    this.state.now("starting");
    try {
      const aborted = new Promise<"aborted">((resolve) => (this.abort = () => resolve("aborted")));
      const found = await Promise.race([findServer(this.context, this.log), aborted]);
      if (mine !== this.wish || found === "aborted") return;
      if (found === undefined) {
        this.state.now("absent", "The server is not installed.");
        return this.absent();
      }
      this.log.info(`${found.version} from ${found.origin}: ${found.command.join(" ")}`);
      const run = this.makeRun(found);
      this.run = run;
      await Promise.race([run.client.start(), aborted]);
      if (mine !== this.wish || run.given_up) return;
      this.state.origin = `${found.version}, from ${found.origin}`;
      this.state.now("running");
      this.begun.fire();
    } catch (error) {
      if (mine !== this.wish) return;
      this.log.error(message(error));
      await this.halt();
      this.state.now("failed", `The server does not start: ${message(error)}`);
    }
  }

  private async halt(): Promise<void> {
    const run = this.run;
    this.run = undefined;
    if (run === undefined) return;
    run.given_up = true;
    try {
      if (run.client.isRunning()) await run.client.dispose(2_000);
    } catch (error) {
      this.log.debug(`stopping: ${message(error)}`);
    }
    if (run.process?.exitCode === null && run.process.signalCode === null) run.process.kill();
  }

  private makeRun(found: Found): Run {
    const [program = "", ...args] = found.command;
    const start = (): Promise<ChildProcess> => {
      if (run.given_up) return Promise.reject(new Error("it is not wanted any more"));
      // Not in the workspace: Python would look there for modules.
      const child = spawn(program, args, { cwd: os.homedir(), stdio: "pipe", windowsHide: true });
      run.process = child;
      return new Promise((resolve, reject) => child.once("spawn", () => resolve(child)).once("error", reject));
    };
    const client = new Client("palimpsest", "Palimpsest", start, this.options(() => this.died(run)));
    const run: Run = { client, process: undefined, given_up: false };
    client.onNotification("palimpsest/status", (status: Status) => {
      if (this.run === run) this.state.told(status);
    });
    client.onNotification("palimpsest/conversation", (told: ConversationTold) => {
      if (this.run === run) this.told.fire(told);
    });
    client.onNotification("palimpsest/completion", (told: CompletionTold) => {
      if (this.run === run) this.completion.fire(told);
    });
    return run;
  }

  private options(closed: () => void): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => forServer(this.context),
      middleware: this.middleware,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
  }

  /** The connection is gone without having been ended by us. */
  private died(run: Run): void {
    if (this.run !== run || run.given_up) return;
    run.given_up = true;
    if (this.deaths.another(Date.now())) {
      this.state.now("starting", "The server ended unexpectedly and is started again.");
      this.again = setTimeout(() => void this.startAnew(), AGAIN_MS);
    } else {
      this.newWish();
      this.state.now("failed", `The server ended ${this.deaths.count} times within three minutes. Its log says why; then restart it.`);
    }
  }
}
