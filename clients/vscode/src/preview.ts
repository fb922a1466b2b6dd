// What a next edit looks like, as rows and columns, without an editor.
import { plural } from "./pure";

interface Place {
  line: number;
  character: number;
}

interface Rows {
  count: number;
  at: (row: number) => string;
}

/** Nothing is put over the text.  VS Code lets an extension write behind a place in a row, in one line, and no rows
 *  between others.  So what is short stands in its row, behind what it replaces, and the rest of the row moves on; what is
 *  longer stands row by row in a column to the right of the rows that it is about. */
export interface Preview {
  /** What goes within a row, and what comes behind it. */
  within: { row: number; from: number; to: number; text: string }[];
  /** Rows that go. */
  gone: number[];
  /** What comes in the place of rows, behind their ends: so far from them that it is a column. */
  beside: { row: number; margin: number; text: string }[];
  /** The row above which new ones come in. */
  above: number | undefined;
  diff: string;
}

/** How much is read at a glance in the midst of a row; less where several rows change. */
const SHORT = 60;
const SHORT_OF_MANY = 30;
const MOST_ROWS = 12;
const MOST_COLUMNS = 60;
const GAP = 4;
/** A column that ends behind so many stands some rows lower, if that is so much further to the left: one long row is not to
 *  push it out of view. */
const ROOM = 90;
const SAVED = 12;
/** With the halves of characters that JavaScript counts as two. */
const WORD = /[\w\ud800-\udfff]/;

export function preview(rows: Rows, { start, end }: { start: Place; end: Place }, text: string, tabSize: number): Preview {
  const old = Array.from({ length: end.line - start.line + 1 }, (_, n) => rows.at(start.line + n));
  const whole = (old[0] ?? "").slice(0, start.character) + text + (old.at(-1) ?? "").slice(end.character);
  const [gone, come, before] = differing(old, whole.split(/\r?\n/));
  const first = start.line + before;
  const all = gone.map((_, n) => first + n);
  const diff = [...gone.map((row) => `-${row}`), ...come.map((row) => `+${row}`)].join("\n");
  const shown: Preview = { within: [], gone: [], beside: [], above: undefined, diff };
  const within = gone.length === come.length ? gone.flatMap((row, n) => changeOf(row, come[n] ?? "", first + n)) : [];
  const most = gone.length > 1 ? SHORT_OF_MANY : SHORT;
  if (within.length > 0 && within.every(({ row, to, text }) => text.length <= most || (gone.length === 1 && to === rows.at(row).length))) {
    return { ...shown, within };
  }
  const above = gone.length === 0 ? first : undefined;
  return { ...shown, gone: all, beside: column(rows, Math.min(first, rows.count - 1), come, tabSize), above };
}

/** What is left of an edit of `old` into `text`, once the part of `old` between two offsets was replaced by what was typed:
 *  undefined unless that was a beginning of the edit, behind which there is only to be added.  `typed` is without what the
 *  editor puts behind a bracket or quote of its own accord, `closed`. */
export function left(old: string, text: string, [from, to]: readonly [number, number], typed: string, closed = ""): string | undefined {
  const [begun, rest] = [old.slice(0, from) + typed, closed + old.slice(to)];
  const is = from >= 0 && to <= old.length && begun.length + rest.length <= text.length && text.startsWith(begun) && text.endsWith(rest);
  return is ? text.slice(begun.length, text.length - rest.length) : undefined;
}

/** A bracket or quote with the one that an editor puts behind it. */
export const PAIR = /^(?:\(\)|\[\]|\{\}|""|''|``)$/;

/** Without what is the same at both ends, and how much that is before. */
function differing(old: string[], come: string[]): [string[], string[], number] {
  const before = same(old, come, 0);
  const after = same([...old].reverse(), [...come].reverse(), before);
  return [old.slice(before, old.length - after), come.slice(before, come.length - after), before];
}

/** How many are the same from the first on, if the last `taken` of the shorter do not count. */
function same(one: ArrayLike<string>, other: ArrayLike<string>, taken: number): number {
  const most = Math.min(one.length, other.length) - taken;
  let n = 0;
  while (n < most && one[n] === other[n]) n++;
  return n;
}

/** The part of a row that changes: words as a whole, unless something only comes or only goes. */
function changeOf(old: string, come: string, row: number): Preview["within"] {
  if (old === come) return [];
  let from = same(old, come, 0);
  let after = same(old.split("").reverse(), come.split("").reverse(), from);
  if (Math.min(old.length, come.length) > from + after) {
    while (from > 0 && WORD.test(old[from - 1] ?? "")) from--;
    while (after > 0 && WORD.test(old[old.length - after] ?? "")) after--;
  }
  return [{ row, from, to: old.length - after, text: come.slice(from, come.length - after) }];
}

function column(rows: Rows, first: number, come: string[], tabSize: number): Preview["beside"] {
  const texts = come.map((text) => expanded(text, tabSize));
  const indents = texts.filter((text) => text.trim()).map((text) => text.length - text.trimStart().length);
  if (indents.length === 0) return [];
  const all = texts.flatMap((text) => wrapped(text.slice(Math.min(...indents))));
  const shown = all.slice(0, Math.min(MOST_ROWS, rows.count - first));
  const more = all.length - shown.length;
  if (more > 0) shown.push(`${shown.pop() ?? ""} … +${plural(more, "line")}`);
  const width = Math.max(...shown.map((text) => text.length));
  const widthOf = (row: number): number => expanded(rows.at(row), tabSize).length;
  const after = (begin: number): number => GAP + Math.max(...shown.map((_, n) => widthOf(begin + n)));
  const lower = [1, 2, 3].map((by) => first + by).find((row) => row + shown.length <= rows.count && after(row) + SAVED <= after(first));
  const begin = after(first) + width > ROOM ? (lower ?? first) : first;
  return shown.map((text, n) => ({ row: begin + n, margin: after(begin) - widthOf(begin + n), text: text.padEnd(width) }));
}

function wrapped(text: string): string[] {
  if (text.length <= MOST_COLUMNS) return [text];
  const blank = text.lastIndexOf(" ", MOST_COLUMNS);
  const at = text.slice(0, blank).trim() ? blank + 1 : MOST_COLUMNS;
  return [text.slice(0, at), ...wrapped(" ".repeat(GAP) + text.slice(at))];
}

function expanded(text: string, tabSize: number): string {
  return text.replace(/([^\t]*)\t/g, (_, before: string) => before.padEnd((Math.floor(before.length / tabSize) + 1) * tabSize));
}
