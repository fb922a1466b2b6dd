"""The table of settings: what there is, with defaults and bounds.

Out: frozen dataclasses, one for each section.  `layers.py` fills them in; `by` says what a workspace's file may do with
a setting, and why (`permissions.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, TypeVar

from palimpsest.config.permissions import (
    ASKED,
    DESTINATION,
    INDEXING,
    INSTRUCTION,
    KEPT_OUT,
    KEY,
    LESS_HELP,
    LOG,
    MACHINE,
    MODEL_FILE,
    NATIVE_CODE,
    OWN_CODE,
    PROGRAM,
    WORK,
    Permission,
)

T = TypeVar("T")


def _setting(
    default: Any,
    doc: str,
    *,
    by: Permission,
    choices: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    secret: bool = False,
    process: bool = True,
) -> Any:
    """`choices`: what the value may be, or a list's items.  `secret`: never shown.  `process`: an engine setting that
    the engine process is started with; the others are its client's."""
    metadata = {
        "doc": doc,
        "by": by,
        "choices": choices,
        "low": low,
        "high": high,
        "secret": secret,
        "process": process,
    }
    if isinstance(default, (list, tuple)):
        default = tuple(default)
    return field(default=default, metadata=metadata, repr=not secret)


CONFIDENCES = ("quiet", "balanced", "eager", "all")
MOST_AT_ONCE = 16
"""The engine decodes no more answers beside each other."""
SOURCES = ("filesystem", "class", "scope", "package", "documentation", "file", "recent", "diagnostics", "git")
TOOLS = (
    *("read_fd", "search_fd", "rename_fd", "rename_fds", "close_fds"),
    *("mark_fd_section", "get_fd_section", "list_fd_sections", "delete_fd_section", "fd_to_file"),
    *("create_temp_file", "read_temp_file", "write_temp_file", "delete_temp_file"),
    *("ref_to_file", "list_refs", "get_ref"),
    *("remember", "forget", "compact", "inspect", "fork", "spawn", "gather"),
    *("create_checkpoint", "restore_checkpoint", "list_checkpoints"),
    *("read_document", "list_documents", "find_documents", "find_excerpts"),
)
"""The tools of `conversations/operations/table.py`, in its order, which this package may not import."""
KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    kind: str = _setting(
        "in-place",
        "The engine: ours, a stock llama-server, a server with OpenAI's protocol, or none at all.",
        choices=("in-place", "llama-server", "openai", "none"),
        process=False,
        by=DESTINATION,
    )
    url: str = _setting(
        "",
        "The engine's address, such as `https://gpu:8443`. Empty: the in-place engine is started here.",
        process=False,
        by=DESTINATION,
    )
    api_key_env: str = _setting(
        "PALIMPSEST_API_KEY",
        "The environment variable that holds the key for `engine.url`.",
        process=False,
        by=DESTINATION,
    )
    api_key: str = _setting(
        "",
        "The key itself, from an editor's secret store; it is used before the variable. No file may hold it.",
        secret=True,
        process=False,
        by=KEY,
    )
    ca_file: str = _setting(
        "",
        "Certificates (PEM) to trust for `engine.url`. Empty: those that this machine trusts.",
        process=False,
        by=DESTINATION,
    )
    model: str = _setting(
        "", "The model to ask for at an `openai` server. Empty: the first it lists.", process=False, by=DESTINATION
    )
    timeout_s: float = _setting(
        120.0,
        "Seconds without a byte after which a request to `engine.url` is given up.",
        low=0.1,
        process=False,
        by=WORK,
    )
    retries: int = _setting(
        3, "Further attempts when `engine.url` refuses a connection or is overloaded.", low=0, process=False, by=WORK
    )
    library: str = _setting(
        "",
        "A libllama, or a folder with one. Empty: what `palimpsest engine get` fetched, else an installed package's.",
        by=NATIVE_CODE,
    )
    mode: str = _setting(
        "auto",
        "Edit the cache in place, or decode whole prompts with their longest common prefix reused. `auto`: in place "
        "where the model can, and `palimpsest model check` did not find that it loses by it.",
        choices=("auto", "in-place", "whole-prompt"),
        by=MACHINE,
    )
    n_ctx: int = _setting(
        0,
        "Cells of the KV cache, in tokens. 0: what the model was trained with, 16,384 at most.",
        low=0,
        high=1 << 26,
        by=MACHINE,
    )
    n_gpu_layers: int = _setting(
        -1, "Layers on the GPU. -1: all, where llama.cpp was built with one.", low=-1, high=1 << 20, by=MACHINE
    )
    n_threads: int = _setting(
        0,
        "Threads for decoding. 0: one for each physical core, or what `palimpsest model check` found.",
        low=0,
        high=512,
        by=MACHINE,
    )
    n_batch: int = _setting(
        512,
        "The most tokens of a micro-batch; a slow machine takes fewer at once, since a keystroke waits for one.",
        low=16,
        high=1 << 16,
        by=MACHINE,
    )
    type_k: str = _setting(
        "f16",
        "Type of K in the cache. Every move rounds quantized K again, and it needs attention heads of a multiple of "
        "64. With bf16, blocks cannot be moved and prompts are decoded whole.",
        choices=KV_TYPES,
        by=MACHINE,
    )
    type_v: str = _setting(
        "f16", "Type of V in the cache; quantized V needs flash attention.", choices=KV_TYPES, by=MACHINE
    )
    flash_attention: str = _setting(
        "auto",
        "Flash attention. `auto`: what llama.cpp does, or `palimpsest model check` found.",
        choices=("auto", "on", "off"),
        by=MACHINE,
    )
    extra_bufts: str = _setting(
        "auto",
        "llama.cpp's CPU repacking (AMX and others); `auto` leaves it off after a native fault.",
        choices=("auto", "on", "off"),
        by=MACHINE,
    )
    store_mb: int = _setting(512, "Host memory for the KV of evicted blocks and for states, in MiB.", low=0, by=MACHINE)
    disk_mb: int = _setting(
        0,
        "Disk space in your cache folder for blocks' KV, read back by a later engine, in MiB. 0: none.",
        low=0,
        by=MACHINE,
    )
    memory_mb: int = _setting(
        0,
        "Upper bound of the KV cache and llama.cpp's buffers, in MiB. 0: nine tenths of the free memory.",
        low=0,
        by=MACHINE,
    )
    idle_exit_s: int = _setting(300, "Seconds without an editor after which the engine ends.", low=1, by=MACHINE)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    path: str = _setting(
        "",
        "A GGUF file. Empty: the one chosen with `palimpsest model use`, else the default model if it was fetched, "
        "else the embedded one.",
        by=MODEL_FILE,
    )
    try_out: bool = _setting(
        True,
        "Try a model that was just chosen on your code, for some minutes in the background, and let the engine use it "
        "as suits it best here (`palimpsest model check`).",
        by=LESS_HELP,
    )


