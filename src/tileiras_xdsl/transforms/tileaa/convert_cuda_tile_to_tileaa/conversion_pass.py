"""
The first lowering: public Tile IR to the alias-aware dialect.

    cuda_tile.module @m {
      entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) { … }
    }
    →
    "gpu.module"() <{sym_name = "m"}> ({
      "gpu.func"() <{function_type = (!llvm.ptr<1>, i32) -> (), kernel}> ({ … }) {sym_name = "k"}
    })
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.base import CudaTileOperation
from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, TARGET_SPEC
from tileiras_xdsl.targets.capability import CapabilityOption, ComputeCapability
from tileiras_xdsl.targets.target import UnknownTarget, target_of
from tileiras_xdsl.transforms.common.compute_capability import BAD_OPTION
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    TypeConverter,
    apply_partial_conversion,
    fail,
)
from tileiras_xdsl.xdsl_extras.walking import walk

from .aggregates import populate_aggregates
from .arithmetic import populate_arithmetic
from .control_flow import ControlFlow
from .functions_and_views import populate_functions_and_views
from .late_patterns import SINGLETON_ADDERS
from .types import make_type_converter

FAILURE = "failed to convert cuda_tile to nv_tileaa"
LEGAL_DIALECTS = ("arith", "nv_tileaa", "func", "gpu", "scf", "math")
NEWEST = "13.4"


def make_target(converter: TypeConverter) -> ConversionTarget:
    """
    `cuda_tile` must go, six dialects may stay. A poison stays if its type does, and so does
    what belongs to a function signature.
    """

    def has_legal_types(op: Operation) -> bool:
        values = (*op.operands, *op.results)
        return all(converter.is_legal(value.type) for value in values)

    def has_legal_signature(op: Operation) -> bool:
        assert isinstance(op, func.FuncOp)
        types = (*op.function_type.inputs, *op.function_type.outputs)
        return all(map(converter.is_legal, types))

    target = ConversionTarget()
    target.add_legal_dialect(*LEGAL_DIALECTS)
    target.add_illegal_dialect(ct.CudaTile.name)
    target.add_dynamically_legal_op(PoisonOp, has_legal_types)
    target.add_dynamically_legal_op(func.FuncOp, has_legal_signature)
    target.add_dynamically_legal_op(func.CallOp, has_legal_types)
    target.add_dynamically_legal_op(func.ReturnOp, has_legal_types)
    return target


def make_patterns(capability: ComputeCapability) -> PatternSet:
    """All conversion patterns, those that other passes use on their own last."""
    patterns, flow = PatternSet(), ControlFlow()
    populate_arithmetic(patterns, flow)
    populate_functions_and_views(patterns, flow, capability)
    populate_aggregates(patterns, flow)
    for add_pattern in SINGLETON_ADDERS:
        add_pattern(patterns)
    return patterns


def parse_version(version: str) -> tuple[int, ...]:
    """`13.4` as numbers."""
    try:
        return tuple(int(part) for part in version.split("."))
    except ValueError:
        message = f"{FAILURE}: '{version}' is no Tile IR version, such as {NEWEST}"
        raise PassFailedException(message) from None


@dataclass(frozen=True)
class ConvertCudaTileToTileaaPass(ModulePass):
    """
    Converts all of `cuda_tile` to `nv_tileaa`, `arith`, `scf`, `gpu` and `func`, or fails and
    leaves the module as it was.

    Options: `compute-capability` (`sm_90`, `sm_90a`, `90` or `9.0`) must be given;
    `tile-ir-version` (13.4) is the version whose ops are accepted, newer ones are refused.
    The module gets `nv_tileaa.compute_capability` and `nv_tileaa.target_spec`.
    """

    name = "convert-cuda-tile-to-tileaa"

    compute_capability: CapabilityOption = None
    tile_ir_version: CapabilityOption = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            capability = ComputeCapability.parse(self.compute_capability)
            target_of(capability)
        except UnknownTarget as error:
            raise PassFailedException(str(error)) from None
        except ValueError:
            raise PassFailedException(BAD_OPTION) from None
        self._verify_versions(op)
        converter = make_type_converter()
        apply_partial_conversion(
            op, make_target(converter), converter, make_patterns(capability), FAILURE
        )
        COMPUTE_CAPABILITY.set(op, IntegerAttr(capability.number, i32))
        TARGET_SPEC.set(op, StringAttr(capability.name))

    def _verify_versions(self, module: ModuleOp) -> None:
        """No op may be newer than the version asked for."""
        version = NEWEST if self.tile_ir_version is None else str(self.tile_ir_version)
        accepted = parse_version(version)
        if accepted >= parse_version(NEWEST):
            return
        for op in walk(module):
            if isinstance(op, CudaTileOperation) and parse_version(op.SINCE) > accepted:
                message = f"'{op.name}' op needs Tile IR {op.SINCE}, but {version} was asked for"
                fail(op, message, FAILURE)
