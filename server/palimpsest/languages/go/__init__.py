"""Go: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.go.language import Go

LANGUAGE = Go()
