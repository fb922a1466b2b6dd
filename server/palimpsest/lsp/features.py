"""The language server before and after its features are imported.

In: ways to build and to change a session (`app.py` gives them), the declarations of features.  Out: a server.

An editor waits for the answer to `initialize`, so until then only what makes that answer is imported.  Everything else
comes right behind it, all at once, so that no keystroke waits for an import, and what the editor sends meanwhile is
held back (`window.py`).  A feature that is declared to be late comes when a person first uses it.
"""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp import get_method_options_type

from palimpsest.features import Feature, Method, features
from palimpsest.lsp import lifecycle
from palimpsest.lsp.loading import attribute
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import SessionFactory

if TYPE_CHECKING:
    from palimpsest.lsp.command import Command

NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[lsp.NotebookDocumentFilterWithNotebook(notebook="*")], save=False
)
"""Every cell of every notebook, so that cells are counted as a person counts them."""
ONE_ANSWER = {lsp.TEXT_DOCUMENT_DEFINITION, lsp.TEXT_DOCUMENT_HOVER}
"""Methods of which a place has one answer: that of the feature which knows most of it, which is the late one."""


def make_server(factory: SessionFactory, every: Sequence[Feature] | None = None) -> PalimpsestServer:
    """`every`: the features it has, if not those of this installation."""
    server = PalimpsestServer(factory, NOTEBOOKS, features() if every is None else every, load, _begin)
    lifecycle.register(server)
    for name in server.loader.commands:
        server.command(name)(_command(name))
    answered = dict[str, list[tuple[Feature, Method]]]()
    for name, feature, method in server.loader.methods():
        answered.setdefault(name, []).append((feature, method))
    for name, ones in answered.items():
        by = [one for one in ones if one[1].by]
        options = next((method.options for _, method in ones if method.options is not None), None)
        kind = get_method_options_type(name) if options is not None else None
        handler = _joined(server, name, by) if by else _not_loaded
        server.feature(name, None if kind is None else kind(**(options or {})))(handler)
    return server


async def load(server: PalimpsestServer) -> None:
    """Put the features where they were only announced, but for the late ones.  Raises what their import raises."""
    if server.ending is not None:
        server.ending.watch()
    known = server.protocol.fm.features
    for name, _, method in server.loader.methods():
        if not method.by:
            del known[name]
    for feature in server.loader.every:
        if not feature.is_late:
            await server.loader.load(feature)
    for name, _, _ in server.loader.methods():
        assert name in known, f"{name} is announced, and nothing carries it out"


def all_commands() -> dict[str, Any]:
    """Every command of this installation by its name, all imported."""
    return {
        command.name: command
        for feature in features()
        for module in feature.commands
        for command in import_module(module).COMMANDS
    }


def _begin(server: PalimpsestServer, feature: Feature) -> None:
    for module in feature.modules:
        attribute(f"{module}:register")(server)
    if feature.begin:
        attribute(feature.begin)(server, server.window.session)


def _command(name: str) -> Any:
    async def handle(ls: PalimpsestServer, params: lsp.ExecuteCommandParams) -> dict[str, Any]:
        task = asyncio.current_task()
        assert task is not None
        ls.protocol.adopt(task)
        try:
            command: Command[Any] = await ls.loader.command(name)
            return await command.handle(ls, params)
        except asyncio.CancelledError:
            if ls.window.is_closing or ls.is_ending:  # there is nobody to be answered
                raise
            # pygls answers a command through a generator that a CancelledError would leave without an answer.
            raise JsonRpcException(f"{name} was cancelled", lsp.LSPErrorCodes.RequestCancelled.value) from None

    return handle


def _joined(server: PalimpsestServer, name: str, ones: Sequence[tuple[Feature, Method]]) -> Any:
    """A handler that asks each of the features that have something to say."""
    in_turn = sorted(ones, key=lambda one: not one[0].is_late) if name in ONE_ANSWER else ones

    async def handle(params: Any) -> Any:
        found: Any = None if name == lsp.TEXT_DOCUMENT_HOVER else []
        for feature, method in in_turn:
            if method.when is None or method.when(server, params):
                answer = await (await server.loader.found(feature, method.by))(server, params)
                if name in ONE_ANSWER and answer:
                    return answer
                found = [*found, *answer] if found and answer else found or answer
        return found

    return handle


def _not_loaded(*_: object) -> NoReturn:
    raise AssertionError("What comes before the features are there is held back.")
