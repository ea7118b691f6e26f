"""
Lowers the alias-aware dialect to the scheduled one.

Before:  %t = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
         %x, %t1 = nv_tileaa.load %p token(%t) : … -> i32, !nv_tileaa.mem_token
After:   (spin on the barrier of %t0) (spin on the barrier of %t1)
         %x = nv_tileas.load %p : … -> i32
         nvvm.mbarrier.arrive.shared %slot1 : !llvm.ptr<3> -> i64
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects import nv_tileaa as aa
from tileiras_xdsl.dialects import nv_tileas as tas
from tileiras_xdsl.dialects.building import operations_in
from tileiras_xdsl.dialects.nv_tileaa import matmul
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.queues import QUEUE_OPS
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nv_tileaa.types import MEM_TOKEN
from tileiras_xdsl.dialects.nv_tileas import matmul as products
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of
from tileiras_xdsl.transforms.common.interop import INSTALL, find_interop
from tileiras_xdsl.transforms.common.kernel_spec import attach_kernel_specs, get_target
from tileiras_xdsl.transforms.common.scaled_dots import (
    emulate_scaled_dot,
    explain_emulation,
    why_not_scaled,
)
from tileiras_xdsl.transforms.tileas.kernel_model.requirements import check_resources
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
    TypeConverter,
    convert_in_place,
    fail,
    replace_contents,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.walking import splat_of, walk

# Block-scaled dots. Where the target has an instruction for the types and sizes, they stay what
# they are (`nv_tileas.scaled_dot`). Else they are computed in f32
# (`transforms/common/scaled_dots.py`).


class ScaledDotPattern(ConversionPattern[matmul.MmaFScaledOp]):
    """`mmaf_scaled` → a scaled dot, or a dot of f32."""

    def __init__(self, capability: ComputeCapability):
        self._capability = capability

    def convert(self, op: matmul.MmaFScaledOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.operands)
        reason = why_not_scaled(op, target_of(self._capability))
        if reason is None:
            lhs, rhs, acc, *scales = values
            flag = rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True)))
            native = products.ScaledDotOp(lhs, rhs, acc, flag, *scales)
            native.attributes.update(op.attributes)
            rewriter.replace(op, native)
            return
        explain_emulation(op, get_shape(op.lhs.type)[-1], reason)
        dot = emulate_scaled_dot(values, None, op.attributes, rewriter.insert)
        rewriter.replace(op, dot)


# The patterns for `arith`. Its ops take tensors of any layout as they are, so all but one are
# legal: a constant whose elements are equal becomes a scalar and a `splat`, which is free in any
# layout.
#
#     %c = arith.constant dense<1.0> : tensor<8xf32>
#     →
#     %s = arith.constant 1.0 : f32
#     %c = nv_tileaa.splat %s : f32 to tensor<8xf32>


def get_splat_value(op: Operation) -> int | float | None:
    """The value of all elements of a constant tensor; None for NaN, whose bits may matter."""
    if (
        isinstance(op, ConstantOp)
        and isinstance(op.value, DenseIntOrFPElementsAttr)
        and isinstance(op.value.type, TensorType)
        and splat_of(op.value) is not None
    ):
        value = op.value.get_values()[0]
        if isinstance(value, int | float) and value == value:
            return value
    return None


class SplatConstantPattern(ConversionPattern[ConstantOp]):
    """A constant tensor of equal elements → a scalar and a `splat`."""

    def convert(self, op: ConstantOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.value, DenseIntOrFPElementsAttr)
        value, element = get_splat_value(op), op.value.get_element_type()
        assert value is not None
        if isinstance(element, IntegerType):
            scalar = ConstantOp(IntegerAttr(int(value), element))
        else:
            scalar = ConstantOp(FloatAttr(value, element))  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
        rewriter.insert(scalar)
        rewriter.replace(op, SplatOp(scalar, op.result.type))


def populate_arith(patterns: PatternSet, target: ConversionTarget) -> None:
    """Adds the patterns for `arith`."""
    target.add_dynamically_legal_op(ConstantOp, lambda op: get_splat_value(op) is None)
    patterns.add(ConstantOp, SplatConstantPattern())


# The core of the conversion: memory, shape, dot, reduction and scan ops change their dialect, with
# all of their attributes. Views, pointers, atomics through pointers and elementwise ops are legal
# as they are.
#
#  %x = nv_tileaa.tiled_load %v[%i] {in_bounds = array<i1: true>, atom = #nv_tileas.atom<ldg>} : …
#  →
#  %x = nv_tileas.tiled_load %v[%i] {in_bounds = array<i1: true>, atom = #nv_tileas.atom<ldg>} : …

RENAMED: tuple[type[Operation], ...] = (
    *(aa.memory.LoadOp, aa.memory.StoreOp, aa.views.TiledLoadOp, aa.views.TiledStoreOp),
    *(aa.views.TiledAtomicRMWOp, aa.views.GatherLoadOp, aa.views.ScatterStoreOp),
    *(aa.shape.ViewOp, aa.shape.ExpandDimsOp, aa.aggregate.ReduceOp, aa.aggregate.ScanOp),
    aa.queues.PragmaOp,
)
"""Ops that change nothing but their dialect."""

KEPT_OPS: tuple[type[Operation], ...] = (
    *operations_in(aa.elementwise),
    *(aa.shape.SplatOp, aa.shape.BroadcastOp, aa.shape.PermuteOp, aa.shape.CatOp),
    *(aa.shape.ExtractOp, aa.shape.InsertOp, aa.shape.MakeRangeOp, aa.shape.AssumeOp),
    *(aa.matmul.PackOp, aa.matmul.UnpackOp),
    *(aa.memory.AddPtrOp, aa.memory.AtomicRMWOp, aa.memory.AtomicCASOp),
    *(aa.memory.MemoryFenceAliasOp, aa.memory.GdcWaitOp, aa.memory.GdcLaunchDependentsOp),
    *(aa.memory.AllocaOp, aa.memory.GlobalOp, aa.memory.GetGlobalOp),
    *(aa.memory.PrintOp, aa.memory.AssertOp),
    *(aa.views.MakeMemrefOp, aa.views.BlockTileOp),
    *(aa.views.GetTensorShapeOp, aa.views.GetIndexSpaceShapeOp),
    aa.queues.PluginOp,
)
"""Ops of `nv_tileaa` that are legal beside those of `nv_tileas`."""


def carry_attributes(
    op: Operation, new_class: type[IRDLOperation]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """
    The properties and attributes of an op as those of its successor. Some attributes, such as
    `atom`, are properties there.
    """
    known = new_class.get_irdl_definition().properties
    properties, attributes = dict(op.properties), dict(op.attributes)
    for name in op.attributes:
        if name in known:
            properties[name] = attributes.pop(name)
    return properties, attributes


class RenamePattern(ConversionPattern[Operation]):
    """`nv_tileaa.op` → `nv_tileas.op`, with the same operands, attributes and regions."""

    def __init__(self, new_class: type[IRDLOperation]):
        self.new_class = new_class

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        properties, attributes = carry_attributes(op, self.new_class)
        new = self.new_class.create(
            operands=rewriter.values(op.operands),
            result_types=rewriter.types(op.result_types),
            properties=properties,
            attributes=attributes,
            regions=[*map(rewriter.move_region, tuple(op.regions))],
        )
        rewriter.replace(op, new)


class DotPattern(ConversionPattern[aa.matmul.DotOp]):
    """`nv_tileaa.dot` → `nv_tileas.dot`, which takes a flag that says to accumulate."""

    def convert(self, op: aa.matmul.DotOp, rewriter: ConversionRewriter) -> None:
        properties, attributes = carry_attributes(op, tas.matmul.PlainDotOp)
        flag = rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True)))
        a, b, accumulator = rewriter.values(op.operands)
        new = tas.matmul.PlainDotOp(a, b, accumulator, flag, properties)
        new.attributes.update(attributes)
        rewriter.replace(op, new)


def ends_new_body(op: Operation) -> bool:
    """Whether an op is the terminator of the body of an op of `nv_tileas`."""
    parent = op.parent_op()
    return parent is not None and parent.name.startswith("nv_tileas.")


def populate_core(
    patterns: PatternSet, target: ConversionTarget, capability: ComputeCapability
) -> None:
    """Adds the patterns for `nv_tileaa`, of which only some ops stay legal."""
    target.add_illegal_dialect(aa.NvTileaa.name)
    target.add_legal_op(*KEPT_OPS)
    modules = (tas.memory, tas.shape)
    new = {op.name.partition(".")[2]: op for op in operations_in(*modules)}
    for old_class in RENAMED:
        target.add_illegal_op(old_class)
        patterns.add(old_class, RenamePattern(new[old_class.name.partition(".")[2]]))
    patterns.add(aa.matmul.DotOp, DotPattern())
    patterns.add(aa.matmul.MmaFScaledOp, ScaledDotPattern(capability))
    target.add_dynamically_legal_op(aa.aggregate.YieldOp, lambda op: not ends_new_body(op))
    patterns.add(aa.aggregate.YieldOp, RenamePattern(tas.shape.YieldOp))


FAILURE = "failed to convert nv_tileaa to nv_tileas"
LEGAL_DIALECTS = ("nv_tileas", "arith", "math", "func", "gpu", "scf")


@cache
def make_patterns(capability: ComputeCapability) -> tuple[PatternSet, ConversionTarget]:
    """
    The patterns, those for `arith` first, and the conversion target. The ops of `math` take
    tensors of any layout as they are, so they need no patterns.
    """
    patterns, target = PatternSet(), ConversionTarget()
    target.add_legal_dialect(*LEGAL_DIALECTS)
    populate_arith(patterns, target)
    populate_core(patterns, target, capability)
    return patterns, target


def has_order_of_its_own(module: ModuleOp) -> bool:
    """
    Whether a program has tokens or queues. Our own pipeline leaves none: `discharge-mem-tokens`
    removes tokens, and bytecode has no queues.
    """
    for op in walk(module):
        if isinstance(op, QUEUE_OPS) or MEM_TOKEN in op.result_types:
            return True
        for region in op.regions:
            for block in region.blocks:
                if MEM_TOKEN in block.arg_types:
                    return True
        signature = op.properties.get("function_type")
        if isinstance(signature, FunctionType) and MEM_TOKEN in (
            *signature.inputs,
            *signature.outputs,
        ):
            return True
    return False


@dataclass(frozen=True)
class ConvertTileaaToTileasPass(ModulePass):
    """
    Lowers memory tokens to mbarriers after checking that plugins get the resources they need,
    chooses the number of warps of kernels, turns queues into pipelines and executes into agents,
    and memory, shape, dot, reduction and scan ops into those of `nv_tileas`. No layouts are
    assigned here. If it fails, the module is unchanged.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "convert-tileaa-to-tileas"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = get_target(op, self.compute_capability)
        check_resources(op, machine)
        lowered = working_copy(op)
        attach_kernel_specs(lowered, machine)
        if has_order_of_its_own(lowered):
            if (interop := find_interop("tokens")) is None:
                fail(op, f"'{op.name}' op has tokens or queues, which {INSTALL}")
            interop.lower_tokens(lowered)
            find_interop("queues").lower_queues(lowered)
        patterns, target = make_patterns(machine.capability)
        convert_in_place(lowered, target, TypeConverter(), patterns, FAILURE)
        replace_contents(op, lowered)
