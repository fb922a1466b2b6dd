// The statistics as a page of text.  No editor in here.

interface Sums {
  shown: number;
  accepted: Record<string, number>;
  rejected: number;
  characters: number;
}

export interface Statistics extends Sums {
  enabled: boolean;
  since: string;
  by_kind: Record<string, Sums>;
  by_language: Record<string, Sums>;
  by_day: Record<string, Sums>;
  latency: Record<string, { n: number; p50: number; p95: number }>;
}

/** Of one completion, a word can be accepted and then the rest: parts are counted each by itself, and not added up. */
const HEAD = ["shown", "accepted", "a line", "a word", "rejected", "characters"];

export function page(found: Statistics): string {
  const lines = [found.since ? `Palimpsest: statistics since ${found.since}` : "Palimpsest: statistics", ""];
  if (!found.enabled) lines.push("Nothing is counted: the setting palimpsest.statistics.enabled is off.", "");
  if (found.since === "") return [...lines, "Nothing was shown yet.", ""].join("\n");
  lines.push("Counted on this machine, and sent nowhere.", "");
  lines.push(...table(["", ...HEAD], [row(["all", found])]), "");
  for (const [title, sums] of [["kind", found.by_kind], ["language", found.by_language], ["day", found.by_day]] as const) {
    lines.push(...table([title, ...HEAD], Object.entries(sums).map(row)), "");
  }
  const waited = Object.entries(found.latency).map(([kind, { n, p50, p95 }]) => [kind, `${n}`, `${p50} ms`, `${p95} ms`]);
  if (waited.length > 0) lines.push(...table(["waited for", "times", "half within", "19 of 20 within"], waited), "");
  return lines.join("\n");
}

function row([name, { shown, accepted, rejected, characters }]: [string, Sums]): string[] {
  const parts = [accepted["all"], accepted["line"], accepted["word"]].map((n) => n ?? 0);
  return [name, ...[shown, ...parts, rejected, characters].map(String)];
}

function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, at) => Math.max(at === 0 ? 12 : 0, title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const cell = (text: string, at: number): string => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0));
  return [head, ...rows].map((cells) => cells.map(cell).join("  "));
}
