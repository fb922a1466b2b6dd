"""What a model is told about the blocks and about how to write an edit.

In: the language's name.  Out: text.  For models that follow instructions; the embedded one is trained on the format
instead.  The word for comparing two files is not used here: it pulls small models into unified hunks (FORMATS.md).
"""

from __future__ import annotations

from palimpsest.types import BLOCK_TYPES, BlockType

_MEANS: dict[BlockType, str] = {
    "filesystem": "the files around the one being edited",
    "class": "the interface of a class",
    "scope": "the names that can be used at the cursor",
    "package": "the names that an imported package offers",
    "documentation": "text about the code",
    "file": "a whole file",
    "recent": "code edited, copied or saved a moment ago",
}

_TEXT = """\
<instructions>
Above, <context> blocks describe code in the {language} programming language. The attribute "type" of a block says \
what it holds:
{types}
The attribute "name" is what you call a block by. You may change a block only where it has editable="true".

Below, the <editing> block is the code a person is working on. Each of its lines begins with its number and one \
space: "L1 ", "L2 " and so on. In a <context> block the lines count from 1. A line without a number stands for code \
left out and cannot be changed.

Look for mistakes, inconsistency, unclear code and poor style. If the person gives an <instruction>, do what it says \
and nothing else. Answer with <suggestion> blocks and then one <summary>, and write nothing outside of them:
- name="editing" changes the <editing> block; any other name is that of a <context> block with editable="true".
- Write only the lines that change, each with its number as shown, from small to large.
- "L4 text" makes line 4 read "text". "L4+ text" adds a line after line 4. "L4-" removes line 4.
- Keep every space of the indentation. Numbers always mean the lines as shown, not as they are after your changes.
- The <summary> says in one sentence what the change does.

For example, with these lines shown:
L1 def area(width, height):
L2     print(width)
L3     return width + height
this answer removes line 2 and corrects line 3:
<suggestion name="editing">
L2-
L3     return width * height
</suggestion>
<summary>Multiply the sides and drop the leftover print.</summary>
</instructions>
"""


def instructions(language: str) -> str:
    """The instructions for ln-diff, ending in a newline.  `language` is its name as a person writes it."""
    types = "\n".join(f"- {name}: {_MEANS[name]}" for name in BLOCK_TYPES)
    return _TEXT.format(language=language, types=types)
