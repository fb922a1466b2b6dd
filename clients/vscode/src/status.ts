// The status bar's item and the menu behind it: what is going on, why, and what to do about it.
import * as vscode from "vscode";
import { left, plural } from "./pure";
import type { Status } from "./protocol";
import type { State } from "./state";

interface Look {
  icon: string;
  headline: string;
  kind: "normal" | "warning" | "error";
  /** In the place of our name. */
  text?: string;
}

const COUNT_DOWN_MS = 5_000;

export function look(state: State): Look {
  const status = state.status;
  switch (state.phase) {
    case "absent":
      return { icon: "$(cloud-download)", headline: "The server is not installed", kind: "warning" };
    case "installing":
      return { icon: "$(loading~spin)", headline: "Installing the server", kind: "normal" };
    case "starting":
      return { icon: "$(loading~spin)", headline: state.cause || "Starting", kind: "normal" };
    case "failed":
      return { icon: "$(error)", headline: state.cause || "The server does not start", kind: "error" };
    case "stopped":
      return { icon: "$(circle-slash)", headline: "Stopped", kind: "normal" };
    case "running":
      break;
  }
  if (status === undefined || status.state === "loading") {
    return { icon: "$(loading~spin)", headline: status?.message || "Loading the model", kind: "normal" };
  }
  const snoozed = left(status.snoozed_until ?? 0, Date.now() / 1000);
  if (snoozed !== "" && status.kind === "Inactive") {
    return { icon: "$(bell-slash)", headline: `${status.message} ${snoozed} left`, kind: "normal", text: snoozed };
  }
  if (status.kind === "Error") return { icon: "$(error)", headline: status.message || "No engine", kind: "error" };
  if (status.state === "degraded" || status.kind === "Warning") {
    return { icon: "$(warning)", headline: status.message || "Not everything works", kind: "warning" };
  }
  if (status.state === "off" || (status.kind === "Inactive" && status.message !== "" && status.model !== "")) {
    return { icon: "$(circle-slash)", headline: status.message || "Completions are off", kind: "normal" };
  }
  if (status.kind === "Inactive") return { icon: "$(loading~spin)", headline: status.message || "Loading the model", kind: "normal" };
  if (status.busy) return { icon: "$(sync~spin)", headline: "Working", kind: "normal" };
  return { icon: "$(layers)", headline: "Ready", kind: "normal" };
}

const MODEL = "Model: ";

export function figures(state: State): string[] {
  const status = state.status;
  if (status === undefined) return [];
  const { used, total } = status.tokens;
  const { decoded, reused, ms } = status.last;
  return [
    ...(status.model ? [`${MODEL}${status.model}`] : []),
    ...(total > 0 ? [`Context: ${used.toLocaleString("en")} of ${plural(total, "token")}`] : []),
    ...(decoded + reused > 0
      ? [`Last answer: ${plural(decoded, "token")} decoded, ${reused.toLocaleString("en")} reused, ${Math.round(ms)} ms`]
      : []),
    ...(status.conversation ? [talked(status.conversation)] : []),
  ];
}

const KV = { leave: "its cache stays when blocks change", decode: "decoded again when blocks change" };

function talked({ used, total, kv, left }: NonNullable<Status["conversation"]>): string {
  const kept = left > 0 ? ` (${left.toLocaleString("en")} as they were)` : "";
  return `Conversation: ${used.toLocaleString("en")} of ${plural(total, "token")}; ${KV[kv]}${kept}`;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("palimpsest.status", vscode.StatusBarAlignment.Right, 100);
  private readonly listening: vscode.Disposable;
  private counting: NodeJS.Timeout | undefined;

  constructor(private readonly state: State) {
    this.item.name = "Palimpsest";
    this.item.command = "palimpsest.client.status";
    this.listening = state.changed(() => this.draw());
    this.draw();
    this.item.show();
  }

  private draw(): void {
    const { icon, headline, kind, text } = look(this.state);
    clearTimeout(this.counting);
    if (text !== undefined) this.counting = setTimeout(() => this.draw(), COUNT_DOWN_MS);
    this.item.text = `${icon} ${text ?? "Palimpsest"}`;
    this.item.accessibilityInformation = { label: `Palimpsest: ${headline}`, role: "button" };
    this.item.backgroundColor = kind === "normal" ? undefined : new vscode.ThemeColor(`statusBarItem.${kind}Background`);
    const tooltip = new vscode.MarkdownString();
    tooltip.appendMarkdown("**Palimpsest** ").appendText(headline);
    for (const line of [...figures(this.state), this.state.origin].filter(Boolean)) {
      tooltip.appendMarkdown("\n\n").appendText(line);
    }
    this.item.tooltip = tooltip;
  }

  dispose(): void {
    clearTimeout(this.counting);
    this.listening.dispose();
    this.item.dispose();
  }
}

type Choice = vscode.QuickPickItem & { command?: string };

/** The menu: first what there is to say, then what can be done; what helps now comes first. */
export async function showStatus(state: State): Promise<void> {
  const { icon, headline } = look(state);
  const does = (icon: string, label: string, command: string): Choice => ({ label: `$(${icon}) ${label}`, command: `palimpsest.client.${command}` });
  const line = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const broken = state.phase === "failed" || state.status?.kind === "Error" || state.status?.restart === true;
  const install = state.phase === "absent" ? [does("cloud-download", "Install the server", "install")] : [];
  const mend = [
    does("output", "Show the log", "log"),
    does("pulse", "Check the installation", "doctor"),
    does("debug-restart", "Restart the engine", "restartEngine"),
    does("refresh", "Restart the server", "restartServer"),
  ];
  const use = [
    does("circle-slash", "Switch on or off…", "toggle"),
    does("bell-slash", "Snooze completions…", "snooze"),
    does("chip", "Choose a model…", "model"),
    does("list-tree", "Show the context", "context"),
    does("graph", "Show the cache map", "cache"),
    does("graph-line", "Show statistics", "statistics"),
    does("book", "Open the walkthrough", "walkthrough"),
  ];
  const groups = broken ? [line("what helps"), ...mend, line("more"), ...use] : [line("use"), ...use, line("if something is not right"), ...mend];
  const model = state.status?.model ?? "";
  const detail = figures(state).filter((line) => !line.startsWith(MODEL)).join(" · "); // the row is cut off at its end
  const said: Choice = { label: `${icon} ${headline}`, description: model, detail, command: "palimpsest.client.log" };
  if (!said.detail) said.detail = state.origin;
  const chosen = await vscode.window.showQuickPick<Choice>([said, ...install, ...groups], { title: "Palimpsest", placeHolder: headline });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command);
}
