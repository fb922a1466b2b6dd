"""Windows of an editor as the engine sees them: `python windows_client.py SOCKET PREFIX N`.

Opens N of them one after another, each with a lease, a workspace and a completion, says "open", and goes at the end of
its input without a word.  A line `shutdown` first asks for its workspaces to be closed and waits for no answer.
"""

import asyncio
import json
import os
import socket
import sys
from pathlib import Path

from palimpsest import wire
from palimpsest.providers.palimpsest.client import InPlaceEngine


async def window(place: Path, name: str) -> tuple[object, ...]:
    engine = InPlaceEngine.over_socket(place)
    lease = engine.lease(name)
    await anext(lease)
    block = wire.WantedBlock("class:a", f"<context>\nclass {name.title()}:\n    total = 1\n</context>\n")
    sync = wire.SyncRequest(name, "<workspace>\n", "</workspace>\n", [block])
    fim = wire.FimTail("def add(a, b):\n    return ", "\n")
    answer = await engine.generate(wire.GenerateRequest(name, fim=fim, sync=sync, max_tokens=4))
    assert answer.choices[0].text, name
    assert answer.sync is not None
    assert not answer.sync.unfit, name
    return engine, lease


def close_at_once(place: Path, name: str) -> None:
    body = json.dumps({"workspace": name}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(place))
        head = f"POST /v1/close HTTP/1.1\r\nHost: engine\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)


async def main(place: Path, prefix: str, n: int) -> None:
    kept = [await window(place, f"{prefix}{i}") for i in range(n)]
    print("open", flush=True)
    if await asyncio.to_thread(sys.stdin.readline):
        for i in range(len(kept)):
            close_at_once(place, f"{prefix}{i}")
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
