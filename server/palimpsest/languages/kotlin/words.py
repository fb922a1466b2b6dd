"""Names that Kotlin defines (Kotlin language specification, and what its standard library imports everywhere)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    abstract actual annotation as break by catch class companion const constructor continue crossinline data do else
    enum expect external false final finally for fun get if import in infix init inline inner interface internal is
    lateinit noinline null object open operator out override package private protected public reified return sealed set
    super suspend tailrec this throw true try typealias typeof val value var vararg when where while
    """
)
GLOBALS = words(
    """
    Any Array ArrayList Boolean BooleanArray Byte ByteArray Char CharArray CharSequence Collection Comparable Comparator
    Deprecated Double DoubleArray Enum Error Exception Float FloatArray HashMap HashSet IllegalArgumentException
    IllegalStateException IndexOutOfBoundsException Int IntArray IntRange Iterable Iterator JvmField JvmStatic Lazy
    LinkedHashMap List Long LongArray Map MutableList MutableMap MutableSet NoSuchElementException Nothing
    NotImplementedError NullPointerException Number NumberFormatException Pair Regex Result RuntimeException Sequence
    Set Short String StringBuilder Suppress Throwable Throws Triple UByte UInt ULong UShort Unit
    UnsupportedOperationException also apply array arrayListOf arrayOf arrayOfNulls assert buildList buildString check
    checkNotNull emptyArray emptyList emptyMap emptySequence emptySet enumValues error field generateSequence hashMapOf
    hashSetOf intArrayOf it lazy let linkedMapOf listOf listOfNotNull mapOf maxOf minOf mutableListOf mutableMapOf
    mutableSetOf print println readLine repeat require requireNotNull run runCatching sequence sequenceOf setOf
    sortedMapOf synchronized takeIf takeUnless to use with
    """
)
OF_VALUES = words(
    """
    add addAll all also any append apply asSequence associate associateBy component1 component2 contains containsKey
    copy count dropLast drop entries equals filter filterNotNull find first firstOrNull flatMap fold forEach
    forEachIndexed format get getOrDefault getOrElse getOrNull getOrPut groupBy hashCode indexOf indices invoke isBlank
    isEmpty isNotBlank isNotEmpty isNullOrEmpty iterator joinToString key keys last lastIndex lastOrNull length let
    lines lowercase map mapNotNull maxByOrNull maxOrNull message minOrNull name none ordinal padStart partition plus
    put remove removeAll removeAt replace reversed run set single size sort sortedBy split startsWith substring
    sumOf take takeIf toInt toList toLong toMap toMutableList toSet toString trim trimIndent uppercase use value values
    withIndex zip
    """
)
"""Members of strings, collections and other classes that most code uses."""
