"""The tables, as the steps of `schema.sql`."""

import re
from importlib.resources import files

_HEAD = re.compile(r"^-- Step \d+\n", re.MULTILINE)

STEPS = tuple(_HEAD.split((files("palimpsest.conversations.store") / "schema.sql").read_text("utf-8"))[1:])
"""Each is cut into statements at a `;` that ends a line."""
