package shop.cart

import kotlin.math.max
import shop.money.Money
import shop.stock.*
import shop.money.sum as total

/** What a customer pays less. */
enum class Discount(val percent: Int) {
    NONE(0),
    REGULAR(5),

    /** Who works here. */
    STAFF(30) {
        override fun reduce(price: Long): Long = price / 2
    };

    open fun reduce(price: Long): Long = price - price * percent / 100
}

interface Priced<T> {
    val price: T

    fun rounded(digits: Int): T
}

/**
 * What a customer has chosen so far.
 */
data class Line(val article: String, var count: Int = 1) : Priced<Long> {
    override val price: Long
        get() = count * 100L

    override fun rounded(digits: Int): Long {
        var unit = 1L
        for (i in 0 until digits) {
            unit *= 10
        }
        return price / unit * unit
    }
}

/**
 * Lines of a customer.
 *
 * Not safe for use by several threads.
 */
@Suppress("unused")
class Cart<T : Any>(private val owner: String, discount: Discount) : Basket(owner), Iterable<Line> {
    private val lines: MutableList<Line> = mutableListOf()
    private var last: Line? = null
    val size get() = lines.size

    var discount: Discount = discount
        set(value) {
            field = value
            changed()
        }

    init {
        require(owner.isNotBlank())
    }

    constructor(owner: String) : this(owner, Discount.NONE) {
        changed()
    }

    companion object {
        const val MOST_LINES = 200

        fun empty(): Cart<Any> = Cart("übrig")
    }

    /** Adds a line. */
    @Deprecated("use plus")
    fun add(
        article: String,
        count: Int = 1,
        vararg tests: (Line) -> Boolean,
    ): Line {
        check(lines.size < MOST_LINES) { "too many: ${lines.size}" }
        val known = lines.firstOrNull { it.article == article }
        if (known != null) {
            known.count += count
            return known
        }
        val line = Line(article, count = count)
        for ((index, test) in tests.withIndex()) {
            if (!test(line)) {
                throw IllegalArgumentException("test $index")
            }
        }
        this.last = line
        lines.add(line)
        return line
    }

    suspend fun find(name: String): Line? {
        val best = lines.filter { line -> line.article == name }.maxByOrNull { it.count }
        return when (val found = best) {
            null -> null
            is Line -> found
        }
    }

    override fun iterator(): Iterator<Line> = object : Iterator<Line> {
        private var at = 0

        override fun hasNext() = at < lines.size

        override fun next(): Line = lines[at++]
    }

    private fun changed() {
        try {
            println("changed $owner")
        } catch (error: IllegalStateException) {
            println(error.message)
        }
    }
}

object Carts {
    val known = mutableMapOf<String, Cart<Any>>()

    fun of(owner: String): Cart<Any> = known.getOrPut(owner) { Cart(owner) }
}

typealias Carried = List<Line>

const val FREE_FROM = 5_000L

fun Carried.price(): Long = max(0, sumOf { it.price })
