"""Runs a language server and writes down every message between it and its client, one JSON object a line.

    recorder.py LOG COMMAND...

Standard library only: an editor starts it in the server's place.  The messages themselves pass unchanged.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import BinaryIO


class Record:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, side: str, content: object) -> None:
        """One write for one line, since two servers may have one record."""
        line = {"at": time.time(), "from": side, "pid": os.getpid(), "message": content}
        os.write(self._fd, json.dumps(line).encode() + b"\n")


def carry(source: BinaryIO, target: BinaryIO, side: str, record: Record) -> None:
    """Pass on message by message, until one of the two ends."""
    try:
        while header := source.readline():
            head, length = header, 0
            while header not in (b"\r\n", b"\n", b""):
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
                header = source.readline()
                head += header
            body = source.read(length)
            record.write(side, json.loads(body))
            target.write(head + body)
            target.flush()
    except (BrokenPipeError, ValueError):
        pass
    finally:
        target.close()


def main() -> int:
    record = Record(sys.argv[1])
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    for told in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(told, lambda number, _: server.send_signal(number))
    record.write("recorder", {"method": "$/started", "params": {"pid": server.pid}})
    towards = threading.Thread(target=carry, args=(sys.stdin.buffer, server.stdin, "client", record), daemon=True)
    towards.start()
    carry(server.stdout, sys.stdout.buffer, "server", record)
    return server.wait()


if __name__ == "__main__":
    if {"--version", "--help"} & set(sys.argv[2:]):  # a client asks for it before it starts the server
        os.execvp(sys.argv[2], sys.argv[2:])
    code = main()
    os._exit(code)  # the thread that reads from the client may be waiting still
