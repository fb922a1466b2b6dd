"""Refs of a conversation: kept with what is known of them, in versions, as XML and fields."""

import re
from pathlib import Path

import pytest

from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs import kinds, results
from palimpsest.conversations.refs.refs import MOST_GUESSED, suggestions
from palimpsest.conversations.refs.tags import extract
from palimpsest.documents.markdown import closing, fences, unfenced
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.syntax.parse import Language, Parsed, parse_file

FIB = "def fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)"


@pytest.fixture
def conversation(memory: Memory) -> str:
    return memory.conversations.new().id


def said(memory: Memory, conversation: str, reply: str) -> int:
    found = extract(reply)
    turn = memory.turns.add(conversation, "assistant", found.shown).id
    memory.refs.store(conversation, turn, found)
    return turn


def test_references_persist_in_the_conversation_state(memory: Memory, conversation: str, path: Path) -> None:
    turn = said(memory, conversation, f'Here:\n<ref id="fib" lang="py" path="a/fib.py">\n{FIB}\n</ref>\n')
    memory.close()
    again = Memory.open(path)
    ref = again.refs.get(conversation, "fib")
    assert (ref.id, ref.version, ref.n_versions, ref.turn) == ("fib", 1, 1, turn)
    assert (ref.lines, ref.chars, ref.language, ref.category) == (2, len(FIB), "python", "code")
    assert (ref.path, ref.attributes) == ("a/fib.py", {"lang": "py", "path": "a/fib.py"})
    assert again.refs.content(ref) == FIB
    again.close()


def test_ids_are_unique_within_a_conversation(memory: Memory, conversation: str) -> None:
    other = memory.conversations.new().id
    memory.refs.add(conversation, None, "a", "here")
    memory.refs.add(other, None, "a", "there")
    assert memory.refs.content(memory.refs.get(conversation, "a")) == "here"
    assert memory.refs.content(memory.refs.get(other, "a")) == "there"


def test_the_same_id_again_replaces_and_keeps_the_versions_before(memory: Memory, conversation: str) -> None:
    said(memory, conversation, '<ref id="a">one</ref> <ref id="b">x</ref>')
    said(memory, conversation, '<ref id="a">two</ref>')
    assert [(ref.id, ref.version, ref.n_versions) for ref in memory.refs.list(conversation)] == [
        ("a", 2, 2),
        ("b", 1, 1),
    ]
    assert memory.refs.content(memory.refs.get(conversation, "a")) == "two"
    assert memory.refs.content(memory.refs.get(conversation, "a", 1)) == "one"
    assert [ref.version for ref in memory.refs.versions(conversation, "a")] == [1, 2]
    with pytest.raises(NotFound, match="versions 1 to 2, not 3"):
        memory.refs.get(conversation, "a", 3)


def test_a_turn_that_is_stored_again_makes_no_new_version(memory: Memory, conversation: str) -> None:
    found = extract('<ref id="a">one</ref>')
    turn = memory.turns.add(conversation, "assistant", found.shown).id
    for _ in range(2):
        memory.refs.store(conversation, turn, found)
    assert memory.refs.get(conversation, "a").n_versions == 1


def test_an_unknown_id_names_those_that_exist(memory: Memory, conversation: str) -> None:
    with pytest.raises(NotFound, match="no refs yet"):
        memory.refs.get(conversation, "a")
    said(memory, conversation, '<ref id="one">1</ref><ref id="two">2</ref>')
    with pytest.raises(NotFound, match="There are: one, two"):
        memory.refs.get(conversation, "three")


@pytest.mark.parametrize("ref_id", ["", " a", "a\nb", "x" * 201, "\0"])
def test_an_id_that_is_none_is_refused(memory: Memory, conversation: str, ref_id: str) -> None:
    with pytest.raises(InvalidArgument, match="ref_id"):
        memory.refs.add(conversation, None, ref_id, "x")


@pytest.mark.parametrize(
    ("content", "attributes", "language", "category"),
    [
        (FIB, "", "python", "code"),
        ("func main() {\n\tprintln(1)\n}\n", ' path="x/main.go"', "go", "code"),
        ("```js\nlet a = 1\n```", "", "javascript", "code"),
        ('{"a": [1, 2]}', "", "", "data"),
        ("a: 1\nb: 2\n", " lang='yml'", "yaml", "data"),
        ("a = 1\n", ' language="TOML"', "toml", "data"),
        ("Some words.\nAnd more.", "", "", "text"),
        ("# Title\n", ' lang="markdown"', "markdown", "text"),
        ("x <- 1", ' lang="R"', "r", "code"),
        ("a,b\n1,2", ' category="Table"', "", "table"),
        ("", "", "", "text"),
    ],
)
def test_references_are_categorised(
    memory: Memory, conversation: str, content: str, attributes: str, language: str, category: str
) -> None:
    said(memory, conversation, f'<ref id="a"{attributes}>\n{content}\n</ref>')
    ref = memory.refs.get(conversation, "a")
    assert (ref.language, ref.category) == (language, category)


