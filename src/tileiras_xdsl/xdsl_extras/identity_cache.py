"""A cache of what follows from an attribute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final

from typing_extensions import TypeVar
from xdsl.ir import Attribute

_Attribute = TypeVar("_Attribute", bound=Attribute)
_Result = TypeVar("_Result")

MAX_SIZE: Final = 4096


def identity_cache(function: Callable[[_Attribute], _Result]) -> Callable[[_Attribute], _Result]:
    """
    Remembers the results of a function by the identity of the attribute that it is called with.
    `functools.lru_cache` asks for the hash of the attribute, which xDSL computes again each time,
    from all that it consists of.
    """
    known: dict[int, tuple[_Attribute, _Result]] = {}

    @wraps(function)
    def call(attribute: _Attribute) -> _Result:
        entry = known.get(id(attribute))
        if entry is not None:
            return entry[1]
        if len(known) >= MAX_SIZE:
            known.clear()
        result = function(attribute)
        # The attribute must stay alive, or another one could get its identity.
        known[id(attribute)] = (attribute, result)
        return result

    return call
