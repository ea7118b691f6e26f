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
from dataclasses import dataclass, field
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
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, AddressOfOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.facts import Facts, analyze
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2, unflatten
from tileiras_xdsl.dialects import gpu, llvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.decisions import GROUP_STORE, MULTICAST
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_blocks
from tileiras_xdsl.dialects.nvvm import (
    SHARED_POINTER,
    BarrierOp,
    CpAsyncBulkWaitGroupOp,
    FenceProxyOp,
    ProxyKind,
    ShflOp,
    ShuffleKind,
)
from tileiras_xdsl.dialects.nvvm.registers import SPECIAL_REGISTERS
from tileiras_xdsl.dialects.vector import ExtractOp
from tileiras_xdsl.targets import hopper
from tileiras_xdsl.transforms.common.compute_capability import ComputeCapability
from tileiras_xdsl.transforms.common.symbol_names import SymbolNames
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas.resources import static_shared_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    BOX_ALIGNMENT,
    BOX_ATOMS,
    BOX_STORES,
    SCRATCH_ALIGNMENT,
    SCRATCH_GOAL,
    SCRATCH_LEAST,
    has_atom,
)
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import thread_types
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

if TYPE_CHECKING:
    from .pipelines import Ring
    from .tensor_maps import TensorMaps

OpT = TypeVar("OpT", bound=Operation)

MAX_ELEMENTS: Final = 4096
"""Of a tile, for each thread. The time of ptxas grows faster than the number of them."""

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
class Piece:
    """A piece of shared memory that was given out, for those who want to see how it is used."""

    start: int
    """In bytes, from the start of scratch memory if it is scratch."""
    size: int
    what: str
    user: Operation | None
    """The op of level 2 that it is for."""
    is_scratch: bool = False