def test_reference_ids_are_suggested_for_code_blocks() -> None:
    text = (
        f"One:\n\n```python\n{FIB}\n```\n\nTwo:\n\n```python\n# again\n{FIB}\n```\n\n"
        "~~~ts title='x'\nclass Cart {}\n~~~\n```sh\nls\n```\n```\nplain\n```\n```python\nnot closed\n"
    )
    found = suggestions(text, {"taken": 1})
    assert [(one.id, one.language) for one in found] == [
        ("fibonacci", "python"),
        ("fibonacci_2", "python"),
        ("Cart", "typescript"),
        ("bash_block", "bash"),
        ("text_block", ""),
    ]
    assert found[0].content == FIB
    assert text[found[0].start : found[0].end] == f"```python\n{FIB}\n```"


def test_what_is_a_ref_already_gets_no_suggestion(memory: Memory, conversation: str) -> None:
    text = f"```python\n{FIB}\n```\n```python\ndef g(): pass\n```\n"
    memory.refs.add(conversation, None, "mine", FIB)
    assert [one.id for one in memory.refs.suggest(conversation, text)] == ["g"]


def test_a_content_that_is_one_fence_is_taken_out_of_it() -> None:
    assert unfenced("```py\na\n\n```\n") == ("a\n", "py")
    assert unfenced("x\n```py\na\n```") == ("x\n```py\na\n```", "")
    assert unfenced("```py\na\n```\n```py\nb\n```")[1] == ""
    assert [fence.info for fence in fences("````\n```\n````\n")] == [""]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a\n```py\nb", "\n```"),
        ("```py", "\n```"),
        ("~~~~\n```\n", "~~~~"),
        ("1. So:\n\n   ```py\n   b", "\n   ```"),
        ("```py\na\n```\n", ""),
        ("```py```", ""),
        ("", ""),
        ("So:\n<!-- a\n\n```\nb", "\n-->"),
        ("<!-- a -->\n```\n<!-- b\n", "```"),
        ("  <Pre class='x'>\nb", "\n  </pre>"),
        ("<script>\nb()\n</SCRIPT>\n", ""),
        ("<style>a {}</style>", ""),
        ("<prefix>\na <!-- b\n    <!-- c", ""),
    ],
)
def test_a_fence_that_is_left_open_is_closed_as_it_was_opened(text: str, end: str) -> None:
    assert closing(text) == end
    assert closing(text + end) == ""


def test_list_refs_is_written_as_the_format_has_it(memory: Memory, conversation: str) -> None:
    said(memory, conversation, f'<ref id="fib">\n{FIB}\n</ref><ref id="x &quot;y&quot;">\n1\n</ref>')
    memory.refs.add(conversation, None, "fib", "x")
    answer = results.refs(memory.refs.list(conversation))
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
    assert re.fullmatch(
        f"""<ref_list count="2">
  <ref id="fib" created="{when}" lines="1" chars="1" category="text" versions="2" />
  <ref id="x &quot;y&quot;" created="{when}" lines="1" chars="1" category="text" />
</ref_list>""",
        answer.xml,
    )
    assert answer.fields["count"] == 2
    assert (
        answer.fields["refs"][0].items() >= {"id": "fib", "lines": 1, "chars": 1, "versions": 2, "turn": None}.items()
    )


def test_get_ref_is_written_as_the_format_has_it(memory: Memory, conversation: str) -> None:
    ref = memory.refs.add(conversation, None, "a", 'x = "<ref_content>" # </ref_content>')
    content = memory.refs.content(ref)
    answer = results.content(ref, content)
    assert answer.xml == ('<ref_content id="a">\nx = "<ref_content>" # &lt;/ref_content>\n</ref_content>')
    assert answer.fields.items() >= {"id": "a", "content": content, "version": 1}.items()


def test_a_written_ref_is_reported_as_the_format_has_it() -> None:
    assert results.written("example_code", "/path/to/hello.py", "write", 48, 3).xml == (
        '<ref_write ref_id="example_code" file_path="/path/to/hello.py" success="true" mode="write">\n'
        "  <message>Reference content successfully written to /path/to/hello.py</message>\n"
        "  <stats>\n    <bytes>48</bytes>\n    <lines>3</lines>\n  </stats>\n</ref_write>"
    )
    assert results.written("a", "f", "append", 1, 2).fields == {
        "ref_id": "a", "file_path": "f", "mode": "append", "bytes": 1, "lines": 2,
    }  # fmt: skip


def test_the_language_of_so_many_refs_of_one_reply_is_guessed_and_not_of_more(memory: Memory) -> None:
    """Each is tried in every language: thousands would keep the window waiting for half a minute."""
    conversation = memory.conversations.new("x").id
    turn = memory.turns.add(conversation, "assistant", "x")
    reply = "".join(f'<ref id="r{i}">\ndef f{i}(): ...\n</ref>\n' for i in range(MOST_GUESSED + 50))
    stored = memory.refs.store(conversation, turn.id, extract(reply))
    assert [ref.language for ref in stored] == ["python"] * MOST_GUESSED + [""] * 50


def test_of_a_long_text_without_a_language_little_is_read_in_each(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def parse(text: str, language: Language) -> Parsed:
        read.append(len(text))
        return parse_file(text, language)

    # no door: how much of a text was parsed is seen nowhere
    monkeypatch.setattr(kinds, "parse_file", parse)
    log = "2026-11-25 12:00:01,003 ERROR [main] shop.Cart: {id=7} 'x' at 0x7f\n" * 280
    assert kinds.language_name(log, {}) == ""
    assert sum(read) < 6 * len(log)
    code = "class Cart:\n" + "".join(f"    def get{n}(self):\n        return {n}\n" for n in range(200))
    assert kinds.language_name(code, {}) == "python"
