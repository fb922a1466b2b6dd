"""What the server does for every document: declared here, each part carried out by a module of this package."""

from palimpsest.features import Feature, Method

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
        ),
        f"{_IN}.engine": ("palimpsest.cache.map", "palimpsest.cache.reset", "palimpsest.restartEngine"),
        f"{_IN}.statistics": (
            "palimpsest.toggle",
            "palimpsest.completion.toggle",
            "palimpsest.completion.snooze",
            "palimpsest.stats",
            "palimpsest.stats.reset",
        ),
        f"{_IN}.virtual": ("palimpsest.virtual.read",),
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
        "textDocument/didOpen": Method(),
        "textDocument/didChange": Method(),
        "textDocument/didSave": Method(),
        "textDocument/didClose": Method(),
        "notebookDocument/didOpen": Method(),
        "notebookDocument/didChange": Method(),
        "notebookDocument/didClose": Method(),
    },
    modules=tuple(
        f"{_IN}.{name}"
        for name in (
            "documents",
            "statistics",
            "diagnostics",
            "virtual",
            "default_model",
            "indexing",
            "registrations",
            "agents",
        )
    ),
)
