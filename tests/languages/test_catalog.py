"""Reading in the background ends with the executor, also what has not begun: nobody waits for it any more."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palimpsest.context.sources.answers import Answers
from palimpsest.languages.catalog import ModuleCatalog


@pytest.mark.parametrize("kind", ["catalog", "answers"])
def test_what_has_not_begun_when_the_executor_is_shut_down_is_not_waited_for(kind: str) -> None:
    executor, begun, go_on = ThreadPoolExecutor(1), threading.Event(), threading.Event()

    def busy(*_: object) -> None:
        begun.set()
        go_on.wait(60)

    reader: Any
    if kind == "catalog":
        reader = ModuleCatalog[str](lambda: None, executor)
        ask = reader.describe, "module", frozenset({"name"})
    else:
        reader = Answers[str, str](str, executor, none="")
        ask = reader.ask, "question"
    executor.submit(busy)
    begun.wait(60)
    ask[0](*ask[1:])
    assert not reader.wait(0)
    executor.shutdown(wait=False, cancel_futures=True)
    assert reader.wait(60)
    go_on.set()
