"""Documents and the `[[links]]` between them, declared: what an editor is offered of them."""

from palimpsest.features import Feature, Method

_IN = "palimpsest.documents.lsp"

FEATURE = Feature(
    "documents",
    commands={f"{_IN}.document_opening": ("palimpsest.documents.open",)},
    methods={
        "textDocument/completion": Method(options={"trigger_characters": ["[", "#"], "resolve_provider": False}),
        "textDocument/definition": Method(f"{_IN}.document_links:definition"),
        "textDocument/documentLink": Method(f"{_IN}.document_links:document_link", options={"resolve_provider": False}),
        "textDocument/hover": Method(f"{_IN}.link_hover:hover"),
    },
    modules=(f"{_IN}.link_completion", f"{_IN}.link_diagnostics"),
)
