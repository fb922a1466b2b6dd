"""Names that C++ defines beside C's (ISO/IEC 14882:2023)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield
    compl concept consteval constexpr constinit const_cast decltype delete dynamic_cast explicit export final friend
    import module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public
    reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename using
    virtual wchar_t xor xor_eq
    """
)
COMMON_MEMBERS = words(
    """
    append assign at back begin c_str cbegin cend clear contains count data empace emplace emplace_back empty end erase
    find first front get insert length pop_back push_back rbegin rend release reserve reset resize second size str
    substr swap value what
    """
)
"""Members of strings, containers and other classes that most code uses."""
HOLDERS = words("unique_ptr shared_ptr weak_ptr optional")
"""Templates through whose values the members of what they hold are reached."""
