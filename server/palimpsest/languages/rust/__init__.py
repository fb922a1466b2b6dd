"""Rust: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.rust.language import Rust
from palimpsest.languages.rust.modules import RustModules

LANGUAGE = Rust()
MODULES = RustModules
