"""Compaction: what stands for the turns that a model does not see any more."""
