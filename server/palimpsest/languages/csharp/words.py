"""Names that C# defines (ECMA-334, and the language's later versions)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    abstract as async await base bool break byte case catch char checked class const continue decimal default delegate
    do double else enum event explicit extern false finally fixed float for foreach get goto if implicit in init int
    interface internal is lock long namespace new null object operator out override params partial private protected
    public readonly record ref required return sbyte sealed set short sizeof stackalloc static string struct switch
    this throw true try typeof uint ulong unchecked unsafe ushort using var virtual void volatile when where while with
    yield
    """
)
CONTEXTUAL = words("_ args dynamic field nameof nint notnull nuint unmanaged value var")
"""Names with a meaning in some places, without a definition."""
OBJECT_MEMBERS = words("Equals Finalize GetHashCode GetType MemberwiseClone ReferenceEquals ToString")
COMMON_MEMBERS = words(
    """
    Add AddRange Any All Append AppendLine Clear Close Concat Contains ContainsKey CopyTo Count Dispose First
    FirstOrDefault Format GetEnumerator HasValue IndexOf Insert Invoke IsNullOrEmpty Join Key Keys Last Length Max
    Message Min MoveNext Name OrderBy Parse Read Remove Replace Result Reverse Select Skip Sort Split StartsWith
    Substring Sum Take ToArray ToDictionary ToList ToLower ToUpper Trim TryGetValue TryParse Value Values Where Write
    WriteLine
    """
)
"""Members of strings, collections and other classes that most code uses."""
