"""What a person who started an engine reads on stderr; the log gets it too."""

from __future__ import annotations

import logging
import sys

logger = logging.getLogger(__name__)


def say(text: str) -> None:
    print(f"palimpsest engine: {text}", file=sys.stderr, flush=True)
    logger.info("%s", text)
