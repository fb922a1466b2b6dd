"""The arguments of a call, checked against the tool's parameters.

In: a tool, arguments as JSON has them.  Out: the arguments under the parameters' own names, or InvalidArgument that
names the argument and says what would be right.  A number or a truth value in quotes is taken for one, and a single
text for a list of one, since that is how models are wrong.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from palimpsest.conversations.operations.operation import Operation, OperationParameter
from palimpsest.errors import LONGEST_SHOWN, InvalidArgument, shown

_TRUTH = {"true": True, "false": False}


def checked(tool: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: one for one in tool.told for name in one.also} | {one.name: one for one in tool.told}
    values = dict[str, Any]()
    for name, value in arguments.items():
        parameter = known.get(name)
        if parameter is None:
            raise InvalidArgument(
                name[:LONGEST_SHOWN] or "arguments", f"{tool.name} has no such argument.", hint=_hint(tool, name)
            )
        if parameter.name in values:
            raise InvalidArgument(parameter.name, "is given twice.")
        if value is not None:
            values[parameter.name] = _value(parameter, value)
    for parameter in tool.told:
        if parameter.required and parameter.name not in values:
            raise InvalidArgument(
                parameter.name, f"is missing: {parameter.description}.", hint=f"As in {tool.example}."
            )
    return values


def _hint(tool: Operation, name: str) -> str:
    names = [one.name for one in tool.told]
    if not names:
        return f"It takes none: {tool.example}."
    near = get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names)}."


def _value(parameter: OperationParameter, value: Any) -> Any:
    read = _read(parameter, value)
    if read is None:
        raise InvalidArgument(parameter.name, f"expected {_wanted(parameter)}, got {shown(value)}.")
    if parameter.choices and read not in parameter.choices:
        raise InvalidArgument(parameter.name, f"expected one of {', '.join(parameter.choices)}, got {shown(value)}.")
    if parameter.least is not None and read < parameter.least:
        raise InvalidArgument(parameter.name, f"expected {parameter.least} or more, got {shown(read)}.")
    if parameter.most is not None and read > parameter.most:
        raise InvalidArgument(parameter.name, f"expected {parameter.most} or less, got {shown(read)}.")
    return read


def _read(parameter: OperationParameter, value: Any) -> Any:
    """The value as one of the parameter's kind; None for a value of another kind."""
    match parameter.kind:
        case "text":
            return value if isinstance(value, str) else None
        case "whole number":
            return _whole(value)
        case "true or false":
            read = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
            return read if isinstance(read, bool) else None
        case "list of texts":
            items = [value] if isinstance(value, str) else value
            return items if isinstance(items, list) and all(isinstance(one, str) for one in items) else None
        case "texts by name":
            is_right = isinstance(value, dict) and all(isinstance(one, str) for one in (*value, *value.values()))
            return value if is_right else None


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and len(value) < 20 and value.strip().lstrip("-").isascii():
        digits = value.strip()
        return int(digits) if digits.removeprefix("-").isdigit() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _wanted(parameter: OperationParameter) -> str:
    return parameter.kind if parameter.kind == "texts by name" else f"a {parameter.kind}".replace("a true", "true")