@dataclass(frozen=True, slots=True)
class ContextSettings:
    budget: int = _setting(
        0, "Tokens for all blocks together. 0: half of the cache, 2,048 at most.", low=0, by=OWN_CODE
    )
    block_tokens: int = _setting(
        700, "The most tokens one block may have, estimated from its text; longer ones are cut.", low=32, by=OWN_CODE
    )
    editing_tokens: int = _setting(
        900, "The most tokens of an editing block; a longer function is cut around the cursor.", low=64, by=OWN_CODE
    )
    sources: tuple[str, ...] = _setting(
        list(SOURCES),
        "The kinds of context that are gathered.",
        choices=SOURCES,
        by=OWN_CODE,
    )
    python: str = _setting(
        "",
        "The interpreter whose packages are described; it is run. A full path, or a name to be looked for on PATH. "
        "Empty: the workspace's own virtual environment is read, and nothing in it is run.",
        by=PROGRAM,
    )
    exclude: tuple[str, ...] = _setting(
        [], "Further files that never enter a block, as gitignore patterns.", by=KEPT_OUT
    )
    ignored_elsewhere: bool = _setting(
        False,
        "Complete and suggest in ignored and excluded files also with an `engine.url` on another machine.",
        by=DESTINATION,
    )
    rules: tuple[str, ...] = _setting(
        ["AGENTS.md", ".palimpsest/rules.md"],
        "Files with the project's rules, relative to each workspace folder; the model reads them.",
        by=OWN_CODE,
    )


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    enabled: bool = _setting(True, "Inline completion while typing.", by=LESS_HELP)
    disabled_languages: tuple[str, ...] = _setting(
        [], "Language ids without inline completion, e.g. `markdown`.", by=KEPT_OUT
    )
    disabled_folders: tuple[str, ...] = _setting(
        [], "Folders and files without inline completion, as gitignore patterns relative to the workspace.", by=KEPT_OUT
    )
    layout: str = _setting(
        "auto",
        "The order in which the model reads the code around the cursor: `spm`: first what is after it; `psm`: first "
        "what is before it; `isolated`: both apart, so that less is read again while you type. `auto` is the order "
        "that the model was trained with, and nearly always right.",
        choices=("auto", "spm", "isolated", "psm"),
        by=OWN_CODE,
    )
    heal: bool = _setting(True, "Token healing: the piece being typed constrains the answer.", by=OWN_CODE)
    kv: str = _setting(
        "leave",
        "What becomes of the cache of the code at the cursor where a block before it changes: `leave`: it stays, "
        "though it has seen the old one, and only its last 16 tokens are decoded again; `decode`: all of it is, exact "
        "and slower.",
        choices=("leave", "decode"),
        by=OWN_CODE,
    )
    max_tokens: int = _setting(64, "The most tokens of one inline completion.", low=1, by=WORK)
    first_ms: int = _setting(
        250,
        "The most time for generating the first answer, while you type and when you ask. If time ends it, a longer "
        "one is prepared after it.",
        low=1,
        by=WORK,
    )
    time_ms: int = _setting(
        1500,
        "The most time for generating one inline completion after the first answer, or everything that you asked for.",
        low=1,
        by=WORK,
    )
    sync_ms: int = _setting(
        100,
        "The most time for decoding new blocks before a completion while you type; the others come on the next pause. "
        "A completion that you ask for waits for them as long as `time_ms`. 0: no bound.",
        low=0,
        by=WORK,
    )
    multiline: str = _setting(
        "auto",
        "More than one line: where the code's shape asks for it, always, or never.",
        choices=("auto", "always", "never"),
        by=OWN_CODE,
    )
    max_suffix: int = _setting(
        8,
        "The most characters after the cursor on its line for a completion while you type, closing brackets, quotes "
        "and punctuation not counted. 0: none within a line.",
        low=0,
        by=OWN_CODE,
    )
    confidence: str = _setting(
        "balanced",
        "How sure a completion must be to be shown while you type; it ends where it would be less sure. `quiet`: "
        "seldom, and hardly ever wrong; `balanced`; `eager`: more text, and more of it wrong; `all`: whatever the "
        "model says. A completion that you ask for is always shown.",
        choices=CONFIDENCES,
        by=ASKED,
    )
    calibrate: bool = _setting(
        True,
        "Count on this machine, for each model, how often shown completions come true, and correct with it how sure a "
        "completion is. Only with `statistics.enabled`; only counts are kept.",
        by=LESS_HELP,
    )
    quiet_in: tuple[str, ...] = _setting(
        [],
        "Where nothing is shown unasked, neither a completion nor a next edit of a model made for them: `comments`, "
        "`strings` (documentation that is written as a string is one).",
        choices=("comments", "strings"),
        by=KEPT_OUT,
    )
    cached: int = _setting(
        250, "How many completions are kept, to be shown again where the code is as it was. 0: none.", low=0, by=WORK
    )
    ahead: bool = _setting(True, "Prepare what follows while a completion is shown.", by=LESS_HELP)
    n: int = _setting(3, "Alternatives of an explicitly invoked inline completion.", low=1, high=MOST_AT_ONCE, by=WORK)
    known_words: str = _setting(
        "auto",
        "Search for the whole word being typed, words of the prompt counting more; `auto`: with models of at most 500 "
        "million parameters.",
        choices=("auto", "always", "never"),
        by=OWN_CODE,
    )
    review: str = _setting(
        "asked",
        "Try other lines beside the likeliest where a completion is `asked` for, and let the code after the cursor "
        "choose, which may take `completion.time_ms` once more; or `never`.",
        choices=("never", "asked"),
        by=WORK,
    )
    imports: bool = _setting(
        True,
        "Accepting a completion adds the imports that it lacks, where the workspace says what they are.",
        by=OWN_CODE,
    )
    snippets: bool = _setting(
        False, "Tab stops for the arguments of calls, for clients that know snippets.", by=OWN_CODE
    )


