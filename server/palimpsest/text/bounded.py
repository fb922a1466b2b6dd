"""Caches bounded by the number and the total size of their entries.

In: a dictionary in order of use.  Out: the same without its oldest entries.  The size matters because sources differ by
a factor of a thousand, and a parse takes tens of bytes for each character.
"""

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def forget_oldest(cache: dict[K, V], most: int, size: Callable[[V], int], most_size: int) -> None:
    """Remove the first entries until at most `most` with a total of `most_size` are left; the last one always stays."""
    total = sum(size(value) for value in cache.values())
    while len(cache) > 1 and (len(cache) > most or total > most_size):
        total -= size(cache.pop(next(iter(cache))))
