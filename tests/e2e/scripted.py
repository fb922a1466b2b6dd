"""A server with OpenAI's protocol whose replies a test writes: what a model would have to be made to say otherwise."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from palimpsest.conversations.compaction.grammar import TASK

NAME = "scripted-instruct"


class Scripted:
    """`replies` are given one after the other, the last again and again; `asked` are the bodies of the requests.
    While `free` is cleared, replies wait; while `known` is, nobody hears which model it is.  With `dies`, a reply is
    cut off behind its first half.  A reply that is a list has its pieces (`delta` of an event each) sent one by one;
    with `stays`, it does not end until `free` is set.  A request of more than `most` characters is refused as too long;
    one with tools is refused (`refused` counts these) unless it `takes_tools`.  `window`: tokens that it says it can
    read.  `finish`: why a reply ended.  `summary`: what it answers to a question for one, if it is not to be the next
    reply.  `keys`: what stood in the header `Authorization` when it was asked for its models."""

    def __init__(self) -> None:
        self.replies: list[str | list[dict[str, Any]]] = []
        self.takes_tools = False
        self.window = 8192
        self.summary = ""
        self.stays = False
        self.finish = "stop"
        self.refused = 0
        self.most: int | None = None
        self.asked: list[dict[str, Any]] = []
        self.url = ""
        self.keys: list[str] = []
        self.dies = False
        self.free = threading.Event()
        self.free.set()
        self.known = threading.Event()
        self.known.set()

    @property
    def prompt(self) -> str:
        """The last one."""
        text: str = self.asked[-1]["messages"][0]["content"]
        return text

    def next(self) -> str | list[dict[str, Any]]:
        if self.summary and TASK in self.asked[-1]["messages"][-1]["content"]:
            return self.summary
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextmanager
def scripted() -> Iterator[Scripted]:
    it = Scripted()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            it.known.wait(60)
            it.keys.append(self.headers.get("Authorization", ""))
            self._send("application/json", json.dumps({"data": [{"id": NAME, "max_model_len": it.window}]}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "tools" in body and not it.takes_tools:
                it.refused += 1
                self._send("application/json", json.dumps({"error": {"message": "No tools, please."}}), status=400)
                return
            if it.most is not None and sum(len(str(one.get("content"))) for one in body["messages"]) > it.most:
                words = "This model's maximum context length is 1000 tokens, however you requested more."
                self._send("application/json", json.dumps({"error": {"message": words}}), status=400)
                return
            it.asked.append(body)
            it.free.wait(60)
            reply = it.next()
            if it.dies:
                assert isinstance(reply, str)
                self._send_half(f"data: {json.dumps(_event({'content': reply[: len(reply) // 2]}))}\n\n")
                return
            pieces = [{"content": reply}] if isinstance(reply, str) else reply
            events = [_event(piece) for piece in pieces]
            if it.stays:
                it.free.clear()
                self._send_half("".join(f"data: {json.dumps(e)}\n\n" for e in events))
                it.free.wait(60)
                return
            usage = {"prompt_tokens": 10, "completion_tokens": 10}
            events += [_event({}, it.finish), {"choices": [], "usage": usage}]
            self._send("text/event-stream", "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n")

        def _send_half(self, events: str) -> None:
            """And nothing more, though more was promised."""
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(events.encode())
            self.wfile.flush()
            self.close_connection = True

        def _send(self, kind: str, text: str, status: int = 200) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(ConnectionError):  # who cancelled does not listen
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    it.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield it
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
