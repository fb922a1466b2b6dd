// What the server is doing and says of itself: the one state of this window, the status bar's item, the menu behind it.
import * as vscode from "vscode";
/** `palimpsest/status`. */
export interface Status {
  kind: "Normal" | "Error" | "Warning" | "Inactive";
  message: string;
  model: string;
  state: "loading" | "ready" | "busy" | "degraded" | "off";
  headline: string;
  figures: string[];
  restart: boolean;
  /** How long completions are, yet; "" where they are not. */
  snoozed: string;
}

/** VS Code reads the walkthrough up to five seconds after it starts, and never ticks a step whose condition holds then. */
const WALKTHROUGH_MS = 10_000;

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
    if (phase === "running") setTimeout(() => void setContext("installed", true), WALKTHROUGH_MS);
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

const LOADING = "$(loading~spin)";
const PHASES: Record<State["phase"], Look> = {
  absent: { icon: "$(cloud-download)", headline: "The server is not installed", kind: "warning" },
  installing: { icon: LOADING, headline: "Installing the server" },
  starting: { icon: LOADING, headline: "Starting" },
  running: { icon: LOADING, headline: "Loading the model" },
  failed: { icon: "$(error)", headline: "The server does not start", kind: "error" },
  stopped: { icon: "$(circle-slash)", headline: "Stopped" },
};
const STATES: Record<Status["state"], Omit<Look, "headline">> = {
  loading: { icon: LOADING },
  ready: { icon: "$(layers)" },
  busy: { icon: "$(sync~spin)" },
  degraded: { icon: "$(warning)", kind: "warning" },
  off: { icon: "$(circle-slash)" },
};

function look({ phase, cause, status }: State): Look {
  if (status === undefined) return { ...PHASES[phase], ...(cause && { headline: cause }) };
  const { headline, state, kind, snoozed } = status;
  if (state === "off" && snoozed) return { icon: "$(bell-slash)", headline: `${headline} ${snoozed} left`, text: snoozed };
  return { ...(state === "off" && kind === "Error" ? PHASES.failed : STATES[state]), headline };
}

export function statusBar({ subscriptions }: vscode.ExtensionContext, state: State): void {
  const item = vscode.window.createStatusBarItem("palimpsest.status", vscode.StatusBarAlignment.Right, 100);
  item.name = "Palimpsest";
  item.command = "palimpsest.client.status";
  const draw = (): void => {
    const { icon, headline, kind, text } = look(state);
    item.text = `${icon} ${text ?? "Palimpsest"}`;
    item.accessibilityInformation = { label: `Palimpsest: ${headline}`, role: "button" };
    item.backgroundColor = kind && new vscode.ThemeColor(`statusBarItem.${kind}Background`);
    const { model, figures = [] } = state.status ?? {};
    const tooltip = new vscode.MarkdownString("**Palimpsest** ").appendText(headline);
    const lines = [model ? `Model: ${model}` : "", ...figures, state.origin];
    for (const line of lines.filter(Boolean)) tooltip.appendMarkdown("\n\n").appendText(line);
    item.tooltip = tooltip;
  };
  subscriptions.push(item, state.changed(draw));
  draw();
  item.show();
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
  const broken = state.phase === "failed" || state.status?.kind === "Error" || state.status?.restart;
  const install = state.phase === "absent" ? [does("cloud-download", "Install the server", "install")] : [];
  const groups = broken ? [line("what helps"), ...MEND, line("more"), ...USE] : [line("use"), ...USE, line("if something is not right"), ...MEND];
  const detail = state.status?.figures.join(" · ") || state.origin;
  const said = { label: `${icon} ${headline}`, description: state.status?.model ?? "", detail, command: "palimpsest.client.log" };
  const chosen = await vscode.window.showQuickPick<Choice>([said, ...install, ...groups], { title: "Palimpsest", placeHolder: headline });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command);
}
