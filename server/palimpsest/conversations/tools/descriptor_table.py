"""The tools for descriptors, sections and temporary files (FORMATS.md, "Calls by the model")."""

from __future__ import annotations

from palimpsest.conversations.tools.tool import Parameter, Tool, required
from palimpsest.workspace.changes import MODES

FD = Parameter("fd", "text", "id or name of the descriptor; turn-<n>, result-<n>-<m> and ref:<id> work too")
NAME = Parameter("name", "text", "the descriptor's name, instead of fd")
_ID = required("fd", "text", "id or name of the descriptor")
_REF_ID = required("ref_id", "text", "name of the section", also=("section",))
_SEARCHED = ("search", "find", "look", "error", "grep", "log", "where", "which")
_TEMPORARY = ("temporary", "temp", "share", "fork", "spawn", "child", "children")
_SECTIONS = ("section", "mark", "bookmark", "part", "passage")

WRITING = (
    Parameter("mode", "text", "how it is written", choices=MODES),
    Parameter("insert_at_line", "whole number", "with mode=insert: the line, from 1", least=1, also=("line",)),
    Parameter("overwrite", "true or false", "with mode=write: replace a file that exists"),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "read_fd",
        "Read a descriptor: a page, all of it, lines, characters, or a paragraph, function or class.",
        (
            FD,
            Parameter("page", "whole number", "page, from 1", least=1),
            Parameter("read_all", "true or false", "everything at once"),
            Parameter("start_line", "whole number", "first line, from 1", least=1),
            Parameter("end_line", "whole number", "last line", least=1),
            Parameter("start_char", "whole number", "first character, from 0", least=0),
            Parameter("end_char", "whole number", "character behind the last", least=0),
            Parameter("unit", "text", "a part by what it is", choices=("paragraph", "function", "class")),
            Parameter("index", "whole number", "which one of these, from 1", least=1),
            Parameter("name_of_unit", "text", "its name, for functions and classes"),
            Parameter("extract", "true or false", "make a new descriptor of what is read"),
            NAME,
        ),
        'read_fd(fd="fd-3", page=2)',
        ("read", "page", "more", "rest", "output", "content", "whole", "log"),
        always=True,
        pages=True,
    ),
    Tool(
        "search_fd",
        "Find text in a descriptor without reading all of it.",
        (
            FD,
            required("query", "text", "what to find", also=("pattern", "text")),
            Parameter("regex", "true or false", "the query is a regular expression"),
            Parameter("case_sensitive", "true or false", "tell capital letters apart"),
            Parameter("context", "whole number", "lines around each match", least=0),
            NAME,
        ),
        'search_fd(fd="fd-3", query="ERROR")',
        _SEARCHED,
        always=True,
    ),
    Tool(
        "rename_fd",
        "Give a descriptor a name, which then works like its id.",
        (_ID, required("name", "text", "the new name", also=("new_name",))),
        'rename_fd(fd="fd-3", name="error_logs")',
        ("rename", "name", "call"),
    ),
    Tool(
        "rename_fds",
        "Give several descriptors names.",
        (required("names", "texts by name", "id and new name of each", also=("fds",)),),
        'rename_fds({"fd-3": "error_logs", "fd-4": "config"})',
        ("rename", "name", "names"),
    ),
    Tool(
        "close_fds",
        "Close descriptors that are not needed any more.",
        (required("fds", "list of texts", "ids or names", also=("fd",)),),
        'close_fds(["fd-3", "fd-4"])',
        ("close", "clean", "forget", "drop"),
    ),
    Tool(
        "mark_fd_section",
        "Give lines of a descriptor a name, to find them again.",
        (
            _ID,
            required("start_line", "whole number", "first line, from 1", least=1),
            required("end_line", "whole number", "last line", least=1),
            _REF_ID,
        ),
        'mark_fd_section(fd="fd-3", start_line=45, end_line=52, ref_id="bug_details")',
        _SECTIONS,
    ),
    Tool(
        "get_fd_section",
        "Read a section that was marked.",
        (_ID, _REF_ID),
        'get_fd_section(fd="fd-3", ref_id="bug_details")',
        _SECTIONS,
        pages=True,
    ),
    Tool(
        "list_fd_sections",
        "List the sections that were marked in a descriptor.",
        (_ID,),
        'list_fd_sections(fd="fd-3")',
        _SECTIONS,
    ),
    Tool(
        "delete_fd_section",
        "Remove a section's mark.",
        (_ID, _REF_ID),
        'delete_fd_section(fd="fd-3", ref_id="bug_details")',
        _SECTIONS,
    ),
    Tool(
        "fd_to_file",
        "Write a descriptor's content to a file of the workspace.",
        (_ID, required("file_path", "text", "the file, relative to the workspace", also=("path", "file")), *WRITING),
        'fd_to_file(fd="fd-3", file_path="build.log")',
        ("write", "save", "file", "export", "append", "insert"),
        writes=True,
    ),
    Tool(
        "create_temp_file",
        "Keep text in a temporary file that forks and spawned children can read.",
        (
            required("content", "text", "what is in it", also=("text",)),
            Parameter("name", "text", "a name for it"),
        ),
        'create_temp_file("shared notes")',
        _TEMPORARY,
    ),
    Tool(
        "read_temp_file",
        "Read a temporary file.",
        (required("temp_file_id", "text", "its id", also=("id", "name")),),
        'read_temp_file("temp_12ab34cd")',
        _TEMPORARY,
    ),
    Tool(
        "write_temp_file",
        "Write a temporary file again, or append to it.",
        (
            required("temp_file_id", "text", "its id", also=("id", "name")),
            required("content", "text", "what is written", also=("text",)),
            Parameter("mode", "text", "how it is written", choices=("write", "append")),
        ),
        'write_temp_file("temp_12ab34cd", "more notes", mode="append")',
        _TEMPORARY,
    ),
    Tool(
        "delete_temp_file",
        "Delete a temporary file.",
        (required("temp_file_id", "text", "its id", also=("id", "name")),),
        'delete_temp_file("temp_12ab34cd")',
        _TEMPORARY,
    ),
)
