"""
Memory tokens to mbarriers.

Before:  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
         %t1 = nv_tileaa.store %p, %v token(%t0) : … -> !nv_tileaa.mem_token
         %x, %t2 = nv_tileaa.load %q token(%t1) : … -> i32, !nv_tileaa.mem_token
After:   %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : …
         nvvm.mbarrier.init.shared %slot0, %one : !llvm.ptr<3>, i32
         nv_tileaa.store %p, %v : …
         nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64
         (spin on nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks)
         %x = nv_tileaa.load %q : … -> i32
         nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64

Every function has a pool of 32 mbarriers of its own, `llvm.mlir.global internal @mbarriers_f`. A
token becomes the `i32` index of its mbarrier, which loops and branches carry in its place.
`token_slots` finds which mbarriers a token may stand for, `token_barriers` inserts waits and
arrivals. This module has the pool, the removal of tokens, and the check that none is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerType,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.dialects.llvm import GlobalOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, ParametrizedAttribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove, SymbolTable

from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nvvm import SHARED_SPACE
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .token_barriers import POOL_TYPE, TokenBarriers
from .token_slots import TokenSlots, has_tokens, is_access, tokens_in, walk_unit

OPERAND_SEGMENTS = "operandSegmentSizes"
ALIGNMENT = 8
"""Bytes; hardware asks for it."""


def lower_tokens(module: ModuleOp) -> None:
    """Lowers the tokens of all functions in place; the module is broken if that fails."""
    functions = [op for op in module.walk() if op.regions and op.has_trait(IsolatedFromAbove)]
    for function in functions:
        _check_signature(function)
    for function in functions:
        if any(has_tokens(op) for op in walk_unit(function.regions[0])):
            _lower_function(function)
    _check_none_is_left(module)


def _check_signature(function: Operation) -> None:
    name = _symbol(function)
    label = "" if name is None else f" of @{name}"
    ty = function.properties.get("function_type")
    if isinstance(ty, FunctionType):
        for index, argument in enumerate(ty.inputs):
            if is_token(argument):
                fail(
                    function,
                    f"'{function.name}' op argument {index}{label} is a memory token, "
                    "which a function cannot receive",
                )
        if any(map(is_token, ty.outputs)):
            fail(
                function,
                f"'{function.name}' op result{label} is a memory token, "
                "which a function cannot return",
            )
    if len(function.regions[0].blocks) > 1 and any(
        has_tokens(op) for op in walk_unit(function.regions[0])
    ):
        fail(
            function,
            f"'{function.name}' op{label} has tokens in control flow that is not structured",
        )


def _lower_function(function: Operation) -> None:
    symbol = _symbol(function)
    slots = TokenSlots(function, "the module" if symbol is None else f"@{symbol}")
    removals = [Removal(op) for op in walk_unit(function.regions[0]) if has_tokens(op)]
    handles: dict[Operation, SSAValue] = {}
    if slots.slots:
        pool = _make_pool(function)
        barriers = TokenBarriers(function, slots, pool.sym_name.data)
        barriers.insert()
        _insert_pool(pool, function)
        handles = dict(zip(slots.makers, barriers.handles, strict=True))
    for removal in removals:
        removal.apply(handles)


# The pool


def _make_pool(function: Operation) -> GlobalOp:
    symbol = _symbol(function)
    name = wanted = "mbarriers" if symbol is None else f"mbarriers_{symbol}"
    taken = {_symbol(op) for op in _symbol_table(function).ops}
    suffix = 0
    while name in taken:
        name, suffix = f"{wanted}_{suffix}", suffix + 1
    pool = GlobalOp(POOL_TYPE, name, "internal", addr_space=SHARED_SPACE, alignment=ALIGNMENT)
    pool.location = function.location
    return pool


def _insert_pool(pool: GlobalOp, function: Operation) -> None:
    """Inserts a pool before its function, or first of all if that is the module."""
    table = _symbol_table(function)
    inside = table.find_ancestor_op_in_block(function)
    point = InsertPoint.at_start(table) if inside is None else InsertPoint.before(inside)
    Rewriter.insert_op(pool, point)


def _symbol_table(op: Operation) -> Block:
    """The symbols that an op can refer to."""
    while not op.has_trait(SymbolTable):
        parent = op.parent_op()
        assert parent is not None, "a module is a symbol table"
        op = parent
    return op.regions[0].block


def _symbol(op: Operation) -> str | None:
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else None


# Removal


class Removal:
    """
    Puts handles in the place of the tokens of an op. Which operands are tokens is noted when
    there still are tokens; removals apply in program order, so that the operands of each are
    handles by then.
    """

    def __init__(self, op: Operation):
        self.op = op
        self.operands = [i for i, value in enumerate(op.operands) if is_token(value.type)]
        self.is_access = is_access(op)

    def apply(self, handles: Mapping[Operation, SSAValue]) -> None:
        op = self.op
        handle = handles.get(op)
        if handle is None and self.operands:
            handle = op.operands[self.operands[-1]]
        if isinstance(op, CreateMemTokenOp | JoinMemTokenOp):
            if handle is not None:
                op.result.replace_all_uses_with(handle)
            Rewriter.erase_op(op)
        elif self.is_access:
            self._rebuild(handle)
        else:
            for region in op.regions:
                for block in region.blocks:
                    _retype(block.args)
            _retype(op.results)

    def _rebuild(self, handle: SSAValue | None) -> None:
        """`load %p token(%t0) : … -> i32, mem_token` → `load %p : … -> i32`"""
        op = self.op
        kept = [result for result in op.results if not is_token(result.type)]
        properties = dict(op.properties)
        sizes = properties.get(OPERAND_SEGMENTS)
        if sizes is not None:
            segments = cast("DenseArrayBase[IntegerType]", sizes).get_values()
            properties[OPERAND_SEGMENTS] = self._shrink(segments)
        new = type(op).create(
            operands=[value for i, value in enumerate(op.operands) if i not in self.operands],
            result_types=[result.type for result in kept],
            properties=properties,
            attributes=dict(op.attributes),
            location=op.location,
        )
        Rewriter.insert_op(new, InsertPoint.before(op))
        for old, result in zip(kept, new.results, strict=True):
            old.replace_all_uses_with(result)
        for token in tokens_in(op.results):
            if handle is not None:
                token.replace_all_uses_with(handle)
        Rewriter.erase_op(op)

    def _shrink(self, sizes: Sequence[int]) -> DenseArrayBase:
        """The sizes of operand segments without tokens."""
        left: list[int] = []
        begin = 0
        for size in sizes:
            tokens = sum(begin <= index < begin + size for index in self.operands)
            left.append(size - tokens)
            begin += size
        return DenseArrayBase.from_list(i32, left)


def _retype(values: Sequence[SSAValue]) -> None:
    """Makes numbers of tokens."""
    for value in tuple(values):
        if is_token(value.type):
            new = Rewriter.replace_value_with_new_type(value, i32)
            if isinstance(value, BlockArgument) and isinstance(new, BlockArgument):
                new.location = value.location


def _check_none_is_left(module: ModuleOp) -> None:
    # Few types are used by many ops.
    found: dict[Attribute, bool] = {}

    def has_token(ty: Attribute) -> bool:
        known = found.get(ty)
        if known is None:
            known = found[ty] = _has_token(ty)
        return known

    for op in module.walk():
        values = [*op.operands, *op.results]
        for region in op.regions:
            for block in region.blocks:
                values.extend(block.args)
        if isinstance(op, CreateMemTokenOp | JoinMemTokenOp) or any(
            has_token(value.type) for value in values
        ):
            fail(op, f"'{op.name}' op has memory tokens that could not be lowered")


def _has_token(ty: Attribute) -> bool:
    """Whether a type is, or is made of, memory tokens."""
    if isinstance(ty, ParametrizedAttribute):
        return is_token(ty) or any(map(_has_token, ty.parameters))
    return isinstance(ty, ArrayAttr) and any(map(_has_token, ty))
