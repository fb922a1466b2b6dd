"""Tries a model in a process of its own, which may die of it: `python -m palimpsest.engine.checking.process`.

In: on stdin, a `TrialRequest` as JSON.  Out: the `ModelTrial` so far, a line of JSON each time it has grown; behind an
error a line {"error": {"code", "message", "hint"}} and status 1.
"""

import json
import os
import signal
import sys

from palimpsest.engine.checking.measure import measure
from palimpsest.errors import PalimpsestError
from palimpsest.json_data import from_json, to_json
from palimpsest.models.trials import ModelTrial, TrialRequest
from palimpsest.system.processes import end_with


def main() -> int:
    end_with(os.getppid(), signal.SIGTERM)  # between two answers it would not notice
    try:
        measure(from_json(json.load(sys.stdin), TrialRequest), _tell)
    except BrokenPipeError:  # nobody reads it any more
        os._exit(1)
    except PalimpsestError as error:
        _say({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        return 1
    return 0


def _tell(trial: ModelTrial) -> None:
    _say(to_json(trial))


def _say(data: object) -> None:
    print(json.dumps(data), flush=True)


if __name__ == "__main__":
    sys.exit(main())
