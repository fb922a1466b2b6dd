"""The workspaces that an editor's sessions are about, each put together as an editor window's is.

In: a session's folders.  Out: the window's session of these folders, its engine starting.  Sessions on the same folders
have one, which ends with the connection.  The engine and the conversations are those of the editors.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from palimpsest.config.layers import file_layers, merged
from palimpsest.conversations.host import Host
from palimpsest.conversations.window_conversations import window_conversations
from palimpsest.errors import InvalidArgument
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.system import folders
from palimpsest.text import tokens
from palimpsest.text.secret_names import is_secret
from palimpsest.text.spellings import Spellings
from palimpsest.text.uris import is_inside, path_or_none, to_path, to_uri
from palimpsest.workspace.files import SECRET, WorkspaceFiles

logger = logging.getLogger(__name__)


class AcpWorkspace:
    """A window's session for one set of folders.  `host` asks the person and writes files."""

    def __init__(self, roots: tuple[Path, ...], host: "Callable[[AcpWorkspace], Host]") -> None:
        layers, problems = file_layers(folders.config(), roots)
        settings, wrong = merged(layers)
        for problem in (*problems, *wrong):
            logger.warning("setting %s", problem)
        self.roots = roots
        self.spellings = Spellings()
        self.session: Session = build(settings, roots)
        of_window = self.session.services, self.session.workspace_documents
        self.conversations = window_conversations(*of_window, host(self))
        self.session.add(self.conversations)
        self._files = WorkspaceFiles(roots, settings.context.exclude)
        self._started = False

    def start(self) -> None:
        """Have the engine ready for what is said soon."""
        if not self._started:
            self._started = True
            self.session.services.supervisor.start()

    def named(self, uri: str) -> str:
        """What a document is called in the workspace."""
        return self.session.services.roots.locate(uri)[1] or uri

    def written(self, path: Path) -> str:
        """A real path as the editor writes it."""
        return str(to_path(self.spellings.written(to_uri(path))))

    def text_of(self, uri: str) -> str | None:
        """What is in a file that a model may see."""
        path = path_or_none(uri.partition("#")[0])
        if path is None or not is_inside(path, self.roots) or is_secret(path.name):
            return None
        found = self._files.source(path.resolve())
        return None if found is None else found.text

    def why_not(self, uri: str, text: str) -> str | None:
        """Why a file that the editor sent along goes to no model, as the end of a sentence."""
        path = path_or_none(uri.partition("#")[0])
        if path is not None and is_inside(path, self.roots):
            reason = SECRET if is_secret(path.name) else self._files.kept_out(path.resolve(), pinned=True)
        else:  # a person may send what lies elsewhere
            reason = SECRET if path is not None and is_secret(path) else None
        found = None if reason is not None else tokens.found(text)
        return f"holds what looks like {found}" if found else reason


class AcpWorkspaces:
    """Each set of folders that a session of the connection is about, once."""

    def __init__(self, host: Callable[[AcpWorkspace], Host]) -> None:
        self._host = host
        self._open: dict[tuple[Path, ...], AcpWorkspace] = {}

    def at(self, cwd: str, more: Sequence[str] | None = None) -> AcpWorkspace:
        """Raises InvalidArgument for what is no folder."""
        written = [cwd, *(more or ())]
        fields = ["cwd", *["additionalDirectories"] * len(more or ())]
        roots = tuple(dict.fromkeys(map(_folder, fields, written)))
        if roots not in self._open:
            self._open[roots] = AcpWorkspace(roots, self._host)
        self._open[roots].spellings.folders(map(to_uri, written))
        return self._open[roots]

    def all(self) -> list[AcpWorkspace]:
        return list(self._open.values())

    async def aclose(self) -> None:
        await asyncio.gather(*(one.session.aclose() for one in self._open.values()), return_exceptions=True)


def _folder(field: str, path: str) -> Path:
    if "\0" in path or not Path(path).is_absolute():
        raise InvalidArgument(field, f"the full path of a folder is wanted, got {path!r}.")
    if not Path(path).is_dir():
        raise InvalidArgument(field, f"there is no folder {path}.")
    return Path(path).resolve()
