"""Ruby."""

from palimpsest.languages.ruby.language import Ruby
from palimpsest.languages.ruby.modules import RubyModules

LANGUAGE = Ruby()
MODULES = RubyModules
