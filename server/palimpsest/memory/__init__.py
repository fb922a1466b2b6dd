"""What conversations keep: one SQLite database for each workspace, in the platform's state folder.

In: turns, replies, tool output, what a person or a model asks to be kept.  Out: the same, after any crash.  Every
kind of thing has one owner, in a folder of its own; `owners/memory.py` has them by name.  Knows no engine, no LSP and
no person.
"""
