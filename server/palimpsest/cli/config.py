"""`palimpsest config schema`: the JSON Schema of `palimpsest.toml`, for editors.

In: arguments.  Out: JSON on stdout.
"""

import argparse
import json

from palimpsest.config.schema import schema


def arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    commands.add_parser("schema", help="the JSON Schema by which an editor completes and checks palimpsest.toml")


def run(_: argparse.Namespace) -> int:
    print(json.dumps(schema(), indent=2))
    return 0
