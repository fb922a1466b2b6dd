"""What follows from an edit: what it amounts to, and the places that should follow.

In: parses of a document before and after, parses of the workspace's files.  Out: changes and places, as data.
Pure: reads no file, knows no editor and no model.  Everything is found in syntax trees; what a tree cannot tell is left
alone, and a value that has to be chosen is left open (`Place.hole`).
"""
