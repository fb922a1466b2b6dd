"""What is taken off a sum."""

from dataclasses import dataclass


@dataclass
class Discount:
    """A share of the sum, from a least sum on."""

    percent: int
    minimum: int = 0

    def applies_to(self, total: int) -> bool:
        return total >= self.minimum

    def amount(self, total: int) -> int:
        """The cents taken off `total`; nothing below the minimum."""
        if not self.applies_to(total):
            return 0
        return total * self.percent // 100
