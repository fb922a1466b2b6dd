"""A workspace with one large file and a method in it that uses many classes: what a keystroke is measured in.

In: a folder.  Out: files in it.  Always the same.
"""

from __future__ import annotations

from pathlib import Path

CURSOR = "# the cursor goes here"
LINES = 1000

_NAMES = ("Order", "Customer", "Invoice", "Address", "Payment")
_MODULE = '''"""{name}s of the shop."""

from dataclasses import dataclass


@dataclass
class {name}:
    """One {lower} as the shop keeps it."""

    number: int
    note: str = ""
    total: float = 0.0

    def is_open(self) -> bool:
        """Whether somebody still has to look at this {lower}."""
        return not self.note

    def add(self, amount: float, reason: str) -> float:
        """Add an amount; the new total."""
        self.total += amount
        self.note = reason
        return self.total
'''
_METHOD = '''    def step_{n}(self, amount: float) -> float:
        """Step {n} of the day."""
        total = amount * {n}
        if total > self.limit:
            total = self.limit
        self.steps.append(total)
        return total

'''
_TARGET = '''    def settle(self, {parameters}) -> float:
        """Bring everything that came in to an end."""
        logger.info("%s", json.dumps({{"day": self.day}}))
        pattern = re.compile("x")
{uses}
        {cursor}
        return self.limit

'''
TYPED = (
    "total = order.add(payment.total, invoice.note)",
    "for step in self.steps:",
    "address.note = customer.note or self.day",
    "if invoice.is_open() and not payment.is_open():",
    "customer.add(order.total, address.note)",
)


def workspace(root: Path) -> Path:
    """Write it; the path of the large file."""
    package = root / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for name in _NAMES:
        (package / f"{name.lower()}.py").write_text(_MODULE.format(name=name, lower=name.lower()))
    path = package / "day.py"
    path.write_text(_large())
    return path


def _large() -> str:
    imports = "\n".join(f"from shop.{name.lower()} import {name}" for name in _NAMES)
    parameters = ", ".join(f"{name.lower()}: {name}" for name in _NAMES)
    uses = "\n".join(f"        {name.lower()}.add(1.0, pattern.pattern)" for name in _NAMES)
    target = _TARGET.format(parameters=parameters, uses=uses, cursor=CURSOR)
    head = f'"""A day in the shop."""\n\nimport json\nimport logging\nimport re\n\n{imports}\n\n'
    head += "logger = logging.getLogger(__name__)\n\n\nclass Day:\n    limit = 100.0\n    day = 1\n\n"
    head += "    def __init__(self) -> None:\n        self.steps: list[float] = []\n\n"
    n_steps = (LINES - head.count("\n") - target.count("\n")) // _METHOD.count("\n")
    steps = [_METHOD.format(n=n) for n in range(n_steps)]
    half = n_steps // 2
    return head + "".join(steps[:half]) + target + "".join(steps[half:]).rstrip("\n") + "\n"
