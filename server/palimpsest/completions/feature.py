"""Completions, declared: what an editor is offered of them."""

from palimpsest.features import Feature, Method

_IN = "palimpsest.completions.lsp"

FEATURE = Feature(
    "completions",
    commands={
        f"{_IN}.commands": ("palimpsest.completion.accepted", "palimpsest.completion.why"),
    },
    methods={"textDocument/inlineCompletion": Method(options={})},
    modules=(f"{_IN}.completion",),
)
