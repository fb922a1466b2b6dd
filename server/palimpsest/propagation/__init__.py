"""Propagation: from an edit to the other places that have to change with it.

In: parses of a document before and after an edit, parses of the workspace's files.  Out: changes (what kind of edit it
is) and sites (places that should follow it), as data.  Pure: reads no files, does not know about editors or models.
Everything is found in syntax trees.  What a tree cannot tell is left alone; a value that must be chosen is left open
(`Site.hole`).
"""
