"""Constraints on attributes and types, for diagnostics that say what was expected."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import Self

from typing_extensions import TypeVar
from xdsl.ir import AttributeCovT
from xdsl.irdl import AttrConstraint, IntConstraint


class Kind(AttrConstraint[AttributeCovT], ABC):
    """A constraint without type variables."""

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> Self:
        return self
