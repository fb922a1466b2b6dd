"""Kotlin: its table.  `words.txt` lists what the language defines; packages are found as Java's are."""

from palimpsest.languages.kotlin.language import Kotlin

LANGUAGE = Kotlin()