@dataclass(frozen=True, slots=True)
class SuggestionSettings:
    enabled: bool = _setting(True, "Edits as code actions.", by=LESS_HELP)
    disabled_languages: tuple[str, ...] = _setting([], "Language ids without edits as code actions.", by=KEPT_OUT)
    disabled_folders: tuple[str, ...] = _setting(
        [],
        "Folders and files without edits as code actions, as gitignore patterns relative to the workspace.",
        by=KEPT_OUT,
    )
    format: str = _setting(
        "ln-diff",
        "How the model writes an edit.",
        choices=("ln-diff", "whole", "search-replace", "udiff", "ast"),
        by=OWN_CODE,
    )
    instructions: str = _setting(
        "auto",
        "Explain the blocks and the format to the model; `auto`: where the model has a chat template.",
        choices=("auto", "always", "never"),
        by=OWN_CODE,
    )
    max_tokens: int = _setting(400, "The most tokens of one reply.", low=8, by=WORK)
    time_ms: int = _setting(60_000, "The most time for one reply.", low=100, by=WORK)
    n: int = _setting(
        1, "Replies asked for; edits that several of them make come first.", low=1, high=MOST_AT_ONCE, by=WORK
    )
    mend_names: str = _setting(
        "auto",
        "For a name that is defined nowhere, offer first a name that may be meant; `auto`: with models that are not "
        "told how to edit (`suggestion.instructions`).",
        choices=("auto", "always", "never"),
        by=OWN_CODE,
    )
    mend_slips: str = _setting(
        "auto",
        "Offer first a change of one line that the model finds much likelier than what is there (a repeated line, a "
        "letter, a bracket, an operator, a `return`); `auto`: with models that are not told how to edit, where the "
        "cache is edited in place.",
        choices=("auto", "always", "never"),
        by=OWN_CODE,
    )
    confirm: str = _setting(
        "others",
        "Edits that a person is asked about before they are applied: those of other files, all, or none.",
        choices=("others", "always", "never"),
        by=ASKED,
    )
    temperature: float = _setting(
        0.0, "Sampling temperature; replies after the first use 0.7 at least.", low=0.0, by=OWN_CODE
    )
    draft: int = _setting(
        8,
        "The most tokens drafted from the prompt and from earlier replies, to be verified at once. 0: none.",
        low=0,
        by=WORK,
    )


