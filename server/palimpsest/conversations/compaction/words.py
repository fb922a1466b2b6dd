"""A summary for a person to read.

In: a summary.  Out: Markdown.  Pure.
"""

from collections.abc import Mapping

from palimpsest.conversations.compaction.compactions import Summary, WrittenBy

WRITERS: Mapping[WrittenBy, str] = {"model": "the model", "mechanical": "rules", "person": "you"}


def in_words(summary: Summary) -> str:
    """What the model reads from now on, for a person."""
    paragraphs = [
        f"**{label}:** {text}"
        for label, text in (
            ("Goal", summary.goal),
            ("Asked last", summary.instruction),
            ("Now", summary.current_status),
            ("Next", summary.likely_next_work),
        )
        if text.strip()
    ]
    for label, rows in (
        ("Found out", summary.discoveries),
        ("Done", summary.completed),
        ("Files", summary.relevant_files_directories),
    ):
        if rows:
            paragraphs.append("\n".join((f"**{label}:**\n", *(f"- {row}" for row in rows))))
    return "\n\n".join(paragraphs)
