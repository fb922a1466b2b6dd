"""Real code that is wherever Python is, for measurements.

Out: text.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path


def source() -> str:
    """Some 250,000 characters of the standard library."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("argparse.py", "ast.py", "dataclasses.py")]
    return "\n".join(texts)
