"""What the server does for every document: declared here, each part carried out by a module of this package."""

from __future__ import annotations

from palimpsest.features import Feature, Method
from palimpsest.lsp.action_kinds import HELP, code_actions

_IN = "palimpsest.lsp"

FEATURE = Feature(
    "lsp",
    commands={
        f"{_IN}.context": (
            "palimpsest.context.show",
            "palimpsest.context.usage",
            "palimpsest.context.why",
            "palimpsest.context.put",
            "palimpsest.context.drop",
            "palimpsest.context.pin",
            "palimpsest.context.unpin",
            "palimpsest.context.learned",
            "palimpsest.context.forget",
        ),
        f"{_IN}.engine": ("palimpsest.cache.map", "palimpsest.cache.reset", "palimpsest.restartEngine"),
        f"{_IN}.statistics": (
            "palimpsest.toggle",
            "palimpsest.completion.toggle",
            "palimpsest.completion.snooze",
            "palimpsest.completion.accepted",
            "palimpsest.stats",
            "palimpsest.stats.reset",
        ),
        f"{_IN}.suggestions": (
            "palimpsest.suggest",
            "palimpsest.suggest.apply",
            "palimpsest.suggest.accept",
            "palimpsest.suggest.applied",
            "palimpsest.suggest.reject",
            "palimpsest.suggest.rerun",
            "palimpsest.suggest.continue",
            "palimpsest.summarize",
        ),
        f"{_IN}.next_edit": ("palimpsest.nextEdit.accept", "palimpsest.nextEdit.dismiss"),
        f"{_IN}.document_opening": ("palimpsest.documents.open",),
        f"{_IN}.virtual": ("palimpsest.virtual.read",),
        f"{_IN}.action_help": (HELP,),
        f"{_IN}.pages": ("palimpsest.page",),
        f"{_IN}.models": (
            "palimpsest.model.info",
            "palimpsest.model.list",
            "palimpsest.model.get",
            "palimpsest.model.use",
        ),
        f"{_IN}.installation": (
            "palimpsest.doctor",
            "palimpsest.log",
            "palimpsest.sample",
            "palimpsest.engines.found",
        ),
    },
    methods={
        "textDocument/didSave": Method(),
        "textDocument/inlineCompletion": Method(options={}),
        "textDocument/codeAction": Method(f"{_IN}.actions:code_action", options=code_actions(documented=False)),
        "textDocument/documentLink": Method(f"{_IN}.document_links:document_link", options={"resolve_provider": False}),
        "textDocument/definition": Method(f"{_IN}.document_links:definition"),
        "textDocument/hover": Method(f"{_IN}.link_hover:hover"),
        "textDocument/completion": Method(options={"trigger_characters": ["[", "#"], "resolve_provider": False}),
    },
    modules=tuple(
        f"{_IN}.{name}"
        for name in (
            "documents",
            "completion",
            "statistics",
            "diagnostics",
            "actions",
            "next_edit",
            "link_completion",
            "link_diagnostics",
            "virtual",
            "default_model",
            "indexing",
            "registrations",
            "agents",
        )
    ),
)