@dataclass
class SharedMemory:
    """
    The shared memory of a block: what is allocated for good, and scratch memory behind it. Pieces
    of scratch that threads may still be using since the last barrier are not given out again, nor
    those that bulk copies to global memory may be reading.

    Bulk copies are in flight, then have read their source, then have written their target. What
    waits for them to have read knows nothing of what they have written.
    """

    limit: int
    """How much a block can have."""
    allocated: int = 0
    scratch: int = 0
    """Bytes of scratch memory."""
    scratch_user: Operation | None = None
    """The op that needs the most of it."""
    busy: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Ranges of scratch in use since the last barrier."""
    is_unknown: bool = False
    """Whether any of it may be in use."""
    copied: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Ranges of scratch that copies have been reading since threads last waited for them."""
    may_be_copied: bool = False
    """Whether copies may be reading any of it."""
    may_be_writing: bool = False
    """Whether copies that were issued may not have written global memory yet."""
    scratch_alignment: int = SCRATCH_ALIGNMENT
    pieces: list[Piece] = field(default_factory=list[Piece])
    """All that was given out."""

    def allocate(self, size: int, alignment: int, what: str, user: Operation | None) -> int:
        """Memory that is kept to the end."""
        start = -(-self.allocated // alignment) * alignment
        self.allocated = start + size
        self.pieces.append(Piece(start, size, what, user))
        return start

    def find(self, size: int) -> int | None:
        """Where scratch memory is free without a barrier, if it is."""
        if self.is_unknown or self.may_be_copied:
            return None
        start = 0
        for begin, end in sorted([*self.busy, *self.copied]):
            if start + size <= begin:
                break
            start = max(start, -(-end // self.scratch_alignment) * self.scratch_alignment)
        return start if start == 0 or start + size <= max(self.scratch, self.goal) else None

    @property
    def has_copies(self) -> bool:
        """Whether copies may be reading scratch memory."""
        return self.may_be_copied or bool(self.copied)

    @property
    def goal(self) -> int:
        """Scratch memory may grow to this size to save barriers or rounds of exchanges."""
        return max(SCRATCH_LEAST, min(SCRATCH_GOAL, self.limit - self.scratch_base))

    @property
    def size(self) -> int:
        return self.scratch_base + self.scratch

    @property
    def scratch_base(self) -> int:
        return -(-self.allocated // self.scratch_alignment) * self.scratch_alignment


@dataclass
class Scratch:
    """Scratch memory of a block: write, `code.barrier()`, read, then `code.release` it."""

    address: SSAValue
    """`!llvm.ptr<3>`"""
    start: int
    size: int


@dataclass(frozen=True)
class Agent:
    """Warps that do work of their own."""

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
        self, function: Operation, capability: ComputeCapability, warps: int, symbols: Symbols
    ):
        self.function = function
        self.symbols = symbols
        self.op = function
        self.capability = capability
        self.warps = warps
        self.shared = SharedMemory(static_shared_bytes(capability))
        if self.copies_boxes:
            self.shared.scratch_alignment = BOX_ALIGNMENT
        self.heap: list[SSAValue] = []
        """Addresses of memory that is given back where the kernel ends, as i64."""
        self.maps: TensorMaps | None = None
        """Tensor maps, if the kernel may have any; see `tensor_maps`."""
        self.rings: dict[SSAValue, Ring] = {}
        """The memory of pipelines."""
        self.products: list[SSAValue] = []
        """Products of warpgroups that are under way, in the order in which they began."""
        self.buffers: dict[object, int] = {}
        """Where buffers of stores begin, by what they are for."""
        self._agent: Agent | None = None
        self.location: LocationAttr = function.location
        self.block = Block()
        self._head = self.block
        self._values: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._constants: dict[tuple[int, Attribute], SSAValue] = {}
        self._cached: dict[object, SSAValue] = {}
        self._computed: dict[tuple[object, ...], SSAValue] = {}
        self._scratch_addresses: list[tuple[llvm.GEPOp, int]] = []
        self._last_head_op: Operation | None = None
        self._lanes: int | None = None

    @cached_property
    def facts(self) -> Facts:
        """What is known of the values of level 2."""
        return analyze(self.function)

    @cached_property
    def copies_boxes(self) -> bool:
        """Whether the tensor memory accelerator copies anything for the kernel."""
        return any(has_atom(op, *BOX_ATOMS) for op in self.function.walk())

    @cached_property
    def cluster(self) -> int:
        """How many blocks of a cluster fill each other's stages; 1 if they do not."""
        if not any(MULTICAST.is_on(op) for op in self.function.walk()):
            return 1
        return get_cluster_blocks(self.function)

    @property
    def cluster_rank(self) -> SSAValue:
        """The number of the block in its cluster."""
        return self.once("cluster rank", lambda: SPECIAL_REGISTERS["cluster.ctarank"]())

    @cached_property
    def has_group_stores(self) -> bool:
        """Whether warpgroups of the kernel store tiles on their own."""
        return any(GROUP_STORE.is_on(op) for op in self.function.walk())

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
    def inside(self, block: Block, source: Operation | None = None) -> Generator[None]:
        """
        Appends to another block, that of a loop or branch of level 2 if it is one; what scratch
        memory is in use there is not known.
        """
        outer, shared = self.block, self.shared
        had_copies, was_writing = shared.has_copies, shared.may_be_writing
        self.block = block
        shared.is_unknown = True
        if source is not None and any(has_atom(op, *BOX_STORES) for op in source.walk()):
            shared.may_be_copied = shared.may_be_writing = True
        shared.may_be_copied |= had_copies
        try:
            yield
        finally:
            self.block = outer
            shared.is_unknown = True
            shared.may_be_copied = had_copies or shared.has_copies
            shared.may_be_writing |= was_writing

    @contextmanager
    def branch(self, block: Block) -> Generator[None]:
        """Appends to a block that uses no scratch memory and does not wait for other threads."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    @contextmanager
    def agent(self, block: Block, agent: Agent) -> Generator[None]:
        """Appends to the block of an agent; its threads meet at a barrier of their own."""
        outer, self._agent = self._agent, agent
        try:
            with self.inside(block):
                self.shared.is_unknown = False
                yield
        finally:
            self._agent = outer

    @property
    def is_in_agent(self) -> bool:
        """Whether the code is that of an agent, which has acquired its maps."""
        return self._agent is not None

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

    @contextmanager
    def early(self, block: Block) -> Generator[None]:
        """
        Appends to a block that comes before most of what was emitted: what was computed is not
        used, and what values become there is forgotten afterwards.
        """
        computed, values = self._computed, self._values
        self._computed, self._values = {}, dict(values)
        try:
            with self.inside(block):
                yield
        finally:
            self._computed, self._values = computed, values

    def add_argument(self, type: Attribute) -> SSAValue:
        """A parameter of the kernel behind those that it has."""
        return self._head.insert_arg(type, len(self._head.args))

    def lower_block(self, block: Block) -> None:
        """Lowers the ops of a block to the end of the current one."""
        for op in block.ops:
            self.lower(op)

    def lower(self, op: Operation) -> None:
        """Lowers an op of level 2."""
        outer, self.op = self.op, op
        self.location = op.location
        self._check_size(op)
        lowering = LOWERINGS.get(op.name)
        if lowering is not None:
            lowering(self, op)
        elif op.regions or any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            self.fail(op, f"'{op.name}' op cannot be lowered to threads")
        elif op.name.startswith(("nv_tileaa.", "nv_tileas.")):
            self.fail(op, f"'{op.name}' op cannot be lowered to threads")
        else:
            self._copy(op)
        self.op = outer

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

    def scratch(self, size: int) -> Scratch:
        """
        Shared memory for a while. All threads write it, `barrier()`, all read it, then
        `release` it.
        """
        start = self.shared.find(size)
        if start is None:
            self.finish_copies()
            self.barrier()
            start = 0
        if start + size > self.shared.scratch:
            self.shared.scratch = start + size
            self.shared.scratch_user = self.op
        base = AddressOfOp(self.symbols.shared, SHARED_POINTER)
        self.emit(base)
        address = llvm.GEPOp(
            base.result, [start], IntegerType(8), result_type=SHARED_POINTER, inbounds=True
        )
        self.emit(address)
        self._scratch_addresses.append((address, start))
        self.shared.busy.append((start, start + size))
        self.shared.pieces.append(Piece(start, size, "scratch", self.op, is_scratch=True))
        return Scratch(address.result, start, size)

    def first_scratch(self, size: int) -> SSAValue:
        """The address of scratch memory where the kernel starts, up to its first barrier."""
        address = self.shared_address(0)
        op = address.owner
        assert isinstance(op, llvm.GEPOp)
        self._scratch_addresses.append((op, 0))
        self.shared.scratch = max(self.shared.scratch, size)
        self.shared.pieces.append(Piece(0, size, "scratch", None, is_scratch=True))
        return address

    def release(self, scratch: Scratch) -> None:
        """Says that the reads of some scratch memory have been emitted."""
        self.shared.busy.append((scratch.start, scratch.start + scratch.size))

    def barrier(self) -> None:
        """All threads of the agent wait for each other, and see what they wrote."""
        if self._agent is None:
            self.emit(gpu.BarrierOp())
        else:
            number, threads = self._agent.barrier, self._agent.threads
            self.emit(BarrierOp(self.constant(number), self.constant(threads)))
        self.shared.busy.clear()
        self.shared.is_unknown = False

    def memory_barrier(self) -> None:
        """A barrier behind which all threads, and copies, see what was written to memory before."""
        if self.copies_boxes:
            self.finish_copies(is_visible=True)
            self.emit(FenceProxyOp(ProxyKind.ASYNC))
        self.barrier()

    def keep_for_copies(self, scratch: Scratch) -> None:
        """Says that the first thread has issued copies from some scratch memory, in a group."""
        self.shared.copied.append((scratch.start, scratch.start + scratch.size))
        self.shared.may_be_writing = True

    def finish_copies(self, *, is_visible: bool = False) -> None:
        """
        Lets the first thread wait until copies have read scratch memory, or, if they have to be
        visible, until they have written global memory. The others wait for it at the next barrier.
        """
        shared = self.shared
        if self.has_group_stores:
            with self.first_of_group_only():
                self.emit(CpAsyncBulkWaitGroupOp(0, read=not is_visible))
        elif shared.may_be_writing if is_visible else shared.has_copies:
            with self.first_only():
                self.emit(CpAsyncBulkWaitGroupOp(0, read=not is_visible))
        shared.copied.clear()
        shared.may_be_copied = False
        if is_visible:
            shared.may_be_writing = False

    def shared_address(self, offset: int) -> SSAValue:
        """The address of memory that was allocated for good."""
        base = self.emit(AddressOfOp(self.symbols.shared, SHARED_POINTER))
        op = llvm.GEPOp(
            base.result, [offset], IntegerType(8), result_type=SHARED_POINTER, inbounds=True
        )
        return self.emit(op).result

    def place_scratch(self) -> None:
        """Puts scratch memory behind what was allocated for good, now that this is known."""
        base = self.shared.scratch_base
        if not base:
            return
        for op, start in self._scratch_addresses:
            op.rawConstantIndices = type(op.rawConstantIndices).from_list(i32, [base + start])

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
