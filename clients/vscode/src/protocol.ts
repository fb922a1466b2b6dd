// What the server says, as far as this client uses it.
import type { Command, Range, WorkspaceEdit } from "vscode-languageclient";

export interface Status {
  kind: "Normal" | "Error" | "Warning" | "Inactive";
  busy: boolean;
  message: string;
  model: string;
  tokens: { used: number; total: number };
  last: { decoded: number; reused: number; ms: number };
  conversation?: { conversation: string; used: number; total: number; kv: "leave" | "decode"; left: number } | null;
  state?: "loading" | "ready" | "busy" | "degraded" | "off";
  cause?: string;
  restart?: boolean;
  /** Unix time in seconds; 0: completions are not snoozed. */
  snoozed_until?: number;
}

/** What is offered there is another completion than was answered. */
export interface CompletionTold {
  textDocument: { uri: string; version: number };
  position?: { line: number; character: number };
}

export interface NextEdit {
  id: string;
  textDocument: { uri: string; version: number | null };
  range: Range;
  text: string;
  kind: string;
  message: string;
  command: Command;
}

export interface NextEdits {
  edits: NextEdit[];
  total: number;
}

export interface Suggestion {
  id: string;
  name: string;
  uri: string;
  edit: WorkspaceEdit;
  agreement: number;
  summary: string;
  flags: string[];
  documents: { uri: string; names: string[]; open: boolean }[];
  diff: string;
}

export interface Suggestions {
  suggestions: Suggestion[];
  summary: string;
  refused: { name: string; reason: string }[];
}

export interface ContextBlock {
  type: string;
  name: string;
  editable: boolean;
  text: string;
  tokens: number;
  span: [number, number] | null;
  state: "resident" | "stored" | "wanted";
  uri?: string | null;
  line?: number | null;
  pinned?: boolean;
  source?: string;
}

export interface Context {
  editing: { type: string; name: string; file: string; text: string };
  blocks: ContextBlock[];
  prompt: number;
}

export interface ContextUsage {
  total: number;
  used: number;
  available: number;
  parts: { system?: number; blocks?: number; tail?: { used: number; budget: number; percentage: number } };
  budgets?: { blocks: number; tail: number };
  estimated: boolean;
}

export interface CacheMap {
  n_ctx: number;
  n_positions: number;
  used: number;
  spans: { start: number; end: number; type: string; name: string; state: string }[];
  free: [number, number][];
  stored: { blocks: number; bytes: number };
  stats: Record<string, number>;
  decoded: { type: string; name: string; tokens: number }[];
  ms: Record<string, number>;
}

export interface KnownModel {
  name: string;
  title: string;
  purpose: string;
  size_gb: number;
  memory_gib: number;
  licence: string;
  here: boolean;
  path: string;
  fits: boolean;
}

export interface ModelList {
  used: string;
  memory: number;
  recommended: string;
  reason: string;
  models: KnownModel[];
}

export interface Conversation {
  conversation: string;
  name: string;
  updated: string;
  uri: string;
  answering: boolean;
}

export interface OpenedConversation {
  conversation: string;
  uri: string;
  text: string;
}

/** `palimpsest/conversation`. */
export interface ConversationTold {
  conversation: string;
  answering: boolean;
}

export interface Ref {
  id: string;
  lines: number;
  chars: number;
  turn: number | null;
  language: string;
  category: string;
  path: string;
  versions: number;
}

export interface Descriptor {
  fd: string;
  name: string;
  source: string;
  language: string;
  pages: number;
  total_lines: number;
  chars: number;
  summary: string;
}

export interface ConversationDocument {
  turn: number;
  wikilink: string;
  path: string | null;
  kind: "direct" | "search";
  fragment: string;
  read: boolean;
  summary: string;
  snippet: string;
  problem: string;
  uri: string;
}

export interface RelatedDocument {
  path: string;
  title: string;
  why: string;
  summary: string;
  uri: string;
}

/** What `palimpsest.conversation.compact` answers. */
export interface Compacted {
  written_by: "model" | "mechanical" | "person";
}

export interface Checkpoint {
  checkpoint_id: string;
  name: string;
  created: string;
  automatic: boolean;
}

export interface Written {
  file_path: string;
  lines: number;
}
