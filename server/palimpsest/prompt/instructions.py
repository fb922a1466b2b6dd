"""Instructions for models that follow them: what the blocks are, and how to write an edit.

In: the name of a language, an edit format.  Out: text.  The embedded model is trained on its format instead.
Each format has its own text (`edits/formats/`).
"""

from __future__ import annotations

from palimpsest.prompt.formats import FormatText
from palimpsest.types import BLOCK_TYPES, CURSOR_MARKER, BlockType

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
