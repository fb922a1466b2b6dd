"""JavaScript, JSX too: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.javascript.language import JavaScript

LANGUAGE = JavaScript()
