"""What takes minutes to install goes where the person keeps it, though tests have folders of their own."""

import os
from pathlib import Path

import pytest

from tests.installing import cache_folder


@pytest.mark.parametrize("real", ["", "/somewhere/cache"])
def test_programs_are_installed_for_the_person_and_not_for_one_run(monkeypatch: pytest.MonkeyPatch, real: str) -> None:
    monkeypatch.setenv("REAL_XDG_CACHE_HOME", real)
    monkeypatch.setenv("XDG_CACHE_HOME", "/of/this/run")  # as the fixture `machine` leaves it
    assert cache_folder() == Path(real or Path.home() / ".cache")


def test_they_are_where_the_variable_says_where_no_test_has_changed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REAL_XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath("/of/the/person"))
    assert cache_folder() == Path("/of/the/person")
