"""Propagation: from an edit to the other places that have to change with it.

In: parses of a document before and after an edit, parses of the workspace's files.  Out: changes (what the edit
amounts to) and sites (where something follows), as data.  Pure: reads no file, knows no editor and no model.
Everything is found in syntax trees.  What a tree cannot tell is left alone; a value that somebody has to choose is left
open (`Site.hole`).
"""
