"""
What ops take of the units of an SM, and the integers of a kernel that this depends on (`Scalars`).

| unit | does |
| --- | --- |
| tensor cores | MMAs |
| exponentials | special functions, 16 a clock (`targets/functions.py`) |
| FMA | additions, products and fused ones |
| ALU | all other elementwise operations |
| issue | an instruction of each sub-partition a clock, whatever unit does it |
| shared memory | reads, writes and atomics of threads, operands of MMAs |
| tensor memory | loads and stores of threads |
| L2 | tiles that are loaded and stored |
| atomics | sectors that L2 updates |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import frexp, prod
from typing import Final, Literal

from typing_extensions import override
from xdsl.dialects.builtin import AnyFloat, FloatAttr, StringAttr, TensorType, i1
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from tileiras_xdsl.analysis.layout_conversion import (
    ThroughShared,
    count_wavefronts,
    plan_conversion,
)
from tileiras_xdsl.analysis.linear_layout import is_permutation_of_registers
from tileiras_xdsl.analysis.mma_instructions import get_mma_instruction
from tileiras_xdsl.analysis.scalar_evolution import CASTS, DIFFERENCES, PRODUCTS, SUMS
from tileiras_xdsl.analysis.scalar_values import ScalarValues, fill_in
from tileiras_xdsl.analysis.slices import operands_first, operands_of, reachable, sources_of
from tileiras_xdsl.analysis.tensor_memory_layouts import instruction_rows
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width, memory_bits
from tileiras_xdsl.dialects.cuda_tile.types import element_name
from tileiras_xdsl.dialects.nv_tileaa import memory
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    ExpandDimsOperation,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE, MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import (
    AsyncDotOp,
    AsyncLoadOp,
    AsyncTiledLoadOp,
)
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import PAIR, get_vector, kernel_of
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ResidentCtasOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM
from tileiras_xdsl.dialects.nv_tileas.types import TmaDescType, get_memory
from tileiras_xdsl.targets.choices import RECIPROCAL_USES
from tileiras_xdsl.targets.functions import EXPANSIONS, Expansion
from tileiras_xdsl.targets.machine import BYTE_BITS, SECTOR_BYTES
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import MOST_COLUMNS, PAIR_CTAS, kind_of
from tileiras_xdsl.targets.warpgroups import MAX_COLUMNS, WGMMA_M
from tileiras_xdsl.transforms.common.scaled_dots import types_of
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache
from tileiras_xdsl.xdsl_extras.walking import walk

UnitName = Literal[
    "tensor cores",
    "exponentials",
    "FMA",
    "ALU",
    "issue",
    "shared memory",
    "tensor memory loads",
    "tensor memory stores",
    "L2",
    "atomics",
]
UNITS: Final[tuple[UnitName, ...]] = (
    *("tensor cores", "exponentials", "FMA", "ALU", "issue", "shared memory"),
    *("tensor memory loads", "tensor memory stores", "L2", "atomics"),
)
THREAD_UNITS: Final[tuple[UnitName, ...]] = ("exponentials", "FMA", "ALU", "issue")
"""Those that instructions of threads take one by one."""

SPECIAL: Final = frozenset(
    {"exp", "exp2", "log", "log2", "rsqrt", "sqrt", "sin", "cos", "tanh", "tan", "pow", "atan2"}
)
"""Functions that the special function units compute."""
FREE: Final = frozenset(
    {"broadcast", "splat", "view", "expand_dims", "make_range", "assume", "permute", "extract"}
    | {"reinterpret", "extract_slice", "to_async", "alloc_tensor", "bitcast", "generate"}
)
"""Ops that take no instructions, or few."""
FUSED: Final = frozenset({"addf", "subf", "mulf", "fma", "negf", "add", "sub", "mul"})
"""What FMA units do."""
AFFINE: Final = (
    *(*SUMS, *DIFFERENCES, *CASTS, memory.AddPtrOp, SplatOp, BroadcastOp, PermuteOp),
    *(ViewOperation, ExpandDimsOperation),
)
"""Ops whose results are affine in the position of an element if their operands are."""
CONVERSIONS: Final = frozenset({"fp_to_fp", "truncf", "extf", "fp_to_int", "int_to_fp"})
UNKNOWN: Final = Expansion(40, special=1, fma=20, alu=15)
"""A function that nobody counted."""
WGMMA_K_BITS: Final = 256
"""Of a row of operand A that one WGMMA takes: 16 elements of f16."""
SCATTERED_BANKS: Final = 3.53
"""
How many of the 32 threads of a warp access the fullest of 32 banks, on average, if each accesses
one at random: those take turns.
"""


@dataclass(frozen=True)
class Work:
    """Clocks of an SM that does nothing else, by unit."""

    clocks: Mapping[UnitName, float] = field(default_factory=dict[UnitName, float])
    latency: int = 0
    """From the first elements of operands to the first ones of results."""
    operations: float = 0.0
    """On floats."""


@dataclass(frozen=True)
class Product:
    """An MMA, several that make up a dot, or FMAs."""

    clocks: float
    """Of the unit."""
    ideal: float
    """What its multiply-adds take at the full rate of tensor cores; 0 if these do not do them."""
    shared_bytes: float
    """Operands in shared memory."""
    instructions: int = 1
    multiply_adds: float = 0.0
    unit: UnitName = "tensor cores"
    element: str = ""
    """The type of its operands."""


@identity_cache
def tile_bytes(ty: Attribute) -> float:
    """The bytes of a tile."""
    return prod(get_shape(ty)) * memory_bits(get_element(ty)) / 8


def count_sectors(op: Operation) -> float:
    """
    Sectors of L2 that an atomic op updates: those of neighbouring elements once for all of them,
    and one for each element that may be anywhere.
    """
    if not _is_atomic(op) or is_in_shared_memory(op):
        return 0.0
    types = [value.type for value in op.operands if isinstance(value.type, TensorType)]
    stored = [ty for ty in types if not _is_pointer(ty)]
    if isinstance(op, TiledAtomicRMWOp) or not _is_scattered(op.operands[0]):
        return max(map(tile_bytes, stored), default=0.0) / SECTOR_BYTES
    return float(max((prod(get_shape(ty)) for ty in types), default=1))


def find_array(op: Operation) -> int | None:
    """The number of the only parameter that the addresses of an op come from."""
    found = {
        value.index
        for value in reachable(filter(_is_place, op.operands), _places_of)
        if isinstance(value, BlockArgument) and isinstance(value.owner.parent_op(), FuncOp)
    }
    return found.pop() if len(found) == 1 else None


def _places_of(value: SSAValue) -> Sequence[SSAValue]:
    return [*filter(_is_place, (*operands_of(value), *sources_of(value)))]


def _is_place(value: SSAValue) -> bool:
    """Whether a value is an address, or has one in it."""
    return bool(memory.get_scope([value])) or isinstance(value.type, TmaDescType)


def is_in_shared_memory(op: Operation) -> bool:
    """Whether threads access shared memory: the copy of an array that atomics update first."""
    scope = memory.get_scope(op.operands)
    return bool(scope) and all(space != GLOBAL_SPACE for space, _ in scope)


def count_shared_bytes(op: Operation) -> float:
    """
    Bytes of all banks of shared memory in the time that threads access a tile there. Words of one
    bank that may be anywhere are accessed one after the other; atomics take no longer than stores.
    """
    types = [value.type for value in (*op.operands, *op.results) if not _is_address(value)]
    size = max((tile_bytes(ty) for ty in types if isinstance(ty, TensorType)), default=0.0)
    is_scattered = _is_atomic(op) and _is_scattered(op.operands[0])
    return size * SCATTERED_BANKS if is_scattered else size


def _is_atomic(op: Operation) -> bool:
    return isinstance(op, memory.AtomicRMWOp | memory.AtomicCASOp | TiledAtomicRMWOp)


def _is_address(value: SSAValue) -> bool:
    return _is_pointer(value.type) or get_element(value.type) == i1


def loaded_bytes(op: Operation) -> float:
    """The bytes of what is loaded, into registers or, by a copy, into shared memory."""
    values = op.operands if isinstance(op, AsyncLoadOp | AsyncTiledLoadOp) else op.results
    types = [value.type for value in values if not _is_address(value)]
    return max((tile_bytes(ty) for ty in types if isinstance(ty, TensorType)), default=0.0)


def stored_bytes(op: Operation) -> float:
    """The bytes of what is stored, but for pointers and masks."""
    types = [value.type for value in op.operands if not _is_address(value)]
    return max((tile_bytes(ty) for ty in types if isinstance(ty, TensorType)), default=0.0)


def count_elements(op: Operation) -> int:
    """The elements of the largest tile of an op."""
    return max((prod(get_shape(each.type)) for each in (*op.operands, *op.results)), default=1)


def count_stored(op: Operation) -> int:
    """The elements of what is stored."""
    values = [value for value in op.operands if not _is_address(value)]
    return max(prod(get_shape(value.type)) for value in values)


def _is_scattered(pointers: SSAValue) -> bool:
    """Whether pointers of a tile depend on what is loaded: others point to neighbours."""
    todo, seen = [pointers], set[SSAValue]()
    while todo:
        value = todo.pop()
        if value in seen or not isinstance(value.type, TensorType):
            continue
        seen.add(value)
        if isinstance(value, BlockArgument) or isinstance(value.owner, memory.OrderedAccess):
            return True
        todo += [] if isinstance(value.owner, Block) else value.owner.operands
    return False


def _is_pointer(ty: Attribute) -> bool:
    return isinstance(get_element(ty), LLVMPointerType)


def product_of(op: DotOperation, target: Target, share: float) -> Product:
    """What a share of a dot takes: all of it by `tcgen05`, else that of a warpgroup."""
    *batches, m, n = get_shape(_accumulator(op))
    k = get_shape(op.operands[0].type)[-1]
    a, b = op.operands[0].type, op.operands[1].type
    element = element_name(get_element(a))
    if isinstance(op, DotOp) and is_tcgen05(op) and target.tcgen05 is not None:
        return replace(_tcgen05(op, target, m, n, k), element=element)
    width = element_bit_width(get_element(a))
    bits = max(8, width)
    if isinstance(op, ScaledDotOp):
        # Operands of 4 bits may be bytes of two.
        bits, k = width * k // op.k, op.k
    count = prod(batches) * m * n * k
    if _is_by_fmas(op, target):
        clocks = count * share / target.rates.lanes
        return Product(clocks, 0.0, 0, multiply_adds=count * share, unit="FMA")
    ideal = count * share / target.rates.multiply_adds_of(bits)
    is_async = isinstance(op, AsyncDotOp)
    # A warpgroup reads its rows of A, and all of B; warps by `mma.sync` half as often each.
    own = tile_bytes(a) * share if get_memory(a) not in (None, "register") else 0.0
    shared = own + tile_bytes(b) * (1 if is_async else 2 * share)
    tensor = ideal / (1 if is_async else target.timing.mma_sync_share)
    number = 1
    if is_async:
        rows, steps = max(1, int(m * share) // WGMMA_M), max(1, k * bits // WGMMA_K_BITS)
        number = prod(batches) * rows * -(-n // MAX_COLUMNS) * steps
    return Product(tensor, ideal, shared, number, multiply_adds=count * share, element=element)


def _is_by_fmas(op: DotOperation, target: Target) -> bool:
    if isinstance(op, DotOp) and op.atom is not None:
        return op.atom.data == "fma"
    return isinstance(op, PlainDotOp | AsyncDotOp) and get_mma_instruction(op, target) is None


def _accumulator(op: DotOperation) -> Attribute:
    ty = op.results[0].type
    return ty if isinstance(ty, TensorType) else op.get_types()[2]


def _tcgen05(op: DotOp, target: Target, m: int, n: int, k: int) -> Product:
    rates = target.tcgen05
    if isinstance(op, ScaledDotOp):
        kind, k = types_of(op).kind, op.k
    else:
        mma = get_mma_instruction(op, target)
        kind = None if mma is None else kind_of(mma.type_a, mma.type_b)
    assert rates is not None
    assert kind is not None
    rows, columns = instruction_rows((m, n)), min(n, MOST_COLUMNS)
    a_is_shared = get_memory(op.a.type) != TMEM
    times = (m // rows) * -(-n // columns)
    kernel = kernel_of(op)
    ctas = PAIR_CTAS if kernel is not None and PAIR.is_on(kernel) else 1
    shape = kind.name, ctas * rows, columns, k
    clocks = rates.cycles(*shape, ctas) * times
    read = rates.operand_bytes(*shape, ctas, a_is_shared=a_is_shared) * times
    ideal = m * n * k / rates.multiply_adds[kind.name]
    return Product(clocks, ideal, read, max(1, times * k // kind.k), m * n * k)


def work_of(op: Operation, target: Target, share: float) -> Work:
    """What a share of an elementwise op, or of a reduction, takes."""
    name = op.name.rpartition(".")[2]
    if name in FREE or op.has_trait(ConstantLike) or renames_registers(op):
        return Work()
    if any(get_memory(result.type) not in (None, "register") for result in op.results):
        # A place, or a tile that is somewhere already.
        return Work()
    aggregates = isinstance(op, AggregateOperation)
    values = op.operands if aggregates else op.results
    elements = max((prod(get_shape(value.type)) for value in values), default=0) * share
    if not aggregates:
        elements *= _distinct_share(op) / max(_vector_width(op), _folded(op))
    if elements < 1:
        return Work()
    if aggregates:
        names = {each.name.rpartition(".")[2] for each in walk(op.regions[0])} - {"yield"}
        name = next(iter(sorted(names)), name)
    element = get_element(values[0].type)
    work = _elementwise(op, name, elements, element, target, aggregates)
    if aggregates:
        work = _aggregated(op, work, share, target)
    return replace(work, operations=elements) if isinstance(element, AnyFloat) else work


def _aggregated(op: AggregateOperation, work: Work, share: float, target: Target) -> Work:
    """
    What threads combine, and what follows: an exchange between lanes for each bit of the axis that
    these have, and one through shared memory if warps have others.
    """
    layout, timing = layout_of(op.operands[0].type), target.timing
    if layout is None or not layout.lane:
        return work
    stride, size = prod(layout.shape[op.get_axis() + 1 :]), layout.shape[op.get_axis()]

    def bits(bases: Sequence[int]) -> int:
        return sum(basis // stride % size > 0 for basis in bases)

    own, lanes, warps = map(bits, (layout.register, layout.lane, layout.warp))
    results = layout.compressed().registers >> own
    slots = 2 * results * lanes * layout.threads * share / target.rates.lanes
    latency = timing.chained << own if own else 0
    latency += timing.shuffle * lanes + (timing.exchange if warps else 0)
    clocks = {**work.clocks, "issue": work.clocks.get("issue", 0.0) + slots}
    return replace(work, clocks=clocks, latency=work.latency + latency)


@dataclass(frozen=True)
class ExchangeWork:
    """What an op takes that moves a tile between threads, or to or from shared memory."""

    wavefronts: float
    """Of shared memory, for all warps; an instruction that shuffles is one, too."""
    barriers: int


def exchange_of(op: Operation, target: Target, warps: int) -> ExchangeWork:
    """
    The accesses of a layout conversion or copy by this many warps, with bank conflicts; of other
    ops, and of layouts that are not known, as few as have all bytes.
    """
    types = op.operands[0].type, op.results[0].type
    places = [get_memory(ty) or "register" for ty in types]
    source, result = map(layout_of, types)
    bits = memory_bits(get_element(types[0]))
    is_known = {"register"} <= {*places} <= {"register", "shared"}
    if source is None or result is None or not is_known:
        ways = places.count("shared") or 2
        return ExchangeWork(ways * tile_bytes(types[0]) / target.timing.shared_bytes, 1)
    if "shared" in places:
        shared, registers = (source, result) if places[0] == "shared" else (result, source)
        return ExchangeWork(warps * count_wavefronts(registers, shared, bits), 1)
    stmatrix = target.has("stmatrix")
    plan = plan_conversion(source, result, bits, ldmatrix=True, stmatrix=stmatrix)
    if not isinstance(plan, ThroughShared):
        return ExchangeWork(warps * plan.cost, 0)
    barriers = 0 if plan.within_warps else 2 * len(plan.gather)
    return ExchangeWork(warps * plan.wavefronts, barriers)


def renames_registers(op: Operation) -> bool:
    """Whether an op is a layout conversion that only renames registers of threads."""
    if not isinstance(op, ConvertLayoutOp):
        return False
    before, after = layout_of(op.operands[0].type), layout_of(op.results[0].type)
    if before is None or after is None or not before.lane:
        return False
    return is_permutation_of_registers(before, after)


def _distinct_share(op: Operation) -> float:
    """
    Of the elements of an op, those that differ: what is computed of a tile whose rows or columns
    are repeated is computed once for each, as with the maxima that attention subtracts.
    """
    shares = [
        prod(get_shape(owner.source.type)) / prod(get_shape(value.type))
        if isinstance(owner := value.owner, BroadcastOp)
        else 1.0
        for value in op.operands
    ]
    return max(shares, default=1.0)


def _vector_width(op: Operation) -> int:
    """
    Of an op that only computes addresses and masks of vectorized accesses, how many elements one
    of them takes: threads compute the first one.
    """
    widths: list[int] = []
    todo, seen = [*op.results], set[Operation]()
    while todo:
        value = todo.pop()
        if isinstance(get_element(value.type), AnyFloat):
            return 1
        for use in value.uses:
            user = use.operation
            if isinstance(user, memory.OrderedAccess | AsyncLoadOp):
                vector, element = get_vector(user), get_element(value.type)
                is_address = _is_pointer(value.type) or element == i1
                if vector is None or not is_address:
                    return 1
                widths.append(vector.width)
            elif user.regions or user.has_trait(IsTerminator):
                return 1
            elif user not in seen:
                seen.add(user)
                todo += user.results
    return min(widths, default=1)


def _folded(op: Operation) -> int:
    """
    Of an op on integers or addresses that are affine in the position of an element, how many
    elements a thread has: it computes the first one, and the others are that far away for all
    threads, which instructions have as an immediate.
    """
    if not op.results or _degree(op.results[0]) > 1:
        return 1
    layout = layout_of(op.results[0].type)
    return 1 if layout is None else 1 << len(layout.register)


def _degree(value: SSAValue) -> int:
    """That of the elements of a tile as a polynomial of their position; 2 if they are none."""
    found: dict[SSAValue, int] = {}
    for each in operands_first(value, _tiles_of):
        op, degrees = each.owner, [found[tile] for tile in _tiles_of(each)]
        if isinstance(op, Block) or isinstance(get_element(each.type), AnyFloat):
            found[each] = 2
        elif isinstance(op, MakeRangeOp):
            found[each] = 1
        elif isinstance(op, PRODUCTS):
            found[each] = sum(degrees)
        elif isinstance(op, AFFINE) or op.has_trait(ConstantLike):
            found[each] = max(degrees, default=0)
        else:
            found[each] = 2
    return found[value]


def _tiles_of(value: SSAValue) -> Sequence[SSAValue]:
    """The tiles that an element is computed from."""
    op = value.owner
    if isinstance(op, Block) or op.regions:
        return ()
    return [each for each in op.operands if isinstance(each.type, TensorType)]


def _elementwise(
    op: Operation, name: str, elements: float, element: Attribute, target: Target, aggregates: bool
) -> Work:
    rates, timing = target.rates, target.timing
    lanes = rates.lanes
    latency = timing.arithmetic_latency
    is_float = isinstance(element, AnyFloat)
    if (made := find_expansion(op)) is not None:
        clocks: dict[UnitName, float] = {
            "exponentials": made.special * elements / rates.special_lanes,
            "FMA": made.fma * elements / lanes,
            "ALU": made.alu * elements / timing.alu_lanes,
            "issue": made.issued * elements / lanes,
        }
        latency = timing.special_latency if made.special else latency
        layout = layout_of(op.results[0].type)
        if made.branches and layout is not None:
            latency += timing.branch * layout.compressed().registers
        return Work(clocks, latency)
    if name in FUSED and is_float:
        packed = 2 if target.has("f32x2") or element_bit_width(element) == 16 else 1
        return Work({"FMA": elements / lanes, "issue": elements / lanes / packed}, latency)
    packed = 1
    if name in CONVERSIONS or (aggregates and name in ("maxf", "minf") and target.has("f32x2")):
        packed = timing.packed_elements
    issued = elements / packed
    return Work({"ALU": issued / timing.alu_lanes, "issue": issued / lanes}, latency)


def find_expansion(op: Operation) -> Expansion | None:
    """The instructions of a function of an element, or of a division; None of other ops."""
    name = op.name.rpartition(".")[2]
    if name not in SPECIAL and name != "divf":
        return None
    if name == "divf" and _is_power_of_two(op.operands[1]):
        return Expansion(1, fma=1)
    mode = op.properties.get("rounding_mode")
    if isinstance(mode, StringAttr) and mode.data in ("approx", "full"):
        name += f".{mode.data}"
    elif name == "divf" and element_bit_width(get_element(op.results[0].type)) == 16:
        # It is as exact.
        name += ".full"
    elif name == "divf" and _divides_by_few(op):
        name += ".broadcast"
    if "flush_to_zero" in op.properties and f"{name}.ftz" in EXPANSIONS:
        name += ".ftz"
    return EXPANSIONS.get(name, UNKNOWN)


def _is_power_of_two(divisor: SSAValue) -> bool:
    """Whether a tile has one constant, by the reciprocal of which threads multiply."""
    source = divisor.owner.source.owner if isinstance(divisor.owner, SplatOp) else divisor.owner
    value = source.properties.get("value") if isinstance(source, Operation) else None
    return isinstance(value, FloatAttr) and abs(frexp(value.value.data)[0]) == 0.5


def _divides_by_few(op: Operation) -> bool:
    """Whether the reciprocals of divisors are computed once (`divide_by_broadcast`)."""
    divisor = op.operands[1].owner
    if not isinstance(divisor, BroadcastOp):
        return False
    layout = layout_of(divisor.result.type)
    if layout is None:
        return False
    source = layout.restricted(get_shape(divisor.source.type))
    return source.registers * RECIPROCAL_USES <= layout.registers


@dataclass
class Scalars(ScalarValues):
    """The scalars of a CTA, and how rows of tensors lie in memory."""

    resident: int = 1
    """SMs of the GPU."""
    pitches: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Bytes from a row to the next one, of tensors in memory whose rows are contiguous."""

    def count_crossed(self, view: SSAValue) -> float:
        """
        Sectors of L2 for each one that the rows of a tile would take: twice as many if rows do not
        begin where sectors do.
        """
        return 2.0 if self.pitches.get(view, 0) % SECTOR_BYTES else 1.0

    @override
    def evaluate(self, op: Operation, known: Sequence[int | None]) -> Sequence[int | None] | None:
        match op:
            case ResidentCtasOp():
                return (self.resident * op.ctas_per_sm.value.data,)
            case MakeMemrefOp():
                self._add_pitch(op, known)
            case BlockTileOp():
                self.pitches[op.result] = self.pitches.get(op.memref, 0)
            case _:
                pass
        return super().evaluate(op, known)

    def _add_pitch(self, op: MakeMemrefOp, known: Sequence[int | None]) -> None:
        ty = op.result.type
        assert isinstance(ty, MemRefType)
        strides = fill_in(ty.strides.data, op.strides, op, known)
        if len(strides) > 1 and strides[-1] == 1 and strides[-2] is not None:
            self.pitches[op.result] = strides[-2] * element_bit_width(ty.element_type) // BYTE_BITS
