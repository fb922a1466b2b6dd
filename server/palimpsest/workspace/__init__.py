"""The workspace's files, as far as a model may see them."""
