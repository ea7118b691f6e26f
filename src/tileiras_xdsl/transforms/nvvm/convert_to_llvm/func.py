"""
`func`: functions, also those that `convert-gpu-to-nvvm` has made and whose blocks still have
arguments of other types.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .building import get_discardable


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
        inputs = [rewriter.type(ty) for ty in op.function_type.inputs]
        outputs = [rewriter.type(ty) for ty in op.function_type.outputs]
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
        inputs = [rewriter.type(ty) for ty in op.function_type.inputs]
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
        types = [rewriter.type(ty) for ty in op.result_types]
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
