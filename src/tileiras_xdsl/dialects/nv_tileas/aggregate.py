"""Reductions, scans and pragmas, as in `nv_tileaa`, and the end of bodies."""

from __future__ import annotations

from typing import ClassVar, Final

from xdsl.ir import Operation
from xdsl.irdl import lazy_traits_def, traits_def
from xdsl.traits import HasParent, IsTerminator, Pure

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import PrefixOperation, ReductionOperation, Yield
from tileiras_xdsl.dialects.nv_tileaa.queues import Pragma

YIELD_PARENTS: Final[list[type[Operation]]] = []
"""The ops whose bodies end with a yield; modules add theirs."""


@diagnosed_op
class YieldOp(Yield):
    """Ends the body of `reduce`, `scan`, `generate` or `pragma` with its values."""

    name = "nv_tileas.yield"

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(*YIELD_PARENTS)))


@diagnosed_op
class ReduceOp(ReductionOperation):
    """All elements along `axis` combined, as by `nv_tileaa.reduce`."""

    name = "nv_tileas.reduce"
    YIELD: ClassVar[type[Yield]] = YieldOp


@diagnosed_op
class ScanOp(PrefixOperation):
    """Each element combined with all before it along `axis`, as by `nv_tileaa.scan`."""

    name = "nv_tileas.scan"
    YIELD: ClassVar[type[Yield]] = YieldOp


@diagnosed_op
class PragmaOp(Pragma):
    """Instructions for later passes about a region, in attributes of any name."""

    name = "nv_tileas.pragma"
    YIELD: ClassVar[type[Yield]] = YieldOp

    traits = traits_def(UnknownEffects())


YIELD_PARENTS.extend((ReduceOp, ScanOp, PragmaOp))
