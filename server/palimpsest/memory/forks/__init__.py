"""Forks: conversations that go on from another's, and answer to it."""
