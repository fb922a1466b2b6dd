"""Orders: a cart at the moment it was paid for."""

import itertools
from dataclasses import dataclass, field
from datetime import datetime, timezone

from shop.cart import Cart, Line

_numbers = itertools.count(1)


@dataclass
class Order:
    """The lines as they were, a number and the time."""

    lines: list[Line]
    total: int
    number: int = field(default_factory=lambda: next(_numbers))
    created: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def weight(self) -> float:
        """The weight of all lines together."""
        weight = 0.0
        for line in self.lines:
            weight += line.item.weight * line.quantity
        return weight

    def is_recent(self, days: int = 30) -> bool:
        age = datetime.now(timezone.utc) - self.created
        return age.days < days


def checkout(cart: Cart) -> Order:
    """Make an order of the cart and empty it.  Raises ValueError for an empty cart."""
    if not cart.lines:
        raise ValueError("the cart is empty")
    order = Order(list(cart.lines), cart.total())
    cart.lines.clear()
    return order
