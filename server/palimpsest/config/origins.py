"""Who may give which setting, and why: the one table of it.

In: a setting's name.  Out: its giver.  Knows no setting's type or value.

A workspace's file (`palimpsest.toml`) was written by anybody.  It may say what is about the workspace's own code.
What costs the person time, memory or money, what is run or loaded, where code goes, and what a person is asked or told
is the person's to say: in the configuration folder, or in the editor.  What an editor sends is the person's word here,
also where the editor read it from a folder (`.vscode/settings.json`): whether to trust that one, the editor asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Giver = Literal["anyone", "adds", "off", "person", "editor"]
"""Who may give a setting.  `anyone`: also a workspace's file.  `adds`: that adds to what the person says, and takes
nothing away.  `off`: that may switch it off, not on.  `person`: no workspace's file.  `editor`: no file at all."""
IN_README: dict[Giver, str] = {"anyone": "yes", "adds": "adds", "off": "off", "person": "no", "editor": "no"}
"""The word in the column "workspace" of the README's table."""


@dataclass(frozen=True, slots=True)
class Given:
    giver: Giver
    why: str


_TABLE: tuple[tuple[Giver, str, str], ...] = (
    ("editor", "a key belongs into no file", "engine.api_key"),
    (
        "person",
        "it decides where code goes",
        "engine.kind engine.url engine.ca_file engine.api_key_env engine.model context.ignored_elsewhere",
    ),
    ("person", "it names a program that is run", "context.python"),
    ("person", "it names a file that native code loads", "model.path"),
    (
        "person",
        "the engine is the machine's, and shared: what it takes of memory, disk and processors",
        "engine.mode engine.n_ctx engine.n_gpu_layers engine.n_threads engine.n_batch engine.type_k engine.type_v "
        "engine.flash_attention engine.extra_bufts engine.store_mb engine.disk_mb engine.memory_mb engine.idle_exit_s",
    ),
    (
        "person",
        "it decides how much is asked of the engine, which may be one that is paid for",
        "engine.timeout_s engine.retries completion.max_tokens completion.first_ms completion.time_ms "
        "completion.sync_ms completion.cached completion.n suggestion.max_tokens suggestion.time_ms suggestion.n "
        "suggestion.draft",
    ),
    (
        "person",
        "it decides what the person is asked before something happens, or shown unasked",
        "suggestion.confirm suggestion.proactive suggestion.proactive_s suggestion.min_agreement "
        "completion.min_confidence",
    ),
    ("person", "the log is the person's", "log.level"),
    (
        "adds",
        "it keeps files and languages out",
        "context.exclude completion.disabled_languages completion.disabled_folders",
    ),
    (
        "off",
        "a project may want no help, and not more of it than the person",
        "completion.enabled completion.ahead suggestion.enabled next_edit.enabled next_edit.model statistics.enabled",
    ),
    (
        "anyone",
        "it is about the workspace's own code: what of it is shown to the model, and how an answer is written",
        "context.budget context.block_tokens context.editing_tokens context.sources context.rules completion.layout "
        "completion.heal completion.multiline completion.max_suffix completion.known_words completion.snippets "
        "suggestion.format suggestion.instructions suggestion.mend_names suggestion.temperature",
    ),
)
_BY_NAME = {name: Given(giver, why) for giver, why, names in _TABLE for name in names.split()}


def given(name: str) -> Given | None:
    """Of a setting by its full name (`engine.url`); None for what is no setting."""
    return _BY_NAME.get(name)


def listed() -> Iterator[str]:
    """The names that the table has."""
    yield from _BY_NAME
