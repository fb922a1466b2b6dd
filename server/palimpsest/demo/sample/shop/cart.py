"""The cart: lines of items and quantities, and what they cost together."""

import logging

from shop.discount import Discount
from shop.item import Item, format_price

logger = logging.getLogger(__name__)


class Line:
    """An item and how many of it."""

    def __init__(self, item: Item, quantity: int = 1) -> None:
        self.item = item
        self.quantity = quantity

    def price(self) -> int:
        return self.item.price * self.quantity


class Cart:
    """What a person is about to buy."""

    limit = 100

    def __init__(self, discount: Discount | None = None) -> None:
        self.lines: list[Line] = []
        self.discount = discount

    def find(self, name: str) -> Line | None:
        """The line of the item with this name."""
        for line in self.lines:
            if line.item.name == name:
                return line
        return None

    def add(self, item: Item, quantity: int = 1) -> None:
        """Put an item into the cart; a line of the same item grows."""
        line = self.find(item.name)
        if line is None:
            self.lines.append(Line(item, quantity))
        else:
            line.quantity += quantity

    def remove(self, name: str) -> bool:
        """Take an item out again; whether it was there."""
        line = self.find(name)
        if line is not None:
            self.lines.remove(line)
        return line is not None

    def subtotal(self) -> int:
        return sum(line.price() for line in self.lines)

    def total(self) -> int:
        """The price of all lines, less the discount."""
        total = self.subtotal()
        if self.discount is not None:
            total -= self.discount.amount(totla)
        return total

    def receipt(self) -> str:
        """One line for each item, and the total at last."""
        rows = [f"{line.quantity} x {line.item.name}" for line in self.lines]
        rows.append(format_price(self.total()))
        return "\n".join(rows)
