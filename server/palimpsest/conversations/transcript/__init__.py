"""A conversation as the Markdown document that a person reads and writes."""
