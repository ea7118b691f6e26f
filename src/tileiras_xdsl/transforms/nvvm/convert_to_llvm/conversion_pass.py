"""
The last conversion: what is left of `arith`, `math`, `vector`, `memref`, `cf` and `func` becomes
`llvm`.

    func.func @f(%m: memref<64xf32, 3>, %i: index) -> f32 {
      %x = memref.load %m[%i] : memref<64xf32, 3>
      func.return %x : f32
    }
    →
    llvm.func @f(%m: !llvm.ptr<3>, %i: i64) -> f32 {
      %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %x = llvm.load %0 : !llvm.ptr<3> -> f32
      llvm.return %x : f32
    }
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    ModuleOp,
    UnrealizedConversionCastOp,
    VectorType,
)
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    TypeConverter,
    convert_in_place,
    fail,
    get_name,
    replace_contents,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..reconcile_casts import reconcile_casts
from .arith import populate_arith
from .casts import populate_casts
from .control_flow import populate_control_flow
from .func import populate_func
from .math import populate_math
from .types import convert_element, make_type_converter
from .vector import populate_vector

FAILURE = "failed to convert to llvm"
LEGAL_DIALECTS = ("llvm", "nvvm")


def make_target(converter: TypeConverter, module: ModuleOp) -> ConversionTarget:
    """
    `llvm`, `nvvm` and the modules around them may stay; everything else in this module must go.
    Casts are looked at afterwards.
    """

    def has_legal_arguments(op: llvm.FuncOp) -> bool:
        blocks = op.body.blocks
        return all(converter.is_legal(arg.type) for block in blocks for arg in block.args)

    illegal_functions: set[llvm.FuncOp] = set()
    names: dict[str, None] = {}
    for op in walk(module):
        names[get_name(op)] = None
        if isinstance(op, llvm.FuncOp) and not has_legal_arguments(op):
            illegal_functions.add(op)
    target = ConversionTarget()
    dialects = dict.fromkeys(name.partition(".")[0] for name in names)
    target.add_illegal_dialect(*(name for name in dialects if name not in LEGAL_DIALECTS))
    target.add_legal_dialect(*LEGAL_DIALECTS)
    target.add_dynamically_legal_op(llvm.FuncOp, lambda op: op not in illegal_functions)
    target.add_legal_op(ModuleOp, gpu.ModuleOp)
    target.add_dynamically_legal_op(
        UnrealizedConversionCastOp,
        lambda op: (
            is_bitcast(op)
            or all(converter.is_legal(value.type) for value in (*op.operands, *op.results))
        ),
    )
    return target


def make_patterns() -> PatternSet:
    """The patterns of all dialects; those of memrefs come from `interop`."""

    def populate_rest(patterns: PatternSet) -> None:
        from tileiras_xdsl.transforms.interop.memref import populate_memref
        from tileiras_xdsl.transforms.interop.transfers import populate_transfers

        populate_memref(patterns)
        populate_transfers(patterns)

    patterns = PatternSet(populate_rest)
    populate_arith(patterns)
    populate_math(patterns)
    populate_vector(patterns)
    populate_control_flow(patterns)
    populate_func(patterns)
    populate_casts(patterns)
    return patterns


def is_bitcast(op: Operation) -> bool:
    """
    Whether a cast is between floats of 8 bits, or tf32, and the integers that hold them. Ops of
    `nvvm` keep such floats, whose type says what they do.
    """
    if len(op.operands) != 1 or len(op.results) != 1:
        return False
    types = op.operands[0].type, op.results[0].type
    shapes = [ty.get_shape() if isinstance(ty, VectorType) else None for ty in types]
    elements = [element_of(ty) for ty in types]
    held = {convert_element(element) for element in elements if isa(element, AnyFloat)}
    integers = {element for element in elements if isinstance(element, IntegerType)}
    return shapes[0] == shapes[1] and held == integers


class ConvertToLlvmPass(ModulePass):
    """
    Converts everything but `nvvm` and the modules to `llvm`. Structured control flow, `gpu` and
    `nvgpu` must have been converted before. On failure the module is unchanged.
    """

    name = "convert-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converted, converter = working_copy(op), make_type_converter()
        target = make_target(converter, converted)
        convert_in_place(converted, target, converter, make_patterns(), FAILURE)
        reconcile_casts(converted)
        for left in find_all(converted, UnrealizedConversionCastOp):
            if is_bitcast(left):
                cast = llvm.BitcastOp(left.operands[0], left.result_types[0])
                cast.location = left.location
                Rewriter.replace_op(left, cast)
                continue
            types = f"'{left.operand_types[0]}' to '{left.result_types[0]}'"
            fail(left, f"'{left.name}' op of {types} is left after the conversion", FAILURE)
        replace_contents(op, converted)
