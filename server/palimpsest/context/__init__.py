"""Context: what a model should know about the code at the cursor.

`view.py` is the cursor as sources see it.  `editing/` makes the editing block, `sources/` find candidates for the other
blocks, `external_blocks.py` holds those from outside, `choice/` chooses under a budget by the table in `values.py`.
Only sources read files, and the workspace's through `workspace/files.py` alone.
"""
