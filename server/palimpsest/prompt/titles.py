"""What edits are called that mend a fault: the titles that the default model was trained to write in `<summary>`.

Out: texts, with `{}` for a name; what tells those of a model that writes them elsewhere.  Pure.
"""

MISSPELT = "Fix the misspelt name `{}`."
LACKS_LINE_OF = "Add the missing line that sets `{}`."
LACKS_LINE = "Add the missing line."
LACKS_RETURN = "Add the missing return."
LACKS_PARAMETER = "Add the missing parameter `{}`."
LACKS_COLON = "Add the missing colon."
LACKS_SEMICOLON = "Add the missing semicolon."
LACKS_BRACKET = "Close the bracket."
SWAPPED = "Put the arguments of `{}` in order."
TWICE = "Remove the repeated line."

HEADS = tuple(
    title.partition("`{}`")[0].rstrip(" .")
    for title in (
        MISSPELT, LACKS_LINE_OF, LACKS_LINE, LACKS_RETURN, LACKS_PARAMETER, LACKS_COLON, LACKS_SEMICOLON,
        LACKS_BRACKET, SWAPPED, TWICE,
    )
)  # fmt: skip
"""Their words up to the name."""
