"""A stock llama-server as a process of its own: `python -m bench.replaying.peer_server MODEL [options]`.

In: a GGUF file and llama-server's options by their names.  Out: one line of JSON, {"url": …}, on stdout once it
answers; it runs until its stdin ends.  The xllamacpp wheel embeds the real server.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from palimpsest.engine.llama.library import WAITING

COMES_WITH = "xllamacpp has it, which has no wheel for every platform."


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    for name, value in WAITING.items():  # as our engine has it on the same library
        os.environ.setdefault(name, value)
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # llama-server prints to stdout
    try:
        import xllamacpp
    except ImportError:
        print(f"peer: the stock llama-server is not here.  {COMES_WITH}", file=sys.stderr)
        return 1
    server = xllamacpp.Server(_params(xllamacpp.CommonParams(), options))
    print(json.dumps({"url": server.listening_address}), file=said, flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # its threads are not joined: nothing of it is worth waiting for


def _params(params: Any, options: argparse.Namespace) -> Any:
    params.model.path = str(options.model)
    params.port = options.port  # on 127.0.0.1, its default
    params.n_ctx, params.n_parallel = options.n_ctx, options.parallel
    params.n_batch = params.n_ubatch = options.batch
    params.cache_prompt, params.n_cache_reuse = True, options.cache_reuse
    params.cache_type_k = params.cache_type_v = options.cache_type
    params.flash_attn_type = options.flash_attention
    params.n_gpu_layers = options.n_gpu_layers
    params.warmup, params.endpoint_slots, params.endpoint_props = False, True, True
    params.endpoint_metrics = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    if options.api_key:
        params.api_keys = [options.api_key]
    if options.slot_save_path:
        params.slot_save_path = str(options.slot_save_path)
    return params


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("bench.replaying.peer_server", description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--n-ctx", type=int, default=8192)
    parser.add_argument("--n-gpu-layers", type=int, default=-1)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--cache-reuse", type=int, default=256)
    parser.add_argument("--cache-type", type=int, default=1, help="ggml's number of it; 0: f32, 1: f16")
    parser.add_argument("--flash-attention", type=int, default=-1, help="-1: where it can be had, 0: off, 1: on")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--api-key", default="")
    parser.add_argument("--slot-save-path", type=Path, default=None)
    return parser


if __name__ == "__main__":
    sys.exit(main())
