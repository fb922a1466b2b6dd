// Another extension that completes in this editor: said once.  Both keep working; what is shown is whichever answers.
import * as vscode from "vscode";

/** Extensions with completions of their own, and how each is told to stop. */
const OTHERS: Record<string, string> = {
  "github.copilot": "the setting github.copilot.enable",
  "github.copilot-chat": "the setting github.copilot.enable",
  "ggml-org.llama-vscode": "the setting llama-vscode.enabled",
  "continue.continue": "the setting continue.enableTabAutocomplete",
  "codeium.codeium": "the setting codeium.enableConfig",
  "codeium.windsurfpyintellij": "its status bar item",
  "tabnine.tabnine-vscode": "its status bar item",
  "tabbyml.vscode-tabby": "the setting tabby.inlineCompletion.triggerMode",
  "supermaven.supermaven": "the command Supermaven: Toggle",
  "sourcegraph.cody-ai": "the setting cody.autocomplete.enabled",
  "amazonwebservices.amazon-q-vscode": "its status bar item",
  "google.geminicodeassist": "the setting geminicodeassist.inlineSuggestions.enableAuto",
  "danielsanmedium.dscodegpt": "the setting CodeGPT.Autocomplete.enabled",
  "visualstudioexptteam.vscodeintellicode-completions": "its status bar item",
  "milanglacier.minuet": "its own settings",
};
const SAID = "others.said";

export async function sayOthers(context: vscode.ExtensionContext): Promise<void> {
  const said = context.globalState.get<string[]>(SAID, []);
  const found = Object.entries(OTHERS).flatMap(([id, how]) => {
    const extension = vscode.extensions.getExtension(id);
    return extension && !said.includes(id) ? [{ id, how, extension }] : [];
  });
  const [first] = found;
  if (first === undefined) return;
  await context.globalState.update(SAID, [...said, ...found.map(({ id }) => id)]);
  const name = (extension: vscode.Extension<unknown>): string => (extension.packageJSON as { displayName?: string }).displayName ?? extension.id;
  const names = found.map(({ extension }) => name(extension)).join(", ");
  const [theirs, ours] = ["Show Its Settings", "Only Ask Palimpsest by Hand"];
  const text = `${names} completes here, too. Both work side by side, and the first answer is shown. To stop the other: ${first.how}.`;
  const chosen = await vscode.window.showInformationMessage(text, theirs, ours);
  if (chosen === theirs) await vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${first.id}`);
  if (chosen === ours) await vscode.workspace.getConfiguration("palimpsest").update("completion.trigger", "manual", vscode.ConfigurationTarget.Global);
}
