"""A language server that answers what a test wrote into a file: what ours would say if it were broken or wicked.

    scripted.py ANSWERS LOG

ANSWERS holds a JSON object, read anew for each message: a method, or the name of a server's command, and its answer.
`$uri` and `$version` in an answer are those of the document that was told of last.  `#notices` follow the answer to
`initialize`, and those in an answer follow that: a list of [method, params], or [method, params, PATH] for one that
comes when PATH is there.  An answer with `"#wait": PATH` comes when PATH is there, one with `"#error"` is an error, and
`"#die"` ends the server.
Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

CAPABILITIES = {
    "textDocumentSync": {"openClose": True, "change": 1},
    "inlineCompletionProvider": True,
    "positionEncoding": "utf-16",
}
Json = dict[str, Any]


class Server:
    def __init__(self, answers: Path, log: Path) -> None:
        self._answers, self._log = answers, log
        self._lock = threading.Lock()
        self.known: dict[str, Any] = {"uri": "", "version": 0}

    def send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        with self._lock:
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sys.stdout.buffer.flush()

    def receive(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params") or {}
        with self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(message) + "\n")
        if method == "exit":
            os._exit(0)
        if isinstance(method, str) and method.startswith("textDocument/did") and "version" in params["textDocument"]:
            self.known = params["textDocument"]
        if method is None or "id" not in message:
            return
        answers = json.loads(self._answers.read_text(encoding="utf-8"))
        name = params["command"] if method == "workspace/executeCommand" else method
        answer = answers.get(name)
        if answer == "#die":
            os._exit(3)
        if method == "initialize":
            answer = {"capabilities": CAPABILITIES | (answer or {})}
        notices = answers.get("#notices", []) if method == "initialize" else []
        threading.Thread(target=self.answer, args=(message["id"], answer, notices), daemon=True).start()

    def answer(self, number: Any, answer: Any, notices: list[Any]) -> None:
        if isinstance(answer, dict):
            notices = [*notices, *answer.pop("#notices", [])]
            wait(*filter(None, [answer.pop("#wait", "")]))
        if isinstance(answer, dict) and "#error" in answer:
            self.send({"id": number, "error": {"code": -32603, "message": answer["#error"]}})
            return
        self.send({"id": number, "result": self.filled(answer)})
        for method, params, *paths in notices:
            wait(*paths)
            self.send({"method": method, "params": self.filled(params)})

    def filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        return self.known[value[1:]] if value in ("$uri", "$version") else value


def wait(*paths: str) -> None:
    while not all(Path(path).exists() for path in paths):
        time.sleep(0.02)


def messages(source: BinaryIO) -> Any:
    while header := source.readline():
        length = 0
        while header.strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
            header = source.readline()
        yield json.loads(source.read(length))


def main() -> int:
    if "--version" in sys.argv:
        print("palimpsest 0.0.0")
        return 0
    server = Server(Path(sys.argv[1]), Path(sys.argv[2]))
    for message in messages(sys.stdin.buffer):
        server.receive(message)
    return 0


if __name__ == "__main__":
    sys.exit(main())
