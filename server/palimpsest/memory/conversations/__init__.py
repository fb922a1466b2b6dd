"""Conversations and their turns."""
