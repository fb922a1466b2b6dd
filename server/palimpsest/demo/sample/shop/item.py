"""Things that can be bought."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One article of the catalogue; the price is in cents."""

    name: str
    price: int
    weight: float = 0.0

    def describe(self) -> str:
        """The name and the price, as a person reads them."""
        return f"{self.name}: {format_price(self.price)}"


def format_price(cents: int, currency: str = "EUR") -> str:
    """`1999` becomes `19.99 EUR`."""
    return f"{cents // 100}.{cents % 100:02d} {currency}"


def parse_price(text: str) -> int:
    """The cents that `19.99 EUR` stands for.  Raises ValueError when there is no number in it."""
    number, _, _ = text.strip().partition(" ")
    whole, _, cents = number.partition(".")
    return int(whole) * 100 + int(cents.ljust(2, "0") or 0)
