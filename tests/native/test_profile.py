"""A model that is loaded with what was found out about it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from palimpsest.calibration import Calibration
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError
from palimpsest.models.profiles import Profile
from tests.models import written
from tests.native.conftest import CLOSE
from tests.native.helpers import fim


@contextmanager
def loaded(tmp_path: Path, kind: str = "fim", **found: object) -> Iterator[NativeEngine]:
    settings = EngineSettings(**{**CLOSE, "n_threads": 0, "flash_attention": "auto"})
    profile = Profile("a", "2026-11-30", [], **found)  # type: ignore[arg-type]
    with closing(NativeEngine(written(kind, tmp_path), settings, profile=profile)) as engine:
        yield engine


def test_what_settings_leave_open_is_as_the_profile_says(tmp_path: Path) -> None:
    calibration = Calibration(0.5, 0.25)
    with loaded(tmp_path, n_threads=2, flash_attention="off", layout="psm", calibration=calibration) as engine:
        info = engine.loaded.info()
    assert (info.settings["n_threads"], info.settings["flash_attention"]) == (2, "off")
    assert (info.fim_layout, info.calibration, info.in_place) == ("psm", calibration, True)


def test_a_cache_may_be_decoded_whole_and_says_why(tmp_path: Path) -> None:
    with loaded(tmp_path, mode="whole-prompt") as engine:
        assert not engine.in_place
        assert "model check" in engine.loaded.info().why_not


def test_a_model_that_does_not_fill_in_is_not_asked_to(tmp_path: Path) -> None:
    with loaded(tmp_path, layout="none") as engine:
        assert engine.loaded.info().fim_layout == ""
        assert engine.loaded.info().fim_layouts == []
        with pytest.raises(ModelError, match="cannot complete in the middle"):
            engine.generator.composer.compose(fim("a"), 512)


def test_a_layout_that_the_model_has_no_tokens_for_changes_nothing(tmp_path: Path) -> None:
    with loaded(tmp_path, "plain", layout="psm") as engine:
        assert engine.loaded.info().fim_layout == ""
