"""Paragraphs of prose.

In: a text.  Out: a part of it.  Knows no markup.
"""

LONGEST = 600


def first_paragraph(text: str) -> str:
    """The lines up to the first empty one, each without white space around it, as far as `LONGEST` characters go."""
    found, n_characters = list[str](), 0
    for line in text.strip().splitlines():
        n_characters += len(line.strip()) + 1
        if not line.strip() or n_characters > LONGEST:
            break
        found.append(line.strip())
    return "\n".join(found)
