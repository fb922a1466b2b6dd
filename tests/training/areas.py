"""A small package to learn from, as a wheel; what a reply makes of broken lines."""

import re
import zipfile
from pathlib import Path

from bench.repairing.damage import Damage

METADATA = "Name: areas\nVersion: 1.0\nLicense-Expression: MIT\n"


def module(n: int) -> str:
    """A module of its own; functions known already are no examples."""
    functions = "\n\n".join(
        f"def area_{n}_{k}(width: int, height: int = {k}) -> int:\n"
        f'    """The area of a shape of kind {k}."""\n'
        f"    product_{n} = width * height + {n}\n"
        f"    print('area', product_{n})\n"
        f"    return product_{n}"
        for k in range(5)
    )
    return f'"""Areas of kind {n}, as many as one may want to have of them here."""\n\n{functions}\n'


def write_wheel(folder: Path, n_modules: int) -> Path:
    path = folder / "areas-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("areas-1.0.dist-info/METADATA", METADATA)
        for n in range(n_modules):
            wheel.writestr(f"areas/kind_{n}.py", module(n))
    return path


def mended(broken: Damage) -> list[str]:
    """The broken lines after the reply, read as FORMATS says."""
    lines = {i: [line] for i, line in enumerate(broken.lines, start=1)}
    for written in broken.reply:
        match = re.fullmatch(r"L(\d+)(\+|-)?(?: (.*))?", written)
        assert match
        number, mark, text = int(match[1]), match[2], match[3] or ""
        if mark == "+":
            lines[number].append(text)
        elif mark == "-":
            lines[number] = []
        else:
            lines[number] = [text]
    return [line for at in sorted(lines) for line in lines[at]]
