"""Pure: the lines of a conversation's document that nobody says: headings of turns, and what is behind them.

In: lines.  Out: what they mean.  A line of a text that looks like one is written with a backslash before it.
"""

import re

ROLES = ("user", "assistant", "system", "tool")
BESIDE = "<!-- calls and documents -->"
"""What is behind it, up to the next turn, is the server's: the text of the turn ends before."""
PLAIN_ID = re.compile(r"[\w.\-]{1,120}")
"""Ids of refs that are written as they are; others stand between backticks."""
_HEADING = re.compile(rf"^## ({'|'.join(ROLES)})[ \t]*(?:<!-- turn (\d{{1,18}}) -->)?[ \t]*$")
_LIKE = re.compile(rf"^\\*(?:## (?:{'|'.join(ROLES)})[ \t]*(?:<!-- turn \d{{1,18}} -->)?|{re.escape(BESIDE)})[ \t]*$")


def ref_link(id: str) -> str:
    """A ref's id as an editor finds it again."""
    return f"ref:{id}" if PLAIN_ID.fullmatch(id) and not id.endswith(".") else f"`ref:{id}`"


def heading(role: str, turn: int | None) -> str:
    return f"## {role} <!-- turn {turn} -->" if turn is not None else f"## {role}"


def read_heading(line: str) -> tuple[str, int | None] | None:
    """The role and the turn of a heading; None for any other line."""
    match = _HEADING.match(line)
    return None if match is None else (match.group(1), int(match.group(2)) if match.group(2) else None)


def escaped(text: str) -> str:
    return "\n".join(f"\\{line}" if _LIKE.match(line) else line for line in text.split("\n"))


def unescaped(text: str) -> str:
    return "\n".join(line[1:] if line[:1] == "\\" and _LIKE.match(line) else line for line in text.split("\n"))
