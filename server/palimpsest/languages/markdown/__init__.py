"""Markdown: its table."""

from palimpsest.languages.markdown.language import Markdown

LANGUAGE = Markdown()
