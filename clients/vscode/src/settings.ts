// Which of the editor's settings go to the server: those that a person has set.  A default that VS Code fills in would
// overrule palimpsest.toml, and what is for this client alone would be a wrong setting there.
import * as vscode from "vscode";
import { nested } from "./pure";

const SECTION = "palimpsest";
const KEY = "engine.api_key";

/** Settings that only this client reads. */
const OURS = /^(server\.|trace\.|completion\.trigger$|completion\.(delay_ms|show)$|nextEdit\.)/;

export function ours<T extends string | number | boolean>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name) ?? otherwise;
}

export function forServer(context: vscode.ExtensionContext): unknown {
  const all = vscode.workspace.getConfiguration(SECTION);
  const { contributes } = context.extension.packageJSON as { contributes: { configuration: { properties: object }[] } };
  const names = contributes.configuration.flatMap(({ properties }) => Object.keys(properties)).map((name) => name.slice(SECTION.length + 1));
  const values = names.flatMap((name): [string, unknown][] => {
    const found = OURS.test(name) ? undefined : all.inspect(name);
    const set = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    return set === undefined ? [] : [[name, set]];
  });
  return nested(values);
}

/** What a person has entered as the engine's key, in the variable that the server reads it from: no trace of messages has it. */
export async function keyForServer({ secrets }: vscode.ExtensionContext): Promise<Record<string, string>> {
  const key = await secrets.get(KEY);
  return key ? { [ours<string>("engine.api_key_env", "PALIMPSEST_API_KEY")]: key } : {};
}

/** The windows hear of it, and start their servers anew. */
export async function enterKey({ secrets }: vscode.ExtensionContext): Promise<void> {
  const url = ours<string>("engine.url", "");
  const prompt = `${url ? `For the engine at ${url}.` : "For the engine that palimpsest.engine.url names."} Nothing entered forgets the key.`;
  const key = (await vscode.window.showInputBox({ title: "Enter the Engine's Key", prompt, password: true, ignoreFocusOut: true }))?.trim();
  if (key === undefined) return;
  await (key ? secrets.store(KEY, key) : secrets.delete(KEY));
}
