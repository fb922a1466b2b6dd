"""A window's answer as the protocol's library wants it: the answer, or its error for the agent.

In: an answer that is on its way.  Out: the answer; raises ToolError.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from palimpsest.errors import PalimpsestError

T = TypeVar("T")


async def told(answer: Awaitable[T]) -> T:
    try:
        return await answer
    except PalimpsestError as error:
        raise ToolError(str(error)) from None
    except OSError as error:
        raise ToolError(f"The folder for sockets cannot be read: {error}") from None
