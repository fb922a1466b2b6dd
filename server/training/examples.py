"""Workspaces to learn from: a handful of blocks and a few tails that see them, all of it text.

In: modules of a package, an index of all of them, a random generator.  Out: `Workspace`s.
The text is what `palimpsest.prompt.blocks` writes.  Knows no token.

Cuts stand where the engine heals to: it takes the word at the cursor, with the one character that the
tokenizer joins to it (a space, a dot, an opening bracket), out of the prompt and constrains the answer to
begin with it.  So a middle begins with ` name`, `.name`, `(name`, or with what no letter precedes.
"""

from __future__ import annotations

import ast
import hashlib
import keyword
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from palimpsest.prompt import blocks as rendering
from palimpsest.types import Block, Editing
from training import outline
from training.corpus import Module
from training.damage import damage, reply_text

Layout = Literal["spm", "isolated", "psm", "repair"]
PIECE = re.compile(r"[^\w\n]?\w+|[^\w\s]+")
SHARES: dict[Layout, float] = {"spm": 0.55, "isolated": 0.08, "psm": 0.12, "repair": 0.25}
TAIL_CHARACTERS = 850
N_TAILS = 3


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows the footer.  For `repair`, prefix is the numbered block, middle the reply, suffix empty.

    `kind` says how the middle was chosen, or how the function was broken.
    """

    layout: Layout
    prefix: str
    suffix: str
    middle: str
    kind: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """Rendered context blocks and the tails that see all of them; `package` for telling held-out ones."""

    package: str
    blocks: tuple[str, ...]
    tails: tuple[Tail, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """What the corpus exports, by module, and the modules of each folder."""

    exports: dict[str, dict[str, str]]
    folders: dict[str, list[str]]
    words: tuple[str, ...]


def digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def parse(source: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None


def make_index(modules: Sequence[Module]) -> Index:
    exports: dict[str, dict[str, str]] = {}
    folders: dict[str, list[str]] = defaultdict(list)
    words: set[str] = set()
    for module in modules:
        folders[module.path.rsplit("/", 1)[0]].append(module.path)
        if tree := parse(module.source):
            exports[module.name] = outline.exports(tree)
            for name in exports[module.name]:
                words.update(w.lower() for w in re.findall(r"[A-Z]?[a-z]{3,9}", name))
    return Index(exports, dict(folders), tuple(sorted(words - set(keyword.kwlist))))


def short_docstrings(source: str, tree: ast.Module) -> str:
    """Long docstrings cut to their first line: prose is not what this model has the tokens for."""
    lines = source.split("\n")
    docs = []
    for node in ast.walk(tree):
        if isinstance(node, outline.Function | ast.ClassDef) and (doc := ast.get_docstring(node)):
            first = node.body[0]
            if first.lineno > node.lineno and (first.end_lineno or 0) - first.lineno > 1:
                docs.append((first.lineno - 1, first.end_lineno or 0, first.col_offset, doc))
    for start, end, indent, doc in sorted(docs, reverse=True):
        text = doc.strip().split("\n")[0].replace("\\", "").replace('"', "'")
        lines[start:end] = [f'{" " * indent}"""{text}"""']
    return "\n".join(lines)


def fresh_name(name: str, words: Sequence[str], rng: Random) -> str:
    """Another name of the same cast: `add_item` to `merge_token`, `Cart` to `LedgerScope`, `RATE` to `SHARD`."""
    parts = rng.sample(words, min(len(words), rng.choice([1, 2, 2, 3]))) or ["fresh"]
    core = name.strip("_")
    lead = name[: len(name) - len(name.lstrip("_"))]
    if core.isupper():
        return lead + "_".join(parts).upper()
    if core[:1].isupper():
        return lead + "".join(part.capitalize() for part in parts)
    return lead + "_".join(parts)


def renaming(tree: ast.Module, words: Sequence[str], rng: Random) -> dict[str, str]:
    """Fresh names for a few that the module defines or imports, so that they can only be read in a block."""
    own = {n.name for n in ast.walk(tree) if isinstance(n, outline.Function | ast.ClassDef)}
    own |= {a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    names = sorted(n for n in own if len(n) > 3 and not n.startswith("__"))
    chosen = rng.sample(names, min(len(names), rng.randint(2, 6)))
    return {name: fresh_name(name, words, rng) for name in chosen}


def rename(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
    return pattern.sub(lambda match: names[match.group()], text)


def healing_cuts(line: str, start: int = 0) -> list[tuple[int, str]]:
    """(column, word) of every place in a line where a healed prefix may end."""
    return [(m.start(), m.group().strip().lstrip(".([{@=-")) for m in PIECE.finditer(line, start)]


def choose_cut(lines: Sequence[str], first: int, known: Collection[str], rng: Random) -> tuple[int, int] | None:
    """(line, column), likelier where the next word is defined in a block and was not written before."""
    places, weights = [], []
    for i in range(first, len(lines)):
        stripped = lines[i].strip()
        if not stripped or stripped.startswith("#") or (stripped.startswith('"') and rng.random() < 0.8):
            continue
        indent = len(lines[i]) - len(lines[i].lstrip())
        for column, word in healing_cuts(lines[i], max(indent - 1, 0)):
            places.append((i, column))
            weight = 1.0 if word[:1].isalpha() or word[:1] == "_" else 0.25
            weights.append(weight * (6 if word in known else 1) * (2 if column <= indent else 1))
    return rng.choices(places, weights)[0] if places else None


def end_of_middle(
    lines: Sequence[str], line: int, column: int, ends: dict[int, int], rng: Random
) -> tuple[int, int, str]:
    """(line, column, kind) where the middle ends.  `ends`: last line of the statement that begins on a line."""
    roll = rng.random()
    rest = lines[line][column:]
    if roll < 0.2:
        stops = [m.end() for m in re.finditer(r"\w+\)?|\)|\"", rest)][:-1]
        if stops:
            return line, column + rng.choice(stops), "part"
    if roll < 0.65 or line == len(lines) - 1:
        last = ends.get(line, line)
        last = last if last < line + 4 else line
        return last, len(lines[last]), "statement"
    last = min(len(lines) - 1, line + rng.randint(1, 4)) if roll < 0.88 else len(lines) - 1
    while last > line and not lines[last].strip():
        last -= 1
    return last, len(lines[last]), "lines" if roll < 0.88 else "body"


def fim_tail(layout: Layout, editing: Editing, lines: Sequence[str], end: tuple[int, int], kind: str) -> Tail:
    """The tail of an editing block whose text from the cursor to `end` is to be written."""
    prefix, rest = rendering.render_fim(editing)
    line, column = editing.cursor_line, editing.cursor_column
    last, stop = end
    middle = (
        lines[line][column:stop]
        if last == line
        else "\n".join([lines[line][column:], *lines[line + 1 : last], lines[last][:stop]])
    )
    middle = rendering.escape_closing(middle, "editing")
    assert rest.startswith(middle)
    return Tail(layout, prefix, rest[len(middle) :], middle, kind)


def function_tail(
    layout: Layout, module: Module, lines: Sequence[str], scope: outline.Scope, known: Collection[str], rng: Random
) -> Tail | None:
    """A completion inside a function, the function whole or cut around the cursor."""
    body_first = scope.node.body[0].lineno - 1
    length = sum(len(text) + 1 for text in lines[scope.first : scope.end])
    keep = range(scope.first, scope.end)
    if length > TAIL_CHARACTERS or (scope.end - body_first > 6 and rng.random() < 0.1):
        spot = rng.randrange(len(scope.node.body))
        keep = range(
            scope.node.body[max(0, spot - rng.randint(1, 3))].lineno - 1,
            scope.node.body[min(len(scope.node.body) - 1, spot + rng.randint(0, 2))].end_lineno or 0,
        )
    shown = (
        outline.cut_around(lines, scope, keep)
        if keep != range(scope.first, scope.end)
        else [(text, True) for text in lines[scope.first : scope.end]]
    )
    texts = [text for text, _ in shown]
    if sum(map(len, texts)) > TAIL_CHARACTERS * 1.2:
        return None
    dots = [i for i, (_, editable) in enumerate(shown) if not editable]
    low = min(dots[0] + 1 if dots and dots[0] < len(shown) - 1 else 1, len(texts) - 1)
    high = dots[-1] if dots and dots[-1] == len(shown) - 1 else len(shown)
    cut = choose_cut(texts[:high], low, known, rng)
    if cut is None:
        return None
    # Lines shown run parallel to the file from the first kept one on.
    ends = {}
    if not dots:
        for node in ast.walk(scope.node):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                ends[node.lineno - 1 - scope.first] = (node.end_lineno or node.lineno) - 1 - scope.first
    last, stop, kind = end_of_middle(texts[:high], *cut, ends, rng)
    editing = outline.editing("function", module, scope.name, shown, *cut)
    return fim_tail(layout, editing, texts, (last, stop), kind)


def skeleton_tail(
    layout: Layout, module: Module, tree: ast.Module, lines: Sequence[str], known: Collection[str], rng: Random
) -> Tail | None:
    """A completion in a class or a file shown without bodies."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and len(n.body) > 2]
    if classes and rng.random() < 0.7:
        node = rng.choice(classes)
        shown = outline.skeleton(lines, node.body, node.lineno - 1, node.end_lineno or node.lineno)
        kind, name = "class", node.name
    else:
        shown = outline.skeleton(lines, tree.body, 0, len(lines))
        kind, name = "file", module.name
    while shown and not shown[-1][0].strip():
        shown.pop()
    size = 0
    for i, (text, _) in enumerate(shown):
        size += len(text) + 1
        if size > TAIL_CHARACTERS:
            shown = shown[:i]
            break
    texts = [text for text, _ in shown]
    if len(texts) < 4:
        return None
    cut = choose_cut(texts, 1, known, rng)
    if cut is None or texts[cut[0]].strip() == "...":
        return None
    editing = outline.editing("class" if kind == "class" else "file", module, name, shown, *cut)
    return fim_tail(layout, editing, texts, (cut[0], len(texts[cut[0]])), kind)


