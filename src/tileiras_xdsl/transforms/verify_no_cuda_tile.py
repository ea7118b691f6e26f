"""Phase 3 of the compiler: nothing of the public dialect is left."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType
from tileiras_xdsl.xdsl_extras.dialect_conversion import get_name

DIALECT = "cuda_tile."


def is_left(type: Attribute) -> bool:
    """Whether a type should have been converted; a number format of NVIDIA's stays."""
    return type.name.startswith(DIALECT) and not isinstance(type, FloatNV8E5M3FNUType)


@dataclass(frozen=True)
class VerifyNoCudaTilePass(ModulePass):
    """
    Fails on the first op of `cuda_tile`, or value with a type of it, that is left after
    `convert-cuda-tile-to-tileaa`. The module is not changed.
    """

    name = "verify-no-cuda-tile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if get_name(inner).startswith(DIALECT):
                _fail(inner, f"'{get_name(inner)}' op is left after the conversion to nv_tileaa")
            for value in (*inner.results, *_arguments(inner)):
                if is_left(value.type):
                    _fail(
                        inner,
                        f"'{get_name(inner)}' op has a value of type '{value.type}' after the "
                        "conversion to nv_tileaa",
                    )


def _arguments(op: Operation):
    return (arg for region in op.regions for block in region.blocks for arg in block.args)


def _fail(op: Operation, message: str) -> None:
    op.emit_error(message, PassFailedException(message))
