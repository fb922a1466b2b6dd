"""The tools that a model calls: one table, checked arguments, answers and errors as XML."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.answers import Answer, ToolResult
from palimpsest.conversations.calls.parsing import ParsedCall, WrongCall, calls_in
from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.host import Host
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.operations.instructions import described, foreseen, instructions
from palimpsest.conversations.operations.operation import Operation, OperationParameter, ToolHost
from palimpsest.conversations.operations.table import TOOLS, signatures
from palimpsest.conversations.operations.toolbox import Toolbox, checked, wrong
from palimpsest.errors import InvalidArgument
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.writing import WrittenFile, write

NAMED = {
    "read_fd", "search_fd", "rename_fd", "rename_fds", "close_fds", "mark_fd_section", "get_fd_section",
    "list_fd_sections", "delete_fd_section", "fd_to_file", "ref_to_file", "list_refs", "get_ref", "remember", "forget",
    "compact", "inspect", "fork", "spawn", "gather", "create_checkpoint", "restore_checkpoint", "list_checkpoints",
    "create_temp_file", "read_temp_file", "write_temp_file", "delete_temp_file", "read_document", "list_documents",
    "find_documents", "find_excerpts",
}  # fmt: skip
ASKED = [
    "Hello",
    "Please save the function to a file",
    "fork the review",
    "what did fd-3 say?",
    "remember this",
    "😀",
    "",
]


@dataclass
class Workspace(Host):
    """Writes files, and answers everything else with what it was asked."""

    root: Path
    memory: Memory

    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        return write(file, [self.root])

    async def summary(self, conversation_id: str, fd: str) -> str:
        return self.memory.descriptors.set_summary(conversation_id, fd, f"What {fd} is.").summary

    async def agrees(self, conversation_id: str, question: str, yes: str, no: str) -> bool:
        return True

    async def fork(self, conversation_id: str, tasks: Sequence[str]) -> Answer:
        return Answer(f"<forked>{len(tasks)}</forked>")

    async def spawn(self, *arguments: Any, fresh: bool, behind_all: bool) -> Answer:
        assert (fresh, behind_all) == (True, False), "a model's child knows what is given to it alone"
        return Answer(repr(arguments[1:]))

    def cancel(self, conversation_id: str) -> int:
        return 0

    async def summarize(self, conversation_id: str, fd: str) -> str:
        return await self.summary(conversation_id, fd)

    async def gather(self, conversation_id: str, include_history: bool) -> Answer:
        return Answer(f"gathered {include_history}")

    async def read_document(self, conversation_id: str, document: str, heading: str) -> Answer:
        return Answer(f"{document}#{heading}")

    async def find_documents(self, conversation_id: str, query: str, limit: int | None) -> Answer:
        return Answer(f"{query} {limit}")

    async def find_excerpts(self, conversation_id: str, query: str, limit: int | None) -> Answer:
        raise RuntimeError("broken")


@dataclass
class Chat:
    """A conversation whose calls are run as a model writes them."""

    memory: Memory
    id: str
    host: Workspace

    @property
    def outside(self) -> ToolHost:
        return ToolHost(self.host, self.host, self.host, self.host.summarize, self.host.summary)

    async def call(self, written: str, **more: Any) -> ToolResult:
        box = Toolbox(self.memory)
        (call,) = calls_in(written, signatures())
        if isinstance(call, WrongCall):
            return wrong(call)
        return await box.run(call.name, call.arguments, self.id, self.outside, **more)


@pytest.fixture
def chat(memory: Memory, tmp_path: Path) -> Chat:
    (tmp_path / "work").mkdir()
    return Chat(memory, memory.conversations.new().id, Workspace(tmp_path / "work", memory))


def test_every_tool_that_the_formats_name_is_in_the_table() -> None:
    assert set(TOOLS) == NAMED


def test_a_tool_s_example_is_a_call_of_it_that_passes() -> None:
    for name in sorted(NAMED):
        (call,) = calls_in(TOOLS[name].example, signatures())
        assert isinstance(call, ParsedCall), name
        assert call.name == name
        assert checked(TOOLS[name], call.arguments) == call.arguments, name


def test_only_tools_that_change_files_of_the_workspace_write() -> None:
    assert {tool.name for tool in TOOLS.values() if tool.writes} == {"fd_to_file", "ref_to_file"}


def test_models_with_native_tool_calling_get_the_same_tools_as_json_schema() -> None:
    found = {one["function"]["name"]: one["function"] for one in (tool.native for tool in TOOLS.values())}
    assert found.keys() == NAMED
    assert found["read_fd"]["parameters"]["properties"]["page"].items() >= {"type": "integer", "minimum": 1}.items()
    assert found["ref_to_file"]["parameters"]["required"] == ["ref_id", "file_path"]
    assert found["ref_to_file"]["parameters"]["properties"]["mode"]["enum"] == ["write", "append", "insert"]
    assert found["close_fds"]["parameters"]["properties"]["fds"]["items"] == {"type": "string"}


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "says"),
    [
        ("read_fd", {"pag": 2}, "pag", "Did you mean page?"),
        ("read_fd", {"page": 0}, "page", "expected 1 or more, got 0"),
        ("read_fd", {"page": "two"}, "page", "expected a whole number, got 'two'"),
        ("read_fd", {"page": True}, "page", "expected a whole number"),
        ("read_fd", {"unit": "word"}, "unit", "one of paragraph, function, class"),
        ("read_fd", {"read_all": 1}, "read_all", "expected true or false"),
        ("rename_fd", {"fd": "fd-1"}, "name", 'is missing: the new name. As in rename_fd(fd="fd-3"'),
        ("rename_fd", {"fd": 3, "name": "x"}, "fd", "expected a text, got 3"),
        ("rename_fds", {"names": {"fd-1": 1}}, "names", "expected texts by name"),
        ("close_fds", {"fds": ["a", 1]}, "fds", "expected a list of texts"),
        ("list_refs", {"x": 1}, "x", "It takes none"),
        ("get_ref", {"id": "a", "ref_id": "b"}, "ref_id", "twice"),
        ("ref_to_file", {"ref_id": "a", "file_path": "f", "mode": "replace"}, "mode", "write, append, insert"),
    ],
)
def test_a_wrong_argument_is_named_with_what_would_be_right(
    tool: str, arguments: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        checked(TOOLS[tool], arguments)
    assert caught.value.field == field
    assert says in str(caught.value)


def test_arguments_are_read_as_models_write_them() -> None:
    assert checked(TOOLS["read_fd"], {"fd": "a", "page": "2", "read_all": "False", "end_line": 3.0, "unit": None}) == {
        "fd": "a", "page": 2, "read_all": False, "end_line": 3,
    }  # fmt: skip
    assert checked(TOOLS["close_fds"], {"fds": "fd-1"}) == {"fds": ["fd-1"]}
    assert checked(TOOLS["spawn"], {"query": "q", "program": "p", "additional_preload_fds": ["fd-1"]}) == {
        "task": "q", "instruction": "p", "preload_fds": ["fd-1"],
    }  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@given(st.sampled_from(sorted(NAMED)), st.data())
def test_any_arguments_are_checked_or_refused(name: str, data: st.DataObject) -> None:
    tool = TOOLS[name]
    names = st.sampled_from([one.name for one in tool.told]) if tool.told else st.nothing()
    arguments = data.draw(st.dictionaries(names | st.text(max_size=4), JSON, max_size=5))
    found = dict[str, Any]()
    with suppress(InvalidArgument):
        found = checked(tool, arguments)
    by_name: dict[str, OperationParameter] = {one.name: one for one in tool.told}
    kinds = {
        "text": str, "whole number": int, "true or false": bool, "list of texts": list, "texts by name": dict,
    }  # fmt: skip
    assert all(isinstance(value, kinds[by_name[name].kind]) for name, value in found.items())


async def test_reference_to_file_operation(chat: Chat) -> None:
    chat.memory.refs.add(chat.id, None, "example_code", 'def hello_world():\n    print("Hello, world!")')
    done = await chat.call('ref_to_file(ref_id="example_code", file_path="hello.py", mode="write")')
    assert done.xml == (
        '<ref_write ref_id="example_code" file_path="hello.py" success="true" mode="write">\n'
        "  <message>Reference content successfully written to hello.py</message>\n"
        "  <stats>\n    <bytes>46</bytes>\n    <lines>2</lines>\n  </stats>\n</ref_write>"
    )
    file = chat.host.root / "hello.py"
    assert file.read_text() == 'def hello_world():\n    print("Hello, world!")\n'
    chat.memory.refs.add(chat.id, None, "more", "# more")
    assert not (await chat.call('ref_to_file("more", "hello.py", mode="append")')).error
    assert not (await chat.call('ref_to_file("more", "hello.py", insert_at_line=1)')).error
    assert file.read_text() == '# more\ndef hello_world():\n    print("Hello, world!")\n# more\n'


async def test_an_existing_file_is_never_overwritten_without_saying_so(chat: Chat) -> None:
    chat.memory.refs.add(chat.id, None, "a", "new")
    (chat.host.root / "a.py").write_text("old")
    refused = await chat.call('ref_to_file("a", "a.py")')
    assert refused.error == "exists"
    assert refused.xml.startswith('<error type="exists" tool="ref_to_file" argument="file_path">\n  <message>')
    assert "overwrite=true" in refused.xml
    assert (chat.host.root / "a.py").read_text() == "old"
    assert not (await chat.call('ref_to_file("a", "a.py", overwrite=True)')).error
    assert (chat.host.root / "a.py").read_text() == "new\n"


async def test_a_fence_around_all_of_a_ref_is_not_written_to_code(chat: Chat) -> None:
    chat.memory.refs.add(chat.id, None, "a", "```python\nx = 1\n```")
    await chat.call('ref_to_file("a", "a.py")')
    await chat.call('ref_to_file("a", "a.md")')
    assert (chat.host.root / "a.py").read_text() == "x = 1\n"
    assert (chat.host.root / "a.md").read_text() == "```python\nx = 1\n```\n"


async def test_list_and_get_references(chat: Chat) -> None:
    chat.memory.refs.add(chat.id, None, "a", "one")
    chat.memory.refs.add(chat.id, None, "a", "two")
    assert (await chat.call("list_refs()")).fields["count"] == 1
    assert (await chat.call('get_ref("a")')).xml == '<ref_content id="a" version="2">\ntwo\n</ref_content>'
    assert (await chat.call('get_ref(ref_id="a", version=1)')).fields["content"] == "one"
    unknown = await chat.call('get_ref("b")')
    assert (unknown.error, "There are: a." in unknown.xml) == ("not_found", True)


async def test_remember_forget_and_inspect(chat: Chat) -> None:
    kept = await chat.call('remember("Always run tests & <check>")')
    assert kept.xml == '<exp id="exp_001">Always run tests & <check></exp>'
    await chat.call('remember("second")')
    assert (await chat.call('forget("exp_001")')).fields == {"forgotten": "exp_001"}
    assert (await chat.call('forget("exp_009")')).error == "not_found"
    shown = await chat.call("inspect()")
    assert shown.fields["experiences"] == [{"id": "exp_002", "text": "second"}]
    assert shown.fields["has_pending_compaction"] is False
    assert shown.xml == (
        '<context memory_key="main" messages="0" has_pending_compaction="false">\n'
        '  <exp id="exp_002">second</exp>\n</context>'
    )


async def test_compaction_is_queued_not_applied_immediately(chat: Chat) -> None:
    done = await chat.call(
        'compact(\n  goal="g",\n  instruction="i",\n  discoveries=["d"],\n  completed=[],\n  current_status="s",\n'
        '  likely_next_work="n",\n  relevant_files_directories=["src/"],\n  remember=["r"]\n)'
    )
    assert done.fields["status"] == "queued"
    assert done.fields["summary"]["relevant_files_directories"] == ["src/"]
    assert chat.memory.compactions.current(chat.id) is None
    assert (await chat.call("inspect()")).fields["has_pending_compaction"] is True
    missing = await chat.call('compact(goal="g")')
    assert (missing.error, missing.fields["argument"]) == ("invalid_argument", "instruction")


async def test_what_needs_an_engine_or_documents_goes_through_the_host(chat: Chat) -> None:
    assert (await chat.call('fork(["a", "b"])')).xml == "<forked>2</forked>"
    assert (await chat.call('spawn(task="t", preload_fds=["fd-1"])')).xml == "('t', '', ['fd-1'], [], [])"
    assert (await chat.call("gather(include_history=True)")).xml == "gathered True"
    assert (await chat.call('read_document("a.md", heading="Top")')).xml == "a.md#Top"
    assert (await chat.call('find_documents("x", limit=3)')).xml == "x 3"


async def test_a_tool_that_breaks_answers_an_error_and_gives_nothing_away(chat: Chat) -> None:
    broken = await chat.call('find_excerpts("x")')
    assert broken.error == "error"
    assert "broken" not in broken.xml


def fits_all(_: Sequence[Operation]) -> bool:
    return True


async def test_an_unknown_tool_names_those_that_there_are(chat: Chat) -> None:
    near = await Toolbox(chat.memory).run("get_refs", {}, chat.id, chat.outside)
    far = await Toolbox(chat.memory).run("</error>\n", {}, chat.id, chat.outside)
    assert "Did you mean get_ref?" in near.xml
    assert "There are: " in far.xml
    assert far.xml.count("</error>") == 1


async def test_a_call_that_cannot_be_read_answers_an_error_with_its_line(chat: Chat) -> None:
    answer = await chat.call("get_ref(a)")
    assert answer.xml.startswith('<error type="invalid_argument" tool="get_ref" argument="call" line="1">')


async def test_a_result_above_the_threshold_becomes_a_descriptor_with_a_preview(chat: Chat) -> None:
    chat.memory.refs.add(chat.id, None, "a", "x" * 100)
    for written, limit in (('get_ref("a")', 200), ('get_ref("a")', None), ('read_fd("ref:a")', 100)):
        direct = await chat.call(written, max_direct_output_chars=limit)
        assert (direct.descriptor, direct.error) == (None, "")
    long = await chat.call('get_ref("a")', max_direct_output_chars=100)
    assert long.descriptor == "fd-1"
    assert "exceeds 100 characters" in long.xml
    kept = chat.memory.descriptors.get(chat.id, "fd-1")
    assert (chat.memory.descriptors.text(chat.id, "fd-1"), kept.source) == ("x" * 100, "tool:get_ref")


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Save the cart class to shop/cart.py", {"ref_to_file", "fd_to_file"}),
        ("Please review these modules in parallel", {"fork", "spawn", "gather"}),
        ("Go back to the last checkpoint", {"restore_checkpoint", "list_checkpoints", "create_checkpoint"}),
        ("What does fd-12 say about errors?", {"read_fd", "search_fd", "rename_fd"}),
        ("From now on, always use tabs", {"remember", "forget"}),
        ("Mark the interesting section", {"mark_fd_section", "get_fd_section", "delete_fd_section"}),
    ],
)
def test_tools_are_filtered_by_relevance_to_the_message(message: str, names: set[str]) -> None:
    found = {tool.name for tool in foreseen([message], list(TOOLS.values()), fits_all)}
    assert found >= names | {tool.name for tool in TOOLS.values() if tool.always}
    assert len(found) < len(TOOLS)


def test_tools_used_lately_stay_and_without_a_hint_all_are_offered_where_they_fit() -> None:
    tools, always = list(TOOLS.values()), [tool for tool in TOOLS.values() if tool.always]
    assert foreseen(["Hmm."], tools, fits_all) == tools
    assert foreseen(["Hmm."], tools, lambda _: False) == always
    assert "compact" in {tool.name for tool in foreseen(["Hmm."], tools, lambda _: False, ["compact"])}


def test_tools_are_foreseen_from_what_was_said_and_called_before_as_long_as_they_fit() -> None:
    """document-references.md: "Predictive tool loading based on conversation context"."""
    tools = list(TOOLS.values())

    def names(said: list[str], most: int, before: tuple[str, ...] = ()) -> set[str]:
        return {one.name for one in foreseen(said, tools, lambda some: len(some) <= most, (), before)}

    said = ["Mark the section", "Undo it", "Thanks, go on"]
    checkpoints = {"create_checkpoint", "restore_checkpoint", "list_checkpoints"}
    assert names(said, 99) >= checkpoints | {"mark_fd_section"}
    n_always = sum(tool.always for tool in tools)
    assert names(said, n_always + 3) & (checkpoints | {"mark_fd_section"}) == checkpoints
    assert "gather" in names(said, 99, ("fork",))
    for n in range(1, len(said)):
        assert names(said[:n], 99) <= names(said[: n + 1], 99), "what was offered stays"


@given(st.sampled_from(ASKED) | st.text(max_size=40))
def test_relevant_tools_are_some_of_the_tools_in_their_order(message: str) -> None:
    tools = list(TOOLS.values())
    found = foreseen([message], tools, fits_all)
    assert found
    assert found == [tool for tool in tools if tool in found]


def test_the_system_prompt_describes_refs_descriptors_and_each_tool_by_a_call() -> None:
    text = instructions(list(TOOLS.values()))
    for part in ("reference_id_instructions", "file_descriptor_instructions", "tool_instructions"):
        assert f"<{part}>\n" in text
        assert f"\n</{part}>" in text
    for said in (
        '<ref id="unique_id">',
        "ref_to_file(",
        "list_refs()",
        "get_ref(",
        "page=2",
        "read_all=True",
        "truncated",
    ):
        assert said in text
    assert all(f"- {tool.example} - " in text for tool in TOOLS.values())
    assert "overwrite" in described([TOOLS["ref_to_file"]])


def test_what_is_not_offered_is_not_described() -> None:
    assert instructions([TOOLS["remember"]]).count("<") == 2
    assert "tool_instructions" not in instructions(list(TOOLS.values()), native=True)


async def test_temporary_shared_file_operations(chat: Chat) -> None:
    made = await chat.call('create_temp_file("This is <shared>\\ncontent")')
    id = made.fields["temp_file_id"]
    assert made.xml == f'<temp_file id="{id}" chars="24" />'
    read = await chat.call(f'read_temp_file("{id}")')
    assert read.xml == f'<temp_file id="{id}" chars="24">\nThis is <shared>\ncontent\n</temp_file>'
    assert (await chat.call(f'delete_temp_file("{id}")')).xml == f'<temp_file_deleted id="{id}" />'
    assert (await chat.call(f'read_temp_file("{id}")')).error == "not_found"


async def test_a_temporary_file_is_written_again_and_appended_to(chat: Chat) -> None:
    id = (await chat.call('create_temp_file("one\\n")')).fields["temp_file_id"]
    assert (await chat.call(f'write_temp_file("{id}", "two\\n", mode="append")')).fields["chars"] == 8
    child = chat.memory.conversations.new(parent=chat.id).id
    assert chat.memory.temp_files.read(child, id) == "one\ntwo\n"
    chat.memory.temp_files.write(child, id, "three")
    assert (await chat.call(f'read_temp_file("{id}")')).fields["content"] == "three"


async def test_the_model_lists_the_documents_that_were_referred_to(chat: Chat) -> None:
    first = chat.memory.turns.add(chat.id, "user", "See [[guide]] and [[lost]].")
    again = chat.memory.turns.add(chat.id, "assistant", 'read_document("guide")')
    known = DocumentReference("[[guide]]", "docs/guide.md", summary="How to begin.")
    lost = DocumentReference("[[lost]]", None, problem="Document not found")
    chat.memory.documents.add(first.id, [known, lost])
    chat.memory.documents.add(again.id, [replace(known, kind="search", read=True)])
    assert (await chat.call("list_documents()")).xml == (
        '<documents count="2">\n'
        '  <document link="[[guide]]" turns="turn-1 turn-2" read="true" path="docs/guide.md">How to begin.</document>\n'
        '  <document link="[[lost]]" turns="turn-1" read="false" problem="Document not found"></document>\n'
        "</documents>"
    )


async def test_a_long_descriptor_is_summarised_when_it_is_first_read_in_part(chat: Chat) -> None:
    for text in ("short\n", "a longer line\n" * 1_000):
        chat.memory.descriptors.create(chat.id, text)
    calls = ['read_fd("fd-1")', 'read_fd("fd-2", read_all=True)', 'read_fd("fd-2", page=2)', 'read_fd("fd-2", page=3)']
    told = ['summary="What' in (await chat.call(call)).xml.split("\n")[0] for call in calls]
    assert told == [False, False, True, False]
    assert chat.memory.descriptors.get(chat.id, "fd-2").summary == "What fd-2 is."


async def test_a_long_result_is_paged_searched_named_marked_and_written(chat: Chat) -> None:
    text = "".join(f"line {n}\n" for n in range(2_200))  # longer than what is tried for its language
    chat.memory.refs.add(chat.id, None, "long", text)
    shown = await chat.call('get_ref("long")', max_direct_output_chars=8_000)
    assert shown.descriptor == "fd-1"
    assert shown.xml.startswith('<fd_result fd="fd-1" pages="6" truncated="false" lines="1-')
    assert "exceeds 8000 characters" in shown.xml
    page = await chat.call('read_fd(fd="fd-1", page=2)', max_direct_output_chars=100)
    assert page.fields["page"] == 2
    assert (await chat.call('rename_fd(fd="fd-1", name="log")')).fields == {"renamed": {"fd-1": "log"}}
    assert (await chat.call('read_fd(name="log", start_line=3, end_line=3)')).fields["content"] == "line 2\n"
    assert (await chat.call('search_fd("log", "LINE 2199")')).fields["count"] == 1
    assert (await chat.call('mark_fd_section("log", start_line=2, end_line=3, ref_id="bug")')).error == ""
    assert "line 1\nline 2\n" in (await chat.call('get_fd_section(fd="log", ref_id="bug")')).xml
    assert (await chat.call('list_fd_sections("log")')).fields["count"] == 1
    assert (await chat.call('delete_fd_section("log", "bug")')).error == ""
    part = await chat.call('read_fd("log", start_line=1, end_line=2, extract=True)')
    assert part.fields["fd"] == "fd-2"
    assert '<fd_write fd="fd-1" file_path="out.log"' in (await chat.call('fd_to_file("log", "out.log")')).xml
    assert (chat.host.root / "out.log").read_text() == text
    assert (await chat.call('close_fds(["log", "fd-2"])')).fields == {"closed": ["fd-1", "fd-2"]}
    gone = await chat.call('read_fd("log")')
    assert (gone.error, gone.fields["argument"]) == ("not_found", "fd")
    assert "is missing" in (await chat.call("read_fd(page=2)")).xml
    assert (await chat.call('read_fd("ref:long", page=9)')).error == "out_of_range"


async def test_checkpoints_are_created_listed_and_restored(chat: Chat) -> None:
    chat.memory.turns.add(chat.id, "user", "first")
    made = await chat.call('create_checkpoint(name="before")')
    assert made.fields["name"] == "before"
    chat.memory.turns.add(chat.id, "user", "second")
    listed = await chat.call("list_checkpoints()")
    assert made.fields["checkpoint_id"] in [one["checkpoint_id"] for one in listed.fields["checkpoints"]]
    done = await chat.call(f'restore_checkpoint("{made.fields["checkpoint_id"]}")')
    assert f'<checkpoint_restored checkpoint_id="{made.fields["checkpoint_id"]}" before="cp_' in done.xml
    assert "What was said since is kept as cp_" in done.xml
    assert [chat.memory.turns.text(turn) for turn in chat.memory.turns.branch(chat.id)] == ["first"]


async def test_a_checkpoint_of_another_conversation_is_not_restored(chat: Chat) -> None:
    other = chat.memory.checkpoints.create(chat.memory.conversations.new().id)
    assert (await chat.call(f'restore_checkpoint("{other.id}")')).error == "not_found"
