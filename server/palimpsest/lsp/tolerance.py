"""What may be wrong in a part of a client's message without the whole being refused.

In: pygls's converter.  Out: the same, which brings positions within LSP's bounds, keeps the values that an enumeration
does not have as they are, and leaves out of a list what makes no sense in it.  What is left out of the changes of a
document is `UNREADABLE` there.
"""

import logging
from collections.abc import Callable
from enum import Enum
from typing import Any, get_args

import attrs
import cattrs
from cattrs.cols import is_sequence
from lsprotocol import types

logger = logging.getLogger(__name__)

LARGEST = 2**31 - 1
_COUNTED = (types.NotebookCell,)
"""Lists of these are told of by index."""
_POSITION = ("line", "character")
UNREADABLE: Any = object()
"""A change of which nobody knows what it changes."""
Hook = Callable[[Any, Any], Any]


def made_tolerant(converter: cattrs.Converter) -> None:
    """Before it is used."""
    by_name = converter.get_structure_hook(types.Position)
    converter.register_structure_hook(types.Position, lambda value, kind: by_name(clamped(value), kind))
    for enumeration in filter(_is_enumeration, types.ALL_TYPES_MAP.values()):
        converter.register_structure_hook(enumeration, _enumerated)
        converter.register_unstructure_hook(enumeration, lambda one: getattr(one, "value", one))
    converter.register_structure_hook_factory(
        lambda kind: is_sequence(kind) and types.TextDocumentContentChangePartial in get_args(get_args(kind)[0]),
        lambda _: _changes(converter),
    )
    converter.register_structure_hook_factory(
        lambda kind: is_sequence(kind) and _may_lack(get_args(kind)[0]), lambda kind: _those_of(converter, kind)
    )
    as_context, as_item = map(converter.get_structure_hook, (types.CodeActionContext, types.TextDocumentItem))
    converter.register_structure_hook(
        types.CodeActionContext, lambda value, kind: as_context(_with_diagnostics(value), kind)
    )
    converter.register_structure_hook(types.TextDocumentItem, lambda value, kind: as_item(_with_text(value), kind))


def clamped(value: Any) -> Any:
    """Positions anywhere in JSON, within LSP's bounds.  What is none is as it was."""
    if isinstance(value, list):
        return [clamped(one) for one in value]
    if not isinstance(value, dict):
        return value
    is_position = value.keys() >= set(_POSITION)
    return {name: _within(one) if is_position and name in _POSITION else clamped(one) for name, one in value.items()}


def _within(number: Any) -> Any:
    if isinstance(number, (int, float)) and number == number:  # no NaN
        return int(max(0, min(number, LARGEST)))
    return number


def _with_diagnostics(context: Any) -> Any:
    """Not everybody has a list where there are none."""
    if not isinstance(context, dict) or isinstance(context.get("diagnostics"), list):
        return context
    if context.get("diagnostics"):
        logger.warning("the diagnostics beside a request are no list")
    return {**context, "diagnostics": []}


def _with_text(item: Any) -> Any:
    """Whatever it is, it could be written as a text that nobody has."""
    if isinstance(item, dict) and not isinstance(item.get("text"), str):
        raise TypeError("expected a text")
    return item


def _changes(converter: cattrs.Converter) -> Hook:
    """The range where it says one, and never how long that is: some count otherwise, and it follows from the text."""

    def one_of(value: Any) -> Any:
        text = value["text"]
        if not isinstance(text, str):
            raise TypeError("the text is none")
        if value.get("range") is None:
            return types.TextDocumentContentChangeWholeDocument(text)
        return types.TextDocumentContentChangePartial(converter.structure(value["range"], types.Range), text)

    def read(value: Any) -> Any:
        try:
            return one_of(value)
        except Exception as error:  # what a client sends may be anything
            logger.warning("a change of a document cannot be read: %s", type(error).__name__)
            return UNREADABLE

    return lambda value, _: [read(one) for one in value] if isinstance(value, list) else [UNREADABLE]


def _is_enumeration(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _enumerated(value: Any, kind: type[Enum]) -> Any:
    try:
        return kind(value)
    except ValueError:
        if isinstance(value, type(next(iter(kind)).value)):
            return value
        raise


def _may_lack(kind: Any) -> bool:
    return (_is_enumeration(kind) or attrs.has(kind)) and kind not in _COUNTED


def _those_of(converter: cattrs.Converter, kind: Any) -> Hook:
    (inner,) = get_args(kind)

    def structured(value: Any, _: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise TypeError("expected a list")
        found = []
        for one in value:
            try:
                found.append(converter.structure(one, inner))
            except Exception as error:  # what a client sends may be anything
                logger.warning("left out of a list, as it is no %s: %s", inner.__name__, type(error).__name__)
        return found

    return structured
