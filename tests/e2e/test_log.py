"""What a refused request leaves in the log: its reason, and nothing that looks like a failure."""

from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import Editor


async def test_a_refused_request_is_one_line_without_what_it_was_given(
    process_editor: Editor, machine: dict[str, str]
) -> None:
    folder = Path(machine["XDG_STATE_HOME"]) / "palimpsest" / "log"

    def logged() -> list[str]:
        """The files together, the older ones first: one may be full in between."""
        files = sorted(folder.glob("server.log*"), reverse=True)
        return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    before = logged()[-1]
    for given in ({"id": ["secret_word"]}, {"id": "s-999"}):
        with pytest.raises(JsonRpcException):
            await process_editor.command("palimpsest.suggest.accept", given)
    lines = logged()
    lines = lines[len(lines) - lines[::-1].index(before) :]
    refused = [line.rpartition("json_rpc: ")[2] for line in lines if "was refused" in line]
    assert refused[0] == "a request was refused (-32602): id: expected a string"
    assert refused[1].startswith("a request was refused (-32602): id: the suggestion 's-999' is not known.")
    assert not [line for line in lines if "Traceback" in line or "ERROR" in line or "secret_word" in line]
