"""Context: what a model should know about the code at the cursor.

`editing.py` makes the editing block, `sources/` yield candidates, `gather.py` collects them, `external_blocks.py`
holds what comes from outside, `selection.py` chooses under a budget.  Pure but for the sources, which read files
through `workspace_files.py` and, for installed packages, through the environment's own folders.
"""
