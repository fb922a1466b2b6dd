"""Places that should follow an edit.

`bursts.py` collects what was typed, `changes.py` and `detect.py` say what it amounts to, `sites.py` and `targets.py`
which places follow, `other_files.py` which imports lead where; `repeats.py` and `repeating.py` find where a change can
be made again, `missing_imports.py` what new names need; `finder.py` caches that, `model.py` asks the model where
no tree tells, `offered.py` keeps what was offered.

A model made for next edits is asked by `writer.py`: `events.py` has what was changed, `held_window.py` which lines it
rewrites, and `formats/` how it is asked.
"""
