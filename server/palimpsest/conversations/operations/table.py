"""Every operation by name.

Out: the table, as the parser of calls needs it.
"""

from collections.abc import Iterable, Mapping

from palimpsest.conversations.operations import descriptors, documents, forks, memory, refs
from palimpsest.conversations.operations.operation import Operation

OPERATIONS: Mapping[str, Operation] = {
    one.name: one
    for one in (
        *descriptors.OPERATIONS,
        *forks.TEMP_FILES,
        *refs.OPERATIONS,
        *memory.OPERATIONS,
        *forks.OPERATIONS,
        *memory.CHECKPOINTS,
        *documents.OPERATIONS,
    )
}
TOOLS: Mapping[str, Operation] = {name: one for name, one in OPERATIONS.items() if one.example}
"""The operations that models are offered."""

OF_DESCRIPTORS = frozenset(name for name in TOOLS if {"fd", "fds"} & set(name.split("_")))
"""The tools that mean nothing without descriptors."""
OF_REFS = frozenset(one.name for one in refs.OPERATIONS)

_OWN_NAMES = {name: tool.name for tool in TOOLS.values() for name in tool.also}


def own_name(name: str) -> str:
    """The own name of the tool that is called so."""
    return _OWN_NAMES.get(name, name)


def signatures(tools: Iterable[Operation] = TOOLS.values()) -> dict[str, tuple[str, ...]]:
    """The parameters of each tool in order, for arguments without a name; by all names that it may be called by."""
    return {name: tuple(one.name for one in tool.told) for tool in tools for name in (tool.name, *tool.also)}
