// The statistics as a page of text.  No editor in here.
import { plural } from "./pure";

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

export function page(found: Statistics): string {
  const lines = ["# Palimpsest: statistics", ""];
  if (!found.enabled) lines.push("Nothing is counted: `palimpsest.statistics.enabled` is off.", "");
  if (found.since === "") return [...lines, "Nothing was shown yet.", ""].join("\n");
  lines.push(`Since ${found.since}. Counted on this machine, sent nowhere.`, "");
  lines.push(`Of ${found.shown} shown, accepted: ${accepted(found)}; ${plural(found.characters, "character")}.`, "");
  for (const [title, sums] of [["Kind", found.by_kind], ["Language", found.by_language], ["Day", found.by_day]] as const) {
    lines.push(...table([title, "shown", "accepted", "rejected", "characters"], Object.entries(sums).map(row)), "");
  }
  const waited = Object.entries(found.latency).map(([kind, { n, p50, p95 }]) => [kind, `${n}`, `${p50} ms`, `${p95} ms`]);
  if (waited.length > 0) lines.push(...table(["Waited for", "times", "half within", "19 of 20 within"], waited), "");
  return lines.join("\n");
}

function row([name, sums]: [string, Sums]): string[] {
  return [name, `${sums.shown}`, accepted(sums), `${sums.rejected}`, `${sums.characters}`];
}

/** By part, and not added up: of one completion, a word can be accepted and then the rest. */
function accepted({ accepted }: Sums): string {
  const parts = Object.entries(accepted).filter(([part, n]) => n > 0 || part === "all");
  return parts.map(([part, n]) => `${n} ${part === "all" ? "whole" : `by ${part}`}`).join(", ");
}

function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]): string => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)];
}
