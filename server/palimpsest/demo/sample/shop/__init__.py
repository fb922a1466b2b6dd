"""A small shop: the workspace that the demonstration edits."""
