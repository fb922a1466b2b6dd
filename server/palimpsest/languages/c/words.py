"""Names that C defines (ISO/IEC 9899:2023)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float
    for goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch
    thread_local true typedef typeof typeof_unqual union unsigned void volatile while _Alignas _Alignof _Atomic _BitInt
    _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local
    """
)
PREDEFINED = words("__DATE__ __FILE__ __LINE__ __STDC__ __STDC_VERSION__ __TIME__ __VA_ARGS__ __VA_OPT__ __func__ NULL")
"""What every file knows, and NULL, which nearly every header defines."""
PREPROCESSOR = words("define defined elif elifdef elifndef endif error ifdef ifndef include pragma undef warning")
STANDARD_HEADERS = words(
    """
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
    stdalign.h stdarg.h stdatomic.h stdbit.h stdbool.h stdckdint.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
    string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
    """
)
