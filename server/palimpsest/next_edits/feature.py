"""Next edits, declared: what an editor is offered of them."""

from palimpsest.features import Feature, Method

_IN = "palimpsest.next_edits.lsp"

FEATURE = Feature(
    "next_edits",
    commands={
        f"{_IN}.next_edit": ("palimpsest.nextEdit.accept", "palimpsest.nextEdit.dismiss"),
        f"{_IN}.all_places": ("palimpsest.nextEdit.all",),
    },
    methods={"textDocument/codeAction": Method(f"{_IN}.all_places:code_action")},
    modules=(f"{_IN}.next_edit",),
)
