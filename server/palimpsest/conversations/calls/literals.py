"""The arguments of a call that `scanning.py` let pass, as values that JSON has.

In: `(1, name="text")`.  Out: values, or why there are none.  Evaluates nothing.
"""

import ast
from typing import Any

from palimpsest.conversations.calls.scanning import CONSTANTS
from palimpsest.text.positions import well_formed

LARGEST = 1e300
"""What a float holds, so that every number can be compared with every other."""


class NotLiteral(ValueError):
    """The message is the end of a sentence."""


def literals(written: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments without and with a name.  Raises NotLiteral."""
    try:
        call = ast.parse(f"_{written}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise NotLiteral(message.rstrip(".") or "its arguments are not written as literals") from None
    if not isinstance(call, ast.Call):
        raise NotLiteral("it is not a call")
    named = dict[str, Any]()
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NotLiteral("** is not a literal")
        if keyword.arg in named:
            raise NotLiteral(f"{keyword.arg} is given twice")
        named[keyword.arg] = _value(keyword.value)
    return [_value(argument) for argument in call.args], named


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str() as text):
            return well_formed(text)
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=int() | float() as number):
            return _finite(number)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)):
            return _finite(-number if isinstance(sign, ast.USub) else number)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(value) for key, value in zip(keys, values, strict=True)}
    raise NotLiteral(f"{ast.unparse(node)[:60]} is not a literal")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return well_formed(node.value)
    raise NotLiteral("the keys of an object are text in quotes")


def _finite(number: int | float) -> int | float:
    if abs(number) > LARGEST:
        raise NotLiteral("a number is too large")
    return number
