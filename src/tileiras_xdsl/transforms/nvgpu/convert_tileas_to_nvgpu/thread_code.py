"""
The code of one thread, as it is being written.

Lowerings are functions of a `ThreadCode` and an op of level 2; they emit ops and say what the
results became:

    @lowers("nv_tileaa.negf")
    def lower_negf(code: ThreadCode, op: NegFOp) -> None:
        code.set(op.result, code.emit(arith.NegfOp(code.value(op.operand))).result)

A tensor is one vector of its registers, in the order of its layout; a scalar is itself; a view is
its base and dynamic numbers. All control flow is the same in all threads of a block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, AddressOfOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.facts import Facts
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2, unflatten
from tileiras_xdsl.dialects import gpu, llvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    SharedMemoryAttr,
    get_buffers,
    get_shared_memory,
)
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_blocks
from tileiras_xdsl.dialects.nvvm import (
    SHARED_POINTER,
    BarrierOp,
    CpAsyncBulkWaitGroupOp,
    ShflOp,
    ShuffleKind,
)
from tileiras_xdsl.dialects.nvvm.registers import SPECIAL_REGISTERS
from tileiras_xdsl.dialects.vector import ExtractOp
from tileiras_xdsl.targets import hopper
from tileiras_xdsl.transforms.common.compute_capability import ComputeCapability
from tileiras_xdsl.transforms.common.symbol_names import SymbolNames
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import make_model
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    BOX_ATOMS,
    GROUP_STORE,
    has_atom,
)
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import thread_types
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import MULTICAST
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

if TYPE_CHECKING:
    from .tensor_maps import TensorMaps

OpT = TypeVar("OpT", bound=Operation)

MAX_ELEMENTS: Final = 4096
"""Of a tile, for each thread. The time of ptxas grows faster than the number of them."""

BARRIER_OF_TILES: Final = 1
"""The named barrier of the agent that works on tiles."""

UNIFORM: Final = frozenset({"arith.constant", "nv_tileaa.splat"})
"""Ops whose tiles may have any size, because a thread has one value for all elements."""
Lowering = Callable[["ThreadCode", Any], None]

LOWERINGS: dict[str, Lowering] = {}
"""By the name of the op."""

GROUP_MASK: Final = 127
"""The bits of the number of a thread in its warpgroup."""
SHARED_NAME = "global_smem"


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers the lowering of some ops."""

    def register(lowering: Lowering) -> Lowering:
        for name in names:
            if name in LOWERINGS:
                raise ValueError(f"there are two lowerings of '{name}'")
            LOWERINGS[name] = lowering
        return lowering

    return register


@dataclass(frozen=True)
class Agent:
    """Warps that work on tiles while others load these."""

    barrier: int
    """The number of the barrier that its threads meet at."""
    threads: int


class Symbols:
    """Names for what is added to a module next to its kernels; none of them is the program's."""

    def __init__(self, module: Operation | None):
        self._names = SymbolNames(module)
        self.shared = self._names.take(SHARED_NAME)
        """The shared memory of all kernels."""
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


