"""A whole conversation as one file."""
