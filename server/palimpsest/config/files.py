"""The settings that files give: the user's own, then those of the workspace's folders, the nearest last.

In: the configuration folder, the workspace's folders.  Out: layers for `layers.merged`, and an error for each entry
that cannot be read or that its file may not set.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from palimpsest.config.layers import Layer, from_file, read_toml
from palimpsest.errors import PalimpsestError

FILE = "palimpsest.toml"


def file_layers(own: Path, roots: Iterable[Path]) -> tuple[list[Layer], list[PalimpsestError]]:
    """`own`: the folder of the user's configuration."""
    layers, problems = list[Layer](), list[PalimpsestError]()
    for folder in (own, *reversed(tuple(roots))):
        table, wrong = read_toml(folder / FILE, within=None if folder == own else folder)
        layer, refused = from_file(table, whose="user" if folder == own else "workspace")
        layers.append(layer)
        problems += [*wrong, *refused]
    return layers, problems
