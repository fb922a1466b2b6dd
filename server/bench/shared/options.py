"""Options that several benches have.

In: parsed arguments.  Out: a model file; checked numbers.  Knows no bench.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from palimpsest.config.settings import ModelSettings
from palimpsest.models.files import inspect, model_path

BATCH = 32
"""Tokens of a micro-batch where two runs are to say the same: left to itself it goes by the machine's pace, and what
a quantized model's weights are rounded to goes by its size."""


def model_file(options: argparse.Namespace) -> Path:
    """The GGUF file named with `--model`, else the one that the server would take.  Raises PalimpsestError."""
    return inspect(model_path(ModelSettings(path=options.model))).path


def positive(text: str, least: int = 1) -> int:
    """An argparse type: a whole number of 1 or more."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"wants {least} or more, got {text}")
    return number
