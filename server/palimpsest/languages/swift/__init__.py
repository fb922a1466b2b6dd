"""Swift."""

from palimpsest.languages.swift.language import Swift

LANGUAGE = Swift()
