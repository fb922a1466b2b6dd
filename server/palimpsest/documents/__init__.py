"""The workspace's documents: their headings, and what `[[links]]` in them, in code and in conversations mean."""
