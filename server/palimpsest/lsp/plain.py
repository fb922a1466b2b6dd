"""JSON as dictionaries and lists again.

In: what pygls and lsprotocol make of a message's free parts.  Out: dictionaries, lists and scalars.
"""

from typing import Any


def plain(value: Any) -> Any:
    """pygls gives a JSON object that LSP does not describe as a namedtuple."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value
