"""Pure: grammar rules for operations on definitions.

In: a block shown.  Out: GBNF rules.  Does not know about documents or engines.
"""

from palimpsest.edits.formats.elements import escaped
from palimpsest.edits.formats.lines import Unplaced, marks
from palimpsest.edits.formats.nodes import nodes_of
from palimpsest.edits.formats.renaming import renamed
from palimpsest.edits.gbnf import MAX_TEXT, literal
from palimpsest.edits.shown import ShownBlock
from palimpsest.text.markup import attribute

MAX_INSERTED = 60
MORE_LINES = 60
"""A definition may become this many lines longer than its block, and again this many after each mark of omitted code.
"""
MAX_NAME = 40

# A line here does not begin with any tag and contains none of our closing tags.
SHARED = rf"""
code ::= [ \t]* (code-head code-text)? "\n"
code-head ::= [^< \t\r\n] | "<" [^a-zA-Z/<\r\n] | "<" "<"+ [^</\r\n]
code-text ::= code-piece{{0,{MAX_TEXT}}} ("<"+ "/"?)?
code-piece ::= [^<\r\n] | "<"+ ([^</\r\n] | "/" [^<irs\r\n])
word ::= [a-zA-Z_] [a-zA-Z0-9_]{{0,{MAX_NAME}}}
inserted-before ::= code{{1,{MAX_INSERTED}}} "</insert-before>\n"
inserted-after ::= code{{1,{MAX_INSERTED}}} "</insert-after>\n"
""".strip()


def node_rules(rule: str, block: ShownBlock) -> list[str]:
    """What each kind of operation may name and contain."""
    nodes, some = nodes_of(block), f"{rule}-some"
    left_out = marks(block)
    may: dict[str, list[str]] = {kind: [] for kind in ("replace", "insert-before", "insert-after", "delete", "rename")}
    rules = [f"{some} ::= code{{0,{len(block.lines) + MORE_LINES}}}"]
    for n, node in enumerate(nodes.found):
        address = attribute(node.address)
        inside = [i for i in sorted(left_out) if node.start <= i < node.end]
        may["replace"].append(f"{literal(f'{address}>' + chr(10))} {rule}-in-{n}")
        rules.append(_content(f"{rule}-in-{n}", some, block, inside))
        if node is nodes.whole:
            continue
        if _has_place(block, node.start):
            may["insert-before"].append(f"{literal(f'{address}>' + chr(10))} inserted-before")
        if _has_place(block, node.end):
            may["insert-after"].append(f"{literal(f'{address}>' + chr(10))} inserted-after")
        if not inside:
            may["delete"].append(literal(f"{address}/>\n"))
        try:
            renamed(block, nodes, node, "name")
        except Unplaced:
            continue
        may["rename"].append(f"{literal(f'{address} to=' + chr(34))} word {literal(chr(34) + '/>' + chr(10))}")
    kinds = [f"{literal(f'<{kind} node=')} ({' | '.join(found)})" for kind, found in may.items() if found]
    return [f"{rule} ::= " + " | ".join(kinds), *rules]


def _content(name: str, some: str, block: ShownBlock, left_out: list[int]) -> str:
    """Lines, with the marks of omitted code between them, in order."""
    parts = [some]
    for i in left_out:
        parts += [literal(escaped(block.lines[i].text, block) + "\n"), some]
    return f"{name} ::= {' '.join(parts)} " + r'"</replace>\n"'


def _has_place(block: ShownBlock, index: int) -> bool:
    """Whether an insertion there is next to a line of the document."""
    return any(line.document_line is not None for line in block.lines[max(0, index - 1) : index + 1])
