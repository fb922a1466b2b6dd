package shop.cart;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import shop.stock.Warehouse;
import static shop.money.Money.sum;

/**
 * What a customer has chosen so far.
 *
 * <p>Not safe for use by several threads.
 */
public class Cart implements Iterable<Line> {

    private static final int MOST_LINES = 200;
    private static int carts = 0, emptied;

    private final String owner;
    private final List<Line> lines = new ArrayList<>();
    private Discount discount;

    /** What a cart costs less. */
    public enum Discount {
        NONE(0),
        REGULAR(5),
        /** Who works here. */
        STAFF(30) {
            @Override
            int percent(int total) {
                return total > 100 ? 35 : percent;
            }
        };

        final int percent;

        Discount(int percent) {
            this.percent = percent;
        }

        int percent(int total) {
            return percent;
        }
    }

    public Cart(String owner) {
        this(owner, Discount.NONE);
    }

    public Cart(String owner, Discount discount) {
        this.owner = owner;
        this.discount = discount;
        carts++;
    }

    /**
     * Puts an article into the cart.
     *
     * @param article what is bought
     * @param count how often
     * @return the line that holds it
     */
    public Line add(
            Article article,
            int count) {
        if (count < 1 || lines.size() >= MOST_LINES) {
            throw new IllegalArgumentException("übervoll: " + count);
        }
        for (Line line : lines) {
            if (line.article().equals(article)) {
                line.raise(count);
                return line;
            }
        }
        var added = new Line(article, count);
        lines.add(added);
        return added;
    }

    public Optional<Line> find(String name) {
        return lines.stream()
                .filter(line -> line.article().name().equalsIgnoreCase(name))
                .findFirst();
    }

    /** The total in cents, discount included. */
    @Deprecated
    public long total() {
        long total = 0;
        for (int i = 0; i < lines.size(); i++) {
            total += lines.get(i).price();
        }
        return total - total * discount.percent((int) total) / 100;
    }

    void empty(Warehouse warehouse) {
        for (int i = 0; i < lines.size(); i++) {
            warehouse.giveBack(lines.get(i));
        }
        lines.clear();
        emptied++;
    }

    @Override
    public java.util.Iterator<Line> iterator() {
        return Collections.unmodifiableList(lines).iterator();
    }

    @Override
    public String toString() {
        return """
            Cart of %s
              { %d lines }
            """.formatted(owner, lines.size());
    }
}
