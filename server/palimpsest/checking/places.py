"""Places in a workspace's own code that a model is tried at, each with the blocks that would be chosen there.

In: a folder, a seed.  Out: `TrialPlace`s, first those where blocks matter most: what stands there has a name that a
block has and the code around the cursor has not.  Only reads; nothing of it is kept.
"""

import re
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from random import Random

from palimpsest.checking.holes import Hole, holes
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.errors import InvalidArgument
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.models.trials import TrialPlace
from palimpsest.prompt.blocks import render_context, render_fim
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked_block

KINDS = ("line", "rest")
NAME = re.compile(r"[^\W\d]\w{3,}")
CANDIDATES = 5
"""So many places are looked at for each that is wanted."""
MOST_CHARACTERS = 200
"""A place has no more characters than that: a longer line is none that somebody types."""


def places(folder: Path, n: int, seed: int = 0) -> list[TrialPlace]:
    """At most `n`, of lines and of rests of lines by turns.  Raises InvalidArgument where the folder has no source."""
    folder = folder.resolve()
    try:
        found = [hole for hole in holes(folder, CANDIDATES * n // len(KINDS) + 1, Random(seed)) if hole.kind in KINDS]
    except InvalidArgument:
        raise InvalidArgument("--folder", f"{folder} has no source files that parse.") from None
    by_kind = [[hole for hole in found if hole.kind == kind] for kind in KINDS]
    in_turns = [hole for some in zip_longest(*by_kind) for hole in some if hole is not None]
    with tempfile.TemporaryDirectory(prefix="palimpsest-", ignore_cleanup_errors=True) as cache:
        window = WindowWithoutEditor(folder, Path(cache), WorkspaceIndex())
        try:
            return _chosen(_asked(window, in_turns), n)
        finally:
            window.chooser.close()


def _chosen(some: Iterator[TrialPlace], n: int) -> list[TrialPlace]:
    """`n` of them; no more are looked at than are needed."""
    telling, others = list[TrialPlace](), list[TrialPlace]()
    for place in some:
        (telling if _is_told_by_blocks(place) else others).append(place)
        if len(telling) == n:
            break
    return [*telling, *others][:n]


def _is_told_by_blocks(place: TrialPlace) -> bool:
    around, blocks = place.prefix + place.suffix, "\n".join(place.blocks.values())
    names = {name for name in NAME.findall(place.middle) if not re.search(rf"\b{name}\b", around)}
    return any(re.search(rf"\b{name}\b", blocks) for name in names)


def _asked(window: WindowWithoutEditor, some: list[Hole]) -> Iterator[TrialPlace]:
    """What the server would ask at each, without what it masks."""
    for hole in some:
        if len(hole.text) > MOST_CHARACTERS or masked_block(hole.text) != hole.text:
            continue
        try:
            opened = window.open(hole.path)
        except (OSError, UnicodeDecodeError):  # it was changed meanwhile
            continue
        parsed = window.reopen(opened, hole.prefix + hole.suffix)
        view = window.view(parsed, parsed.snapshot.position(len(hole.prefix)))
        prefix, suffix = (well_formed(masked_block(text)) for text in render_fim(view.editing))
        chosen = window.chooser.choose(view, fresh=True)
        blocks = {str(block.key): well_formed(render_context(block)) for block in chosen}
        window.close(parsed)
        yield TrialPlace(prefix, suffix, hole.text, {key: text for key, text in blocks.items() if text})