class ThreadCode:
    """The body of a kernel for one thread."""

    def __init__(
        self, function: FuncOp, capability: ComputeCapability, warps: int, symbols: Symbols
    ):
        self.function = function
        self.symbols = symbols
        self.op: Operation = function
        self.capability = capability
        self.warps = warps
        memory = get_shared_memory(function)
        self.memory = memory or SharedMemoryAttr.of(0, 0)
        """Of the block."""
        self.model = make_model(function, capability, self.memory.scratch)
        """What the ops of the kernel need."""
        self.room = self.model.room
        self.maps: TensorMaps
        """Tensor maps; see `tensor_maps`."""
        self._taken = 0
        """How many of the buffers of the op at hand have been used."""
        self.location: LocationAttr = function.location
        self.block = Block()
        self._head = self.block
        self._values: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._constants: dict[tuple[int, Attribute], SSAValue] = {}
        self._cached: dict[object, SSAValue] = {}
        self._computed: dict[tuple[object, ...], SSAValue] = {}
        self._last_head_op: Operation | None = None
        self._lanes: int | None = None

    @property
    def facts(self) -> Facts:
        """What is known of the values of level 2."""
        return self.model.facts

    @cached_property
    def copies_boxes(self) -> bool:
        """Whether the tensor memory accelerator copies anything for the kernel."""
        return any(has_atom(op, *BOX_ATOMS) for op in self.function.walk())

    @cached_property
    def cluster(self) -> int:
        """How many blocks of a cluster fill each other's stages; 1 if they do not."""
        if not any(MULTICAST in op.attributes for op in self.function.walk()):
            return 1
        return get_cluster_blocks(self.function)

    @property
    def cluster_rank(self) -> SSAValue:
        """The number of the block in its cluster."""
        return self.once("cluster rank", lambda: SPECIAL_REGISTERS["cluster.ctarank"]())

    @cached_property
    def has_group_stores(self) -> bool:
        """Whether warpgroups of the kernel store tiles on their own."""
        return any(GROUP_STORE in op.attributes for op in self.function.walk())

    # Values

    @property
    def threads(self) -> int:
        return 32 * self.warps

    def value(self, value: SSAValue) -> SSAValue:
        """What a value of level 2 became: a scalar, or the vector of a tensor's registers."""
        (result,) = self._values[value]
        if self._lanes is not None and not isinstance(result.type, VectorType):
            return self.splat(result, self._lanes)
        return result

    def parts(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """All that a value became; views have several parts."""
        return self._values[value]

    def set(self, value: SSAValue, *parts: SSAValue | Operation) -> None:
        """Says what a value became."""
        self._values[value] = tuple(SSAValue.get(part) for part in parts)

    def layout(self, value: SSAValue) -> LinearLayout:
        """The layout of a tensor."""
        layout = layout_of(value.type)
        if layout is None:
            owner = value.owner if isinstance(value.owner, Operation) else self.function
            self.fail(owner, f"'{value.type}' has no layout")
        return layout

    def types(self, value: SSAValue) -> Sequence[Attribute]:
        """The types of what a value becomes."""
        try:
            return thread_types(value.type)
        except (ValueError, VerifyException) as error:
            owner = value.owner if isinstance(value.owner, Operation) else self.function
            self.fail(owner, str(error))

    def type(self, value: SSAValue) -> Attribute:
        """The type of what a value becomes, if that is one."""
        (type,) = self.types(value)
        if self._lanes is not None and not isinstance(type, VectorType):
            return VectorType(type, [self._lanes])
        return type

    def fail(self, op: Operation, message: str) -> NoReturn:
        """Stops with a message at an op."""
        fail(op, message)

    # Ops

    def emit(self, op: OpT) -> OpT:
        """Appends an op."""
        op.location = self.location
        self.block.add_op(op)
        return op

    def compute(self, make: Callable[..., Operation], *arguments: SSAValue | Attribute) -> SSAValue:
        """
        The result of an op without effects; the same one if it was computed before, in this block
        or the kernel's own.
        """
        for block in (self.block, self._head):
            known = self._computed.get((block, make, arguments))
            if known is not None:
                return known
        result = self.emit(make(*arguments)).results[0]
        self._computed[self.block, make, arguments] = result
        return result

    def at_head(self, op: OpT) -> OpT:
        """An op at the start of the kernel, where what never changes is computed."""
        op.location = self.location
        if self._last_head_op is None:
            if (first := self._head.first_op) is None:
                self._head.add_op(op)
            else:
                self._head.insert_op_before(op, first)
        else:
            self._head.insert_op_after(op, self._last_head_op)
        self._last_head_op = op
        return op

    @contextmanager
    def branch(self, block: Block) -> Generator[None]:
        """Appends to another block."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    @property
    def agent(self) -> Agent | None:
        """The agent that the op at hand belongs to; none if it is code of the whole block."""
        op = self.op.parent_op()
        while op is not None and not isinstance(op, AgentSwitchOp):
            op = op.parent_op()
        return None if op is None else Agent(BARRIER_OF_TILES, self.threads)

    @contextmanager
    def first_only(self) -> Generator[None]:
        """Appends to a branch that the first thread takes alone, and does not wait in."""
        outer, self.block = self.block, Block()
        try:
            yield
            self.emit(scf.YieldOp())
        finally:
            branch, self.block = self.block, outer
        self.emit(scf.IfOp(self.first_thread(), [], Region(branch)))

    @contextmanager
    def first_of_group_only(self) -> Generator[None]:
        """Appends to a branch that the first thread of each warpgroup takes, without waiting."""
        condition = self.is_first_of_group
        outer, self.block = self.block, Block()
        try:
            yield
            self.emit(scf.YieldOp())
        finally:
            branch, self.block = self.block, outer
        self.emit(scf.IfOp(condition, [], Region(branch)))

    def add_argument(self, type: Attribute) -> SSAValue:
        """A parameter of the kernel behind those that it has."""
        return self._head.insert_arg(type, len(self._head.args))

    def lower_block(self, block: Block) -> None:
        """Lowers the ops of a block to the end of the current one."""
        for op in block.ops:
            self.lower(op)

    def lower(self, op: Operation) -> None:
        """Lowers an op of level 2."""
        self._check_size(op)
        lowering = LOWERINGS.get(op.name)
        with self.lowering(op):
            if lowering is not None:
                lowering(self, op)
            elif op.regions or any(
                isinstance(value.type, TensorType) for value in (*op.operands, *op.results)
            ):
                self.fail(op, f"'{op.name}' op cannot be lowered to threads")
            elif op.name.startswith(("nv_tileaa.", "nv_tileas.")):
                self.fail(op, f"'{op.name}' op cannot be lowered to threads")
            else:
                self._copy(op)

    @contextmanager
    def lowering(self, op: Operation) -> Generator[None]:
        """What is emitted belongs to an op of level 2."""
        outer, taken = self.op, self._taken
        self.op, self._taken, self.location = op, 0, op.location
        try:
            yield
        finally:
            self.op, self._taken = outer, taken

    def _check_size(self, op: Operation) -> None:
        """Refuses tiles that ptxas would need many minutes for, except if they are all the same."""
        limit = MAX_ELEMENTS * self.threads
        for result in op.results:
            if not isinstance(type := result.type, TensorType) or op.name in UNIFORM:
                continue
            if (elements := prod(type.get_shape())) > limit:
                self.fail(
                    op,
                    f"'{op.name}' op has a tile of {elements} elements, but {self.threads} threads "
                    f"can have {limit}, {MAX_ELEMENTS} each: use smaller tiles",
                )

    def _copy(self, op: Operation) -> None:
        """The same op, on vectors if scalars stand for such."""
        types = [result.type for result in op.results]
        if op.operands:
            types = [self.type(result) for result in op.results]
        copy = type(op).create(
            operands=[self.value(operand) for operand in op.operands],
            result_types=types,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self.emit(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.set(old, new)

    @contextmanager
    def lanes(self, count: int) -> Generator[None]:
        """Lowers scalar code for so many elements at once: every scalar is a vector."""
        outer = self._lanes
        self._lanes = count
        try:
            yield
        finally:
            self._lanes = outer

    # Constants and vectors

    def constant(self, number: int, type: Attribute = i32) -> SSAValue:
        """An integer, at the start of the kernel."""
        known = self._constants.get((number, type))
        if known is None:
            assert isinstance(type, IntegerType | IndexType)
            op = self.at_head(arith.ConstantOp(IntegerAttr(number, type, truncate_bits=True)))
            known = self._constants[number, type] = op.result
        return known

    def constants(self, numbers: Sequence[int], type: IntegerType = i32) -> SSAValue:
        """A vector of integers, at the start of the kernel."""
        key = (tuple(numbers), type)
        known = self._cached.get(key)
        if known is None:
            vector_type = VectorType(type, [len(numbers)])
            value = DenseIntOrFPElementsAttr.from_list(vector_type, list(numbers))
            known = self._cached[key] = self.at_head(arith.ConstantOp(value, vector_type)).result
        return known

    def once(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """The result of an op at the start of the kernel, of which there is one for each key."""
        known = self._cached.get(key)
        if known is None:
            known = self._cached[key] = self.at_head(make()).results[0]
        return known

    def keep(self, key: object, value: SSAValue) -> None:
        """Keeps what was computed at the start of the kernel."""
        self._cached[key] = value

    def kept(self, key: object) -> SSAValue:
        """What was computed at the start of the kernel."""
        return self._cached[key]

    def splat(self, scalar: SSAValue, count: int) -> SSAValue:
        """A vector of equal elements."""
        return self.emit(vector.BroadcastOp(scalar, VectorType(scalar.type, [count]))).results[0]

    def select_registers(self, value: SSAValue, indices: Sequence[int]) -> SSAValue:
        """The vector of some elements of another."""
        assert isinstance(value.type, VectorType)
        if list(indices) == list(range(value.type.get_shape()[0])):
            return value
        result = VectorType(value.type.get_element_type(), [len(indices)])
        op = vector.ShuffleOp(value, value, _mask(indices), result_type=result)
        return self.emit(op).results[0]

    def concatenate(self, values: Sequence[SSAValue]) -> SSAValue:
        """Vectors one behind the other, a power of two of equal ones."""
        while len(values) > 1:
            pairs = zip(values[::2], values[1::2], strict=True)
            values = [self._join(first, second) for first, second in pairs]
        return values[0]

    def _join(self, first: SSAValue, second: SSAValue) -> SSAValue:
        assert isinstance(first.type, VectorType)
        count = first.type.get_shape()[0]
        result = VectorType(first.type.get_element_type(), [2 * count])
        op = vector.ShuffleOp(first, second, _mask(range(2 * count)), result_type=result)
        return self.emit(op).results[0]

    def extract(self, value: SSAValue, index: int) -> SSAValue:
        """An element of a vector."""
        assert isinstance(value.type, VectorType)
        return self.emit(ExtractOp(value, [index], value.type.get_element_type())).results[0]

    # Where this thread is

    @property
    def thread(self) -> SSAValue:
        """The number of the thread in its block, as an i32."""
        known = self._cached.get("thread")
        if known is None:
            index = self.at_head(gpu.ThreadIdOp(DimensionAttr(DimensionEnum.X)))
            known = self.at_head(IndexCastOp(index, i32)).result
            self._cached["thread"] = known
        return known

    @property
    def lane(self) -> SSAValue:
        """The number of the thread in its warp."""
        return self._thread_bits("lane", arith.AndIOp, 31)

    @property
    def warp(self) -> SSAValue:
        """The number of the warp in the block."""
        return self._thread_bits("warp", arith.ShRUIOp, 5)

    @property
    def group(self) -> SSAValue:
        """The number of the warpgroup, the same in all lanes for the compiler, too."""
        warp, two = self.uniform_warp, self.constant(2)
        return self.once("group", lambda: arith.ShRUIOp(warp, two))

    @property
    def is_first_of_group(self) -> SSAValue:
        """Whether this is the first thread of its warpgroup."""
        thread, mask, zero = self.thread, self.constant(GROUP_MASK), self.constant(0)
        number = self.once("thread of group", lambda: arith.AndIOp(thread, mask))
        return self.once("first of group", lambda: CmpiOp(number, zero, "eq"))

    @property
    def uniform_warp(self) -> SSAValue:
        """The number of the warp, so that the compiler knows that all lanes have the same."""
        known = self._cached.get("uniform warp")
        if known is None:
            mask, zero, last = self.constant(-1), self.constant(0), self.constant(31)
            shuffle = ShflOp(ShuffleKind.IDX, mask, self.warp, zero, last)
            known = self._cached["uniform warp"] = self.at_head(shuffle).results[0]
        return known

    def _thread_bits(self, name: str, op: Any, number: int) -> SSAValue:
        known = self._cached.get(name)
        if known is None:
            thread, constant = self.thread, self.constant(number)
            known = self._cached[name] = self.at_head(op(thread, constant)).result
        return known

    def linear(
        self, lane: Sequence[int], warp: Sequence[int], *, anew: bool = False
    ) -> SSAValue | None:
        """
        What the bits of the lane and of the warp flip together; none if that is nothing. It is
        computed at the start of the kernel, but what follows from it not before now, if anew.
        """
        if not any(lane) and not any(warp):
            return None
        if anew and self.is_full_of_sums:
            thread = self._hidden(self.thread)
            parts = (
                self.emit(arith.AndIOp(thread, self.constant(31))).result,
                self.emit(arith.ShRUIOp(thread, self.constant(5))).result,
            )
            return self._flipped(parts, lane, warp, self.emit)
        key = ("linear", tuple(lane), tuple(warp))
        known = self._cached.get(key)
        if known is None:
            parts = self.lane, self.warp
            known = self._cached[key] = self._flipped(parts, lane, warp, self.at_head)
        return self._hidden(known) if anew else known

    @cached_property
    def is_full_of_sums(self) -> bool:
        """
        Whether the sums of a loop take so many registers that not even one more is kept through
        it: causal attention with d = 128 would spill it.
        """
        loops: Counter[Operation | None] = Counter()
        for op in self.function.walk():
            if isinstance(op, AsyncDotOp):
                loops[op.parent_op()] += get_shape(op.a.type)[0] * get_shape(op.b.type)[1]
        return max(loops.values(), default=0) >= hopper.MANY_ACCUMULATORS * self.threads

    def _hidden(self, value: SSAValue) -> SSAValue:
        """The same number, so that the compiler does not know: shuffles are not moved."""
        mask, last = self.constant(-1), self.constant(31)
        return self.emit(ShflOp(ShuffleKind.IDX, mask, value, self.lane, last)).result

    def _flipped(
        self,
        sources: tuple[SSAValue, SSAValue],
        lane: Sequence[int],
        warp: Sequence[int],
        put: Callable[[Any], Any],
    ) -> SSAValue:
        """What the bits of two numbers flip, computed where `put` puts ops."""
        known: SSAValue | None = None
        for source, bases in zip(sources, (lane, warp), strict=True):
            terms = chain(
                (self._bit_field(source, *run, put) for run in _runs(bases)),
                (
                    self._single_bit(source, bit, basis, put)
                    for bit, basis in enumerate(bases)
                    if basis.bit_count() > 1
                ),
            )
            for value in terms:
                known = value if known is None else put(arith.XOrIOp(known, value)).result
        assert known is not None
        return known

    def _bit_field(
        self, source: SSAValue, shift: int, mask: int, first: int, put: Callable[[Any], Any]
    ) -> SSAValue:
        value, left = source, log2(first)
        moved = left - shift
        if moved > 0:
            value = put(arith.ShLIOp(value, self.constant(moved))).result
        elif moved < 0:
            value = put(arith.ShRUIOp(value, self.constant(-moved))).result
        return put(arith.AndIOp(value, self.constant(mask << left))).result

    def _single_bit(
        self, source: SSAValue, bit: int, basis: int, put: Callable[[Any], Any]
    ) -> SSAValue:
        moved = put(arith.ShRUIOp(source, self.constant(bit))).result
        single = put(arith.AndIOp(moved, self.constant(1))).result
        return put(arith.MuliOp(single, self.constant(basis))).result

    def coordinates(self, layout: LinearLayout, dim: int, step: int = 1) -> SSAValue:
        """
        The coordinate along a dimension of every `step`-th element that the thread holds, as a
        vector of i32.
        """
        key = ("coordinates", layout, dim, step)
        known = self._cached.get(key)
        if known is None:
            thread, registers = self.coordinate_parts(layout, dim, step)
            known = self.constants(registers)
            if thread is not None:
                count = len(registers)
                lanes = vector.BroadcastOp(thread, VectorType(i32, [count]))
                splat = self.at_head(lanes).results[0]
                known = self.at_head(arith.XOrIOp(splat, known)).result
            self._cached[key] = known
        return known

    def coordinate_parts(
        self, layout: LinearLayout, dim: int, step: int = 1
    ) -> tuple[SSAValue | None, list[int]]:
        """
        The coordinate along a dimension, as what the thread contributes (none if nothing) and
        what each `step`-th register does; they are combined by xor.
        """
        shape = layout.shape
        lane = [unflatten(basis, shape)[dim] for basis in layout.lane]
        warp = [unflatten(basis, shape)[dim] for basis in layout.warp]
        registers = [
            unflatten(layout.element(register=index), shape)[dim]
            for index in range(0, layout.registers, step)
        ]
        return self.linear(lane, warp), registers

    def is_owner(self, layout: LinearLayout) -> SSAValue | None:
        """
        Whether the thread is the first that holds its elements, as an i1; none if every thread
        holds elements of its own.
        """
        lane, warp = layout.free_bits("lane"), layout.free_bits("warp")
        mask = lane | warp << 5
        if not mask:
            return None
        key = ("owner", mask)
        known = self._cached.get(key)
        if known is None:
            bits = self.at_head(arith.AndIOp(self.thread, self.constant(mask))).result
            compare = CmpiOp(bits, self.constant(0), "eq")
            known = self._cached[key] = self.at_head(compare).result
        return known

    # Shared memory

    def scratch(self, size: int) -> SSAValue:
        """
        The address of the next buffer of the op at hand: all threads write it, `barrier()`, all
        read it. They wait first if others, or bulk copies, may still be using it.
        """
        buffers = get_buffers(self.op)
        if self._taken >= len(buffers) or buffers[self._taken].size != size:
            self.fail(self.op, f"'{self.op.name}' op needs a buffer of {size} bytes here")
        buffer = buffers[self._taken]
        self._taken += 1
        if buffer.wait == "copies":
            self.wait_for_copies()
        if buffer.wait:
            self.barrier()
        return self.shared_address(buffer.offset)

    def barrier(self) -> None:
        """All threads of the agent wait for each other, and see what they wrote."""
        agent = self.agent
        if agent is None:
            self.emit(gpu.BarrierOp())
        else:
            self.emit(BarrierOp(self.constant(agent.barrier), self.constant(agent.threads)))

    def wait_for_copies(self, *, written: bool = False) -> None:
        """
        Lets the threads that issue bulk copies wait until these have read shared memory, or have
        written global memory. The others wait for them at the next barrier.
        """
        with self.first_of_group_only() if self.has_group_stores else self.first_only():
            self.emit(CpAsyncBulkWaitGroupOp(0, read=not written))

    def shared_address(self, offset: int) -> SSAValue:
        """The address of some of the block's shared memory."""
        base = self.emit(AddressOfOp(self.symbols.shared, SHARED_POINTER))
        op = llvm.GEPOp(
            base.result, [offset], IntegerType(8), result_type=SHARED_POINTER, inbounds=True
        )
        return self.emit(op).result

    # Addresses

    def addresses(self, base: SSAValue, offsets: SSAValue, element: Attribute) -> SSAValue:
        """A vector of pointers: a base moved by a vector of numbers of elements."""
        assert isinstance(offsets.type, VectorType)
        count = offsets.type.get_shape()[0]
        return self.emit(
            index_pointer(base, offsets, element, VectorType(base.type, [count]))
        ).result

    def widen(self, value: SSAValue) -> SSAValue:
        """A vector or scalar of integers as i64, signed."""
        type = value.type
        element = type.get_element_type() if isinstance(type, VectorType) else type
        if element == i64:
            return value
        target = VectorType(i64, type.get_shape()) if isinstance(type, VectorType) else i64
        if isinstance(element, IndexType):
            return self.compute(IndexCastOp, value, target)
        return self.compute(ExtSIOp, value, target)

    def all_of(self, masks: Sequence[SSAValue | None]) -> SSAValue | None:
        """The conjunction of vectors of i1; none is true."""
        result = None
        for mask in masks:
            if mask is not None:
                result = mask if result is None else self.emit(arith.AndIOp(result, mask)).result
        return result

    def first_thread(self) -> SSAValue:
        """Whether this is the first thread of the block."""
        known = self._cached.get("first")
        if known is None:
            compare = CmpiOp(self.thread, self.constant(0), "eq")
            known = self._cached["first"] = self.at_head(compare).result
        return known


def index_pointer(
    base: SSAValue, offset: SSAValue, element: Attribute, result_type: Attribute
) -> llvm.GEPOp:
    """A pointer, or a vector of pointers, moved by numbers of elements."""
    return llvm.GEPOp.create(
        operands=[base, offset],
        result_types=[result_type],
        properties={
            "rawConstantIndices": DenseArrayBase.from_list(i32, [GEP_USE_SSA_VAL]),
            "elem_type": element,
            "noWrapFlags": IntegerAttr(0, i32),
        },
    )


def _mask(indices: Sequence[int]) -> DenseArrayBase[I64]:
    return DenseArrayBase.from_list(i64, list(indices))


def _runs(bases: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """
    Runs of bits each of which flips the bit above that of the one before: first bit, mask, and
    what the first flips.
    """
    bit = 0
    while bit < len(bases):
        if bases[bit].bit_count() != 1:
            bit += 1
            continue
        length = 1
        while bit + length < len(bases) and bases[bit + length] == bases[bit] << length:
            length += 1
        yield bit, (1 << length) - 1, bases[bit]
        bit += length
