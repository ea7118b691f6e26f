"""
Emits the code of one thread for an op of `nv_tileas`.

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
    Appends the code of an `nv_tileas` op to a block, and maps values of that op to the converted
    ones. Each op has a builder of its own; what they share is the kernel.
    """

    __slots__ = ("_num_buffers_taken", "_vector_width", "block", "kernel", "location", "op")

    def __init__(
        self, kernel: KernelLowering, op: Operation, block: Block, vector_width: int | None = None
    ):
        self.kernel = kernel
        self.op = op
        """The op that is lowered."""
        self.location = op.location
        self.block = block
        """The insertion point is its end."""
        self._vector_width = vector_width
        self._num_buffers_taken = 0

    def for_op(self, op: Operation, vector_width: int | None = None) -> ThreadBuilder:
        """
        The builder of another op at the same insertion point. With a vector width, scalar code is
        emitted for that many elements at once: every scalar is converted to a vector.
        """
        return ThreadBuilder(self.kernel, op, self.block, vector_width or self._vector_width)

    # The mapping from values of the op to converted values

    def lookup(self, value: SSAValue) -> SSAValue:
        """The converted value, if there is exactly one: a scalar, or a vector of registers."""
        (result,) = self.kernel.mapping[value]
        if self._vector_width is not None and not isinstance(result.type, VectorType):
            splat = vector.BroadcastOp(result, VectorType(result.type, [self._vector_width]))
            return self.emit(splat).results[0]
        return result

    def lookup_all(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """All converted values of a value: a view has several, as in a 1:N conversion."""
        return self.kernel.mapping[value]

    def map(self, value: SSAValue, *converted: SSAValue | Operation) -> None:
        """Maps a value to its converted values."""
        self.kernel.mapping[value] = tuple(SSAValue.get(each) for each in converted)

    def layout(self, value: SSAValue) -> LinearLayout:
        """The layout of a tensor."""
        layout = layout_of(value.type)
        if layout is None:
            fail(self._defining_op(value), f"'{value.type}' has no layout")
        return layout

    def converted_types(self, value: SSAValue) -> Sequence[Attribute]:
        """The types of the converted values of a value."""
        try:
            return thread_types(value.type)
        except (ValueError, VerifyException) as error:
            fail(self._defining_op(value), str(error))

    def converted_type(self, value: SSAValue) -> Attribute:
        """The type of the converted value, if there is exactly one."""
        (ty,) = self.converted_types(value)
        if self._vector_width is not None and not isinstance(ty, VectorType):
            return VectorType(ty, [self._vector_width])
        return ty

    def _defining_op(self, value: SSAValue) -> Operation:
        return value.owner if isinstance(value.owner, Operation) else self.kernel.function

    def take_buffer(self, size: int) -> BufferAttr:
        """The next of the buffers in shared memory that were allocated for the op."""
        buffers = get_buffers(self.op)
        if self._num_buffers_taken >= len(buffers) or buffers[self._num_buffers_taken].size != size:
            fail(self.op, f"'{self.op.name}' op needs a buffer of {size} bytes here")
        self._num_buffers_taken += 1
        return buffers[self._num_buffers_taken - 1]

    def check_buffers(self) -> None:
        """
        Fails if the op has scratch memory that its code does not use: `tileas-insert-barriers`
        relied on the barrier that comes with each use.
        """
        base = self.kernel.memory.scratch
        given = sum(buffer.offset >= base for buffer in get_buffers(self.op))
        if given > self._num_buffers_taken:
            fail(
                self.op,
                f"'{self.op.name}' op has {given} buffers, but uses {self._num_buffers_taken}",
            )

    # Ops

    def emit(self, op: OpT) -> OpT:
        """Appends an op."""
        op.location = self.location
        self.block.add_op(op)
        return op

    @contextmanager
    def at_end_of(self, block: Block) -> Generator[None]:
        """Moves the insertion point to the end of another block, for the body of a `with`."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    def get_or_emit(
        self, make: Callable[..., Operation], *arguments: SSAValue | Attribute
    ) -> SSAValue:
        """
        The result of an op without effects; the same one if it was computed before, in this block
        or in the entry block.
        """
        computed = self.kernel.computed
        for block in (self.block, self.kernel.block):
            known = computed.get((block, make, arguments))
            if known is not None:
                return known
        result = self.emit(make(*arguments)).results[0]
        computed[self.block, make, arguments] = result
        return result

    # The entry block of the kernel, where constants and functions of the thread index are computed

    def emit_in_entry(self, op: OpT) -> OpT:
        """Inserts an op into the entry block, before the code of all ops."""
        return self.kernel.hoisted_ops.insert(op, self.location)

    def get_or_emit_in_entry(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """The result of an op of the entry block, of which there is one for each key."""
        return self.kernel.hoisted_ops.get_or_insert(key, make, self.location)

    def constant(self, number: int, ty: Attribute = i32) -> SSAValue:
        """An integer."""

        def make() -> arith.ConstantOp:
            assert isinstance(ty, IntegerType | IndexType)
            value = IntegerAttr(number, ty, truncate_bits=True)
            return arith.ConstantOp.create(result_types=[ty], properties={"value": value})

        return self.get_or_emit_in_entry((number, ty), make)

    def constant_vector(self, numbers: Sequence[int], ty: IntegerType = i32) -> SSAValue:
        """A vector of integers."""

        def make() -> arith.ConstantOp:
            vector_type = VectorType(ty, [len(numbers)])
            value = DenseIntOrFPElementsAttr.from_list(vector_type, list(numbers))
            return arith.ConstantOp(value, vector_type)

        return self.get_or_emit_in_entry((tuple(numbers), ty), make)
