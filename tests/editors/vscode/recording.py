"""What a language server and its client said to each other, as `recorder.py` wrote it down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Said:
    at: float
    """Seconds since the epoch."""
    side: str
    """Whose message it is: `client`, `server`, or `recorder`."""
    pid: int
    """Of the recorder: one for each server."""
    message: dict[str, Any]

    @property
    def method(self) -> str:
        return str(self.message.get("method", ""))

    @property
    def params(self) -> Any:
        return self.message.get("params")


@dataclass(frozen=True)
class Asked:
    """A request of the client and its answer, None as long as there is none."""

    request: Said
    answer: Said | None

    @property
    def params(self) -> Any:
        return self.request.params

    @property
    def result(self) -> Any:
        return self.answer.message.get("result") if self.answer else None


class Recording:
    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def mark(self) -> int:
        """Where the record ends now, for `since`."""
        return self.path.stat().st_size

    def said(self, since: int = 0) -> Iterator[Said]:
        with self.path.open("rb") as lines:
            lines.seek(since)
            for line in lines:
                if line.endswith(b"\n"):
                    row = json.loads(line)
                    yield Said(row["at"], row["from"], row["pid"], row["message"])

    def notices(self, method: str, side: str = "client", since: int = 0) -> list[Said]:
        return [said for said in self.said(since) if said.method == method and said.side == side]

    def asked(self, method: str, since: int = 0, command: str = "") -> list[Asked]:
        """The requests of the client with this method (and for executeCommand, this command)."""
        answers: dict[tuple[int, Any], Said] = {}
        requests = []
        for said in self.said(since):
            if said.side == "server" and not said.method and "id" in said.message:
                answers[said.pid, said.message["id"]] = said
            elif said.side == "client" and said.method == method and "id" in said.message:
                requests.append(said)
        wanted = [r for r in requests if not command or r.params.get("command") == command]
        return [Asked(r, answers.get((r.pid, r.message["id"]))) for r in wanted]

    def status(self, since: int = 0) -> dict[str, Any]:
        told = self.notices("palimpsest/status", "server", since)
        return dict(told[-1].params) if told else {}

    def completions(self, since: int = 0) -> list[str]:
        """The texts of the completions that were answered, in order."""
        texts = []
        for asked in self.asked("textDocument/inlineCompletion", since):
            result = asked.result
            items = result.get("items", []) if isinstance(result, dict) else result or []
            texts += [item["insertText"] for item in items if isinstance(item["insertText"], str)]
        return texts
