"""What random programs consist of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import CudaTile, PtrType, TileType
from tileiras_xdsl.dialects.cuda_tile.types import element_name

from .types import NUMBERS, i4

NO_OPS = (ct.FPowFOp, ct.TestingFuncOp)
"""A spelling of another op, and what has no kernels."""

OPS = tuple(op_class.name for op_class in CudaTile.operations if op_class not in NO_OPS)
ELEMENTS = tuple(element_name(element) for element in (*NUMBERS, i4))
CONTROL_FLOW = (
    "if without else",
    "if with results",
    "for",
    "for unsigned",
    "for that carries tiles",
    "loop",
    "loop that carries tiles",
    "loop with results",
    "break in if",
    "break in loop",
    "continue in if",
    "return in if",
    "loop in loop",
    "tokens in a loop",
)


class Coverage:
    """In how many programs ops, element types and forms of control flow occur."""

    def __init__(self) -> None:
        self.programs: Counter[str] = Counter()
        self.count = 0

    def add(self, module: Operation) -> None:
        self.count += 1
        self.programs.update(set(features(module)))


def features(module: Operation) -> Iterator[str]:
    """What occurs in a program."""
    for op in module.walk():
        yield op.name
        for result in op.results:
            if isinstance(result.type, TileType):
                element = result.type.element_type
                if not isinstance(element, PtrType):
                    yield element_name(element)
        yield from control_flow(op)


def control_flow(op: Operation) -> Iterator[str]:
    """The forms of control flow that an op shows."""
    match op:
        case ct.IfOp():
            if not op.has_else:
                yield "if without else"
            if has_tiles(op):
                yield "if with results"
        case ct.ForOp():
            yield "for" if op.unsigned_cmp is None else "for unsigned"
            if has_tiles(op):
                yield "for that carries tiles"
            if any(isinstance(value.type, ct.TokenType) for value in op.results):
                yield "tokens in a loop"
        case ct.LoopOp():
            yield "loop"
            if sum(isinstance(value.type, TileType) for value in op.operands) > 1:
                yield "loop that carries tiles"
            if has_tiles(op):
                yield "loop with results"
        case ct.BreakOp() | ct.ContinueOp() | ct.ReturnOp():
            parent = op.parent_op()
            assert parent is not None
            yield f"{mnemonic(op)} in {mnemonic(parent)}"
        case _:
            pass
    if isinstance(op, ct.ForOp | ct.LoopOp) and in_loop(op):
        yield "loop in loop"


def has_tiles(op: Operation) -> bool:
    return any(isinstance(result.type, TileType) for result in op.results)


def mnemonic(op: Operation) -> str:
    return op.name.partition(".")[2]


def in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ct.ForOp | ct.LoopOp):
        parent = parent.parent_op()
    return parent is not None
