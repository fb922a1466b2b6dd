// What the server is doing and says of itself: the one state of this window, the status bar's item, the menu behind it.
import * as vscode from "vscode";
import { left, plural } from "./pure";

/** `palimpsest/status`. */
export interface Status {
  kind: "Normal" | "Error" | "Warning" | "Inactive";
  message: string;
  model: string;
  tokens: { used: number; total: number };
  last: { decoded: number; reused: number; ms: number };
  conversation?: { used: number; total: number; kv: "leave" | "decode"; left: number } | null;
  state: "loading" | "ready" | "busy" | "degraded" | "off";
  /** Why it is one of the last two. */
  cause: string;
  restart?: boolean;
  /** Unix time in seconds; 0: completions are not snoozed. */
  snoozed_until?: number;
}

/** For the conditions of keys and buttons in package.json. */
export function setContext(name: string, value: boolean): Thenable<void> {
  return vscode.commands.executeCommand("setContext", `palimpsest.${name}`, value);
}

/** Views listen and draw. */
export class State {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly changed = this.emitter.event;
  phase: "absent" | "installing" | "starting" | "running" | "stopped" | "failed" = "stopped";
  cause = "";
  status: Status | undefined;
  /** Where the running server came from, in words. */
  origin = "";

  now(phase: State["phase"], cause = ""): void {
    this.phase = phase;
    this.cause = cause;
    if (phase !== "running") this.status = undefined;
    void setContext("running", phase === "running");
    this.emitter.fire();
  }

  told(status: Status): void {
    this.status = status;
    this.emitter.fire();
  }
}

interface Look {
  icon: string;
  headline: string;
  kind?: "warning" | "error";
  /** In the place of our name. */
  text?: string;
}

const COUNT_DOWN_MS = 5_000;
const LOADING = "$(loading~spin)";
const PHASES: Record<Exclude<State["phase"], "running">, Look> = {
  absent: { icon: "$(cloud-download)", headline: "The server is not installed", kind: "warning" },
  installing: { icon: LOADING, headline: "Installing the server" },
  starting: { icon: LOADING, headline: "Starting" },
  failed: { icon: "$(error)", headline: "The server does not start", kind: "error" },
  stopped: { icon: "$(circle-slash)", headline: "Stopped" },
};
const STATES: Record<Status["state"], Look> = {
  loading: { icon: LOADING, headline: "Loading the model" },
  ready: { icon: "$(layers)", headline: "Ready" },
  busy: { icon: "$(sync~spin)", headline: "Working" },
  degraded: { icon: "$(warning)", headline: "Not everything works", kind: "warning" },
  off: { icon: "$(circle-slash)", headline: "Completions are off" },
};

function look({ phase, cause, status }: State): Look {
  if (phase !== "running") return { ...PHASES[phase], ...(cause && { headline: cause }) };
  const said = STATES[status?.state ?? "loading"];
  const headline = status?.cause || (said.icon === LOADING && status?.message) || said.headline;
  const snoozed = left(status?.snoozed_until ?? 0, Date.now() / 1000);
  if (status?.state === "off" && status.kind === "Error") return { icon: "$(error)", headline, kind: "error" };
  return status?.state === "off" && snoozed ? { icon: "$(bell-slash)", headline: `${headline} ${snoozed} left`, text: snoozed } : { ...said, headline };
}

/** Without the model's name. */
function figures({ status }: State): string[] {
  if (status === undefined) return [];
  const number = (n: number): string => n.toLocaleString("en");
  const { tokens, last, conversation } = status;
  const lines: string[] = [];
  if (tokens.total > 0) lines.push(`Context: ${number(tokens.used)} of ${plural(tokens.total, "token")}`);
  if (last.decoded + last.reused > 0) {
    lines.push(`Last answer: ${plural(last.decoded, "token")} decoded, ${number(last.reused)} reused, ${Math.round(last.ms)} ms`);
  }
  if (conversation) {
    const { used, total, kv, left } = conversation;
    const kept = left > 0 ? ` (${number(left)} as they were)` : "";
    lines.push(`Conversation: ${number(used)} of ${plural(total, "token")}; ${KV[kv]}${kept}`);
  }
  return lines;
}

const KV = { leave: "its cache stays when blocks change", decode: "decoded again when blocks change" };

export class StatusBar {
  private readonly item = vscode.window.createStatusBarItem("palimpsest.status", vscode.StatusBarAlignment.Right, 100);
  private counting: NodeJS.Timeout | undefined;

  constructor(
    { subscriptions }: vscode.ExtensionContext,
    private readonly state: State,
  ) {
    this.item.name = "Palimpsest";
    this.item.command = "palimpsest.client.status";
    subscriptions.push(this.item, state.changed(() => this.draw()));
    this.draw();
    this.item.show();
  }

  private draw(): void {
    const { icon, headline, kind, text } = look(this.state);
    clearTimeout(this.counting);
    if (text !== undefined) this.counting = setTimeout(() => this.draw(), COUNT_DOWN_MS);
    this.item.text = `${icon} ${text ?? "Palimpsest"}`;
    this.item.accessibilityInformation = { label: `Palimpsest: ${headline}`, role: "button" };
    this.item.backgroundColor = kind && new vscode.ThemeColor(`statusBarItem.${kind}Background`);
    const tooltip = new vscode.MarkdownString();
    tooltip.appendMarkdown("**Palimpsest** ").appendText(headline);
    const model = this.state.status?.model;
    const lines = [model ? `Model: ${model}` : "", ...figures(this.state), this.state.origin];
    for (const line of lines.filter(Boolean)) tooltip.appendMarkdown("\n\n").appendText(line);
    this.item.tooltip = tooltip;
  }
}

type Choice = vscode.QuickPickItem & { command?: string };
const line = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
const does = (icon: string, label: string, command: string): Choice => ({ label: `$(${icon}) ${label}`, command: `palimpsest.client.${command}` });
const MEND = [
  does("output", "Show the log", "log"),
  does("pulse", "Check the installation", "doctor"),
  does("debug-restart", "Restart the engine", "restartEngine"),
  does("refresh", "Restart the server", "restartServer"),
];
const USE = [
  does("circle-slash", "Switch on or off…", "toggle"),
  does("bell-slash", "Snooze completions…", "snooze"),
  does("chip", "Choose a model…", "model"),
  does("list-tree", "Show the context", "context"),
  does("graph", "Show the cache map", "cache"),
  does("graph-line", "Show statistics", "statistics"),
  does("book", "Open the walkthrough", "walkthrough"),
];

/** First what there is to say, then what can be done; what helps now comes first. */
export async function showStatus(state: State): Promise<void> {
  const { icon, headline } = look(state);
  const broken = state.phase === "failed" || state.status?.kind === "Error" || state.status?.restart === true;
  const install = state.phase === "absent" ? [does("cloud-download", "Install the server", "install")] : [];
  const groups = broken ? [line("what helps"), ...MEND, line("more"), ...USE] : [line("use"), ...USE, line("if something is not right"), ...MEND];
  const detail = figures(state).join(" · ") || state.origin;
  const said = { label: `${icon} ${headline}`, description: state.status?.model ?? "", detail, command: "palimpsest.client.log" };
  const chosen = await vscode.window.showQuickPick<Choice>([said, ...install, ...groups], { title: "Palimpsest", placeHolder: headline });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command);
}