def repair_tail(
    module: Module, lines: Sequence[str], scope: outline.Scope, known: Collection[str], rng: Random
) -> Tail | None:
    texts = list(lines[scope.first : scope.end])
    if not 2 < len(texts) < 17 or sum(map(len, texts)) > 560:
        return None
    try:
        broken = damage(texts, rng, known)
    except (SyntaxError, IndexError, ValueError):
        return None  # a function that does not stand alone once dedented
    if broken is None:
        return None
    shown = [(text, True) for text in broken.lines]
    numbered = rendering.render_numbered(outline.editing("function", module, scope.name, shown))
    return Tail("repair", numbered, "", reply_text(broken), broken.kind)


def context_blocks(
    module: Module,
    tree: ast.Module,
    scopes: Sequence[outline.Scope],
    wanted: set[str],
    index: Index,
    names: dict[str, str],
    rng: Random,
) -> list[Block]:
    """Two to five blocks for a few functions of one module."""
    found: list[Block | None] = []
    owners = {s.owner.name: s.owner for s in scopes if s.owner}
    found += [outline.class_block(module.name, node, wanted) for node in list(owners.values())[:2]]
    found.append(outline.scope_block(module.name, outline.scope_lines(tree), wanted))
    sources = defaultdict(list)
    for source, name in outline.imports(tree, module.name, module.path.endswith("__init__.py")):
        original = next((old for old, new in names.items() if new == name), name)
        if entry := index.exports.get(source, {}).get(original):
            sources[source].append((name in wanted, entry))
    ranked = sorted(sources.items(), key=lambda item: -sum(used for used, _ in item[1]))
    for source, entries in ranked[:2]:
        used = [entry for is_used, entry in entries if is_used] or [entry for _, entry in entries][:3]
        block = outline.package_block(source, used)
        found.append(block and Block("package", source, rename(block.text, names)))
    rest: list[Block | None] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name not in owners:
            rest.append(outline.class_block(module.name, node, wanted))
    rest = rng.sample(rest, min(len(rest), 2))
    if rng.random() < 0.5:
        rest.append(outline.documentation_block(module.name, tree))
    if rng.random() < 0.5:
        siblings = index.folders.get(module.path.rsplit("/", 1)[0], [])
        rest.append(outline.filesystem_block(module.path, siblings))
    rng.shuffle(rest)
    chosen = [block for block in [*found, *rest] if block][: rng.randint(2, 5)]
    rng.shuffle(chosen)
    return chosen


