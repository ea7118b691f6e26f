"""Verifies that `convert-cuda-tile-to-tileaa` left nothing of `cuda_tile`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType
from tileiras_xdsl.xdsl_extras.dialect_conversion import get_name
from tileiras_xdsl.xdsl_extras.walking import walk

DIALECT = "cuda_tile."


def is_left(ty: Attribute) -> bool:
    """
    Whether a type, or one in it, should have been converted; a number format of NVIDIA's stays.
    """
    if isinstance(ty, TypeAttribute) and ty.name.startswith(DIALECT):
        return not isinstance(ty, FloatNV8E5M3FNUType)
    if isinstance(ty, ArrayAttr):
        return any(map(is_left, ty))
    return isinstance(ty, ParametrizedAttribute) and any(map(is_left, ty.parameters))


@dataclass(frozen=True)
class VerifyNoCudaTilePass(ModulePass):
    """
    Fails on the first op of `cuda_tile`, or op with a type of it, that is left after
    `convert-cuda-tile-to-tileaa`. The module is not changed.
    """

    name = "verify-no-cuda-tile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # By identity, for a hash costs more than the check; the module keeps them alive.
        types: dict[int, bool] = {}
        for inner in walk(op):
            name = get_name(inner)
            if name.startswith(DIALECT):
                _fail(inner, f"'{name}' op is left after the conversion to nv_tileaa")
            # The types of results and block arguments, and those in properties, as signatures are.
            found = [*inner.result_types]
            for region in inner.regions:
                for block in region.blocks:
                    found += block.arg_types
            found += inner.properties.values()
            for ty in found:
                left = types.get(id(ty))
                if left is None:
                    left = types[id(ty)] = is_left(ty)
                if left:
                    _fail(inner, f"'{name}' op has type '{ty}' after the conversion to nv_tileaa")


def _fail(op: Operation, message: str) -> None:
    op.emit_error(message, PassFailedException(message))
