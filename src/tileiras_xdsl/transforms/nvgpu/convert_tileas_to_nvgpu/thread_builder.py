"""
The state of lowering a kernel, and the code of one thread for an op of `nv_tileas`.

A tensor becomes one vector of its registers, in the order of its layout; a scalar stays a scalar; a
view becomes its base and its dynamic sizes and strides. Control flow is uniform: all threads of a
CTA, or of an agent, take the same branches.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Final, TypeVar

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import GEP_USE_SSA_VAL
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    IndexCastOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from tileiras_xdsl.dialects.building import dense_array, vector_of
from tileiras_xdsl.dialects.cuda_tile.elements import bits_to_float, float_to_bits
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    PAIR,
    TENSOR_MEMORY,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BufferAttr,
    SharedMemoryAttr,
    get_buffers,
    get_shared_memory,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.dialects.vector import ExtractOp, shuffle_lanes
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.expressions import Number
from tileiras_xdsl.transforms.common.kernel_spec import count_warps, get_warps
from tileiras_xdsl.transforms.common.rewriting import SymbolNames
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import find_resources, make_model
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import thread_types, width_of
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import MapKey
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .delayed_arrivals import DelayedArrival


@dataclass(frozen=True)
class RebuiltMap:
    """A map that one thread builds anew while copies by means of older ones are in flight."""

    slots: SSAValue
    """The address of the first of the map's slots in global memory, which it takes by turns."""
    count: int
    """How many slots it has."""
    source: int
    """The offset in shared memory where it is encoded."""
    state: int
    """
    The offset in shared memory of two i32: the index of the slot that it has, and whether the
    tensor is another one since.
    """
    by_warpgroups: bool = False
    """Whether each warpgroup has such a map, all of this for one behind that for another."""


