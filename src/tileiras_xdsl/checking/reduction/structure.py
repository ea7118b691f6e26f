"""
Edits that take structure away: ops, regions, blocks, parameters, and what loops carry.

Edits of a strategy are found in the same order for a copy of a module, and any of them may be left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, cf, llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, OptOperandDef
from xdsl.traits import IsolatedFromAbove, IsTerminator

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of, parents, walk

# Edits of a module, of which any may be left out: what strategies consist of.


class Edit:
    """
    A change of the module it was made for, of which `op` says where. Where an edit before it has
    taken that op away, it is left out. It may leave an invalid module, or raise: such a candidate
    is not tried.
    """

    def __init__(self, change: Callable[..., None], op: Operation, *arguments: object):
        self.op = op
        self.apply = partial(change, op, *arguments)


@dataclass(frozen=True)
class Strategy:
    """A way to make programs smaller."""

    name: str
    find: Callable[[ModuleOp], list[Edit]]
    """The edits of a module; for a copy of it the same ones in the same order."""


def is_attached(op: Operation, root: Operation) -> bool:
    """Whether an op is still in the module."""
    return root.is_ancestor(op)


# What a value may be replaced by: a value at hand of the same type, or a zero.


ZERO_MAKERS = (
    ct.ConstantOp,
    ct.MakeTokenOp,
    CreateMemTokenOp,
    arith.ConstantOp,
    llvm.ConstantOp,
    llvm.ZeroOp,
)


def make_zero(ty: Attribute, place: Operation) -> Operation | None:
    """An op that makes a zero, or an empty token; `None` for types that have none."""
    match ty:
        case ct.TileType() if ct.types.is_number(ty.element_type):
            return ct.ConstantOp(ct.DenseElementsAttr.from_bits(ty, [0]))
        case ct.TokenType():
            return ct.MakeTokenOp()
        case MemTokenType():
            return CreateMemTokenOp.create(result_types=[ty])
        case llvm.LLVMPointerType():
            return llvm.ZeroOp.create(result_types=[ty])
        case _ if any(isinstance(op, llvm.FuncOp) for op in parents(place)):
            is_number = isinstance(ty, IntegerType | AnyFloat | VectorType)
            return llvm.ZeroOp.create(result_types=[ty]) if is_number else None
        case _:
            return _zero_constant(ty)


def _zero_constant(ty: Attribute) -> Operation | None:
    if isinstance(ty, IntegerType | IndexType):
        return arith.ConstantOp(IntegerAttr(0, ty))
    if isinstance(ty, AnyFloat):
        return arith.ConstantOp(FloatAttr(0.0, ty))
    if isinstance(ty, TensorType | VectorType):
        return arith.ConstantOp.create(
            properties={"value": DenseIntOrFPElementsAttr.from_list(ty, [0])},  # pyright: ignore
            result_types=[ty],
        )
    return None


def is_zero_maker(op: Operation) -> bool:
    """Whether an op has no operands and makes one value, so that a zero would be no simpler."""
    return not op.operands and isinstance(op, ZERO_MAKERS)


def values_before(op: Operation) -> Iterator[SSAValue]:
    """The values that an op may use in place of its own, the outermost and earliest first."""
    chain = [op, *parents(op)]
    for inner in reversed(chain):
        block = inner.parent
        if block is None:
            continue
        yield from block.args
        before = block.first_op
        while before is not None and before is not inner:
            yield from before.results
            before = before.next_op


def first_of_type(
    values: Sequence[SSAValue] | Iterator[SSAValue], ty: Attribute
) -> SSAValue | None:
    """The first of some values that has a type."""
    return next((value for value in values if value.type == ty), None)


def substitute(
    value: SSAValue, place: Operation, order: Sequence[str], operands: Sequence[SSAValue] = ()
) -> SSAValue | None:
    """
    A value of the same type that can be used at `place`: of `order`, "operand" is one of the
    operands, "earlier" any value before, "zero" a new constant there.
    """
    ty = value.type
    for kind in order:
        found: SSAValue | None
        if kind == "operand":
            found = first_of_type(operands, ty)
        elif kind == "earlier":
            found = first_of_type(values_before(place), ty)
        else:
            op = make_zero(ty, place)
            found = None
            if op is not None:
                block = place.parent
                assert block is not None
                block.insert_op_before(op, place)
                found = op.results[0]
        if found is not None and found is not value:
            return found
    return None


def start_of(block: Block) -> Operation:
    """The first op of a block."""
    assert block.first_op is not None
    return block.first_op


def removable(module: ModuleOp) -> list[Operation]:
    """All ops that may be left out as such, from the last one to the first."""
    return [
        op for op in reversed(walk(module)) if op is not module and not op.has_trait(IsTerminator)
    ]


def _erase_unused(op: Operation) -> None:
    if not any(result.first_use for result in op.results):
        op.detach()
        op.erase()


def find_symbols(module: ModuleOp) -> list[Edit]:
    """Whole functions, variables and modules in modules."""
    return [Edit(_erase_unused, op) for op in removable(module) if "sym_name" in op.properties]


def find_unused(module: ModuleOp) -> list[Edit]:
    """Ops whose results nothing uses, with what only they have used."""
    return [Edit(_erase_unused, op) for op in removable(module) if "sym_name" not in op.properties]


def _replace(op: Operation, order: Sequence[str]) -> None:
    for result in op.results:
        if result.first_use is None:
            continue
        found = substitute(result, op, order, op.operands)
        if found is None:
            return
        result.replace_all_uses_with(found)
    op.detach()
    op.erase()


def find_replaced(module: ModuleOp, order: Sequence[str]) -> list[Edit]:
    """Ops of which each used result becomes something else, the first that there is of `order`."""
    return [
        Edit(_replace, op, order)
        for op in removable(module)
        if op.results and not (order[0] == "zero" and is_zero_maker(op))
    ]


SYMBOLS = Strategy("functions", find_symbols)
UNUSED = Strategy("unused ops", find_unused)
TO_OPERANDS = Strategy(
    "ops to operands", partial(find_replaced, order=("operand", "zero", "earlier"))
)
TO_ZEROS = Strategy("ops to zeros", partial(find_replaced, order=("zero", "operand", "earlier")))
TO_EARLIER = Strategy(
    "ops to earlier values", partial(find_replaced, order=("earlier", "operand", "zero"))
)


# Replaces ops with regions by what is inside: one round of a loop, one branch of an `if`.


LEAVING = (ct.BreakOp, ct.ContinueOp, ct.ReturnOp)


def _values_of_arguments(op: Operation, block: Block) -> list[SSAValue] | None:
    """What the arguments of a block are in the first round: initial values come last."""
    count = len(block.args)
    last = op.operands[len(op.operands) - count :]
    if len(last) == count and all(a.type == b.type for a, b in zip(last, block.args, strict=True)):
        return list(last)
    found: list[SSAValue] = []
    # What is carried comes last, and before it the induction variable, which starts at a bound.
    carried = list(op.operands[max(len(op.operands) - count + 1, 0) :])
    for number, argument in enumerate(block.args):
        value = first_of_type(op.operands, argument.type)
        if number > 0 and number - 1 < len(carried):
            carry = carried[number - 1]
            value = carry if carry.type == argument.type else value
        if value is None:
            value = substitute(argument, op, ("zero", "earlier"))
        if value is None:
            return None
        found.append(value)
    return found


def _inline(op: Operation, index: int) -> None:
    region, outer = op.regions[index], op.parent
    block = region.first_block
    if outer is None or block is None or block.next_block is not None or block.last_op is None:
        return
    values = _values_of_arguments(op, block)
    if values is None:
        return
    for argument, value in zip(block.args, values, strict=True):
        argument.replace_all_uses_with(value)
    terminator = block.last_op
    leaves = isinstance(op, ct.IfOp) and isinstance(terminator, LEAVING)
    for inner in list(block.ops):
        inner.detach()
        if leaves or inner is not terminator:
            outer.insert_op_before(inner, op)
    if leaves:
        # What came after is never reached.
        rest: Operation | None = outer.last_op
        while rest is not None and rest is not terminator:
            before = rest.prev_op
            rest.detach()
            rest.erase()
            rest = before
        return
    count = len(op.results)
    yielded = terminator.operands[len(terminator.operands) - count :] if count else ()
    for number, result in enumerate(op.results):
        value = yielded[number] if len(yielded) == count else None
        if value is None or value.type != result.type:
            value = substitute(result, op, ("operand", "zero", "earlier"), op.operands)
        assert value is not None
        result.replace_all_uses_with(value)
    terminator.erase()
    op.detach()
    op.erase()


def find_inlined(module: ModuleOp) -> list[Edit]:
    """Each region of an op, in place of the op."""
    return [
        Edit(_inline, op, index)
        for op in reversed(walk(module))
        if not op.has_trait(IsolatedFromAbove) and "sym_name" not in op.properties
        for index in range(len(op.regions))
        if op is not module
    ]


def find_else(module: ModuleOp) -> list[Edit]:
    """Second branches of an `if` without results."""

    def drop(op: Operation) -> None:
        if not op.results:
            for block in list(op.regions[1].blocks):
                op.regions[1].erase_block(block)

    return [
        Edit(drop, op)
        for op in reversed(walk(module))
        if isinstance(op, ct.IfOp | scf.IfOp) and op.regions[1].blocks
    ]


INLINED = Strategy("regions", find_inlined)
ELSE = Strategy("else branches", find_else)


# Makes control flow between blocks simpler: one way of two, one block instead of two.


def _branch(op: Operation, is_taken: bool) -> None:
    match op:
        case cf.ConditionalBranchOp():
            target = op.then_block if is_taken else op.else_block
            values = op.then_arguments if is_taken else op.else_arguments
            new: Operation = cf.BranchOp(target, *values)
        case llvm.CondBrOp():
            target = op.successors[0 if is_taken else 1]
            values = op.then_arguments if is_taken else op.else_arguments
            new = llvm.BrOp(target, *values)
        case _:
            return
    block = op.parent
    assert block is not None
    assert block.parent is not None
    op.detach()
    op.erase()
    block.add_op(new)
    _erase_unreachable(block.parent)


def _erase_unreachable(region: Region) -> None:
    first = region.first_block
    reached: set[Block] = set()
    pending = [] if first is None else [first]
    while pending:
        block = pending.pop()
        if block in reached:
            continue
        reached.add(block)
        if block.last_op is not None:
            pending += block.last_op.successors
    for block in list(region.blocks):
        if block not in reached:
            block.drop_all_references()
    for block in list(region.blocks):
        if block not in reached:
            region.erase_block(block, safe_erase=False)


def _merge(op: Operation) -> None:
    """A block that only this branch leads to comes in its place."""
    block, target = op.parent, op.successors[0]
    assert block is not None
    if target is block or list(target.predecessors()) != [block]:
        return
    for argument, value in zip(target.args, op.operands, strict=True):
        argument.replace_all_uses_with(value)
    op.detach()
    op.erase()
    for inner in list(target.ops):
        inner.detach()
        block.add_op(inner)
    region = block.parent
    assert region is not None
    region.erase_block(target)


def find_branches(module: ModuleOp) -> list[Edit]:
    """Branches on a condition, to either side, and blocks that follow one another."""
    edits: list[Edit] = []
    for op in walk(module):
        if isinstance(op, cf.ConditionalBranchOp | llvm.CondBrOp):
            edits += [Edit(_branch, op, is_taken) for is_taken in (True, False)]
        elif isinstance(op, cf.BranchOp | llvm.BrOp):
            edits.append(Edit(_merge, op))
    return edits


BRANCHES = Strategy("branches", find_branches)


# Takes away parameters of functions, what loops carry, results of branches, and operands.


ORDER = ("zero", "earlier")


def _without(values: Sequence[SSAValue], index: int) -> list[SSAValue]:
    return [value for number, value in enumerate(values) if number != index]


# Parameters


def _drop_parameter(op: Operation, index: int) -> None:
    body = op.regions[0].first_block
    if body is None or index >= len(body.args):
        return
    argument = body.args[index]
    if argument.first_use is not None:
        value = substitute(argument, start_of(body), ("zero",))
        if value is None:
            return
        argument.replace_all_uses_with(value)
    ty = op.properties["function_type"]
    if isinstance(ty, FunctionType):
        inputs = [kind for number, kind in enumerate(ty.inputs) if number != index]
        op.properties["function_type"] = FunctionType.from_lists(inputs, list(ty.outputs))
    elif isinstance(ty, llvm.LLVMFunctionType):
        inputs = [kind for number, kind in enumerate(ty.inputs) if number != index]
        op.properties["function_type"] = llvm.LLVMFunctionType(inputs, ty.output, ty.is_variadic)
    for holder in (op.properties, op.attributes):
        described = holder.get("arg_attrs")
        if isinstance(described, ArrayAttr) and len(described) == len(body.args):
            members: Sequence[Attribute] = described.data
            kept = [one for number, one in enumerate(members) if number != index]
            holder["arg_attrs"] = ArrayAttr(kept)
    body.erase_arg(argument)


def find_parameters(module: ModuleOp) -> list[Edit]:
    """Parameters of functions with a body; those that are used become zeros."""
    edits: list[Edit] = []
    for op in walk(module):
        if "function_type" not in op.properties or not op.regions:
            continue
        body = op.regions[0].first_block
        count = 0 if body is None else len(body.args)
        edits += [Edit(_drop_parameter, op, index) for index in reversed(range(count))]
    return edits


# Values that flow through regions


def _rebuild(op: Operation, operands: Sequence[SSAValue], dropped: int | None) -> None:
    """The same op with other operands, and without one of its results."""
    kept = [result for result in op.results if result.index != dropped]
    new = type(op).create(
        operands=operands,
        result_types=[result.type for result in kept],
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
        regions=[op.detach_region(0) for _ in range(len(op.regions))],
        location=op.location,
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip(kept, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()


def _ends(loop: Operation, kind: type[Operation]) -> Iterator[Operation]:
    """The terminators of some kind that go around a loop of `cuda_tile`, or out of it."""

    def visit(block: Block) -> Iterator[Operation]:
        for op in block.ops:
            if isinstance(op, kind):
                yield op
            elif isinstance(op, ct.IfOp):
                for region in op.regions:
                    for inner in region.blocks:
                        yield from visit(inner)

    for region in loop.regions:
        for block in region.blocks:
            yield from list(visit(block))


def _drop_operand(op: Operation, index: int) -> None:
    op.operands = _without(op.operands, index)


def _replace_result(op: Operation, index: int, operands: Sequence[SSAValue] = ()) -> bool:
    result = op.results[index]
    if result.first_use is None:
        return True
    value = substitute(result, op, ("operand", *ORDER), operands)
    if value is None:
        return False
    result.replace_all_uses_with(value)
    return True


def _drop_carried(op: Operation, index: int) -> None:
    """A value that a loop carries from one round to the next."""
    first_operand = 3 if isinstance(op, ct.ForOp | scf.ForOp) else 0
    first_argument = 1 if isinstance(op, ct.ForOp | scf.ForOp) else 0
    block = op.regions[0].first_block
    if block is None or first_operand + index >= len(op.operands):
        return
    initial = op.operands[first_operand + index]
    argument = block.args[first_argument + index]
    argument.replace_all_uses_with(initial)
    block.erase_arg(argument)
    dropped: int | None = None
    match op:
        case ct.ForOp() | scf.ForOp():
            op.results[index].replace_all_uses_with(initial)
            dropped = index
            ends = _ends(op, ct.ContinueOp) if isinstance(op, ct.ForOp) else [last_of(block)]
        case ct.LoopOp():
            ends = _ends(op, ct.ContinueOp)
        case scf.WhileOp():
            ends = [last_of(op.after_region.block)]
        case _:
            return
    for end in ends:
        _drop_operand(end, index)
    _rebuild(op, _without(op.operands, first_operand + index), dropped)


def _drop_result(op: Operation, index: int) -> None:
    """A result of a branch, or of a loop that results do not have to go around."""
    if index >= len(op.results):
        return
    if not _replace_result(op, index):
        return
    match op:
        case ct.IfOp():
            ends = _yields(op, ct.YieldOp)
        case scf.IfOp():
            ends = _yields(op, scf.YieldOp)
        case ct.LoopOp():
            ends = list(_ends(op, ct.BreakOp))
        case scf.WhileOp():
            block = op.after_region.block
            argument = block.args[index]
            if argument.first_use is not None:
                value = substitute(argument, start_of(block), ORDER)
                assert value is not None
                argument.replace_all_uses_with(value)
            block.erase_arg(argument)
            _drop_operand(condition_of(op), index + 1)
            ends = []
        case _:
            return
    for end in ends:
        _drop_operand(end, index)
    _rebuild(op, op.operands, index)


def _yields(op: Operation, kind: type[Operation]) -> list[Operation]:
    blocks = [block for region in op.regions for block in region.blocks]
    return [block.last_op for block in blocks if isinstance(block.last_op, kind)]


def find_carried(module: ModuleOp) -> list[Edit]:
    """What loops carry, and what loops and branches result in."""
    edits: list[Edit] = []
    for op in reversed(walk(module)):
        match op:
            case ct.ForOp() | scf.ForOp():
                carried, results = len(op.results), 0
            case ct.LoopOp() | scf.WhileOp():
                carried, results = len(op.operands), len(op.results)
            case ct.IfOp() | scf.IfOp():
                carried, results = 0, len(op.results)
            case _:
                continue
        edits += [Edit(_drop_carried, op, number) for number in range(carried)]
        edits += [Edit(_drop_result, op, number) for number in range(results)]
    return edits


# Operands


def _drop_optional(op: IRDLOperation, name: str) -> None:
    definition = type(op).get_irdl_definition()
    names = [operand for operand, _ in definition.operands]
    held = [_as_values(getattr(op, operand)) for operand in names]
    held[names.index(name)] = []
    sizes = [len(values) for values in held]
    op.operands = [value for values in held for value in values]
    segments = AttrSizedOperandSegments.attribute_name
    if segments in op.properties:
        op.properties[segments] = DenseArrayBase.from_list(i32, sizes)
    if segments in op.attributes:
        op.attributes[segments] = DenseArrayBase.from_list(i32, sizes)


def _as_values(held: SSAValue | Sequence[SSAValue] | None) -> list[SSAValue]:
    if held is None:
        return []
    return [held] if isinstance(held, SSAValue) else list(held)


def find_optional(module: ModuleOp) -> list[Edit]:
    """Operands that an op can do without: masks, paddings, tokens."""
    return [
        Edit(_drop_optional, op, name)
        for op in reversed(walk(module))
        if isinstance(op, IRDLOperation)
        for name, definition in type(op).get_irdl_definition().operands
        if isinstance(definition, OptOperandDef) and getattr(op, name) is not None
    ]


def _zero_operand(op: Operation, index: int) -> None:
    value = substitute(op.operands[index], op, ("zero",))
    if value is not None:
        op.operands[index] = value


def find_block_arguments(module: ModuleOp) -> list[Edit]:
    """Uses of parameters and of induction variables, which become zeros."""
    return [
        Edit(_zero_operand, op, index)
        for op in reversed(walk(module))
        for index, value in enumerate(op.operands)
        if isinstance(value.owner, Block)
    ]


PARAMETERS = Strategy("parameters", find_parameters)
CARRIED = Strategy("carried values", find_carried)
OPTIONAL = Strategy("optional operands", find_optional)
BLOCK_ARGUMENTS = Strategy("uses of parameters", find_block_arguments)
