"""Values of C expressions, as Python has them."""

from __future__ import annotations

from typing import Any, Dict, List, Union

from ._library import checked, error, ffi, lib, text
from .errors import MotetError

__tracebackhide__ = True  # pytest shows the test, not this

Value = Union[int, float, bool, bytes, List[Any], Dict[str, Any]]

#: An array with more elements is read in parts: `value("a[5]")`.
LARGEST_ARRAY = 65536


class Enumerator(int):
    """A value of a C enum: a number with its name, "" if none has that number."""

    name: str

    def __new__(cls, number: int, name: str) -> "Enumerator":
        made = super().__new__(cls, number)
        made.name = name
        return made

    def __repr__(self) -> str:
        return self.name or int.__repr__(self)


def read(node: Any, expression: str) -> Value:
    """The value of an expression on a node: numbers, lists for arrays, dicts for structs, bytes for arrays of char."""
    v, e = ffi.new("struct motet_value *"), error()
    checked(lib.motet_node_value(node, expression.encode(), v, e), e)
    if v.kind == lib.MOTET_VALUE_ARRAY:
        return _array(node, expression, v)
    if v.kind == lib.MOTET_VALUE_STRUCT:
        return _members(node, expression, v.count)
    if v.kind == lib.MOTET_VALUE_REAL:
        return float(v.real)
    if v.kind == lib.MOTET_VALUE_ENUM:
        return Enumerator(v.number, text(v.name))
    return bool(v.number) if text(v.type) in ("_Bool", "bool") else int(v.number)


def _array(node: Any, expression: str, v: Any) -> Value:
    if v.count > LARGEST_ARRAY:
        raise MotetError(f"{expression} has {v.count} elements; read some of them, such as {expression}[0]")
    if v.in_memory and v.size == v.count and text(v.type).startswith("char"):
        buffer = ffi.new("uint8_t[]", v.size)
        if lib.motet_node_peek(node, v.address, buffer, v.size):
            return bytes(buffer)
    return [read(node, f"({expression})[{i}]") for i in range(v.count)]


def _members(node: Any, expression: str, count: int) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for number in range(count):
        name = text(lib.motet_node_member(node, expression.encode(), number))
        found[name] = read(node, f"({expression}).{name}")
    return found
