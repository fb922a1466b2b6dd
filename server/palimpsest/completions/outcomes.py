"""Whether what was shown came true, and how probable a completion is for that.

In: completions shown unasked, the changes of documents, the answers' model.  Out: the calibration that goes with a
request.  Owner of what is on screen and of which nobody knows yet whether it will be typed.

A completion has come true where all of it stands in the document in the end, typed or accepted, and has not where
something else was typed in its place, or the next change takes of it again; of any other end (the cursor left, text
elsewhere was changed) nothing is known.
Only counts are kept, by model and probability, in the statistics' file, with the setting `completion.calibrate`.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.calibration import AS_SAID, Calibration, Counts, bin_of, fitted, middle
from palimpsest.completions.inline import agrees
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.window.events import DocumentChanged
from palimpsest.window.services import Services

SHIPPED: Mapping[str, Calibration] = {
    "Palimpsest SmolLM2 135M": Calibration(0.54, 0.59),
    "palimpsest-embedded": Calibration(0.61, 0.34),
}
"""Calibrations by model, as `python -m bench typing` measured them (docs/measurements.md, "Typing")."""
NONE = 0.0, 0.0
CLOSING = ")]}>\"'`"
"""What editors put behind what opens it."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """`sure`: as the shipped calibration says."""

    uri: str
    before: str
    after: str
    text: str
    model: str
    sure: float

    def is_cut(self, text: str) -> bool:
        """Whether of the document with it something was taken, up to its end: an import may be added above."""
        end = len(text) - len(self.after)
        return text.endswith(self.after) and end < len(self.before) + len(self.text)


class Outcomes:
    """Counts, for each model, how often what is shown comes true."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shown: _Shown | None = None
        self._stands: _Shown | None = None
        """What has just come true."""
        self._earlier: dict[str, Counts] = {}
        """By model: what the file has, nothing while it is being read."""
        self._counts: dict[str, dict[str, tuple[float, float]]] = {}
        self._fitted: dict[str, Calibration] = {}

    @property
    def _is_on(self) -> bool:
        return self._services.settings.completion.calibrate and self._services.statistics.enabled

    @property
    def _model(self) -> str:
        model = self._services.supervisor.status.model
        return model.name if model is not None else ""

    @property
    def calibration(self) -> Calibration:
        """Of the model that answers now."""
        info, model = self._services.supervisor.status.model, self._model
        tried = (info.calibration if info is not None else None) or AS_SAID
        return SHIPPED.get(model, tried).then(self._learned(model) if model and self._is_on else AS_SAID)

    def _learned(self, model: str) -> Calibration:
        if model not in self._earlier:
            self._earlier[model] = {}
            threading.Thread(target=self._load, args=(model,), name="calibration", daemon=True).start()
        if model not in self._fitted:
            self._fitted[model] = fitted(self._all(model))
        return self._fitted[model]

    def _load(self, model: str) -> None:
        """From a thread: the file may be another window's for the moment."""
        self._earlier[model] = self._services.statistics.learned(place_of(model))
        self._fitted.pop(model, None)

    def _all(self, model: str) -> Counts:
        earlier, own = self._earlier.get(model, {}), self._counts.get(model, {})
        both = ((bin, earlier.get(bin, NONE), own.get(bin, NONE)) for bin in {*earlier, *own})
        return {bin: (a[0] + b[0], a[1] + b[1]) for bin, a, b in both}

    def report(self) -> list[dict[str, float]]:
        """Of the model that answers now: how probable texts were said to be, how many were shown, how many of these
        came true."""
        rows = sorted((int(bin), n, right) for bin, (n, right) in self._all(self._model).items())
        return [{"said": middle(bin), "shown": n, "right": right} for bin, n, right in rows]

    def watch(self, snapshot: Snapshot, position: Position, text: str, sure: float | None) -> None:
        """Unasked; "" where nothing is on screen any more."""
        self._shown = None
        if text and sure is not None and self._is_on:
            offset, model = snapshot.offset(position), self._model
            shipped = self._learned(model).undone(sure)
            self._shown = _Shown(snapshot.uri, snapshot.text[:offset], snapshot.text[offset:], text, model, shipped)

    def document_changed(self, event: DocumentChanged) -> None:
        watched, text = self._shown, event.new.text
        stood, self._stands = self._stands, None
        if stood is not None and stood.uri == event.new.uri and stood.is_cut(text):
            self._learn(stood, 0.0, -1.0)
        if watched is None or watched.uri != event.new.uri:
            return
        n_typed = len(text) - len(watched.before) - len(watched.after)
        if n_typed < 0 or not (text.startswith(watched.before) and text.endswith(watched.after)):
            self._shown = None  # something else was changed
            return
        typed = text[len(watched.before) : len(watched.before) + n_typed]
        if typed.startswith(watched.text):
            self._shown, self._stands = None, watched
            self._learn(watched, 1.0, 1.0)
        elif agrees(watched.text, typed) is None and not agrees(watched.text, typed.rstrip(CLOSING)):
            self._shown = None
            self._learn(watched, 1.0, 0.0)

    def _learn(self, completion: _Shown, n: float, right: float) -> None:
        bin, counts = bin_of(completion.sure), self._counts.setdefault(completion.model, {})
        before = counts.get(bin, NONE)
        counts[bin] = before[0] + n, before[1] + right
        self._fitted.pop(completion.model, None)
        self._services.statistics.learn(place_of(completion.model), {bin: (n, right)})

    def forget(self) -> None:
        """What was counted of every model.  Waits for the file."""
        self._stands = None
        for model in {*self._earlier, *self._counts}:
            self._earlier[model] = {}
            self._counts.pop(model, None)
            self._services.statistics.forget_learned(place_of(model))
        self._fitted.clear()


def place_of(model: str) -> str:
    """Where the statistics keep what was counted of a model."""
    return f"model {model}"
