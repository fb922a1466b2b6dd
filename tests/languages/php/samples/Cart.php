<?php

declare(strict_types=1);

namespace Shop\Cart;

use InvalidArgumentException;
use Shop\Money\Price;
use Shop\Stock\{Article, Warehouse as Store};
use function Shop\Money\rounded;
use const Shop\Money\TAX;

const MOST_LINES = 200;

/**
 * What can be priced.
 */
interface Priced
{
    public function total(): Price;
}

trait Logs
{
    private array $log = [];

    protected function note(string $text, string ...$more): void
    {
        $this->log[] = $text . implode(', ', $more);
    }
}

enum Discount: string
{
    case None = 'none';
    case Staff = 'staff';

    public function percent(): int
    {
        return match ($this) {
            self::None => 0,
            self::Staff => 10,
        };
    }
}

/** What a customer has chosen so far. */
final class Cart extends Basket implements Priced, \Countable
{
    use Logs;

    public const UNIT = 'cents';
    private static int $carts = 0;
    /** @var Line[] */
    private array $lines = [];

    public function __construct(
        private readonly string $owner,
        protected Discount $discount = Discount::None,
    ) {
        self::$carts++;
    }

    /**
     * Adds some of an article.
     */
    public function add(Article $article, int $count = 1): Line
    {
        $line = $this->find($article->name);
        if ($line === null) {
            if (count($this->lines) >= MOST_LINES) {
                throw new InvalidArgumentException("zu viele Zeilen für „{$this->owner}“");
            }
            $line = new Line($article, 0);
            $this->lines[] = $line;
        }
        $line->count += $count;
        $this->note('added', $article->name);
        return $line;
    }

    private function find(string $name): ?Line
    {
        foreach ($this->lines as $index => $line) {
            if (strtolower($line->article->name) === strtolower($name)) {
                return $line;
            }
        }
        return null;
    }

    #[\Override]
    public function total(): Price
    {
        $sum = array_sum(array_map(fn (Line $line): int => $line->cents(), $this->lines));
        $less = $sum * $this->discount->percent() / 100;
        return new Price(rounded($sum - $less), self::UNIT);
    }

    public static function of(string $owner): static
    {
        return new static($owner);
    }

    public function count(): int
    {
        return count($this->lines);
    }

    abstract protected function tax(): float;
}

function receipt(Cart $cart, Store $store): string
{
    $names = [];
    foreach ($store->articles() as [$name, $price]) {
        $names[] = $name;
    }
    $listed = function () use ($names): string {
        return implode(', ', $names);
    };
    return <<<TEXT
        {$cart->total()} for {$listed()}
        TEXT;
}
