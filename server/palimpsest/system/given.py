"""What a person gives on a command line: a file's text, JSON, where to listen.

In: a parser, an option's name, its value.  Out: what it has; or the parser says what is wrong, by the option's name and
with what would be right, and ends with status 2.  Knows no option.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

MOST = 1_000_000
"""Bytes of a file, or of standard input."""


def text(parser: argparse.ArgumentParser, option: str, path: Path | None, wanted: str) -> str:
    """UTF-8; of standard input without a path.  `wanted`: what it should be, after "expected"."""
    name = "standard input" if path is None else str(path)
    try:
        if path is None and sys.stdin is None:  # it was closed
            data = b""
        else:
            with open(sys.stdin.fileno() if path is None else path, "rb", closefd=path is not None) as file:
                data = file.read(MOST + 1)
        if len(data) <= MOST:
            return data.decode("utf-8-sig")
        problem = f"has more than {MOST:,} bytes"
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except FileNotFoundError:
        problem = "is not there"
    except IsADirectoryError:
        problem = "is a folder"
    except (OSError, ValueError) as error:
        problem = f"cannot be read ({getattr(error, 'strerror', None) or error})"
    return _wrong(parser, option, wanted, f"{name} {problem}")


def json_object(parser: argparse.ArgumentParser, option: str, written: str) -> dict[str, Any]:
    try:
        value = json.loads(written)
    except json.JSONDecodeError as error:
        problem = f"this is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):
        problem = "this has too large a number, or is nested too deeply"
    else:
        if isinstance(value, dict):
            return value
        problem = f"this is {json.dumps(value)[:60]}"
    return _wrong(parser, option, "one JSON object", problem)


def host_and_port(parser: argparse.ArgumentParser, option: str, written: str, wanted: str) -> tuple[str, int]:
    """`wanted`: what it should be, after "expected".  Without a host it is ""."""
    host, _, port = written.rpartition(":")
    if re.fullmatch(r"[0-9]{1,5}", port) is None or int(port) > 65535 or (":" in host and not host.startswith("[")):
        _wrong(parser, option, wanted, f"got {written!r}")
    return host.strip("[]"), int(port)


def _wrong(parser: argparse.ArgumentParser, option: str, wanted: str, problem: str) -> NoReturn:
    parser.error(f"{option}: expected {wanted}; {problem}")
