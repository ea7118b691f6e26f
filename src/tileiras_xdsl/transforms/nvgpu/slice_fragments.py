"""
Slices epilogues: computes and stores fragments some elements at a time.

Before:  %t = arith.mulf %acc, %scale : vector<128xf32>
         %e = llvm.intr.tanh(%t) : (vector<128xf32>) -> vector<128xf32>
         %h = arith.truncf %e : vector<128xf32> to vector<128xf16>
         nvvm.fragment.stmatrix %h, %rows {…} : vector<128xf16>, vector<16x!llvm.ptr<3>>
After:   %a0 = vector.shuffle %acc, %acc [0, 1, …, 15] : vector<128xf32>, vector<128xf32>
         %t0 = arith.mulf %a0, %s0 : vector<16xf32>
         … nvvm.fragment.stmatrix %h0, %r0 {…} : vector<16xf16>, vector<2x!llvm.ptr<3>>
         %x1 = vector.shuffle %acc, %acc [16, 17, …, 31] : vector<128xf32>, vector<128xf32>
         %a1 = nvvm.pmevent 1, %x1 : vector<16xf32>
         %t1 = arith.mulf %a1, %s1 : vector<16xf32>
         … and so on

ptxas orders the instructions of a basic block as it sees fit. Of a fragment that takes half of the
registers it begins all elements at once, has no registers left then, and computes one element after
the other, so that each instruction waits for the one before [P]. It moves nothing across `pmevent`.
A slice has elements enough to hide latencies, and leaves registers for what they need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    AnyDenseElement,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    VectorType,
    i1,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.dialects.building import vector_of
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nvvm import PMEventOp, WgmmaMmaAsyncOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentStMatrixOp, FragmentStoreOp, element_bits
from tileiras_xdsl.dialects.nvvm.math import (
    ConvertFloatToTF32Op,
    FlushingOperation,
    FragmentConversionOp,
    RcpApproxFtzOp,
)
from tileiras_xdsl.dialects.vector import shuffle_lanes
from tileiras_xdsl.targets.choices import FUNCTION_INSTRUCTIONS, SLICED_INSTRUCTIONS
from tileiras_xdsl.targets.hopper import EPILOGUE_SLICE
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.xdsl_extras.walking import find_all, splat_of

Root = FragmentStMatrixOp | FragmentStoreOp

LANEWISE_WORDS = ("arith.", "math.", "llvm.intr.")
"""How names of ops begin that do the same to each lane, unless they combine lanes to a scalar."""


@dataclass(frozen=True)
class SliceFragmentsPass(ModulePass):
    """
    Slices what kernels with WGMMAs compute of a fragment, lane by lane, and store: if it has more
    than `elements` elements, each of which takes at least about 8 instructions. Each slice is
    computed and stored before the next one is begun. What is stored, and where, stays as it is.
    """

    name = "slice-fragments"

    elements: int = EPILOGUE_SLICE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.elements < 1:
            raise DiagnosticException(f"a slice has at least one element, not {self.elements}")
        for function in find_all(op, FuncOp):
            if not any(find_all(function, WgmmaMmaAsyncOp)):
                continue
            for root in find_all(function, FragmentStMatrixOp, FragmentStoreOp):
                chain = find_chain(root)
                count = count_slices(root, self.elements)
                if count > 1 and sum(map(count_instructions, chain)) >= SLICED_INSTRUCTIONS:
                    slice_chain(root, chain, count)


def lanes_of(value: SSAValue) -> int | None:
    """The number of elements of a vector of rank 1."""
    ty = value.type
    if isinstance(ty, VectorType) and len(ty.get_shape()) == 1:
        return ty.get_shape()[0]
    return None


def with_lanes(op: Operation, operands: Sequence[SSAValue], count: int) -> Operation:
    """What an op does for this many lanes, of which it has the operands."""
    elements = [cast("VectorType", result.type).get_element_type() for result in op.results]
    return type(op).create(
        operands=operands,
        result_types=[vector_of(element, count) for element in elements],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )


def count_slices(root: Root, elements: int) -> int:
    """How many slices are stored one by one; 1 if a store is not sliced."""
    lanes, addresses = lanes_of(root.value), lanes_of(root.operands[1])
    if isinstance(root, FragmentStoreOp) and root.get_semantic() != "weak":
        return 1
    if lanes is None or addresses is None or lanes % elements or addresses % (lanes // elements):
        return 1
    return lanes // elements


def is_lanewise(op: Operation, lanes: int) -> bool:
    """
    Whether each lane of the result of an op depends on the same lane of all operands that are
    vectors, and on nothing else but scalars.
    """
    is_arithmetic = op.name.startswith(LANEWISE_WORDS) or isinstance(
        op, FlushingOperation | RcpApproxFtzOp | FragmentConversionOp | ConvertFloatToTF32Op
    )
    return (
        is_arithmetic
        and not isinstance(op, arith.ConstantOp)
        and own_effects(op) is Effect.NONE
        and len(op.results) == 1
        and not op.regions
        and lanes_of(op.results[0]) == lanes
        and all(
            lanes_of(operand) == lanes
            for operand in op.operands
            if isinstance(operand.type, VectorType)
        )
    )


def find_chain(root: Root) -> list[Operation]:
    """
    The ops in front of a store, in its block, that compute what it stores lane by lane and that
    nothing else uses, in their order.
    """
    lanes = lanes_of(root.value)
    chain: list[Operation] = []
    users: set[Operation] = {root}
    op = root.prev_op
    while lanes is not None and op is not None:
        if is_lanewise(op, lanes):
            uses = [use.operation for use in op.results[0].uses]
            if uses and users.issuperset(uses):
                chain.append(op)
                users.add(op)
        op = op.prev_op
    chain.reverse()
    return chain


def count_instructions(op: Operation) -> int:
    """About how many instructions an op takes for an element."""
    is_function = (
        isinstance(op, arith.DivfOp)
        or op.name.startswith("llvm.intr.")
        or (op.name.startswith("math.") and not isinstance(op, math.FmaOp | math.AbsFOp))
    )
    return FUNCTION_INSTRUCTIONS if is_function else 1


def slice_chain(root: Root, chain: Sequence[Operation], count: int) -> None:
    """Computes and stores slices in the place of a store, and erases that and its chain."""
    inside = {op.results[0] for op in chain}
    outside = [each for op in chain for each in op.operands if each not in inside]
    varying = next((each for each in outside if has_own_registers(each, count)), None)
    for number in range(count):
        piece = Slice(root, number, count)
        if number:
            piece.begin(varying)
        for op in (*chain, root):
            piece.add(op)
    for op in (root, *reversed(chain)):
        Rewriter.erase_op(op)


def has_own_registers(value: SSAValue, count: int) -> bool:
    """
    Whether a value is a vector that an event can pass on in this many slices: elements that are the
    same would have a register each from there on, and predicates are in none.
    """
    shared = arith.ConstantOp | vector.BroadcastOp | vector.ShuffleOp
    lanes = lanes_of(value)
    if lanes is None or isinstance(value.owner, shared) or not isinstance(value.type, VectorType):
        return False
    element = value.type.get_element_type()
    return element != i1 and lanes // count * element_bits(element) % WORD_BITS == 0


@dataclass
class Slice:
    """A slice of what is stored, whose ops are inserted in front of the store."""

    root: Root
    number: int
    count: int
    """Of slices."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Slices of vectors."""

    def insert(self, op: Operation) -> Operation:
        op.location = op.location or self.root.location
        Rewriter.insert_op(op, InsertPoint.before(self.root))
        return op

    def begin(self, varying: SSAValue | None) -> None:
        """
        Lets ptxas compute nothing of this slice before what was inserted, and LLVM nothing that
        depends on a vector.
        """
        passed = [] if varying is None else [varying]
        event = self.insert(PMEventOp([self.slice_of(value) for value in passed]))
        self.values.update(zip(passed, event.results, strict=True))

    def slice_type(self, ty: Attribute) -> VectorType:
        assert isinstance(ty, VectorType)
        return vector_of(ty.get_element_type(), ty.get_shape()[0] // self.count)

    def slice_of(self, value: SSAValue) -> SSAValue:
        """The slice of a vector; scalars are the same for all slices."""
        if not isinstance(value.type, VectorType):
            return value
        if value not in self.values:
            self.values[value] = self.insert(self.make_slice(value)).results[0]
        return self.values[value]

    def make_slice(self, value: SSAValue) -> Operation:
        ty = self.slice_type(value.type)
        (size,) = ty.get_shape()
        match value.owner:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as elements) if (
                data := splat_of(elements)
            ) is not None:
                dense = cast("VectorType[AnyDenseElement]", ty)
                return arith.ConstantOp(DenseIntOrFPElementsAttr(dense, BytesAttr(data * size)))
            case vector.BroadcastOp(source=source) if not isinstance(source.type, VectorType):
                return vector.BroadcastOp(source, ty)
            case _:
                first = self.number * size
                return shuffle_lanes(value, value, range(first, first + size))

    def add(self, op: Operation) -> None:
        """Adds what an op does for this slice."""
        operands = [self.slice_of(operand) for operand in op.operands]
        lanes = lanes_of(self.root.value)
        assert lanes is not None
        copy = with_lanes(op, operands, lanes // self.count)
        self.insert(copy)
        self.values.update(zip(op.results, copy.results, strict=True))
