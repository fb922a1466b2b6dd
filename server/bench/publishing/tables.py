"""Results of benches as Markdown.

In: a bench's JSON.  Out: a table, with a sentence below it where figures stand beside the table.  Knows no document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.publishing.pages import table

Result = Mapping[str, Any]


def replay(result: Result) -> str:
    header = ["event", "requests", "floor", "ours", "llama-server", *(f"{s}, ms p50 / p95" for s in _SIDES)]
    rows = []
    for kind, of in result["events"].items():
        sides = [of["ours"], of["peer"]]
        decoded = [f"{side['decoded']:,}" for side in sides]
        times = [f"{side['ms_p50']:.0f} / {side['ms_p95']:.0f}" for side in sides]
        rows.append([kind, str(of["requests"]), f"{of['floor']:,}", *decoded, *times])
    total = result["total"]
    sides = [total["ours"], total["peer"]]
    decoded = [f"{side['decoded']:,}" for side in sides]
    times = [f"{(side['ms'] + side['background_ms']) / 1000:.1f} s" for side in sides]
    rows.append(["all", str(total["requests"]), f"{total['floor']:,}", *decoded, *times])
    here, there = (f"{side['prompt_p50']:,.0f}" for side in sides)
    return f"{table(header, rows)}\n\nThe median prompt had {here} tokens here and {there} there."


_SIDES = ("ours", "llama-server")


def keystroke(result: Result) -> str:
    parts = ("parse", "blocks", "plan", "transfer", "decode", "sample", "ours", "total")
    rows = [[name, *(f"{result['ms'][part][name]:.1f}" for part in parts)] for name in ("p50", "p95")]
    shown = result["shown_ms"]
    return (
        f"{table(['', *parts], rows)}\n\n"
        f"{result['keystrokes']} keystrokes in {result['file']['lines']} lines, {result['file']['blocks']} blocks. "
        f"Where the completion on screen is still right, the answer takes {shown['p50']:.1f} (p95 {shown['p95']:.1f})."
    )


def editor(result: Result) -> str:
    parts = ("total", "server", "editor")
    rows = [[name, *(f"{result['ms'][part].get(name, 0):.0f}" for part in parts)] for name in ("p50", "p95")]
    text = f"{table(['', *parts], rows)}\n\n{result['keystrokes']} keystrokes that were asked about"
    shown = result["shown_ms"]
    if not shown:
        return f"{text}."
    return (
        f"{text}; for {result['shown']} others what was shown goes on, within {shown['p50']:.0f} ms "
        f"(p95 {shown['p95']:.0f})."
    )


def layouts(result: Result) -> str:
    header = [
        "layout",
        "loss: healed, as is",
        "words right: healed, as is",
        "decoded for a keystroke, healed: agreeing, other",
        "as is",
    ]
    rows = []
    for name, row in result["layouts"].items():
        ways = (row["healed"], row["as_is"])
        strokes = [
            ", ".join(f"{way['keystroke'][kind]['decoded']:.1f}" for kind in ("agreeing", "other")) for way in ways
        ]
        loss = ", ".join(f"{way['loss']:.2f}" for way in ways)
        rows.append([f"`{name}`", loss, ", ".join(f"{way['words']:.2f}" for way in ways), *strokes])
    n = result["samples"]
    return f"{table(header, rows)}\n\n{n['middles']} middles, {n['words']} words, {n['lines']} lines."


def quality(result: Result) -> str:
    header = ["blocks", "exact", "edit similarity", "valid", "names", "generated", "decoded"]
    labels = {"all": "chosen", "none": "none", "other": "another file's"}
    rows = []
    of = result["kinds"]["all"]
    for mode, row in of.items():
        rates = [f"{row[name]:.2f}" for name in ("exact", "similarity", "valid")]
        names = row["names"]["rate"]
        costs = [f"{row['generated']:.0f}", f"{row['decoded']:,.0f}"]
        rows.append([labels[mode], *rates, "–" if names is None else f"{names:.2f}", *costs])
    n_names = next(iter(of.values()))["names"]["of"]
    return f"{table(header, rows)}\n\n{result['holes']} holes in {result['files']} files, {n_names} names."


def formats(result: Result) -> str:
    rates = {"well-formed": "well_formed", "applied": "applied", "same": "unchanged", "cut": "cut"}
    rates["repaired"] = "repaired"
    rows = []
    for name, bound in result["formats"].items():
        both = (bound, result["free"][name])
        cells = [", ".join(f"{way[key]:.2f}" for way in both) for key in rates.values()]
        rows.append([f"`{name}`", *cells, ", ".join(f"{way['tokens']:.0f}" for way in both)])
    told = "was told the format" if result["told"] else "was not told the format"
    return f"{table(['format', *rates, 'tokens'], rows)}\n\n{result['n']} functions; the model {told}."


def names(result: Result) -> str:
    header = ["first suggestion", "right", f"of them plain names, of {result['plain']}", "wrong", "none"]
    rows = []
    for key, label in (("mended", "as it is"), ("replies", '`suggestion.mend_names = "never"`')):
        row = result[key]
        none = result["n"] - row["right"] - row["wrong"]
        rows.append([label, *(str(n) for n in (row["right"], row["plain"], row["wrong"], none))])
    whole = result["as_it_is"]
    return (
        f"{table(header, rows)}\n\n{result['n']} functions. In the same {whole['files']} files as they are "
        f"({whole['lines']:,} lines) it would change {whole['offered']} names."
    )


def demo(result: Result) -> str:
    columns = ("decoded", "warmed", "restored", "reused", "context", "dropped", "ms")
    rows = [[event["event"], *(f"{event[name]:.0f}" for name in columns)] for event in result["events"]]
    return table(["event", *columns[:4], "in context", *columns[5:]], rows)


def equivalence(result: Result) -> str:
    header = ["weights", "K and V", "flash attention", "operations", "largest difference"]
    rows = [
        [
            "as shipped" if row["weights"] == "the file's" else row["weights"],
            row["kv_type"],
            "on" if row["flash_attention"] else "off",
            str(row["operations"]),
            f"{row['max_logit_difference']:.6f}",
            _scale(row),
        ]
        for row in [result, *result["others"]]
    ]
    return table([*header, "changing one block's text, for scale"], rows)


def _scale(row: Result) -> str:
    return "–" if row["scale"] is None else f"{row['scale']:.2f}"


def cache_types(result: Result) -> str:
    measures = ["largest", "mean", "other"]
    header = ["K", "V", "flash attention", "bytes a token", *measures, "after moves: largest", *measures[1:]]
    rows = [
        [
            row["type_k"],
            row["type_v"],
            row["flash_attention"],
            f"{row['bytes_per_token']:,}",
            *_differences(row),
            *_differences(row["after_shifts"]),
        ]
        for row in result["types"]
        if "error" not in row and row["type_k"] != "f32"
    ]
    return (
        f"{table(header, rows)}\n\n{result['positions']} positions behind {result['context_tokens']} tokens of blocks, "
        f"{result['shifts']} moves; {result['weights']} weights."
    )


def _differences(row: Result | None) -> list[str]:
    if row is None:
        return ["–"] * 3
    return [f"{row['max_difference']:.3f}", f"{row['mean_difference']:.4f}", f"{100 * row['top_changed']:.1f}%"]


def blocks(result: Result) -> str:
    """Two tables, of `python -m training.evaluate`."""
    spm, plain, words, found = (result[name] for name in ("middles", "plain", "words", "names"))
    spm = spm["spm"]
    modes = ("in_place", "none", "wrong", "causal")
    rows = [
        ["loss, nats a token", *(f"{spm['loss'][mode]:.3f}" for mode in modes)],
        ["tokens right", *(f"{spm['accuracy'][mode]:.3f}" for mode in modes)],
        ["loss with the cursor anywhere", *_known(plain["loss"], modes)],
        [f"names, of {found['of']}", str(found["in_place"]), str(found["without"]), "", str(found["causal"])],
    ]
    given = spm["loss"]["none"] - spm["loss"]["causal"]
    gain = f"{(spm['loss']['none'] - spm['loss']['in_place']) / given:.2f}" if given > 0 else "blocks give nothing"
    ways = {"token by token": "greedy", "whole words": "searched"}
    chosen = [
        [label, str(words[way]), f"{found[way]}, {found[f'{way}_without']}"] for label, way in ways.items()
    ]  # fmt: skip
    known = "whole words, known ones counting more"
    chosen.append([known, str(words["right"]), f"{found['in_place']}, {found['without']}"])
    header = ["", f"words, of {words['of']}", f"names, of {found['of']}: with blocks, without"]
    return "\n\n".join(
        [
            table(["", "in place", "none", "another's", "causal"], rows),
            f"{spm['middles']} middles. Retained gain: {gain}.",
            table(header, chosen),
            f"Whole rests of those lines: {words['lines']} of {words['of']}.",
        ]
    )


def _known(row: Result, modes: Sequence[str]) -> list[str]:
    return [f"{row[mode]:.3f}" if mode in row else "" for mode in modes]


def infill(result: Result) -> str:
    rows = []
    for kind, row in [*result["kinds"].items(), ("all", result["total"])]:
        sides = [cell for side in (row["ours"], row["peer"]) for cell in (f"{side['decoded']:,}", f"{side['most']:,}")]
        rows.append([kind, str(row["requests"]), *sides])
    text = table(["requests", "", "ours", "the most", "llama-server", "the most"], rows)
    if loss := result.get("loss"):
        text += (
            f"\n\nThe loss of the text typed next ({loss['tokens']} tokens behind {loss['requests']} of the requests) "
            f"is {loss['ours']:.2f} a token in our layout and {loss['stock']:.2f} in llama-server's order."
        )
    return text


TOKENS = "tokens decoded in an editing session over four files: Palimpsest, llama-server"
BACK = "back to a file seen before, ms to the first token (p50): Palimpsest, llama-server"
OURS = "a character typed, ms spent outside of llama.cpp: p50, p95"
EXACT = "largest difference of a logit between an edited cache and a new one (for scale: another text in one block)"
NAMES = "names that only a context block has, completed from their first letters: with blocks, without"


def of_replay(result: Result) -> dict[str, str]:
    """Figures for the README; so are the others below."""
    total, back = result["total"], result["events"].get("file seen before")
    rows = {TOKENS: f"{total['ours']['decoded']:,}, {total['peer']['decoded']:,}"}
    return rows | ({BACK: f"{back['ours']['ms_p50']:,.0f}, {back['peer']['ms_p50']:,.0f}"} if back else {})


def of_keystroke(result: Result) -> dict[str, str]:
    return {OURS: ", ".join(f"{result['ms']['ours'][name]:.1f}" for name in ("p50", "p95"))}


def of_equivalence(result: Result) -> dict[str, str]:
    return {EXACT: f"{result['max_logit_difference']:.6f} ({_scale(result)})"}


def of_blocks(result: Result) -> dict[str, str]:
    found = result["names"]
    return {NAMES: f"{found['in_place']}, {found['without']} of {found['of']}"}
