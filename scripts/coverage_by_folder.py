"""What share of the server's code the tests have run, by folder: of `.coverage` as `make coverage` leaves it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import coverage

SERVER = Path(__file__).resolve().parent.parent / "server" / "palimpsest"


def main() -> None:
    data = coverage.Coverage(data_file=str(SERVER.parent.parent / ".coverage"))
    data.load()
    n_statements, n_missed = Counter[str](), Counter[str]()
    for path in sorted(SERVER.rglob("*.py")):
        if (SERVER / "demo" / "sample") in path.parents:
            continue
        _, statements, _, missing, _ = data.analysis2(str(path))
        folder = path.relative_to(SERVER).parts[0] if path.parent != SERVER else "."
        for name in (folder, "all"):
            n_statements[name] += len(statements)
            n_missed[name] += len(missing)
    share = {name: 1 - n_missed[name] / n for name, n in n_statements.items() if n}
    for name in sorted(share, key=lambda name: (name == "all", share[name])):
        print(f"{share[name]:7.1%} of {n_statements[name]:6,} statements  {name}")


if __name__ == "__main__":
    main()
