"""Lines of JSON as agents and editors write them: what is no message is told apart, and half a character is none.

In: lines.  Out: messages, or what to answer.  Pure.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from palimpsest.text.positions import well_formed


@dataclass(frozen=True, slots=True)
class LineError:
    """The error that a line is answered with.  `id`: the request's, where it has one."""

    code: int
    why: str
    id: str | int | None = None

    @property
    def message(self) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.why}}


def message_in(line: str | bytes) -> dict[str, Any] | LineError:
    """With half a character in it as JSON says (`\\ud83d`)."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return LineError(-32700, "This line is not JSON.")
    return message if isinstance(message, dict) else no_request("A JSON object is wanted.")


def no_request(why: str, message: Mapping[str, Any] | None = None) -> LineError:
    """`message` is none that can be answered otherwise.  The id of an answer is not the asker's to hear of."""
    identity = message.get("id") if message is not None and "method" in message else None
    return LineError(-32600, why, identity if is_id(identity) else None)


def is_id(identity: object) -> TypeGuard[str | int]:
    return isinstance(identity, str | int) and not isinstance(identity, bool)


def written(message: Mapping[str, Any]) -> str:
    """On one line, without half a character: most readers take none."""
    return well_formed(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