@dataclass(frozen=True, slots=True)
class StatisticsSettings:
    enabled: bool = _setting(
        True,
        "Count what was shown, accepted and rejected, in a file of this machine; never sent anywhere.",
        by=LESS_HELP,
    )


@dataclass(frozen=True, slots=True)
class NextEditSettings:
    enabled: bool = _setting(
        True, "Whether the places that should follow an edit are looked for and offered.", by=LESS_HELP
    )
    disabled_languages: tuple[str, ...] = _setting([], "Language ids without next edits.", by=KEPT_OUT)
    disabled_folders: tuple[str, ...] = _setting(
        [], "Folders and files without next edits, as gitignore patterns relative to the workspace.", by=KEPT_OUT
    )
    ask: bool = _setting(
        True,
        "Whether the model for completions is asked for a new argument's value where nothing in scope is named so.",
        by=LESS_HELP,
    )
    repeat: bool = _setting(
        True, "Whether a change that you made twice is offered where it can be made again.", by=LESS_HELP
    )
    model: str = _setting(
        "",
        "A model made for next edits, which writes what follows from an edit where syntax trees cannot tell: a name "
        "that `palimpsest model list` shows for that, or a GGUF file of Sweep's or of Zed's Zeta 2. Empty: none.",
        by=MODEL_FILE,
    )


