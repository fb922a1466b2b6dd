"""The example in the README and in docs/conversations.md is what comes."""

import re
from pathlib import Path

from tests.documents import README, ROOT, text

from .conftest import until
from .talking import do, said, talking


def shape(page: str) -> str:
    """Without the numbers, which change with every word of the system prompt."""
    return re.sub(r"[█░]+|[\d,]+|[ ]+", " ", page)


async def test_the_example_of_links_usage_and_budgets_is_what_comes(machine: dict[str, str], shop: Path) -> None:
    (shop / "prices.md").write_text("# Prices\n\nWhat things cost.\n\n## Rounding\n\nTo the cent.\n", encoding="utf-8")
    async with talking(shop, {"conversation": {"tools": "none"}}) as (editor, model):
        model.replies = ["Prices are rounded to the cent; there is no document about taxes."]
        asked = "How are totals rounded, by [[prices#Rounding]] and [[taxes]]?"
        uri = editor.open("how.palimpsest.md", f"## user\n\n{asked}\n")
        sent = await do(editor, "conversation.send", uri=uri)
        await until(lambda: "to the cent;" in editor.texts[uri])
        usage = (await do(editor, "virtual.read", uri=f"palimpsest:/usage/{sent['conversation']}"))["text"]
    page = text(ROOT / "docs/conversations.md")
    turn, told, bars = re.findall(r"\n```(?:markdown|text)\n(.*?)\n```", page[page.index("An example:") :], re.DOTALL)[
        :3
    ]
    assert turn in editor.texts[uri]
    assert f"{asked}\n\n{told}" == said(model)[0][1]
    assert shape(bars) in shape(usage)
    assert turn.replace("<!-- calls and documents -->\n\n", "") in text(README)
