"""PHP."""

from palimpsest.languages.php.language import Php
from palimpsest.languages.php.modules import PhpModules

LANGUAGE = Php()
MODULES = PhpModules