@dataclass(frozen=True, slots=True)
class IndexSettings:
    enabled: bool = _setting(
        True, "Keep an index of the names in the workspace, in a database in your cache folder.", by=LESS_HELP
    )
    max_files: int = _setting(50_000, "The most files in the index of one workspace folder.", low=0, by=INDEXING)
    max_file_bytes: int = _setting(
        500_000, "The largest file that is read for the index, in bytes.", low=0, by=INDEXING
    )
    exclude: tuple[str, ...] = _setting(
        [], "Further files and folders that are left out of the index, as gitignore patterns.", by=KEPT_OUT
    )


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    reply_tokens: int = _setting(1024, "The most tokens of one reply.", low=16, high=32_768, by=WORK)
    temperature: float = _setting(0.0, "0: greedy.", low=0.0, high=2.0, by=OWN_CODE)
    max_rounds: int = _setting(
        8, "How often the results of calls go back to the model for one message.", low=0, high=100, by=WORK
    )
    tools: str = _setting(
        "auto",
        "Which tools the model is told of: `auto`: all where they fit in their share of what it can read, else those "
        "that the message is about; none to a model without a chat template.",
        choices=("auto", "all", "relevant", "none"),
        by=OWN_CODE,
    )
    refs: bool = _setting(
        True,
        "Whether the model is told how to mark parts of its replies with an id (refs), and replies are searched for "
        "them. Without it, tags are text, the model is offered no tool for refs, and their commands say that they are "
        "off.",
        by=OWN_CODE,
    )
    instruction: str = _setting("", "What you add to the system prompt of every conversation.", by=INSTRUCTION)
    system_share: float = _setting(
        0.1, "The system prompt's share of what the model can read.", low=0.0, high=1.0, by=OWN_CODE
    )
    tools_share: float = _setting(0.3, "The share of the tools' descriptions.", low=0.0, high=1.0, by=OWN_CODE)
    messages_share: float = _setting(0.6, "The messages' share.", low=0.0, high=1.0, by=OWN_CODE)
    shares: str = _setting(
        "fixed",
        "Whether the messages may use what the system prompt and the tools leave of their shares (`dynamic`), so that "
        "a conversation that needs few tools is compacted later.",
        choices=("fixed", "dynamic"),
        by=OWN_CODE,
    )
    compaction: str = _setting(
        "auto",
        "Whether a summary takes the place of older turns in what the model reads once a conversation has grown to "
        "`compact_at`; nothing is lost for you.",
        choices=("auto", "off"),
        by=OWN_CODE,
    )
    compact_at: float = _setting(
        0.75,
        "The share of what the model can read from which a conversation is compacted; earlier if that would leave too "
        "little for a reply.",
        low=0.1,
        high=0.95,
        by=OWN_CODE,
    )
    recent_messages: int = _setting(
        3,
        "How many of the newest messages stay as they are when a conversation is compacted, as long as the summary "
        "has its share beside them in half of the messages' room. The last request always stays.",
        low=1,
        high=1_000,
        by=OWN_CODE,
    )
    compaction_instruction: str = _setting(
        "", "What you want in every summary: what to keep above all.", by=INSTRUCTION
    )
    kv: str = _setting(
        "leave",
        "What becomes of the cache of messages after old results that are dropped, and after blocks that changed: "
        "`leave`: it stays, though it was decoded with them in view; `decode`: it is decoded again, which is exact "
        "and slower, and results stay until the conversation would be compacted otherwise.",
        choices=("leave", "decode"),
        by=OWN_CODE,
    )
    drop_results_at: float = _setting(
        0.5,
        "With `leave`: the share of what the model can read from which old results are dropped.",
        low=0.05,
        high=0.95,
        by=OWN_CODE,
    )
    keep_results: int = _setting(3, "How many of the newest results are never dropped.", low=0, high=1_000, by=OWN_CODE)
    never_drop: tuple[str, ...] = _setting([], "Tools whose results are never dropped.", choices=TOOLS, by=OWN_CODE)


@dataclass(frozen=True, slots=True)
class FileDescriptorSettings:
    enabled: bool = _setting(
        True, "Long output and long messages become descriptors, which are read in pages.", by=OWN_CODE
    )
    max_direct_output_chars: int = _setting(
        8_000,
        "A tool's output of more characters, or of more than a third of what the model can read, becomes a descriptor.",
        low=100,
        high=1_000_000,
        by=OWN_CODE,
    )
    default_page_size: int = _setting(
        4_000,
        "Characters of a page; best is at most about half of the two thresholds.",
        low=100,
        high=100_000,
        by=OWN_CODE,
    )
    max_input_chars: int = _setting(
        8_000,
        "A message of more characters, or of more than a third of what the model can read, becomes a descriptor.",
        low=100,
        high=1_000_000,
        by=OWN_CODE,
    )
    json_pretty_print: bool = _setting(
        True, "Divide JSON that is on one line into lines, so that it can be read in pages.", by=OWN_CODE
    )
    page_user_input: bool = _setting(True, "Whether long messages become descriptors, too.", by=OWN_CODE)


