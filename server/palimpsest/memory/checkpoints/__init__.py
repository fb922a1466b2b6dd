"""Checkpoints: states of a whole conversation that can be gone back to."""
