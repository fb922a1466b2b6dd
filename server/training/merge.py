"""Adds an adapter to its base: `python -m training.merge --base FILE.gguf --adapter FILE.gguf --out FILE.gguf`.

In: two GGUFs, the second written by `training.adapter`.  Out: one, its matrices in Q8_0.  The merging is the product's
own (`palimpsest.models.merge`), which a person's machine does with the adapter that is shipped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from palimpsest.models.merge import merge
from training import CACHE


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--adapter", type=Path, default=CACHE / "adapter.gguf")
    cli.add_argument("--out", type=Path, default=CACHE / "merged-q8_0.gguf")
    a = cli.parse_args()
    merge(a.base, a.adapter, a.out)
    print(f"{a.out.name}: {a.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
