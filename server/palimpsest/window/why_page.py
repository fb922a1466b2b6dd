"""Pure: what became of a name, as a page: in a sentence, where it is defined, which blocks have it, what came before a
block that has no room, and what each source says of it.

In: what `palimpsest.context.why` answers.  Out: a page, with a link for each block.
"""

from collections.abc import Mapping
from typing import Any

from palimpsest.window.context_page import STATES
from palimpsest.window.page import Page

OUTCOMES = {
    "no room": "left out: no room",
    "off": "left out: its source is off",
    "same name": "left out: there is a better block of its name",
    "same lines": "left out: there is a better block of its lines",
}
ORIGINS = {
    "workspace": "which is in the workspace",
    "library": "a library's",
    "nowhere": "which leads to no file that a model may see",
}


def page(why: Mapping[str, Any]) -> Page:
    made = Page(f"Why: {why['name']}")
    editing = why["editing"]
    made.row((why["name"], "title"), (f"  for {editing['type']} {editing['name']}, {editing['file']}", "dim"))
    made.row(why["summary"])
    made.row()
    _defined(made, why)
    made.row()
    _blocks(made, why)
    outcomes = {it["outcome"] for it in why["blocks"] if it["declares"]}
    if "no room" in outcomes and "chosen" not in outcomes:
        made.row()
        _order(made, why)
    made.row()
    made.row(("Sources", "title"))
    telling = [it for it in why["sources"] if it["blocks"] or it["why_not"] or not it["on"]]
    for source in telling:
        _source(made, source)
    others = ", ".join(it["source"] for it in why["sources"] if it not in telling)
    made.row((f"  no block, whatever the name: {others}" if others else "", "dim"))
    return made


def _defined(made: Page, why: Mapping[str, Any]) -> None:
    n, places = why["n_definitions"], why["definitions"]
    still = "" if why["complete"] else "  so far: the index is not complete"
    made.row((f"Defined in the workspace ({n})", "title"), (still, "busy"))
    for it in places:
        test = ("  a test's", "dim") if it["test"] else ""
        made.row(f"  {it['file']}:{it['line'] + 1}", (f"  {it['kind']} {it['name']}", "dim"), test)
    if n > len(places):
        made.row((f"  and {n - len(places)} more", "dim"))
    if why["own_line"] is not None:
        made.row(f"  in line {why['own_line'] + 1} of this file")
    for it in why["imports"]:
        made.row(f"  imported in line {it['line'] + 1}: {it['module']}", (f", {ORIGINS[it['origin']]}", "dim"))
    uses = ["by itself" if it == "" else "behind a value" if it is None else f"behind {it}" for it in why["uses"]]
    made.row((f"  used {', '.join(uses)}" if uses else "  not used at the cursor", "dim"))


def _blocks(made: Page, why: Mapping[str, Any]) -> None:
    made.row((f"Blocks that have it ({why['n_blocks']})", "title"))
    for it in why["blocks"]:
        block = it["block"]
        kind, instead = block["type"], it["instead"]
        made.links[len(made.lines)] = block
        made.row(
            (f"{STATES[block['state']]} ", kind),
            (f"{kind:<14}", kind),
            f" {block['name']}",
            (f"  {block['tokens']} tokens, from {it['source']}", "dim"),
            ("" if it["declares"] else "  only mentions it", "dim"),
            (f"  {OUTCOMES[it['outcome']]}" if it["outcome"] in OUTCOMES else "", "busy"),
            (f": {instead['type']} {instead['name']}" if instead else "", "dim"),
        )
        made.row((f"    {it['text']}", "dim"))
    if why["n_blocks"] > len(why["blocks"]):
        made.row((f"  and {why['n_blocks'] - len(why['blocks'])} more", "dim"))
    made.row(("● in the cache  ◐ stored  ○ wanted  ✗ left out", "dim"))


def _order(made: Page, why: Mapping[str, Any]) -> None:
    """The blocks in the order of the choice, up to the first that has the name and no room."""
    last = min(it["place"] for it in why["blocks"] if it["declares"] and it["outcome"] == "no room")
    made.row(("What came before", "title"), (f"  {why['tokens']} of {why['budget']} tokens are taken", "dim"))
    for place, it in enumerate(why["order"][:last], 1):
        made.row(
            f"{place:>3} ",
            ("● " if it["chosen"] else "✗ ", it["type"]),
            (f"{it['type']:<14}", it["type"]),
            f" {it['name']}",
            (f"  {it['tokens']} tokens, worth {it['value']}", "dim"),
        )


def _source(made: Page, source: Mapping[str, Any]) -> None:
    n, having = source["blocks"], source["having"]
    blocks = f"{n} block{'' if n == 1 else 's'}, {having or 'none'} with the name" if n else "no block"
    made.row(
        f"  {source['source']:<14}",
        ("" if source["on"] else f"off (context.sources is without `{source['setting']}`)  ", "busy"),
        (blocks, "used" if having else "dim"),
        (f": {source['why_not']}" if source["why_not"] else "", "dim"),
    )
