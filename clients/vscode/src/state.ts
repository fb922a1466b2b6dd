// The one state of this window: what the server is doing and what it said of itself.  Views listen and draw.
import * as vscode from "vscode";
import type { Status } from "./protocol";

export type Phase = "absent" | "installing" | "starting" | "running" | "stopped" | "failed";

export class State implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly changed = this.emitter.event;
  phase: Phase = "stopped";
  cause = "";
  status: Status | undefined;
  /** Where the running server came from, in words. */
  origin = "";

  now(phase: Phase, cause = ""): void {
    this.phase = phase;
    this.cause = cause;
    if (phase !== "running") this.status = undefined;
    void vscode.commands.executeCommand("setContext", "palimpsest.running", phase === "running");
    this.emitter.fire();
  }

  told(status: Status): void {
    this.status = status;
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}
