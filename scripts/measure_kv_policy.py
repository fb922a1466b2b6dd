"""What `conversation.kv` costs and saves: nats of what a reply says, and tokens decoded, with KV left and not.

Conversations about functions of Python's own library: each question is answered by the function's documentation, which
stands for a reply.  The source was read by a call whose result stands before the answer ("result"), or is a block at
the cursor ("block").  Then older results are dropped, or other blocks come, and the last reply is weighed.

    .venv/bin/python scripts/measure_kv_policy.py MODEL.gguf [CONVERSATIONS [THREADS [result | block]]]
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.llama.native import Run
from palimpsest.engine.native_engine import NativeEngine

SYSTEM = "You help a person with the code in their editor. Answer briefly and exactly."
MODULES = """
argparse ast calendar cmd configparser copy csv dataclasses datetime difflib email/message enum fractions
functools gettext glob heapq html/parser imaplib inspect ipaddress json/decoder logging/__init__ mailbox
mimetypes nntplib optparse pathlib pickle platform poplib pprint queue random sched shlex shutil smtplib socket
statistics string subprocess tarfile tempfile textwrap threading trace turtle typing unittest/case
urllib/request uuid warnings weakref zipfile
"""
N_TURNS, ROWS = 5, 8


@dataclass(frozen=True)
class Function:
    name: str
    source: str
    says: str


def functions() -> list[Function]:
    found = []
    for module in MODULES.split():
        path = Path(sysconfig.get_path("stdlib")) / f"{module}.py"
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (says := ast.get_docstring(node)) and 80 < len(says) < 500:
                body = "\n".join(text.splitlines()[node.body[0].end_lineno : node.end_lineno])
                if 200 < len(body) < 2000:
                    found.append(Function(node.name, f"def {node.name}({ast.unparse(node.args)}):\n{body}", says))
    Random(1).shuffle(found)
    return found


def run(engine: NativeEngine, request: wire.GenerateRequest) -> wire.GenerateAnswer:
    if request.chat is not None:
        engine.generator.composer.prepare(request.chat)
    work = generate(engine.generator, engine.workspaces.open("w"), request, None)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def weigh(engine: NativeEngine, says: str) -> float:
    """Nats of a reply behind the prompt that the tail has."""
    workspace = engine.workspaces.open("w")
    tail, pool = workspace.tails["c"], engine.pool
    tokens, rows = engine.model.tokenize(says), [tail.logits]
    at = tail.start + len(tail.tokens)
    for i in range(0, len(tokens), ROWS):
        rows += pool.decode(
            [Run([t], at + i + j, tail.seq, logits=True) for j, t in enumerate(tokens[i : i + ROWS])], workspace
        )
    pool.context.remove(tail.seq, at)
    nats = 0.0
    for token, row in zip(tokens, rows[:-1], strict=True):
        row = row.astype(np.float64)
        nats += np.log(np.exp(row - row.max()).sum()) + row.max() - row[token]
    return nats


def messages(told: list[Function], kind: str, dropped: int) -> list[wire.Message]:
    said = [wire.Message("system", SYSTEM)]
    for i, one in enumerate(told):
        said.append(wire.Message("user", f"What does `{one.name}` do?"))
        if kind == "result":
            said.append(wire.Message("assistant", f'read_fd(fd="{one.name}")'))
            content = (
                one.source
                if i >= dropped
                else f'[The result of read_fd was dropped; read_fd(fd="result-{i}-0") reads it again.]'
            )
            said.append(wire.Message("user", f"<result>\n{content}\n</result>"))
        if i < len(told) - 1:
            said.append(wire.Message("assistant", one.says))
    return said


def sync(told: list[Function]) -> wire.SyncRequest:
    blocks = [wire.WantedBlock(f"function {one.name}", f"<function>\n{one.source}\n</function>\n") for one in told]
    return wire.SyncRequest("w", "<workspace>\n", "</workspace>\n", blocks)


def measure(
    engine: NativeEngine, kind: str, policy: wire.KvPolicy | str, told: list[Function]
) -> tuple[float, int, int]:
    """Nats of the last reply, tokens decoded for the prompt, tokens left."""
    engine.workspaces.close("w")
    before = messages(told[:-1], kind, 0)
    blocks = sync(told[:-1] if kind == "block" else [])
    run(engine, wire.GenerateRequest("w", chat=wire.ChatTail(before), tail="c", sync=blocks, kv="leave", max_tokens=0))
    after = messages(told, kind, 0 if policy == "kept" else len(told) - 2)
    blocks = sync({"block": told if policy == "kept" else told[-2:], "result": []}[kind])
    wanted = "decode" if policy == "kept" else policy
    answer = run(
        engine, wire.GenerateRequest("w", chat=wire.ChatTail(after), tail="c", sync=blocks, kv=wanted, max_tokens=0)
    )
    return weigh(engine, told[-1].says), answer.decoded, answer.left


def main() -> None:
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    engine = NativeEngine(
        Path(sys.argv[1]), EngineSettings(n_ctx=8192, n_threads=int(sys.argv[3]) if len(sys.argv) > 3 else 2)
    )
    every = functions()
    for kind in sys.argv[4:] or ("result", "block"):
        for asks_again in (False, True):
            sums: dict[str, list[tuple[float, int, int, int]]] = {}
            for i in range(n):
                told = every[i * N_TURNS : (i + 1) * N_TURNS]
                if asks_again:  # the last question is about what was read first
                    told = [*told, told[0]]
                for policy in ("decode", "leave", "kept"):
                    sums.setdefault(policy, []).append((*measure(engine, kind, policy, told), len(told[-1].says)))
            for policy, rows in sums.items():
                nats, decoded, left, chars = (sum(column) for column in zip(*rows, strict=True))
                name = f"{kind:7}{'again' if asks_again else 'new':6}{policy:7}"
                print(f"{name} {nats / chars:.4f} nats a character, {decoded / n:5.0f} tokens decoded, ", end="")
                print(f"{left / n:5.0f} left  ({n} conversations)", flush=True)
            diffs = np.array([a[0] / a[3] - b[0] / b[3] for a, b in zip(sums["leave"], sums["decode"], strict=True)])
            print(f"{'':13}leave - decode: {diffs.mean():+.4f} ± {diffs.std() / np.sqrt(n):.4f}", flush=True)


if __name__ == "__main__":
    main()
