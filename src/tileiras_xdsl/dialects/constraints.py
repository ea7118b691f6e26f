"""Constraints on attributes and types, for diagnostics that say what was expected."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from typing_extensions import TypeVar
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, AttributeCovT
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException


class Kind(AttrConstraint[AttributeCovT], ABC):
    """A constraint without type variables."""

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> Self:
        return self

    def make(self, value: Any) -> Attribute:
        """The attribute that a plain value stands for."""
        raise TypeError(f"needs an attribute, but got {value!r}")


@dataclass(frozen=True)
class Word(Kind[StringAttr]):
    """A string attribute that is one of some words."""

    what: str
    words: tuple[str, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, StringAttr) or attr.data not in self.words:
            raise VerifyException(
                f"unsupported {self.what}: {attr} (expected one of {', '.join(self.words)})"
            )

    def make(self, value: Any) -> Attribute:
        return StringAttr(value)
