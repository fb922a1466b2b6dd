"""Has a model tried in a process of its own, which may die of it.

In: a model file, settings, places.  Out: a `ModelTrial`, in parts as it grows.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import ModelError
from palimpsest.json_data import from_json, to_json
from palimpsest.models import default_model, files, profiles
from palimpsest.models.trials import ModelTrial, TrialPlace, TrialRequest
from palimpsest.prompt.blocks import FOOTER, HEADER
from palimpsest.system import folders
from palimpsest.system.machine import free_memory

PROCESS = "palimpsest.engine.checking.process"
LOG = "model-check.log"
MOST_TIMES, MOST_MORE_S = 10, 600
"""A trial should take some twice as long as it is given; one that hangs must not keep others waiting."""
MEMORY = 2.0
"""Free memory for each byte of a file, so that it is loaded a second time beside an editor's engine."""


def tried(
    path: Path,
    settings: EngineSettings,
    places: Sequence[TrialPlace],
    seconds: float,
    told: Callable[[ModelTrial], None] = lambda trial: None,
    most_s: float | None = None,
) -> ModelTrial:
    """The process is ended after `most_s`, by default long after it should be done: what it had told by then counts.
    Raises ModelError where the model cannot be loaded, or the process ends before anything is known of the model."""
    request = TrialRequest(str(path), asdict(settings), list(places), seconds, HEADER, FOOTER)
    command = [sys.executable, "-P", "-m", PROCESS]
    trial: ModelTrial | None = None
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        writer = threading.Thread(target=_give, args=(child, json.dumps(to_json(request))), daemon=True)
        writer.start()
        timer = threading.Timer(MOST_TIMES * seconds + MOST_MORE_S if most_s is None else most_s, child.kill)
        timer.start()
        try:
            for line in child.stdout:
                data = json.loads(line)
                if "error" in data:
                    raise ModelError(data["error"]["message"], hint=data["error"]["hint"])
                trial = from_json(data, ModelTrial)
                told(trial)
        except BaseException:  # also Ctrl-C
            child.kill()
            raise
        finally:
            timer.cancel()
    if child.returncode != 0 and (trial is None or not trial.tokens):
        raise ModelError(f"{path.name} ended the process that tried it (status {child.returncode}).")
    assert trial is not None
    return trial


def begin(path: Path, folder: Path | None = None) -> bool:
    """Have a model that was just chosen tried in the background, on the code in a folder, by default this one; whether
    that was begun.  It was not for our own models, where something is known of it already, or where memory is too short
    for it to be loaded beside another one.  What is said goes to a log."""
    if path in (files.embedded(), default_model.path()):  # made for this cache, and measured
        return False
    try:
        if profiles.of_file(path) is not None or free_memory() < MEMORY * path.stat().st_size:
            return False
        command = [sys.executable, "-P", "-m", "palimpsest", "model", "check", "--politely", str(path)]
        log = os.open(folders.logs() / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True
            )
        finally:
            os.close(log)
    except OSError:
        return False
    return True


def _give(child: subprocess.Popen[str], text: str) -> None:
    """From a thread: a process that dies first reads nothing."""
    assert child.stdin is not None
    try:
        child.stdin.write(text)
        child.stdin.close()
    except OSError:
        pass
