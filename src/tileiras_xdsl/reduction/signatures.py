"""Takes away parameters of functions, what loops carry, results of branches, and operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FunctionType, ModuleOp, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    OptOperandDef,
)

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.reduction.edits import Edit, Strategy, is_attached
from tileiras_xdsl.reduction.values import start_of, substitute
from tileiras_xdsl.xdsl_extras.structure import condition_of, last_of
from tileiras_xdsl.xdsl_extras.walking import walk

ORDER = ("zero", "earlier")


def _without(values: Sequence[SSAValue], index: int) -> list[SSAValue]:
    return [value for number, value in enumerate(values) if number != index]


# Parameters


def _drop_parameter(op: Operation, index: int, module: ModuleOp) -> None:
    body = op.regions[0].first_block
    if not is_attached(op, module) or body is None or index >= len(body.args):
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
        edits += [partial(_drop_parameter, op, index, module) for index in reversed(range(count))]
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


def _drop_carried(op: Operation, index: int, module: ModuleOp) -> None:
    """A value that a loop carries from one round to the next."""
    if not is_attached(op, module):
        return
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


def _drop_result(op: Operation, index: int, module: ModuleOp) -> None:
    """A result of a branch, or of a loop that results do not have to go around."""
    if not is_attached(op, module) or index >= len(op.results):
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
        edits += [partial(_drop_carried, op, number, module) for number in range(carried)]
        edits += [partial(_drop_result, op, number, module) for number in range(results)]
    return edits


# Operands


def _drop_optional(op: IRDLOperation, name: str, module: ModuleOp) -> None:
    if not is_attached(op, module):
        return
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
        partial(_drop_optional, op, name, module)
        for op in reversed(walk(module))
        if isinstance(op, IRDLOperation)
        for name, definition in type(op).get_irdl_definition().operands
        if isinstance(definition, OptOperandDef) and getattr(op, name) is not None
    ]


def _zero_operand(op: Operation, index: int, module: ModuleOp) -> None:
    if not is_attached(op, module):
        return
    value = substitute(op.operands[index], op, ("zero",))
    if value is not None:
        op.operands[index] = value


def find_block_arguments(module: ModuleOp) -> list[Edit]:
    """Uses of parameters and of induction variables, which become zeros."""
    return [
        partial(_zero_operand, op, index, module)
        for op in reversed(walk(module))
        for index, value in enumerate(op.operands)
        if isinstance(value.owner, Block)
    ]


PARAMETERS = Strategy("parameters", find_parameters)
CARRIED = Strategy("carried values", find_carried)
OPTIONAL = Strategy("optional operands", find_optional)
BLOCK_ARGUMENTS = Strategy("uses of parameters", find_block_arguments)