@dataclass(frozen=True)
class TensorMaps:
    """The tensor maps of a kernel."""

    parameters: Mapping[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of maps that the launcher or the driver makes."""
    are_drivers: bool = False
    """Whether the driver makes those: it has no zeros to stand for an empty tensor."""
    built: Mapping[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of maps that the kernel makes, in the slot of the CTA."""
    rebuilt: Mapping[MapKey, RebuiltMap] = field(default_factory=dict[MapKey, RebuiltMap])
    """Maps that the kernel makes again and again."""
    current: dict[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of these, where they are up to date."""


SHARED_NAME = "global_smem"


class KernelSymbols:
    """Fresh symbol names for what lowering adds to a module next to its kernels."""

    def __init__(self, module: Operation | None):
        self._names = SymbolNames(module)
        self.shared = self._names.take(SHARED_NAME)
        """The shared memory of all kernels."""
        self.shared_reference = SymbolRefAttr(self.shared)
        self._of_kernels: dict[tuple[Operation, str], str] = {}

    def new_table(self, prefix: str) -> str:
        """A name for the next table of a series."""
        return self._names.take_number(prefix)

    def of_kernel(self, kernel: Operation, wanted: str) -> str:
        """The name of something that a kernel has one of; the same each time."""
        key = (kernel, wanted)
        if key not in self._of_kernels:
            self._of_kernels[key] = self._names.take(wanted)
        return self._of_kernels[key]


class KernelLowering:
    """
    A kernel that is being lowered: what its attributes say, and the mapping to converted values.
    What only some of its ops need to know is an attribute of them, or follows from where they are.
    """

    def __init__(self, function: FuncOp, target: Target, symbols: KernelSymbols):
        self.function = function
        self.target = target
        self.symbols = symbols
        self.consumer_warps = get_warps(function)
        self.consumer_threads = WARP_THREADS * self.consumer_warps
        """The threads that hold tiles: of the consumer warps, or all of a CTA without agents."""
        self.warps = count_warps(function)
        """The warps of the CTA, with those of all agents."""
        self.pair_ctas = get_cluster_ctas(function) if PAIR.is_on(function) else 1
        """How many CTAs of a cluster multiply together; 1 if each does for itself."""
        self.memory = get_shared_memory(function) or SharedMemoryAttr.of(0, 0, 0)
        """Shared memory of the CTA."""
        self.model = make_model(function, target, self.memory.scratch, self.memory.limit)
        """The scratch memory that each op needs, the budget for it, and axis info."""
        self.block = Block()
        """The entry block of the lowered kernel: the code of a thread."""
        self.hoisted: dict[object, SSAValue] = {}
        """
        Results, by a key, of ops at the start of the entry block: constants, and what depends on
        nothing but the thread index. As in MLIR's OperationFolder they are uniqued, and stand in
        front of all other code in the order in which they were first requested.
        """
        self.last_hoisted: Operation | None = None
        self.maps = TensorMaps()
        """Those of `tensor_maps.make_maps`, from before any op is lowered."""
        self.mapping: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The converted values of each `nv_tileas` value (1:N)."""
        columns = TENSOR_MEMORY.get(function)
        self.columns = None if columns is None else columns.data
        """The columns of tensor memory that the kernel allocates, if any."""
        self.computed: dict[tuple[object, ...], SSAValue] = {}
        """Results of ops without effects, by block, op and operands."""
        self.delayed_arrivals: list[DelayedArrival] = []
        """Arrivals of ping-pong scheduling that are delayed."""

    @cached_property
    def has_spare_registers(self) -> bool:
        """Whether tiles leave registers for all else; kernels with dots have what they need."""
        resources, spec = find_resources(self.function, self.target), KERNEL_SPEC.get(self.function)
        if resources is None or spec is None:
            return True
        warps = resources.warps * spec.get_fields().get("occupancy", 1)
        needed = resources.registers + self.target.streaming.registers
        return needed <= self.target.registers.cap(warps)

    @property
    def launched_registers(self) -> int:
        """Registers of a thread before warps give any to others."""
        occupancy = get_kernel_hint(self.function, "occupancy")
        return self.target.registers.cap(self.warps * occupancy)

    def add_argument(self, ty: Attribute) -> SSAValue:
        """Appends a parameter to the kernel."""
        return self.block.insert_arg(ty, len(self.block.args))


OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class Agent:
    """Whose code is lowered."""

    name: str
    """`producer`, `mma` or `consumer`; `cta` before agents begin, and where there are none."""
    copying_threads: int = 0
    """The threads of a producer, if all of them copy tiles; 0 if one thread issues TMA loads."""
    issues_mmas: bool = False
    """Whether its threads issue MMAs of `tcgen05`."""
    tensor_memory: SSAValue | None = None
    """The address of the tensor memory that was allocated, if its threads need it."""

    @property
    def hands_over(self) -> bool:
        """Whether MMAs or threads write what it produces, and not TMA."""
        return self.name in ("mma", "consumer")


CTA: Final = Agent("cta")


BINARY: Final[Mapping[str, Callable[[SSAValue, SSAValue], Operation]]] = {
    **{"add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp},
    **{"and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp},
    **{"shl": arith.ShLIOp, "lshr": arith.ShRUIOp, "ashr": arith.ShRSIOp},
    **{"umax": arith.MaxUIOp, "umin": arith.MinUIOp},
    **{"smax": arith.MaxSIOp, "smin": arith.MinSIOp},
    **{"fadd": arith.AddfOp, "fsub": arith.SubfOp, "fmul": arith.MulfOp, "fdiv": arith.DivfOp},
    **{"udiv": arith.DivUIOp, "sdiv": arith.DivSIOp, "urem": arith.RemUIOp, "srem": arith.RemSIOp},
}
CASTS: Final[Mapping[str, Callable[[SSAValue, Attribute], Operation]]] = {
    **{"zext": ExtUIOp, "sext": ExtSIOp, "trunc": TruncIOp, "bitcast": arith.BitcastOp},
    **{"fpext": arith.ExtFOp, "fptrunc": arith.TruncFOp, "index": IndexCastOp},
    **{"sitofp": SIToFPOp, "uitofp": UIToFPOp},
}
"""The ops of `arith`, by the names that LLVM has for them."""


class ThreadBuilder:
    """
    Appends the code of an `nv_tileas` op to a block, and maps values of that op to the converted
    ones. Each op has a builder of its own; what they share is the kernel.
    """

    __slots__ = (
        "_num_buffers_taken",
        "_vector_width",
        "agent",
        "block",
        "kernel",
        "location",
        "op",
    )

    def __init__(
        self,
        kernel: KernelLowering,
        op: Operation,
        block: Block,
        vector_width: int | None = None,
        agent: Agent = CTA,
    ):
        self.kernel = kernel
        self.agent = agent
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
        width = vector_width or self._vector_width
        return ThreadBuilder(self.kernel, op, self.block, width, self.agent)

    def for_agent(self, agent: Agent) -> ThreadBuilder:
        """The builder of the same op, at the same insertion point, in the code of an agent."""
        return ThreadBuilder(self.kernel, self.op, self.block, self._vector_width, agent)

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
        self.kernel.mapping[value] = tuple(map(SSAValue.get, converted))

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
        self, make: Callable[..., Operation], *arguments: SSAValue | Attribute | str
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

    # Arithmetic, see `Number`

    def number(self, value: SSAValue) -> Number:
        """A value in an expression."""
        return Number(self, value)

    def like(self, x: SSAValue, y: SSAValue | float) -> SSAValue:
        """An operand beside another one: a plain number gets its type."""
        return y if isinstance(y, SSAValue) else self.literal(y, x.type)

    def binary(self, word: str, x: SSAValue, y: SSAValue | float) -> SSAValue:
        """An instruction of two operands of one type."""
        return self.emit(BINARY[word](x, self.like(x, y))).results[0]

    def cast(self, word: str, x: SSAValue, element: Attribute) -> SSAValue:
        """A conversion to another element."""
        return self.emit(CASTS[word](x, with_element(x.type, element))).results[0]

    def compare(self, word: str, x: SSAValue, y: SSAValue | float) -> SSAValue:
        """A comparison of integers or floats."""
        is_float = isinstance(element_of(x.type), AnyFloat)
        return self.emit((CmpfOp if is_float else CmpiOp)(x, self.like(x, y), word)).result

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """One of two values."""
        return self.emit(SelectOp(condition, x, y)).result

    # The entry block of the kernel, where constants and functions of the thread index are computed

    def emit_in_entry(self, op: OpT) -> OpT:
        """Inserts an op into the entry block, before the code of all ops."""
        block, last = self.kernel.block, self.kernel.last_hoisted
        op.location = self.location
        if last is not None:
            block.insert_op_after(op, last)
        elif (first := block.first_op) is not None:
            block.insert_op_before(op, first)
        else:
            block.add_op(op)
        self.kernel.last_hoisted = op
        return op

    def get_or_emit_in_entry(
        self, key: object, make: Callable[..., Operation], *arguments: object
    ) -> SSAValue:
        """The result of an op of the entry block, of which there is one for each key."""
        known = self.kernel.hoisted.get(key)
        if known is None:
            op = self.emit_in_entry(make(*arguments))
            known = self.kernel.hoisted[key] = op.results[0]
        return known

    def constant(self, number: int, ty: Attribute = i32) -> SSAValue:
        """An integer."""
        key = number, ty
        known = self.kernel.hoisted.get(key)
        if known is None:
            assert isinstance(ty, IntegerType | IndexType)
            value = IntegerAttr(number, ty, truncate_bits=True)
            op = arith.ConstantOp.create(result_types=[ty], properties={"value": value})
            known = self.kernel.hoisted[key] = self.emit_in_entry(op).result
        return known

    def literal(self, number: float, ty: Attribute) -> SSAValue:
        """A number, or a vector of equal ones; an integer is that of a float's value as well."""
        element = element_of(ty)
        if isinstance(element, IntegerType | IndexType):
            assert isinstance(number, int)
            return self.constant(number, ty) if ty == element else self.literal_bits(number, ty)
        return self.literal_bits(float_to_bits(float(number), element), ty)

    def literal_bits(self, bits: int, ty: Attribute) -> SSAValue:
        """A value of some bits, or a vector of equal ones."""
        bits &= (1 << width_of(element_of(ty))) - 1
        return self.get_or_emit_in_entry(("literal", bits, ty), make_constant, [bits], ty)

    def constant_vector(self, numbers: Sequence[int], ty: IntegerType = i32) -> SSAValue:
        """A vector of integers."""
        key = tuple(numbers), ty
        known = self.kernel.hoisted.get(key)
        if known is None:
            vector_type = VectorType(ty, [len(numbers)])
            value = DenseIntOrFPElementsAttr.from_list(vector_type, list(numbers))
            op = arith.ConstantOp(value, vector_type)
            known = self.kernel.hoisted[key] = self.emit_in_entry(op).result
        return known


def make_constant(bits: Sequence[int], ty: Attribute) -> Operation:
    """The constant of some bits; a vector of equal elements if there is one pattern for it."""
    element = element_of(ty)
    size = -(-width_of(element) // 8)
    data = b"".join(pattern.to_bytes(size, "little") for pattern in bits)
    if isinstance(ty, VectorType):
        count = prod(ty.get_shape())
        data = data if len(bits) == count else data * count
        return arith.ConstantOp(DenseIntOrFPElementsAttr.new([ty, BytesAttr(data)]), ty)
    if isinstance(element, IntegerType | IndexType):
        return arith.ConstantOp(IntegerAttr(bits[0], element, truncate_bits=True))
    assert isinstance(element, AnyFloat)
    return arith.ConstantOp(FloatAttr(bits_to_float(bits[0], element), element))


# Vectors of registers: how they are made, taken apart, and used as addresses and masks.

NO_WRAP: Final[Mapping[str, Attribute]] = {"noWrapFlags": IntegerAttr(0, i32)}
BY_OPERAND: Final = DenseArrayBase.from_list(i32, [GEP_USE_SSA_VAL])
IN_BOUNDS: Final = UnitAttr()
"""The only index of an address is an operand."""


def element_of(ty: Attribute) -> Attribute:
    """The element of a vector or tensor; a scalar is its own."""
    return ty.get_element_type() if isinstance(ty, VectorType | TensorType) else ty


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """A vector of as many other elements, or the scalar."""
    return VectorType(element, ty.get_shape()) if isinstance(ty, VectorType) else element


def splat(builder: ThreadBuilder, scalar: SSAValue, count: int) -> SSAValue:
    """A vector of equal elements."""
    return builder.emit(vector.BroadcastOp(scalar, vector_of(scalar.type, count))).results[0]


def select_registers(builder: ThreadBuilder, value: SSAValue, indices: Sequence[int]) -> SSAValue:
    """The vector of some elements of another."""
    if list(indices) == list(range(count_lanes(value.type))):
        return value
    return builder.emit(shuffle_lanes(value, value, indices)).result


def concatenate(builder: ThreadBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """The concatenation of vectors of one type, whose number is a power of two."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [_join(builder, first, second) for first, second in pairs]
    return values[0]


def _join(builder: ThreadBuilder, first: SSAValue, second: SSAValue) -> SSAValue:
    lanes = range(2 * count_lanes(first.type))
    return builder.emit(shuffle_lanes(first, second, lanes)).result


def extract(builder: ThreadBuilder, value: SSAValue, index: int) -> SSAValue:
    """An element of a vector."""
    return builder.emit(ExtractOp(value, [index], element_of(value.type))).results[0]


def all_of(builder: ThreadBuilder, masks: Sequence[SSAValue | None]) -> SSAValue | None:
    """The conjunction of vectors of i1; `None` stands for all-true."""
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else builder.emit(arith.AndIOp(result, mask)).result
    return result


def extend_index(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A vector or scalar of integers as i64, signed."""
    element, target = element_of(value.type), with_element(value.type, i64)
    if element == i64:
        return value
    if isinstance(element, IndexType):
        return builder.get_or_emit(IndexCastOp, value, target)
    return builder.get_or_emit(ExtSIOp, value, target)


def index_pointers(
    builder: ThreadBuilder, base: SSAValue, offsets: SSAValue, element: Attribute
) -> SSAValue:
    """A vector of pointers: a base moved by a vector of numbers of elements."""
    result = with_element(offsets.type, base.type)
    return builder.emit(index_pointer(base, offsets, element, result)).result


def index_pointer(
    base: SSAValue, offset: SSAValue, element: Attribute, result_type: Attribute
) -> llvm.GEPOp:
    """A pointer, or a vector of pointers, moved by numbers of elements."""
    return llvm.GEPOp.create(
        operands=[base, offset],
        result_types=[result_type],
        properties={**NO_WRAP, "rawConstantIndices": BY_OPERAND, "elem_type": element},
    )


def move_pointer(address: SSAValue, num_bytes: int) -> llvm.GEPOp:
    """An address in shared memory moved by a constant."""
    indices = dense_array(i32, (num_bytes,))
    return llvm.GEPOp.create(
        operands=[address],
        result_types=[SHARED_POINTER],
        properties={
            **NO_WRAP,
            "rawConstantIndices": indices,
            "elem_type": i8,
            "inbounds": IN_BOUNDS,
        },
    )
