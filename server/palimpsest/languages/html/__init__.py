"""HTML: its table.  Templates write what is no HTML yet, so that its errors say nothing."""

from palimpsest.languages.html.language import Html

LANGUAGE = Html()
