"""Inline completions.

`completions.py` answers an editor: from what is on screen (`ghost.py`), from earlier answers (`results.py`), or by a
request (`requests.py`).  `query.py` makes of the answer what is shown: cut (`inline.py`), fitted to the code around it
(`fitting.py`, `repairs.py`, `indentation.py`) and to names that exist (`names.py`).  To who types it is shown as far as
it is sure (`sureness.py`), and what is worth it (`quiet.py`).
"""
