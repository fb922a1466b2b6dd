"""Which documents turns refer to, what those are about, and how they are used across conversations."""
