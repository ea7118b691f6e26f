"""What TTIR uses of Triton's `ttg` dialect: the barrier."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def

from tileiras_xdsl.dialects.memory_order import Fences


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Waits for all threads of the program, and for their accesses: `ttg.barrier all`."""

    name = "ttg.barrier"

    traits = traits_def(Fences())
    assembly_format = "`all` attr-dict"


Ttg = Dialect("ttg", [BarrierOp], [])
