"""
Emits the code of one thread for an op of level 2.

A tensor becomes one vector of its registers, in the order of its layout; a scalar stays a scalar; a
view becomes its base and its dynamic sizes and strides. Control flow is uniform: all threads of a
CTA, or of an agent, take the same branches.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BufferAttr, get_buffers
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import thread_types
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .kernel import KernelLowering

OpT = TypeVar("OpT", bound=Operation)


class ThreadBuilder:
    """
    Appends the code of an op of level 2 to a block, and knows what its operands became. Each op has
    a builder of its own; what they share is the kernel.
    """

    __slots__ = ("_lanes", "_taken", "block", "kernel", "location", "op")

    def __init__(
        self, kernel: KernelLowering, op: Operation, block: Block, lanes: int | None = None
    ):
        self.kernel = kernel
        self.op = op
        """The op that is lowered."""
        self.location = op.location
        self.block = block
        """The insertion point is its end."""
        self._lanes = lanes
        self._taken = 0

    def for_op(self, op: Operation, lanes: int | None = None) -> ThreadBuilder:
        """
        The builder of another op at the same insertion point. With `lanes`, scalar code is emitted
        for that many elements at once: every scalar is a vector.
        """
        return ThreadBuilder(self.kernel, op, self.block, lanes or self._lanes)

    # Values

    def value(self, value: SSAValue) -> SSAValue:
        """What a value of level 2 became: a scalar, or the vector of a tensor's registers."""
        (result,) = self.kernel.values[value]
        if self._lanes is not None and not isinstance(result.type, VectorType):
            splat = vector.BroadcastOp(result, VectorType(result.type, [self._lanes]))
            return self.emit(splat).results[0]
        return result

    def parts(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """All that a value became; views have several parts."""
        return self.kernel.values[value]

    def set(self, value: SSAValue, *parts: SSAValue | Operation) -> None:
        """Maps a value of level 2 to what it became."""
        self.kernel.values[value] = tuple(SSAValue.get(part) for part in parts)

    def layout(self, value: SSAValue) -> LinearLayout:
        """The layout of a tensor."""
        layout = layout_of(value.type)
        if layout is None:
            fail(self._maker(value), f"'{value.type}' has no layout")
        return layout

    def types(self, value: SSAValue) -> Sequence[Attribute]:
        """The types of what a value becomes."""
        try:
            return thread_types(value.type)
        except (ValueError, VerifyException) as error:
            fail(self._maker(value), str(error))

    def type(self, value: SSAValue) -> Attribute:
        """The type of what a value becomes, if that is one."""
        (ty,) = self.types(value)
        if self._lanes is not None and not isinstance(ty, VectorType):
            return VectorType(ty, [self._lanes])
        return ty

    def _maker(self, value: SSAValue) -> Operation:
        return value.owner if isinstance(value.owner, Operation) else self.kernel.function

    def take_buffer(self, size: int) -> BufferAttr:
        """The next of the buffers that the op was given in shared memory."""
        buffers = get_buffers(self.op)
        if self._taken >= len(buffers) or buffers[self._taken].size != size:
            fail(self.op, f"'{self.op.name}' op needs a buffer of {size} bytes here")
        self._taken += 1
        return buffers[self._taken - 1]

    def check_buffers(self) -> None:
        """
        Fails if the op has scratch memory that its code does not use: the pass that placed barriers
        relied on the one that comes with each use.
        """
        base = self.kernel.memory.scratch
        given = sum(buffer.offset >= base for buffer in get_buffers(self.op))
        if given > self._taken:
            fail(self.op, f"'{self.op.name}' op has {given} buffers, but uses {self._taken}")

    # Ops

    def emit(self, op: OpT) -> OpT:
        """Appends an op."""
        op.location = self.location
        self.block.add_op(op)
        return op

    @contextmanager
    def branch(self, block: Block) -> Generator[None]:
        """Appends to another block."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    def compute(self, make: Callable[..., Operation], *arguments: SSAValue | Attribute) -> SSAValue:
        """
        The result of an op without effects; the same one if it was computed before, in this block
        or the kernel's own.
        """
        computed = self.kernel.computed
        for block in (self.block, self.kernel.block):
            known = computed.get((block, make, arguments))
            if known is not None:
                return known
        result = self.emit(make(*arguments)).results[0]
        computed[self.block, make, arguments] = result
        return result

    # The prologue of the kernel, where invariants are computed

    def hoist(self, op: OpT) -> OpT:
        """Appends an op to the prologue."""
        return self.kernel.prologue.insert(op, self.location)

    def hoist_once(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """The result of an op of the prologue, of which there is one for each key."""
        return self.kernel.prologue.get_or_insert(key, make, self.location)

    def constant(self, number: int, ty: Attribute = i32) -> SSAValue:
        """An integer."""

        def make() -> arith.ConstantOp:
            assert isinstance(ty, IntegerType | IndexType)
            value = IntegerAttr(number, ty, truncate_bits=True)
            return arith.ConstantOp.create(result_types=[ty], properties={"value": value})

        return self.hoist_once((number, ty), make)

    def constants(self, numbers: Sequence[int], ty: IntegerType = i32) -> SSAValue:
        """A vector of integers."""

        def make() -> arith.ConstantOp:
            vector_type = VectorType(ty, [len(numbers)])
            value = DenseIntOrFPElementsAttr.from_list(vector_type, list(numbers))
            return arith.ConstantOp(value, vector_type)

        return self.hoist_once((tuple(numbers), ty), make)
