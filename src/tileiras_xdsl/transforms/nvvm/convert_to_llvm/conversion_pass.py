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

from collections.abc import Sequence
from functools import cache
from typing import Final

from xdsl.context import Context
from xdsl.dialects import cf, func, llvm, ptr, ub
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    ModuleOp,
    UnrealizedConversionCastOp,
    VectorType,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.transforms.common.interop import HINT, find_interop
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    Legality,
    PatternSet,
    TypeConverter,
    convert_in_place,
    fail,
    reconcile_casts,
    replace_contents,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.walking import find_all

from .arith import populate_arith, populate_math
from .building import (
    CONVERSIONS,
    convert_element,
    get_access_options,
    get_discardable,
    get_size,
    make_integer,
)
from .vector import populate_vector

# `cf` and `ub`: branches, poison and what is never reached.

SEGMENTS: Final = AttrSizedOperandSegments.attribute_name


class ConvertBranch(ConversionPattern[cf.BranchOp]):
    """
    cf.br ^bb1(%x : index)
    →
    llvm.br ^bb1(%x : i64)
    """

    def convert(self, op: cf.BranchOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.values(op.operands)
        rewriter.replace(op, llvm.BrOp.create(operands=operands, successors=op.successors))


class ConvertConditionalBranch(ConversionPattern[cf.ConditionalBranchOp]):
    """
    cf.cond_br %c, ^bb1(%x : index), ^bb2
    →
    llvm.cond_br %c, ^bb1(%x : i64), ^bb2
    """

    def convert(self, op: cf.ConditionalBranchOp, rewriter: ConversionRewriter) -> None:
        new = llvm.CondBrOp.create(
            operands=rewriter.values(op.operands),
            # Both count the values for either block in the same way.
            properties={SEGMENTS: op.properties[SEGMENTS]},
            successors=op.successors,
        )
        rewriter.replace(op, new)


class ConvertSwitch(ConversionPattern[cf.SwitchOp]):
    """
    cf.switch %x : i32, [default: ^bb1, 7: ^bb2(%y : index)]
    →
    "llvm.switch"(%x, %y)[^bb1, ^bb2] <{case_values = dense<7> : vector<1xi32>, …}>
        : (i32, i64) -> ()
    """

    def convert(self, op: cf.SwitchOp, rewriter: ConversionRewriter) -> None:
        values: tuple[int, ...] = ()
        if isinstance(op.case_values, DenseIntOrFPElementsAttr):
            values = tuple(int(value) for value in op.case_values.get_values())
        cases: list[tuple[int, Block, list[SSAValue]]] = [
            (value, block, rewriter.values(operands))
            for value, block, operands in zip(values, op.case_blocks, op.case_operand, strict=True)
        ]
        default = (op.default_block, rewriter.values(op.default_operands))
        rewriter.replace(op, own_llvm.SwitchOp(rewriter.value(op.flag), default, cases))


class RefuseAssert(ConversionPattern[cf.AssertOp]):
    """An assertion that `convert-gpu-to-nvvm` has not seen."""

    def convert(self, op: cf.AssertOp, rewriter: ConversionRewriter) -> None:
        raise ConversionError("'convert-gpu-to-nvvm' should have made a call of it")


class ConvertPoison(ConversionPattern[ub.PoisonOp]):
    """
    %r = ub.poison : index
    →
    %r = llvm.mlir.poison : i64
    """

    def convert(self, op: ub.PoisonOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, own_llvm.PoisonOp(rewriter.type(op.result.type)))


class ConvertUnreachable(ConversionPattern[ub.UnreachableOp]):
    """`ub.unreachable` → `llvm.unreachable`"""

    def convert(self, op: ub.UnreachableOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, llvm.UnreachableOp())


def populate_control_flow(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `cf` and `ub`."""
    patterns.add(cf.BranchOp, ConvertBranch())
    patterns.add(cf.ConditionalBranchOp, ConvertConditionalBranch())
    patterns.add(cf.SwitchOp, ConvertSwitch())
    patterns.add(cf.AssertOp, RefuseAssert())
    patterns.add(ub.PoisonOp, ConvertPoison())
    patterns.add(ub.UnreachableOp, ConvertUnreachable())


# `builtin.unrealized_conversion_cast` that earlier conversions have left, and xDSL's pointers.


class ConvertUnrealizedCast(ConversionPattern[UnrealizedConversionCastOp]):
    """
    %b = builtin.unrealized_conversion_cast %a : index to i64
    →
    %a in place of %b

    A cast between types that stay different is kept, for another that undoes it.
    """

    def convert(self, op: UnrealizedConversionCastOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.operands)
        types = rewriter.types(op.result_types)
        if [value.type for value in values] == types:
            rewriter.replace(op, values)
            return
        new = UnrealizedConversionCastOp.create(operands=values, result_types=types)
        rewriter.replace(op, new)


class ConvertCastToSource(ConversionPattern[Operation]):
    """`ptr_xdsl.to_ptr`, `ptr_xdsl.from_ptr` → a change of the address space, if any"""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value, ty = rewriter.value(op.operands[0]), rewriter.type(op.results[0].type)
        new = value if value.type == ty else own_llvm.AddrSpaceCastOp(value, ty)
        rewriter.replace(op, new)


class ConvertPtrAdd(ConversionPattern[ptr.PtrAddOp]):
    """
    %r = ptr_xdsl.ptradd %p, %o : (!ptr_xdsl.ptr, index) -> !ptr_xdsl.ptr
    →
    %r = llvm.getelementptr %p[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    """

    def convert(self, op: ptr.PtrAddOp, rewriter: ConversionRewriter) -> None:
        base, offset = rewriter.value(op.addr), rewriter.value(op.offset)
        rewriter.replace(op, own_llvm.GEPOp(base, [llvm.GEP_USE_SSA_VAL], i8, [offset]))


class ConvertPtrLoad(ConversionPattern[ptr.LoadOp]):
    """
    %x = ptr_xdsl.load volatile %p : !ptr_xdsl.ptr -> f32
    →
    %x = llvm.load volatile %p : !llvm.ptr -> f32
    """

    def convert(self, op: ptr.LoadOp, rewriter: ConversionRewriter) -> None:
        require_order(op)
        address, ty = rewriter.value(op.addr), rewriter.type(op.res.type)
        options, is_invariant = get_access_options(op), op.invariant is not None
        rewriter.replace(op, own_llvm.LoadOp(address, ty, **options, invariant=is_invariant))


class ConvertPtrStore(ConversionPattern[ptr.StoreOp]):
    """
    ptr_xdsl.store %x, %p : f32, !ptr_xdsl.ptr
    →
    llvm.store %x, %p : f32, !llvm.ptr
    """

    def convert(self, op: ptr.StoreOp, rewriter: ConversionRewriter) -> None:
        require_order(op)
        value, address = rewriter.value(op.value), rewriter.value(op.addr)
        rewriter.replace(op, own_llvm.StoreOp(value, address, **get_access_options(op)))


def require_order(op: ptr.LoadOp | ptr.StoreOp) -> None:
    """xDSL's flags say that an access is atomic, but not how."""
    if (op.ordering or op.syncscope) is not None:
        raise ConversionError("the ordering of an atomic access is not given")


class ConvertTypeOffset(ConversionPattern[ptr.TypeOffsetOp]):
    """
    %r = ptr_xdsl.type_offset f32 : index
    →
    %r = llvm.mlir.constant(4) : i64
    """

    def convert(self, op: ptr.TypeOffsetOp, rewriter: ConversionRewriter) -> None:
        size, ty = get_size(rewriter.type(op.elem_type)), rewriter.type(op.offset.type)
        rewriter.replace(op, make_integer(rewriter, size, ty))


def populate_casts(patterns: PatternSet) -> None:
    """Adds patterns for casts and pointers."""
    patterns.add(UnrealizedConversionCastOp, ConvertUnrealizedCast())
    patterns.add(ptr.ToPtrOp, ConvertCastToSource())
    patterns.add(ptr.FromPtrOp, ConvertCastToSource())
    patterns.add(ptr.PtrAddOp, ConvertPtrAdd())
    patterns.add(ptr.LoadOp, ConvertPtrLoad())
    patterns.add(ptr.StoreOp, ConvertPtrStore())
    patterns.add(ptr.TypeOffsetOp, ConvertTypeOffset())


# `func`: functions, also those that `convert-gpu-to-nvvm` has made and whose blocks still have
# arguments of other types.


def get_result_type(types: Sequence[Attribute]) -> Attribute | None:
    """The one result of a function of LLVM: several are a struct."""
    if len(types) > 1:
        return llvm.LLVMStructType.from_type_list(types)
    return types[0] if types else None


class ConvertFunc(ConversionPattern[func.FuncOp]):
    """
    func.func private @f(%x: index) -> (i32, f32) { … }
    →
    llvm.func internal @f(%x: i64) -> !llvm.struct<(i32, f32)> { … }
    """

    def convert(self, op: func.FuncOp, rewriter: ConversionRewriter) -> None:
        inputs = rewriter.types(op.function_type.inputs)
        outputs = rewriter.types(op.function_type.outputs)
        is_private = op.sym_visibility is not None and op.sym_visibility.data == "private"
        properties: dict[str, Attribute | None] = {}
        if op.arg_attrs is not None:
            properties["arg_attrs"] = op.arg_attrs
        if op.res_attrs is not None and len(outputs) == 1:
            properties["res_attrs"] = op.res_attrs
        is_internal = is_private and not op.is_declaration
        new = llvm.FuncOp(
            op.sym_name,
            llvm.LLVMFunctionType(inputs, get_result_type(outputs)),
            llvm.LinkageAttr("internal" if is_internal else "external"),
            body=rewriter.move_region(op.body),
            other_props=properties,
            extra_attrs=get_discardable(op),
        )
        rewriter.replace(op, new)


class ConvertArguments(ConversionPattern[llvm.FuncOp]):
    """
    ^bb1(%x: index):
    →
    ^bb1(%x: i64):

    in an `llvm.func`.
    """

    def convert(self, op: llvm.FuncOp, rewriter: ConversionRewriter) -> None:
        inputs = rewriter.types(op.function_type.inputs)
        output = rewriter.type(op.function_type.output)
        ty = llvm.LLVMFunctionType(inputs, output, op.function_type.is_variadic)
        new = llvm.FuncOp.create(
            properties={**op.properties, "function_type": ty},
            attributes=dict(op.attributes),
            regions=[rewriter.move_region(op.body)],
        )
        rewriter.replace(op, new)


class ConvertReturn(ConversionPattern[func.ReturnOp]):
    """
    func.return %a, %b : i32, f32
    →
    %0 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
    %1 = llvm.insertvalue %a, %0[0] : !llvm.struct<(i32, f32)>
    %2 = llvm.insertvalue %b, %1[1] : !llvm.struct<(i32, f32)>
    llvm.return %2 : !llvm.struct<(i32, f32)>
    """

    def convert(self, op: func.ReturnOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.arguments)
        if len(values) < 2:
            rewriter.replace(op, llvm.ReturnOp(*values))
            return
        ty = llvm.LLVMStructType.from_type_list([value.type for value in values])
        struct: SSAValue = rewriter.insert(own_llvm.PoisonOp(ty)).res
        for number, value in enumerate(values):
            struct = rewriter.insert(llvm.InsertValueOp(get_field(number), struct, value)).res
        rewriter.replace(op, llvm.ReturnOp(struct))


class ConvertCall(ConversionPattern[func.CallOp]):
    """
    %a, %b = func.call @f(%x) : (index) -> (i32, f32)
    →
    %0 = llvm.call @f(%x) : (i64) -> !llvm.struct<(i32, f32)>
    %a = llvm.extractvalue %0[0] : !llvm.struct<(i32, f32)>
    %b = llvm.extractvalue %0[1] : !llvm.struct<(i32, f32)>
    """

    def convert(self, op: func.CallOp, rewriter: ConversionRewriter) -> None:
        types = rewriter.types(op.result_types)
        call = llvm.CallOp(
            op.callee, *rewriter.values(op.arguments), return_type=get_result_type(types)
        )
        call.attributes |= get_discardable(op)
        if len(types) < 2:
            rewriter.replace(op, call)
            return
        struct = rewriter.insert(call).results[0]
        fields = [
            rewriter.insert(llvm.ExtractValueOp(get_field(number), struct, ty)).res
            for number, ty in enumerate(types)
        ]
        rewriter.replace(op, fields)


def get_field(number: int) -> DenseArrayBase:
    """Where a field is in a struct."""
    return DenseArrayBase.from_list(i64, [number])


def populate_func(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `func`, and for `llvm.func`."""
    patterns.add(func.FuncOp, ConvertFunc())
    patterns.add(func.CallOp, ConvertCall())
    patterns.add(func.ReturnOp, ConvertReturn())
    patterns.add(llvm.FuncOp, ConvertArguments())


FAILURE = "failed to convert to llvm"
LEGAL_DIALECTS = ("llvm", "nvvm")


def make_target(converter: TypeConverter, module: ModuleOp) -> ConversionTarget:
    """
    `llvm`, `nvvm` and the modules around them may stay; everything else must go.
    Casts are looked at afterwards.
    """

    illegal_functions = {
        op
        for op in find_all(module, llvm.FuncOp)
        for block in op.body.blocks
        for arg in block.args
        if not converter.is_legal(arg.type)
    }
    target = ConversionTarget(default=Legality.ILLEGAL)
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


@cache
def make_patterns() -> PatternSet:
    """The patterns of all dialects; those of memrefs come from `tileiras_interop`."""

    def populate_rest(patterns: PatternSet) -> None:
        if (interop := find_interop("memref")) is None:
            patterns.hint = HINT
        else:
            interop.populate_memref(patterns)
            find_interop("transfers").populate_transfers(patterns)

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
        converted, converter = working_copy(op), TypeConverter(CONVERSIONS)
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
