"""Rust: its table.  Other modules here handle what queries cannot."""

from palimpsest.languages.rust.language import Rust

LANGUAGE = Rust()
