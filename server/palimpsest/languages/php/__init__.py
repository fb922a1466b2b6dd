"""PHP."""

from palimpsest.languages.php.language import Php

LANGUAGE = Php()
