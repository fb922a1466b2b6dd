"""A command as it is declared: once, beside what carries it out.

In: `workspace/executeCommand`.  Out: an answer, or an error that names the field.  A module has them as `COMMANDS`, and
`scripts/reference.py` makes the documents' table of all.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, get_type_hints

from lsprotocol import types as lsp

from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import A, read
from palimpsest.lsp.progress import progress
from palimpsest.lsp.server import PalimpsestServer

Run: TypeAlias = Callable[[PalimpsestServer, A], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Command(Generic[A]):
    """`does` is the line of the documents' table.  `slow`: the title of the progress that is shown.  `id_alone`: the
    argument may be the id alone, as clients of `copilotInlineEdit` send it."""

    name: str
    argument: type[A]
    run: Run[A]
    does: str
    slow: str = ""
    id_alone: bool = False

    async def handle(self, server: PalimpsestServer, params: lsp.ExecuteCommandParams) -> dict[str, Any]:
        """Raises PalimpsestError."""
        given = params.arguments[0] if params.arguments else None  # further ones are ignored
        argument = read(self.name, self.argument, {"id": given} if self.id_alone and isinstance(given, str) else given)
        if not self.slow:
            return await self.run(server, argument)
        async with progress(server, self.slow, params.work_done_token or _token(given)) as outcome:
            answer = await self.run(server, argument)
            outcome.message = str(answer.get("summary") or "")
            return answer


class Commands(list[Command[Any]]):
    """Those of a module, in the order in which they are added."""

    def add(self, name: str, does: str, *, slow: str = "", id_alone: bool = False) -> Callable[[Run[A]], Run[A]]:
        """Declare a command above the function that carries it out, whose second parameter is the argument."""

        def declared(run: Run[A]) -> Run[A]:
            _, argument, _ = get_type_hints(run).values()
            self.append(Command(name, argument, run, does, slow, id_alone))
            return run

        return declared


def _token(given: Any) -> lsp.ProgressToken | None:
    """`workDoneToken` in the argument: some clients cannot put it beside."""
    token = getattr(given, "workDoneToken", None)
    if isinstance(given, dict):
        token = given.get("workDoneToken")
    if token is None or (isinstance(token, (str, int)) and not isinstance(token, bool)):
        return token
    raise InvalidArgument("workDoneToken", f"expected a string or a whole number, got {token!r}.")
