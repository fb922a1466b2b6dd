// Which of the editor's settings go to the server: those that a person has set.  A default that VS Code fills in would
// overrule palimpsest.toml, and what is for this client alone would be a wrong setting there.
import * as vscode from "vscode";
import { nested } from "./pure";

const SECTION = "palimpsest";

/** Settings that only this client reads, besides those of `server` and `trace`. */
interface Ours {
  "completion.trigger": "automatic" | "manual";
  "completion.delay_ms": number;
  "completion.show": "always" | "key";
  "nextEdit.automatic": boolean;
}
const OURS = /^(server\.|trace\.|completion\.trigger$|completion\.(delay_ms|show)$|nextEdit\.)/;

export function ours<K extends keyof Ours>(name: K, otherwise: Ours[K]): Ours[K] {
  return vscode.workspace.getConfiguration(SECTION).get<Ours[K]>(name) ?? otherwise;
}

export function forServer(context: vscode.ExtensionContext): unknown {
  const all = vscode.workspace.getConfiguration(SECTION);
  const values: [string, unknown][] = [];
  for (const name of known(context)) {
    if (OURS.test(name)) continue;
    const found = all.inspect(name);
    const set = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (set !== undefined) values.push([name, set]);
  }
  return nested(values);
}

function known(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as { contributes: { configuration: { properties: object }[] | { properties: object } } };
  return [manifest.contributes.configuration]
    .flat()
    .flatMap((section) => Object.keys(section.properties))
    .map((name) => name.slice(SECTION.length + 1));
}
