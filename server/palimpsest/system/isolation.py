"""What a folder could put before our own modules and programs is taken out of this process, and of those it starts.

In: variables of the environment.  Out: `sys.path` and `os.environ` without them.  Asked before anything else is
imported, so it imports only what Python has loaded by then.  (What Python itself does before, as running the
`sitecustomize.py` of a folder in `PYTHONPATH`, nobody here can prevent: who starts us can.)
"""

import os
import site
import sys

SEARCHED = (
    "PATH",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "DYLD_INSERT_LIBRARIES",
)
"""Where programs and libraries are looked for.  An empty entry of theirs is the current folder."""
_PYTHONS = ("PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR")
"""Where Python looks for code, besides `PYTHONPATH`."""
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def isolate() -> None:
    """Of what says where Python finds code, only what it would not find us without is left; of the rest, absolute
    folders."""
    environment = os.environ
    try:
        here = os.getcwd()
    except OSError:  # it is gone
        here = os.sep
    listed = environment.pop("PYTHONPATH", "").split(os.pathsep)
    given = {os.path.normpath(os.path.join(here, entry)) for entry in (*listed, "")}
    pythons = [os.path.dirname(os.path.abspath(os.__file__)), _OURS, *site.getsitepackages()]
    sys.path[:] = [path for path in sys.path if path not in given or any(_is_in(path, own) for own in pythons)]
    if any(os.path.isabs(entry) and os.path.realpath(entry) == os.path.realpath(_OURS) for entry in listed):
        environment["PYTHONPATH"] = _OURS
    for name in _PYTHONS:
        if name in environment and not _is_in(_OURS, environment[name]):
            del environment[name]
    sys.pycache_prefix = None
    for name in SEARCHED:
        if name in environment:
            environment[name] = absolute_only(environment[name])


def absolute_only(search_path: str) -> str:
    return os.pathsep.join(folder for folder in search_path.split(os.pathsep) if os.path.isabs(folder))


def _is_in(path: str, folder: str) -> bool:
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path == folder or path.startswith(os.path.join(folder, ""))
