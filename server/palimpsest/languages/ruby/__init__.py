"""Ruby."""

from palimpsest.languages.ruby.language import Ruby

LANGUAGE = Ruby()
