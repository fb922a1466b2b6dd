"""Descriptors through the editor's commands; named after `file-descriptors.md`'s sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.database_path import path_of
from palimpsest.conversations.memory import Memory

from .conftest import Editor, plain

LOG = "".join(f"{'ERROR' if n % 100 == 0 else 'INFO'} line {n}: order {n * 7} was looked at\n" for n in range(1, 1001))


@pytest.fixture
def conversation(editor: Editor, shop: Path) -> str:
    memory = Memory.open(path_of([shop.resolve()]))
    try:
        return memory.conversations.new("Logs").id
    finally:
        memory.close()


class Asking:
    def __init__(self, editor: Editor, conversation: str) -> None:
        self.editor, self.conversation = editor, conversation

    async def __call__(self, command: str, **argument: Any) -> dict[str, Any]:
        given = {"conversation": self.conversation, **argument}
        params = lsp.ExecuteCommandParams(f"palimpsest.fd.{command}", [given])
        return plain(await self.editor.client.workspace_execute_command_async(params))  # type: ignore[no-any-return]

    async def refused(self, command: str, **argument: Any) -> str:
        with pytest.raises(JsonRpcException) as error:
            await self(command, **argument)
        assert error.value.code == -32602
        return error.value.message


@pytest.fixture
def fd(editor: Editor, conversation: str) -> Asking:
    return Asking(editor, conversation)


async def test_content_is_read_in_pages_that_break_at_lines_and_lose_nothing(fd: Asking) -> None:
    made = await fd("create", content=LOG, source="terminal")
    assert (made["fd"], made["total_lines"], made["truncated"]) == ("fd-1", 1000, False)
    assert made["xml"].startswith(f'<fd_result fd="fd-1" pages="{made["pages"]}" truncated="false" lines="1-')
    pages = [await fd("read", fd="fd-1", page=number + 1) for number in range(made["pages"])]
    assert "".join(page["content"] for page in pages) == LOG
    assert made["preview"] == pages[0]["content"]
    assert not any(page["continued"] or page["truncated"] for page in pages)
    assert (await fd("read", fd="fd-1", read_all=True))["content"] == LOG
    lines = await fd("read", fd="fd-1", start_line=45, end_line=46)
    assert lines["content"] == "".join(LOG.splitlines(keepends=True)[44:46])
    assert (await fd("read", fd="fd-1", start_char=3, end_char=9))["content"] == LOG[3:9]


async def test_special_handling_for_content_exceeding_page_size_and_json_on_one_line(fd: Asking) -> None:
    long = "x" * 10_000
    made = await fd("create", content=long)
    first, second = [await fd("read", fd=made["fd"], page=page) for page in (1, 2)]
    assert (first["continued"], first["truncated"]) == (False, True)
    assert second["continued"]
    given = json.dumps({"results": [{"title": f"Paper {n}"} for n in range(500)]})
    pretty = await fd("create", content=given)
    assert json.loads((await fd("read", fd=pretty["fd"], read_all=True))["content"]) == json.loads(given)
    assert pretty["total_lines"] > 500


async def test_search_finds_patterns_without_reading_the_whole_content(fd: Asking) -> None:
    await fd("create", content=LOG, name="error_logs")
    found = await fd("search", name="error_logs", query="error line", context=1)
    assert found["count"] == 10
    first = found["matches"][0]
    assert (first["line"], len(first["before"]), len(first["after"])) == (100, 1, 1)
    assert (await fd("search", fd="fd-1", query="error", case_sensitive=True))["count"] == 0
    assert (await fd("search", fd="fd-1", query=r"line [12]00:", regex=True))["count"] == 2


async def test_names_stand_for_ids_and_several_are_renamed_and_closed_at_once(fd: Asking) -> None:
    for content in ("one", "two", "three"):
        await fd("create", content=content)
    await fd("rename", names={"fd-1": "first", "fd-2": "second"})
    await fd("rename", fd="fd-3", name="third")
    assert [one["name"] for one in (await fd("list"))["descriptors"]] == ["first", "second", "third"]
    assert (await fd("read", name="second"))["content"] == "two"
    await fd("close", fds=["fd-1", "second"])
    assert [one["fd"] for one in (await fd("list"))["descriptors"]] == ["fd-3"]
    assert (await fd("create", content="four"))["fd"] == "fd-4", "an id is never given again"


async def test_sections_are_marked_read_listed_and_deleted(fd: Asking) -> None:
    await fd("create", content=LOG)
    await fd("mark", fd="fd-1", start_line=45, end_line=52, ref_id="bug_details")
    part = await fd("section", fd="fd-1", ref_id="bug_details")
    assert part["content"] == "".join(LOG.splitlines(keepends=True)[44:52])
    listed = (await fd("sections", fd="fd-1"))["sections"]
    assert [(one["ref_id"], one["start_line"], one["end_line"]) for one in listed] == [("bug_details", 45, 52)]
    await fd("unmark", fd="fd-1", ref_id="bug_details")
    assert (await fd("sections", fd="fd-1"))["sections"] == []
    assert "bug_details" in await fd.refused("section", fd="fd-1", ref_id="bug_details")


async def test_a_document_is_put_into_a_descriptor_read_by_function_and_extracted(fd: Asking) -> None:
    uri = fd.editor.open("shop/cart.py")
    made = await fd("create", uri=uri)
    whole = await fd("read", fd=made["fd"], read_all=True)
    assert whole["content"] == fd.editor.texts[uri]
    total = await fd("read", fd=made["fd"], unit="function", name_of_unit="total")
    assert total["content"].lstrip().startswith("def total(")
    assert (await fd("read", fd=made["fd"], unit="function", name="total"))["content"] == total["content"]
    taken = await fd("read", fd=made["fd"], unit="function", name_of_unit="total", extract=True)
    assert taken["fd"] == "fd-2"
    assert (await fd("read", fd="fd-2", read_all=True))["content"] == total["content"]
    selection = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    part = await fd("create", uri=uri, range=selection)
    assert part["preview"] == fd.editor.texts[uri].split("\n")[0] + "\n"


async def test_a_descriptor_is_written_to_a_file_inside_the_workspace_only(fd: Asking, shop: Path) -> None:
    await fd("create", content=LOG)
    done = await fd("write", fd="fd-1", file_path="logs/today.log")
    assert (shop / "logs" / "today.log").read_text(encoding="utf-8") == LOG
    assert (done["bytes"], done["lines"]) == (len(LOG), 1000)
    assert "exists already" in await fd.refused("write", fd="fd-1", file_path="logs/today.log")
    assert "not inside the workspace" in await fd.refused("write", fd="fd-1", file_path="../today.log")


async def test_json_on_one_line_is_written_as_it_was_given(fd: Asking, shop: Path) -> None:
    given = json.dumps({"results": [{"title": f"Paper {n}"} for n in range(50)]})
    await fd("create", content=given, name="found")
    done = await fd("write", name="found", file_path="found.json")
    assert (done["fd"], done["bytes"], (shop / "found.json").read_text()) == ("fd-1", len(given), given)


async def test_what_is_wrong_names_the_field_and_what_would_be_right(fd: Asking) -> None:
    await fd("create", content=LOG)
    assert "fd-1" in await fd.refused("read", fd="fd-9")
    assert "page" in await fd.refused("read", fd="fd-1", page=9999)
    assert (await fd.refused("read")).startswith("fd: is missing")
    assert (await fd.refused("create")).startswith("content: is missing")
    assert "page" in await fd.refused("read", fd="fd-1", page=1, read_all=True)
    assert (await fd.refused("search", fd="fd-1")).startswith("query: is missing")
    assert (await fd.refused("list", conversation="c-none")).startswith("conversation: there is no conversation")


async def test_names_may_be_exchanged_and_a_section_has_both_ends(fd: Asking) -> None:
    for content in ("one", "two"):
        made = await fd("create", content=content)
        assert "<message>The selection has been stored in a file descriptor. Use read_fd" in made["xml"]
    await fd("rename", names={"fd-1": "a", "fd-2": "b"})
    await fd("rename", names={"a": "b", "b": "a"})
    assert (await fd("read", fd="b"))["content"] == "one"
    assert "called 'a' already" in await fd.refused("rename", names={"fd-1": "a"})
    assert "called 'x' already" in await fd.refused("rename", names={"fd-1": "x", "fd-2": "x"})
    assert (await fd("read", fd="b"))["content"] == "one", "all or none"
    assert (await fd.refused("mark", fd="b", ref_id="c")).startswith("start_line: is missing")
    assert (await fd.refused("mark", fd="b", ref_id="c", start_line=1)).startswith("end_line: is missing")
