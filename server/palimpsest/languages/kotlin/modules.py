"""Modules of Kotlin: Java's."""

from palimpsest.languages.java.modules import JvmModules

MODULES = JvmModules
