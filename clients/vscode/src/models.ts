// Choosing a model: those that are here or can be fetched, with what each takes of this machine's memory.
import * as vscode from "vscode";
import type { KnownModel, ModelList } from "./protocol";
import type { Server } from "./server";

type Choice = vscode.QuickPickItem & { model?: KnownModel };

export async function chooseModel(server: Server): Promise<void> {
  const found = await server.command<ModelList>("palimpsest.model.list");
  const rows = found.models.map((model) => rowOf(model, found));
  const here = rows.filter(({ model }) => model?.here);
  const more = rows.filter(({ model }) => !model?.here);
  const line = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const chosen = await vscode.window.showQuickPick<Choice>([line("on this machine"), ...here, line("to be fetched"), ...more], {
    title: "Choose a Model",
    placeHolder: placeholder(found),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const model = chosen?.model;
  if (model === undefined || model.name === found.used) return;
  const command = model.here ? "palimpsest.model.use" : "palimpsest.model.get";
  const title = model.here ? `Palimpsest: starting ${model.title}` : `Palimpsest: getting ${model.title}`;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const done = await vscode.window.withProgress(options, async (progress, token) =>
    server.command<{ summary?: string }>(command, { name: model.name }, token, (text) => progress.report({ message: text })),
  );
  void vscode.window.showInformationMessage(`Palimpsest: ${done.summary ?? `${model.title} is used from now on.`}`);
}

function placeholder({ models, recommended }: ModelList): string {
  const title = models.find(({ name }) => name === recommended)?.title;
  return title ? `Recommended for this machine: ${title}` : "Which model";
}

function rowOf(model: KnownModel, { used, recommended }: ModelList): Choice {
  const marks = [
    model.name === used ? "in use" : "",
    model.name === "default" ? "the default" : "",
    model.name === recommended ? "recommended here" : "",
    model.fits ? "" : "too large for this machine",
  ].filter(Boolean);
  const size = [`${model.size_gb.toLocaleString("en")} GB`, `${model.memory_gib.toLocaleString("en")} GiB of memory`, model.licence];
  const icon = model.name === used ? "check" : model.here ? "chip" : "cloud-download";
  return { label: `$(${icon}) ${model.title}`, description: marks.join(" · "), detail: `${model.purpose} · ${size.filter(Boolean).join(" · ")}`, model };
}
