"""Prints the default parameters of a libllama beside the layout that they fit, or the newest, to add a new llama.cpp.

    .venv/bin/python scripts/llama_layout.py LIBRARY

A field whose bytes are not its default is marked: from the first of them on, llama.h has got another field.  Compare
with llama.h's `struct llama_model_params` and `struct llama_context_params`, and add a layout to
`server/palimpsest/engine/llama/layouts.py`.
"""

from __future__ import annotations

import ctypes
import sys

from palimpsest.engine.llama.binding import defaults, fits, opened
from palimpsest.engine.llama.layouts import LAYOUTS, structure
from palimpsest.errors import EngineUnavailable
from palimpsest.libraries.locate import located


def main(path: str) -> None:
    native = opened(located(path).file.absolute())
    if hasattr(native, "llama_version"):
        native.llama_version.restype = ctypes.c_char_p
        print(f"llama.cpp {native.llama_version().decode()}")
    model, context = defaults(native, "llama_model"), defaults(native, "llama_context")
    fitting = next((it for it in LAYOUTS if fits(model, it.model) and fits(context, it.context)), None)
    beside = fitting or LAYOUTS[-1]
    print(f"{'fits' if fitting else 'fits none; beside'} the layout of {', '.join(beside.versions)}")
    for name, raw, fields in (("llama_model", model, beside.model), ("llama_context", context, beside.context)):
        layout = structure("params", fields)
        found = layout.from_buffer_copy(raw)
        print(f"\nstruct {name}_params")
        for field, _, default in fields:
            place, value = getattr(layout, field), getattr(found, field)
            shown = raw[place.offset : place.offset + place.size].hex(" ")
            mark = "" if (value or None) == (default or None) else f"   expected {default}"
            print(f"  {place.offset:4} {shown:24} {field} {value}{mark}")
        end = ctypes.sizeof(layout)
        print(f"  {end:4} {raw[end : end + 32].hex(' ')}  (behind it)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except EngineUnavailable as error:
        sys.exit(str(error))
