"""Words that TypeScript has beside JavaScript's (the TypeScript Handbook: keywords, utility types)."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    abstract accessor any asserts bigint boolean declare enum global implements infer interface intrinsic is keyof
    module namespace never number object out override package private protected public readonly require satisfies
    string symbol type unique unknown using
    """
)
TYPES = words(
    """
    ArrayLike AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator Awaited Capitalize ConstructorParameters
    Exclude Extract Generator InstanceType IterableIterator Iterable IteratorResult JSX Lowercase NoInfer NodeJS
    NonNullable Omit OmitThisParameter Parameters Partial Pick PromiseLike PropertyDescriptor PropertyKey React
    Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required ReturnType TemplateStringsArray
    ThisParameterType ThisType Thenable TypedPropertyDescriptor Uncapitalize Uppercase WeakKey
    """
)
