// Small functions without an editor.

/** [["a.b", 1]] → {a: {b: 1}} */
export function nested(values: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of values) {
    const parts = name.split(".");
    const last = parts.pop() ?? name;
    let inner = all;
    for (const part of parts) inner = (inner[part] ??= {}) as Record<string, unknown>;
    inner[last] = value;
  }
  return all;
}

export interface Offered {
  text: string;
  id: string;
}

/** Which offered completion the text is the beginning of that a word or line acceptance has inserted behind `typed`. */
export function acceptedPart(offered: readonly Offered[], typed: string, inserted: string): Offered | undefined {
  return inserted === "" ? undefined : offered.find((one) => one.text.startsWith(typed + inserted));
}

/** For a notification, in which VS Code makes `[text](command:…)` a link that runs a command: names and texts are not ours. */
export function plainly(text: string): string {
  return text.replaceAll("](", "] (");
}

const INVALID_PARAMS = -32602;

/** What a failure says to a person: the field that a server's error names is one of a command, which nobody has filled in. */
export function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ((error as { code?: unknown }).code !== INVALID_PARAMS) return error.message;
  return error.message.replace(/^[\w.]+: (.)/, (_, first: string) => first.toUpperCase());
}

/** How many characters of the rest of a line only close: brackets, quotes, `;`, `,`, and blanks before these. */
export function closing(rest: string): number {
  return /^(?:\s*[)\]}"'`;,])*/.exec(rest)?.[0].length ?? 0;
}

export function plural(n: number, one: string): string {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}

/** The line, from 0, at which the last turn of the person's begins in a conversation's document. */
export function lastTurn(text: string): number | undefined {
  const at = [...text.matchAll(/^## user[ \t]*$/gim)].at(-1)?.index;
  return at === undefined ? undefined : text.slice(0, at).split("\n").length - 1;
}

/** The conversation's id in the front matter of its document. */
export function conversationIn(text: string): string | undefined {
  return /^---\r?\n(?:(?!---)[^\n]*\n){0,40}?id:[ \t]*["']?(c-[0-9a-f]{8})\b/.exec(text)?.[1];
}
