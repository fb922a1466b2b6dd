"""Conversations with the model: asked, answered, kept."""
