"""Names that Java defines (Java Language Specification, and the package java.lang)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    abstract assert boolean break byte case catch char class const continue default do double else enum extends false
    final finally float for goto if implements import instanceof int interface long native new null package permits
    private protected public record return sealed short static strictfp super switch synchronized this throw throws
    transient true try var void volatile when while yield
    """
)
TYPES = words(
    """
    AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException AssertionError
    AutoCloseable Boolean Byte CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException
    CloneNotSupportedException Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface
    IllegalArgumentException IllegalMonitorStateException IllegalStateException IndexOutOfBoundsException
    InheritableThreadLocal Integer InterruptedException Iterable LinkageError Long Math Module
    NegativeArraySizeException NoSuchFieldException NoSuchMethodException NullPointerException Number
    NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder ProcessHandle Readable Record
    ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs ScopedValue SecurityException Short
    StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder
    StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadGroup ThreadLocal Throwable
    UnsupportedOperationException Void
    """
)
OBJECT_METHODS = words("clone equals finalize getClass hashCode notify notifyAll toString wait")
ENUM_METHODS = words("compareTo describeConstable getDeclaringClass name ordinal valueOf values")
COMMON_MEMBERS = words(
    """
    add addAll append charAt clear close compareTo contains containsKey entrySet filter forEach get getKey getMessage
    getOrDefault getValue indexOf isBlank isEmpty isPresent iterator join keySet length map next of orElse put putAll
    read remove replace run set size sort split startsWith stream strip substring toList toLowerCase toUpperCase trim
    write
    """
)
"""Members of strings, collections and other classes that most code uses."""