@dataclass(frozen=True, slots=True)
class DocumentsSettings:
    links: bool = _setting(
        True,
        "Follow, show and complete `[[links]]` to the workspace's documents, in Markdown and in comments, and keep "
        "which documents conversations refer to.",
        by=LESS_HELP,
    )
    diagnostics: bool = _setting(
        True, "Warn of links in Markdown that lead nowhere or may mean several documents.", by=LESS_HELP
    )
    hover_lines: int = _setting(
        12, "The most lines of a linked document that are shown at a link.", low=0, high=200, by=OWN_CODE
    )
    summary_chars: int = _setting(
        200,
        "The most characters of a first paragraph that stands for its document as the summary.",
        low=20,
        high=2_000,
        by=OWN_CODE,
    )
    summaries: str = _setting(
        "auto",
        "Ask the model for a summary of a document whose first paragraph is longer or missing, and of a long "
        "descriptor that it reads in part; `auto`: in conversations only.",
        choices=("auto", "never"),
        by=WORK,
    )
    most_listed: int = _setting(
        10,
        "The most referenced documents that are listed under a reply; the others are counted.",
        low=1,
        high=200,
        by=OWN_CODE,
    )
    related: int = _setting(
        5, "Documents offered as related to the turn being written. 0: none.", low=0, high=200, by=OWN_CODE
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    level: str = _setting("info", "What goes to the log.", choices=("debug", "info", "warning", "error"), by=LOG)


WindowPart = Literal[
    "engine", "sources", "index", "switches", "completions", "next_edits", "statistics", "documents", "log"
]
"""A part of a window that starts over when a setting that it depends on changes (`window/window_parts.py`)."""


def _section(default: T, page: str, *parts: WindowPart) -> T:
    """`page`: of an editor's settings; pages come in the order of their first section.  `parts`: of a window, that
    depend on the section; none where it is read each time."""
    section: T = field(default=default, metadata={"page": page, "parts": frozenset(parts)})
    return section


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section: `settings.engine.n_ctx` is `engine.n_ctx` in a file."""

    completion: CompletionSettings = _section(CompletionSettings(), "Completions", "switches", "completions")
    suggestion: SuggestionSettings = _section(SuggestionSettings(), "Edits", "switches")
    next_edit: NextEditSettings = _section(NextEditSettings(), "Next edits", "switches", "engine")
    context: ContextSettings = _section(
        ContextSettings(), "Context", "sources", "index", "next_edits", "documents"
    )  # which folders sources look into comes with each cursor
    index: IndexSettings = _section(IndexSettings(), "Context", "index")
    conversation: ConversationSettings = _section(ConversationSettings(), "Conversations")
    file_descriptor: FileDescriptorSettings = _section(FileDescriptorSettings(), "Conversations")
    documents: DocumentsSettings = _section(DocumentsSettings(), "Conversations", "documents")
    model: ModelSettings = _section(ModelSettings(), "Model", "engine")
    engine: EngineSettings = _section(EngineSettings(), "Engine", "engine")
    statistics: StatisticsSettings = _section(StatisticsSettings(), "Statistics and log", "statistics")
    log: LogSettings = _section(LogSettings(), "Statistics and log", "log")


@dataclass(frozen=True, slots=True)
class Described:
    """One row of the table in docs/settings.md, and one setting of an editor's settings page."""

    name: str
    page: str
    default: Any
    doc: str
    by: Permission
    choices: tuple[str, ...]
    low: float | None
    high: float | None
    secret: bool


def described() -> Iterator[Described]:
    for section in fields(Settings):
        for item in fields(section.default):  # type: ignore[arg-type]
            facts = {name: item.metadata[name] for name in ("doc", "by", "choices", "low", "high", "secret")}
            yield Described(f"{section.name}.{item.name}", section.metadata["page"], item.default, **facts)


@cache
def _by_name() -> dict[str, Permission]:
    return {it.name: it.by for it in described()}


def permission(name: str) -> Permission | None:
    """The permission of a setting by its full name (`engine.url`); None if there is no such setting."""
    return _by_name().get(name)
