"""Go: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.go.language import Go
from palimpsest.languages.go.modules import GoModules

LANGUAGE = Go()
MODULES = GoModules
