"""Edits by the model, declared: what an editor is offered of them."""

from palimpsest.features import Feature, Method

REWRITE = "refactor.rewrite.palimpsest"
QUICKFIX = "quickfix.palimpsest"
SOURCE = "source.palimpsest"
HELP = "palimpsest.help"
_ACTIONS = {"code_action_kinds": [REWRITE, QUICKFIX, SOURCE], "resolve_provider": True}
_IN = "palimpsest.edits.lsp"

FEATURE = Feature(
    "edits",
    commands={
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
        f"{_IN}.action_help": (HELP,),
    },
    methods={
        "textDocument/codeAction": Method(
            f"{_IN}.actions:code_action",
            options=_ACTIONS,
        )
    },
    pages={"draft": f"{_IN}.suggestions:draft_page", "help": f"{_IN}.action_help:page"},
    modules=(f"{_IN}.actions",),
)