def workspaces(
    module: Module, index: Index, seen: set[int], rng: Random, share_renamed: float = 0.35
) -> Iterator[Workspace]:
    """The workspaces of one module.  `seen` holds the hashes of functions met before, and is added to."""
    tree = parse(module.source)
    if tree is None:
        return
    names = renaming(tree, index.words, rng) if rng.random() < share_renamed else {}
    source = rename(short_docstrings(module.source, tree), names)
    if (tree := parse(source)) is None:
        return
    module = Module(module.package, module.name, module.path, source)
    lines = module.source.split("\n")
    scopes = []
    for scope in outline.functions(tree):
        plain = re.sub(r"\s+", " ", rename("\n".join(lines[scope.first : scope.end]), {v: k for k, v in names.items()}))
        key = digest(plain.strip())
        if scope.end - scope.first > 2 and key not in seen:
            seen.add(key)
            scopes.append(scope)
    for at in range(0, len(scopes), N_TAILS):
        group = scopes[at : at + N_TAILS]
        wanted = {w for s in group for text in lines[s.first : s.end] for w in outline.WORD.findall(text)}
        chosen = context_blocks(module, tree, group, wanted, index, names, rng)
        known = {w for b in chosen for w in outline.WORD.findall(b.text) if len(w) > 3} - set(keyword.kwlist)
        tails = [tail for scope in group if (tail := any_tail(module, tree, lines, scope, known, rng))]
        if tails and chosen:
            yield Workspace(module.package, tuple(map(rendering.render_context, chosen)), tuple(tails))


def any_tail(
    module: Module, tree: ast.Module, lines: Sequence[str], scope: outline.Scope, known: Collection[str], rng: Random
) -> Tail | None:
    layout = rng.choices(list(SHARES), list(SHARES.values()))[0]
    if layout == "repair" and (tail := repair_tail(module, lines, scope, known, rng)):
        return tail
    layout = "spm" if layout == "repair" else layout
    if rng.random() < 0.08 and (tail := skeleton_tail(layout, module, tree, lines, known, rng)):
        return tail
    return function_tail(layout, module, lines, scope, known, rng)
