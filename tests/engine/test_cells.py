"""The account of cells against a plain model of it: sets of positions for each sequence."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from palimpsest.engine.llama.cells import Cells


def test_random_operations_count_as_sets_do() -> None:
    random, cells = Random(2), Cells(256)
    real: dict[int, tuple[int, set[int]]] = {}  # cell: position, owners
    made = 0
    for _ in range(400):
        seq, other, start = random.randrange(6), random.randrange(6), random.randrange(40)
        end = random.choice([-1, start + random.randrange(1, 20)])
        inside = [
            i
            for i, (position, owners) in real.items()
            if seq in owners and start <= position and (end < 0 or position < end)
        ]
        match random.choice(["put", "put", "copy", "remove", "shift"]):
            case "put" if len(real) <= 236:
                n = random.randrange(1, 20)
                cells.put(seq, start, n)
                real |= {made + i: (start + i, {seq}) for i in range(n)}
                made += n
            case "copy":
                cells.copy(seq, other, start, end)
                for i in inside:
                    real[i][1].add(other)
            case "remove":
                cells.remove(seq, start, end)
                for i in inside:
                    real[i][1].remove(seq)
                real = {i: cell for i, cell in real.items() if cell[1]}
            case "shift" if end >= 0:
                cells.shift(seq, start, end, 3)
                for i in inside:
                    real[i] = real[i][0] + 3, real[i][1]
        assert (cells.used, cells.free) == (len(real), 256 - len(real))
        for s in range(6):
            assert cells.positions(s).tolist() == sorted(p for p, owners in real.values() if s in owners)
        theirs, others = {seq, 1}, {other, 3}
        expected = sum(bool(owners & theirs) and not owners & others for _, owners in real.values())
        assert cells.count(theirs, others) == expected
    assert made > 300


def test_more_than_there_are_is_a_defect() -> None:
    cells = Cells(8)
    cells.put(0, 0, 8)
    with pytest.raises(AssertionError, match="1 cells used of 0 free"):
        cells.put(1, 0, 1)
    cells.remove(0)
    cells.put(63, 100, 1)
    assert np.array_equal(cells.positions(63), [100])
    assert cells.count([63, -1]) == 1
