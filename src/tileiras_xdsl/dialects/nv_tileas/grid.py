"""
The CTAs of a launch.

    %count = nv_tileas.resident_ctas {ctas_per_sm = 1 : i32}
    %size = nv_tileas.cluster_ctas
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.irdl import eq, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.xdsl_extras.walking import find_all


@diagnosed_op
class ResidentCtasOp(TileaaOperation):
    """
    How many CTAs the GPU holds at once, if each SM holds `ctas_per_sm`: the same number, at least
    1, in all CTAs of a launch. It is an estimate, as others may use the GPU, too: that many CTAs
    need not run at the same time.
    """

    name = "nv_tileas.resident_ctas"

    ctas_per_sm = prop_def(IntegerAttr.constr(type=eq(i32)))
    result = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "attr-dict"

    def __init__(self, ctas_per_sm: int):
        number = IntegerAttr(ctas_per_sm, i32)
        super().__init__(properties={"ctas_per_sm": number}, result_types=[i32])

    def verify_(self) -> None:
        if (number := self.ctas_per_sm.value.data) < 1:
            raise VerifyException(f"expects at least one CTA per SM, but got {number}")


def find_resident_ctas(function: FuncOp) -> ResidentCtasOp | None:
    """What tells the CTAs of a persistent kernel, launched by anybody, which of them have work."""
    return next(iter(find_all(function, ResidentCtasOp)), None)
