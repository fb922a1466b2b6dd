"""The tools for refs, memory, forks, checkpoints and documents (FORMATS.md, "Calls by the model")."""

from __future__ import annotations

from palimpsest.conversations.tools.descriptor_table import WRITING
from palimpsest.conversations.tools.tool import Parameter, Tool, required

_REF_ID = required("ref_id", "text", "id of the ref", also=("id", "ref"))
_FORKS = ("fork", "spawn", "child", "children", "delegate", "parallel", "each", "review", "several", "gather")
_CHECKPOINTS = ("checkpoint", "restore", "undo", "back", "snapshot", "recover")
_MEMORY = ("remember", "forget", "always", "never", "prefer", "experience", "memory", "lesson")
_DOCUMENTS = ("document", "documents", "note", "notes", "docs", "readme", "wiki", "guide", "manual", "explain")
_LIMIT = Parameter("limit", "whole number", "how many at most", least=1)
_QUERY = required("query", "text", "what they should be about", also=("text",))

TOOLS: tuple[Tool, ...] = (
    Tool(
        "ref_to_file",
        "Write a ref's content to a file of the workspace: write, append, or insert at a line.",
        (
            _REF_ID,
            required("file_path", "text", "the file, relative to the workspace", also=("path", "file")),
            *WRITING,
        ),
        'ref_to_file(ref_id="example_code", file_path="hello.py")',
        ("write", "save", "file", "export", "append", "insert", "create"),
        writes=True,
        always=True,
    ),
    Tool("list_refs", "List the refs of this conversation.", (), "list_refs()", ("ref", "refs", "reference", "list")),
    Tool(
        "get_ref",
        "Read a ref's content.",
        (_REF_ID, Parameter("version", "whole number", "an earlier version, from 1", least=1)),
        'get_ref(ref_id="example_code")',
        ("ref", "refs", "reference", "earlier", "again", "reuse", "version"),
    ),
    Tool(
        "remember",
        "Keep a fact or lesson for all later turns.",
        (required("text", "text", "one fact", also=("experience",)),),
        'remember("Tests are run with make check")',
        _MEMORY,
        always=True,
    ),
    Tool(
        "forget",
        "Drop something that was remembered.",
        (required("experience_id", "text", "its id", also=("id",)),),
        'forget("exp_001")',
        _MEMORY,
    ),
    Tool(
        "compact",
        "Replace the conversation so far by a summary, once the calls of this reply are done.",
        (
            required("goal", "text", "what the person wants in the end"),
            required("instruction", "text", "the last request, word for word"),
            required("discoveries", "list of texts", "what was found out, with names and paths; what failed too"),
            required("completed", "list of texts", "what is done"),
            required("current_status", "text", "where things stand"),
            required("likely_next_work", "text", "what comes next"),
            required("relevant_files_directories", "list of texts", "files and folders that matter"),
            Parameter("remember", "list of texts", "facts to keep for good"),
        ),
        'compact(goal="…", instruction="…", discoveries=["…"], completed=["…"], current_status="…", '
        'likely_next_work="…", relevant_files_directories=["…"], remember=["…"])',
        ("compact", "summarize", "summarise", "context", "shorten"),
    ),
    Tool(
        "inspect",
        "Show what is remembered, the summary, and how many turns there are.",
        (),
        "inspect()",
        (*_MEMORY, "inspect", "context", "summary"),
    ),
    Tool(
        "fork",
        "Work on several tasks at once: each child knows this conversation up to now.",
        (required("tasks", "list of texts", "what each child should do", also=("prompts",)),),
        'fork(["Review the logs in fd-3", "Check the config in fd-4"])',
        _FORKS,
    ),
    Tool(
        "spawn",
        "Start a fresh child that knows only what is given to it.",
        (
            required("task", "text", "what it should do", also=("query",)),
            Parameter("instruction", "text", "how it should do it, and what to answer", also=("program",)),
            Parameter("preload_fds", "list of texts", "descriptors to give it", also=("additional_preload_fds",)),
            Parameter("preload_files", "list of texts", "files to give it", also=("additional_preload_files",)),
            Parameter(
                "preload_temp_files", "list of texts", "temporary files", also=("additional_preload_temp_files",)
            ),
        ),
        'spawn(task="Find the slow query", instruction="Answer with its line", preload_fds=["fd-3"])',
        _FORKS,
    ),
    Tool(
        "gather",
        "Wait for all children and read their answers.",
        (Parameter("include_history", "true or false", "with all of their turns"),),
        "gather()",
        _FORKS,
    ),
    Tool(
        "create_checkpoint",
        "Keep the conversation as it is now, to come back to it.",
        (Parameter("name", "text", "what to call it"),),
        'create_checkpoint(name="before the rewrite")',
        _CHECKPOINTS,
    ),
    Tool(
        "restore_checkpoint",
        "Go back to a checkpoint.",
        (required("checkpoint_id", "text", "its id", also=("id",)),),
        'restore_checkpoint("cp_12ab34cd")',
        _CHECKPOINTS,
    ),
    Tool("list_checkpoints", "List the checkpoints.", (), "list_checkpoints()", _CHECKPOINTS),
    Tool(
        "read_document",
        "Read a document of the workspace, or what is under one heading of it.",
        (
            required("document", "text", "path, title or [[link]]", also=("path", "relative_path", "wikilink", "name")),
            Parameter("heading", "text", "only this part", also=("section",)),
        ),
        'read_document("docs/setup.md")',
        (*_DOCUMENTS, "read"),
        always=True,
    ),
    Tool(
        "list_documents",
        "List the documents that this conversation has referred to, with what they are about.",
        (),
        "list_documents()",
        (*_DOCUMENTS, "list", "referred", "earlier", "again"),
    ),
    Tool(
        "find_documents",
        "Find documents of the workspace by what they are about.",
        (_QUERY, _LIMIT),
        'find_documents("database migrations")',
        (*_DOCUMENTS, "find", "search", "which", "where"),
    ),
    Tool(
        "find_excerpts",
        "Find passages in the documents of the workspace.",
        (_QUERY, _LIMIT),
        'find_excerpts("how to roll back")',
        (*_DOCUMENTS, "find", "search", "passage", "quote", "where"),
        always=True,
    ),
)
