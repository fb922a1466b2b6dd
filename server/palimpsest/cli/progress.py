"""How far a download is, told on stderr."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from palimpsest.models.transfer import Progress as Tell
from palimpsest.system.terminal import terminal


@contextmanager
def bar(as_json: bool, objects: bool) -> Iterator[Tell | None]:
    """A progress bar; or `objects`, where a program asks."""
    if as_json:
        yield _print_hundredths() if objects else None
        return
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=terminal(stderr=True)) as bar:
        task = bar.add_task("getting", total=None, visible=False)

        def tell(done: int, total: int) -> None:
            nonlocal task
            known = bar.tasks[-1].total
            if known is not None and total != known:  # what came is put together now, to another size
                task = bar.add_task("writing", total=total)
            bar.update(task, completed=done, total=total or None, visible=True)

        yield tell


def _print_hundredths() -> Tell:
    """Prints each hundredth that is done."""
    last = -1

    def tell(done: int, total: int) -> None:
        nonlocal last
        if total and (now := 100 * done // total) != last:
            last = now
            print(json.dumps({"done": done, "total": total}), file=sys.stderr, flush=True)

    return tell
