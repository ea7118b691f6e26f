"""
Verifies that the input of the compiler is public Tile IR.

Accepted:  %c = arith.constant 4 : i32
Rejected:  %s = arith.addi %a, %b : i32
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects.cuda_tile.attributes import verify_hints
from tileiras_xdsl.xdsl_extras.dialect_conversion import get_name
from tileiras_xdsl.xdsl_extras.walking import walk

PUBLIC_DIALECTS = ("builtin", "cuda_tile")
TEST_PREFIX = "cuda_tile.testing$"


def is_public(op: Operation) -> bool:
    """Whether an op may be in the input of the compiler."""
    match op:
        case ConstantOp() | PoisonOp():
            return True
        case FuncOp():
            return not op.body.blocks
        case _:
            name = get_name(op)
            return name.split(".")[0] in PUBLIC_DIALECTS and not name.startswith(TEST_PREFIX)


@dataclass(frozen=True)
class VerifyCudaTileInputPass(ModulePass):
    """
    Fails on the first op that is not public Tile IR. Allowed are the ops of `cuda_tile` (but
    those for tests) and `builtin`, `arith.constant`, `ub.poison`, and functions without a body
    (`func.func private @f(i32)`). The module is not changed.

    - werr-hints: whether optimization hints are errors that the public tools do not understand,
      `optimization_hints=<sm_90 = {num_cta_in_cga = 3}>`; hints change no results, so they need not
      be.
    """

    name = "verify-cuda-tile-input"

    werr_hints: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in walk(op):
            if not is_public(inner):
                message = (
                    f"'{get_name(inner)}' is not public Tile IR: expected ops of cuda_tile and "
                    "builtin, arith.constant, ub.poison, or func.func without a body"
                )
                inner.emit_error(message, PassFailedException(message))
        if self.werr_hints:
            verify_hints(op)
