"""Values of `nvgpu` types that control flow, or functions, pass on."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, UnrealizedConversionCastOp, i32, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import TruncOp, ZExtOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nvgpu import ParameterizedType, TokenType
from tileiras_xdsl.transforms.nvvm.reconcile_casts import reconcile_casts
from tileiras_xdsl.xdsl_extras.dialect_conversion import TypeConverter
from tileiras_xdsl.xdsl_extras.walking import walk

STRUCTURAL = ("arith", "cf", "func", "llvm", "scf")
"""Dialects whose ops pass on values of any type."""


def retype_values(root: Operation, converter: TypeConverter) -> None:
    """Lets values that are passed on have converted types, and removes casts that cancel out."""
    reconcile_casts(root)
    _retype_all(root, converter)
    reconcile_casts(root)
    _resize_tokens(root)


def _retype_all(root: Operation, converter: TypeConverter) -> None:
    """
    Gives the values that control flow passes on their converted types, so that the casts at both
    ends vanish. Functions of `gpu` keep their arguments: they say what a kernel is passed.
    """
    token = _get_token_type(root)

    def convert(ty: Attribute) -> Attribute:
        if not isinstance(ty, ParameterizedType):
            return ty
        return token if isinstance(ty, TokenType) else converter.convert(ty)

    for op in tuple(walk(root)):
        if isinstance(op, func.FuncOp):
            types = op.function_type
            inputs, outputs = map(convert, types.inputs), map(convert, types.outputs)
            op.properties["function_type"] = types.from_lists(list(inputs), list(outputs))
        values = [arg for region in op.regions for block in region.blocks for arg in block.args]
        for value in (*op.results, *values):
            if isinstance(value.type, ParameterizedType) and _is_passed_on(op, value):
                _retype(value, convert(value.type))


def _is_structural(op: Operation) -> bool:
    return op.name.partition(".")[0] in STRUCTURAL


def _is_passed_on(op: Operation, value: SSAValue) -> bool:
    """Whether control flow, or a cast for it, defines a value, so that its type may change."""
    if isinstance(op, FuncOp) and isinstance(value.owner, Block):
        return value.owner.prev_block is not None
    return isinstance(op, UnrealizedConversionCastOp) or _is_structural(op)


def _retype(value: SSAValue, ty: Attribute) -> None:
    """Changes the type of a value; users that do not just pass it on get a cast back."""
    old = value.type
    new = Rewriter.replace_value_with_new_type(value, ty)
    for use in tuple(new.uses):
        user = use.operation
        if not isinstance(user, UnrealizedConversionCastOp) and not _is_structural(user):
            cast = UnrealizedConversionCastOp.get([new], [old])
            Rewriter.insert_op(cast, InsertPoint.before(user))
            user.operands[use.index] = cast.results[0]


def _get_token_type(root: Operation) -> IntegerType:
    """Tokens that control flow passes on are states of barriers if one of them is."""
    for op in walk(root):
        if isinstance(op, UnrealizedConversionCastOp):
            types = {value.type for value in (*op.operands, *op.results)}
            if i64 in types and any(isinstance(ty, TokenType) for ty in types):
                return i64
    return i32


def _resize_tokens(root: Operation) -> None:
    """A token of a copy says nothing, so it can stand where a state of a barrier could."""
    for op in tuple(walk(root)):
        if isinstance(op, UnrealizedConversionCastOp) and len(op.operands) == 1:
            source, result = op.operands[0].type, op.results[0].type
            if {source, result} == {i32, i64}:
                new = (ZExtOp if result == i64 else TruncOp)(op.operands[0], result)
                Rewriter.replace_op(op, new)
