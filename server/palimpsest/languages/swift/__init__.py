"""Swift."""

from palimpsest.languages.swift.language import Swift
from palimpsest.languages.swift.modules import SwiftModules

LANGUAGE = Swift()
MODULES = SwiftModules
