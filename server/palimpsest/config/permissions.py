"""Which settings a workspace's file may set, and why: the one table of it.

In: a setting's name.  Out: a `Permission`.  Knows no setting's type or value.

Anybody may have written a workspace's file (`palimpsest.toml`).  It may set what concerns the workspace's own code.
Only the user, in the configuration folder or in the editor, sets what costs time, memory or money, what is run or
loaded, where code is sent, and what the user is asked or told.  Settings that the editor sends count as the user's,
even those that it read from a folder (`.vscode/settings.json`): editors ask by themselves whether to trust a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

SetBy = Literal["anyone", "adds", "off", "user", "editor"]
"""What a workspace's file may do with a setting.  `anyone`: set it.  `adds`: add to the user's list, and take nothing
away.  `off`: switch it off, not on.  `user`: nothing.  `editor`: nothing, and neither may the user's own file."""
IN_TABLE: dict[SetBy, str] = {"anyone": "yes", "adds": "adds", "off": "off", "user": "no", "editor": "no"}
"""The word in the column "workspace" of the documented table."""


@dataclass(frozen=True, slots=True)
class Permission:
    set_by: SetBy
    why: str


_TABLE: tuple[tuple[SetBy, str, str], ...] = (
    ("editor", "a key does not belong in a file", "engine.api_key"),
    (
        "user",
        "it decides where code is sent",
        "engine.kind engine.url engine.ca_file engine.api_key_env engine.model context.ignored_elsewhere",
    ),
    ("user", "it names a program that is run", "context.python"),
    ("user", "it names a file that native code loads", "model.path"),
    ("user", "it names native code", "engine.library"),
    (
        "user",
        "the engine is the machine's, and shared: what it takes of memory, disk and processors",
        "engine.mode engine.n_ctx engine.n_gpu_layers engine.n_threads engine.n_batch engine.type_k engine.type_v "
        "engine.flash_attention engine.extra_bufts engine.store_mb engine.disk_mb engine.memory_mb engine.idle_exit_s",
    ),
    (
        "user",
        "it decides how much work the engine gets, which may cost money",
        "engine.timeout_s engine.retries completion.max_tokens completion.first_ms completion.time_ms "
        "completion.sync_ms completion.cached completion.n completion.review suggestion.max_tokens suggestion.time_ms "
        "suggestion.n "
        "suggestion.draft documents.summaries conversation.reply_tokens conversation.max_rounds",
    ),
    (
        "user",
        "it decides what the user is asked before something happens, or shown unasked",
        "suggestion.confirm suggestion.proactive suggestion.proactive_s suggestion.min_agreement "
        "completion.min_confidence",
    ),
    ("user", "it is what the user tells the model", "conversation.instruction conversation.compaction_instruction"),
    ("user", "the log is the user's", "log.level"),
    ("user", "it decides how much of the user's processor and disk is used", "index.max_files index.max_file_bytes"),
    (
        "adds",
        "it keeps files and languages out",
        "context.exclude index.exclude completion.disabled_languages completion.disabled_folders completion.quiet_in "
        "suggestion.disabled_languages suggestion.disabled_folders next_edit.disabled_languages "
        "next_edit.disabled_folders",
    ),
    (
        "off",
        "a project may want less help than the user, not more",
        "completion.enabled completion.ahead suggestion.enabled next_edit.enabled next_edit.model statistics.enabled "
        "index.enabled documents.links documents.diagnostics context.learn",
    ),
    (
        "anyone",
        "it concerns the workspace's own code: what the model sees of it, and how an answer is written",
        "context.budget context.block_tokens context.editing_tokens context.sources context.rules completion.layout "
        "completion.heal completion.multiline completion.max_suffix completion.known_words completion.imports "
        "completion.snippets suggestion.format suggestion.instructions suggestion.mend_names suggestion.mend_slips "
        "suggestion.temperature "
        "conversation.temperature conversation.system_share conversation.tools_share "
        "conversation.messages_share conversation.shares conversation.tools conversation.compaction "
        "conversation.compact_at conversation.kv conversation.drop_results_at conversation.keep_results "
        "conversation.never_drop file_descriptor.enabled file_descriptor.max_direct_output_chars "
        "file_descriptor.default_page_size file_descriptor.max_input_chars file_descriptor.json_pretty_print "
        "file_descriptor.page_user_input "
        "documents.hover_lines documents.summary_chars documents.most_listed documents.related",
    ),
)
_BY_NAME = {name: Permission(set_by, why) for set_by, why, names in _TABLE for name in names.split()}


def permission(name: str) -> Permission | None:
    """For a setting's full name (`engine.url`); None if there is no such setting."""
    return _BY_NAME.get(name)


def names() -> Iterator[str]:
    """The settings in the table."""
    yield from _BY_NAME
