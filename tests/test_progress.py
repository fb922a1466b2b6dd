"""How far a download is, on a terminal."""

import pytest

from palimpsest.cli.progress import bar


def test_what_is_written_of_a_download_has_a_bar_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(as_json=False, objects=False) as tell:
        assert tell is not None
        for done, total in ((0, 0), (40_000_000, 93_000_000), (93_000_000, 93_000_000), (143_000_000, 143_000_000)):
            tell(done, total)
    getting, writing = (line for line in capsys.readouterr().err.splitlines() if "MB" in line)
    assert ("getting" in getting, "93.0/93.0 MB" in getting) == (True, True)
    assert ("writing" in writing, "143.0/143.0 MB" in writing) == (True, True)
