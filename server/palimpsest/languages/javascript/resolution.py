"""Which files a path without, or with another, suffix may be.

In: a path as an import has it.  Out: names of files, likeliest first: types before what runs, as TypeScript prefers
them.  Pure.

    ./cart       cart.ts, cart.tsx, cart.d.ts, cart.js, ..., then cart/index.ts, ...
    ./cart.js    cart.ts, cart.tsx, cart.d.ts, cart.js, cart.jsx
"""

from collections.abc import Iterator

SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".d.mts", ".mjs", ".cts", ".d.cts", ".cjs")
INDEX = "index"
_MEANT = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
    ".ts": (".ts", ".d.ts"),
    ".tsx": (".tsx", ".d.ts"),
    ".mts": (".mts", ".d.mts"),
    ".cts": (".cts", ".d.cts"),
}
"""What a file is written in that an import calls by the name of what it becomes."""


def names(last: str) -> Iterator[str]:
    """The files beside each other that the last part of a path may be."""
    for suffix, meant in _MEANT.items():
        if last.endswith(suffix) and len(last) > len(suffix):
            yield from (last[: -len(suffix)] + other for other in meant)
            return
    if is_source(last):
        yield last
    yield from (last + suffix for suffix in SUFFIXES)


def indexes() -> Iterator[str]:
    """The files that a folder is."""
    return (INDEX + suffix for suffix in SUFFIXES)


def is_source(name: str) -> bool:
    return name.endswith(SUFFIXES)


def is_typed(name: str) -> bool:
    """Whether a file has types: what else a package has of them is not needed then."""
    return name.endswith((".ts", ".tsx", ".mts", ".cts"))
