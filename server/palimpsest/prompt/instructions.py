"""Instructions for models that follow them: what the blocks are, and how to write an edit.

In: the name of a language, an edit format.  Out: text.  The embedded model is trained on its format instead.
Each format has its own text (`edits/formats/`).
"""

from palimpsest.prompt.blocks import render_numbered, render_plain
from palimpsest.prompt.formats import FormatText
from palimpsest.text.markup import escape_closing
from palimpsest.types import BLOCK_TYPES, CURSOR_MARKER, BlockType, Editing

_MEANS: dict[BlockType, str] = {
    "filesystem": "the files around the one being edited",
    "class": "the interface of a class",
    "scope": "the names that can be used at the cursor",
    "package": "the names that an imported package offers",
    "documentation": "text about the code",
    "file": "a whole file",
    "recent": "code edited, copied or saved a moment ago, the last edits, and what other tools find wrong",
}

_TEXT = """\
<instructions>
Above, <context> blocks describe code in the {language} programming language. The attribute "type" of a block says \
what it holds:
{types}
The attribute "name" is what you call a block by. You may change a block only where it has editable="true".

Below, the <editing> block is the code a person is working on. {shown}{cursor}

Look for mistakes, inconsistency, unclear code and poor style. If the person gives an <instruction>, do what it says \
and nothing else. Answer with <suggestion> blocks and then one <summary>, and write nothing outside of them:
- name="editing" changes the <editing> block; any other name is that of a <context> block with editable="true".
{rules}
- The <summary> says in one sentence what the change does.

For example, with these lines shown:
{example}
this answer removes line 2 and corrects line 3:
<suggestion name="editing">
{answer}
</suggestion>
<summary>Multiply the sides and drop the leftover print.</summary>
</instructions>
"""


_CURSOR = f" {CURSOR_MARKER} marks the person's cursor: it is no code, so leave it out of your answer."


def instructions(language: str, format: FormatText, *, has_cursor: bool = True) -> str:
    """The instructions for an edit format, ending in a newline.  `language` is its name as a person writes it;
    `has_cursor`: the editing block shows the cursor."""
    types = "\n".join(f"- {name}: {_MEANS[name]}" for name in BLOCK_TYPES)
    return _TEXT.format(
        language=language,
        types=types,
        cursor=_CURSOR if has_cursor else "",
        shown=format.shown,
        rules=format.rules,
        example=format.example,
        answer=format.answer,
    )


def suggestion_tail(
    editing: Editing,
    instruction: str | None,
    is_told: bool,
    *,
    language: str,
    format: FormatText,
) -> str:
    """The instructions (with `is_told`), the editing block (with line numbers for a format that names them), and
    the person's instruction on one line; the model continues with `<suggestion`.  `language`: its name
    as a person writes it.

    What is the same in each request comes first, so that its KV is reused.  A model that reads the instructions sees
    the cursor, except in code that has such a marker itself: which of them is the cursor, nobody could tell.
    """
    asked = " ".join((instruction or "").split())
    ask = f"<instruction>{escape_closing(asked, 'instruction')}</instruction>\n" if asked else ""
    has_cursor = is_told and CURSOR_MARKER not in editing.text
    shown = editing.marked if has_cursor else editing
    block = render_numbered(shown) if format.numbered else render_plain(shown)
    return (instructions(language, format, has_cursor=has_cursor) if is_told else "") + block + ask
