"""Every tool by name.

In: nothing.  Out: the table, as the parser of calls and servers with native calls need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from palimpsest.conversations.tools import conversation_table, descriptor_table
from palimpsest.conversations.tools.tool import Tool

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*descriptor_table.TOOLS, *conversation_table.TOOLS)}

OF_DESCRIPTORS = frozenset(name for name in TOOLS if {"fd", "fds"} & set(name.split("_")))
"""Those that mean nothing without descriptors."""


def signatures(tools: Iterable[Tool] = TOOLS.values()) -> dict[str, tuple[str, ...]]:
    """The parameters of each tool in order, for arguments without a name."""
    return {tool.name: tuple(one.name for one in tool.parameters) for tool in tools}


def native(tools: Iterable[Tool] = TOOLS.values()) -> list[dict[str, Any]]:
    """The tools as an OpenAI-compatible server is told of them."""
    return [tool.native for tool in tools]
