"""
What ops and instructions of threads take of the units of an SM: those of `nvgpu`, `nvvm`, `llvm`
and PTX. All numbers are of one execution by the warps of a CTA that share the work on tiles, so
that they compare with those of tiles.

What an instruction does not say is not guessed: the bytes that TMA moves and the shapes of
`tcgen05.mma` are in descriptors, so these have no cost here, and get that of the op on tiles that
they came from (`exploration.cost`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Final, Literal, get_args

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Block, Operation, Region

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.walking import walk

from .work import UnitName

# Kinds of instructions of PTX.
#
#     wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16   tensor cores
#     cp.async.bulk.tensor.2d.shared::cluster.global.tile   TMA
#     @%p1 bra $L__BB0_2;                                   branches


PtxKind = Literal[
    "tensor cores",
    "TMA",
    "global memory",
    "shared memory",
    "tensor memory",
    "local memory",
    "atomics",
    "synchronization",
    "warp shuffles",
    "special functions",
    "conversions",
    "floats",
    "integers",
    "moves",
    "branches",
    "other",
]
"""What an instruction is about; `warp shuffles` are all exchanges between lanes of a warp."""
KINDS: Final[tuple[PtxKind, ...]] = get_args(PtxKind)

_CODE: Final = re.compile(
    r"(?:\$?[\w$]+:\s+)?(?:\{\s*)?(?:@!?%?\w+\s+)?([a-z][a-z\d_]*(?:[.:][\w.:]+)?)"
)
_NO_CODE: Final = re.compile(r"(?:[{(]\s*)?(?:\.|//|\}|\)|$|\$?[\w$]+:\s*$)")
_ENTRY: Final = re.compile(r"^(?:\.\w+\s+)*\.(?:entry|func)\b[^\n]*?\b([\w$]+)\s*\(", re.MULTILINE)

_PTX_NAMES: Final[tuple[tuple[str, PtxKind], ...]] = (
    (r"wgmma\.mma|mma\.|tcgen05\.mma", "tensor cores"),
    (
        r"bar\.|barrier|mbarrier|fence|membar|griddepcontrol|elect\."
        r"|wgmma|tcgen05\.(?:wait|commit|alloc|dealloc|relinquish|fence)|cp\.async\.(?:bulk\.)?"
        r"(?:commit|wait|mbarrier)|cp\.reduce\.async\.bulk\.commit|setmaxnreg|nanosleep|pmevent"
        r"|prefetch|discard|tensormap",
        "synchronization",
    ),
    (r"cp\.(?:reduce\.)?async\.bulk", "TMA"),
    (r"tcgen05\.(?:ld|st|cp|shift)", "tensor memory"),
    (r"atom|red\.(?!ux)", "atomics"),
    (r"(?:ld|st)\.local", "local memory"),
    (r"ld\.param|ld\.const|mov|st\.param|cvta|isspacep|mapa", "moves"),
    (r"cp\.async|(?:ld|st)[\w.:]*\.global", "global memory"),
    (r"ldmatrix|stmatrix|(?:ld|st)[\w.:]*\.shared|st\.bulk|st\.async", "shared memory"),
    (r"(?:ld|st)\.", "global memory"),
    (r"shfl|redux|vote|match|activemask", "warp shuffles"),
    (r"(?:ex2|lg2|sin|cos|tanh|rcp|r?sqrt|div[\w.]*\.f)", "special functions"),
    (r"cvt", "conversions"),
    (r"bra|ret|exit|call|trap|brx", "branches"),
    (r"[\w.]+\.b?f(?:16|32|64)", "floats"),
    (
        r"(?:add|sub|mul|mad|shl|shr|and|or|xor|not|setp?|selp|min|max|neg|abs|rem|div|bfe|bfi"
        r"|prmt|lop3|shf|popc|clz|brev|dp[24]a|slct|fns|addc|subc|bmsk|szext|cnot|mad24|mul24)"
        r"\b",
        "integers",
    ),
)


def instructions_of(line: str) -> Iterator[str]:
    """The instructions on a line, with their suffixes: one, or several of inline code."""
    for part in line.partition("//")[0].split(";"):
        text = part.strip()
        if _NO_CODE.match(text) is None and (match := _CODE.match(text)) is not None:
            yield match[1]


@lru_cache(maxsize=4096)
def kind_of(instruction: str) -> PtxKind:
    """What an instruction is about."""
    for pattern, kind in _PTX_NAMES:
        if re.match(pattern, instruction) is not None:
            return kind
    return "other"


def functions_of(ptx: str) -> Iterator[tuple[str, list[str]]]:
    """The lines of each function, by its name."""
    starts = [(match[1], match.start()) for match in _ENTRY.finditer(ptx)]
    ends = [start for _, start in starts[1:]] + [len(ptx)]
    for (name, start), end in zip(starts, ends, strict=True):
        yield name, ptx[start:end].splitlines()


def count_kinds(lines: Iterable[str]) -> dict[PtxKind, int]:
    """How many instructions of each kind there are, in the order of kinds."""
    counts = Counter(kind_of(found) for line in lines for found in instructions_of(line))
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


SHARED: Final = 3
"""The address space of shared memory."""
MATRIX_BYTES: Final = 128
"""Of an 8x8 matrix of `ldmatrix` and `stmatrix`."""
POINTER_BITS: Final = 64

_NAMES: Final[tuple[tuple[str, PtxKind], ...]] = (
    (r"wait|commit|fence|barrier|bar\.|prefetch|tensormap|descriptor|alloc|elect",
     "synchronization"),
    (r"mma", "tensor cores"),
    (r"tma\.async|bulk\.tensor", "TMA"),
    (r"tcgen05\.(ld|st|cp)", "tensor memory"),
    (r"atomic|cmpxchg|\bred\b", "atomics"),
    (r"ldmatrix|stmatrix", "shared memory"),
    (r"fragment\.(load|store)|^llvm\.(load|store)|cp[._]async|async_copy", "global memory"),
    (r"shfl|vote|redux|match", "warp shuffles"),
    (r"ex2|rcp|exp|log|lg2|sin|cos|tanh|sqrt|fdiv|divf|\btan\b|pow", "special functions"),
    (r"fptrunc|fpext|truncf|extf|sitofp|uitofp|fptosi|fptoui|fp_to|_to_fp|cvt", "conversions"),
    (r"constant|poison|undef|bitcast|extract|insert|shuffle|broadcast|addressof|getelementptr"
     r"|ptrtoint|inttoptr|addrspacecast|sreg|thread_id|block_id|grid_dim|index_cast|global"
     r"|sext|zext|trunci?$|extsi|extui", "moves"),
    (r"br$|cond_br|return|yield|condition|scf\.|func|module|switch|unreachable", "branches"),
    (r"f(add|sub|mul|neg|ma)$|(add|sub|mul|neg|maxnum|minnum|maximum|minimum|cmp)f$|fcmp|fma"
     r"|intr\.(maxnum|minnum|maximum|minimum|fabs)|math\.", "floats"),
    (r"^(arith|llvm)\.", "integers"),
)  # fmt: skip


@dataclass(frozen=True)
class ThreadCost:
    """One execution by all warps."""

    unit: UnitName
    clocks: float
    bytes: float = 0.0
    """From and to memory, or shared memory."""


@lru_cache(maxsize=1024)
def kind_of_name(name: str) -> PtxKind:
    """What an op of `nvgpu`, `nvvm`, `llvm`, `arith` is about."""
    for pattern, kind in _NAMES:
        if re.search(pattern, name) is not None:
            return kind
    return "other"


def cost_of_op(op: Operation, target: Target, warps: int) -> ThreadCost | None:
    """What an op of threads takes; none if it takes nothing, or that is not known."""
    kind = kind_of_name(op.name)
    types = [*op.result_types, *(value.type for value in op.operands)]
    if kind == "tensor cores":
        return _cost_of_mma(op, target, warps)
    if kind in ("global memory", "tensor memory", "atomics"):
        if (copied := _copied_bytes(op)) is not None:
            return _move(kind, copied, target, warps)
        in_shared = any(_is_shared(ty) for ty in types)
        # Of a store neither its mask nor its address.
        moved = op.result_types[:1] or [ty for ty in types if not _is_pointer(ty)]
        size = max((_bytes([ty]) for ty in moved), default=0.0)
        is_load = bool(op.results)
        return _move("shared memory" if in_shared else kind, size, target, warps, is_load=is_load)
    if kind == "shared memory":
        number = op.attributes.get("num", op.properties.get("num"))
        matrices = number.value.data if isinstance(number, IntegerAttr) else 1
        vectors = max(_elements(ty)[0] for ty in types if _is_pointer(ty))
        return _move(kind, matrices * MATRIX_BYTES * vectors / WARP_THREADS, target, warps)
    if not op.results:
        return None
    elements, element = _elements(op.result_types[0])
    if kind == "floats" and op.name.endswith(("cmpf", "fcmp")) and op.operands:
        elements, element = _elements(op.operands[0].type)
    packed = 1
    if kind == "conversions" and elements > 1 and _bits(element) <= 16:
        packed = target.timing.packed_elements
    return compute(kind, elements, _bits(element), target, warps, packed)


def _copied_bytes(op: Operation) -> float | None:
    """What a thread copies from global to shared memory by `cp.async`; none of other ops."""
    if "cp_async" not in op.name and "cp.async" not in op.name and "async_copy" not in op.name:
        return None
    size = op.properties.get("bytes")
    for value in op.operands:
        if size is None and not _is_pointer(value.type) and isinstance(value.owner, Operation):
            size = value.owner.properties.get("value")
    copies, _ = _elements(op.operands[0].type)
    return copies * size.value.data if isinstance(size, IntegerAttr) else 0.0


def _cost_of_mma(op: Operation, target: Target, warps: int) -> ThreadCost | None:
    found = {**op.properties, **op.attributes}
    shape, types, steps = found.get("shape"), found.get("types"), found.get("k_steps")
    if shape is None or "tcgen05" in op.name:
        return None
    m, n, k = map(int, re.findall(r"= (\d+)", str(shape))[:3])
    operand = types.data[1] if isinstance(types, ArrayAttr) else found.get("type_a")
    bits = re.search(r"\d+", str(operand))
    times = steps.value.data if isinstance(steps, IntegerAttr) else 1
    tiles = found.get("tiles")
    if isinstance(tiles, DenseArrayBase):
        times *= prod(map(int, re.findall(r"\d+", str(tiles).partition(":")[2])))
    is_group = "wgmma" in op.name or "warpgroup" in op.name
    count = m * n * k * times * (warps / WARPGROUP_WARPS if is_group else warps)
    return multiply(count, int(bits[0]) if bits else 16, target, is_async=is_group)


def multiply(count: float, bits: int, target: Target, *, is_async: bool) -> ThreadCost:
    """This many multiply-adds of operands of this many bits, by `mma.sync` or asynchronously."""
    share = 1.0 if is_async else target.timing.mma_sync_share
    return ThreadCost("tensor cores", count / target.rates.multiply_adds_of(bits) / share)


def compute(
    kind: PtxKind, elements: float, bits: int, target: Target, warps: int, packed: int = 1
) -> ThreadCost | None:
    """This many elements of each thread, in instructions of this many."""
    rates, timing = target.rates, target.timing
    lanes = elements * WARP_THREADS * warps
    match kind:
        case "floats":
            return ThreadCost("FMA", lanes / rates.lanes / (2 if bits == 16 else 1))
        case "special functions":
            return ThreadCost("exponentials", lanes / rates.special_lanes)
        case "integers" | "conversions":
            return ThreadCost("ALU", lanes / packed / timing.alu_lanes)
        case "warp shuffles":
            return ThreadCost("shared memory", 4 * lanes / timing.shared_bytes)
        case "synchronization" | "other":
            return ThreadCost("issue", WARP_THREADS * warps / rates.lanes)
        case _:
            return None


def _move(
    kind: PtxKind, num_bytes: float, target: Target, warps: int, *, is_load: bool = True
) -> ThreadCost:
    """This many bytes of each thread."""
    total, timing = num_bytes * WARP_THREADS * warps, target.timing
    if kind == "shared memory":
        return ThreadCost(kind, total / timing.shared_bytes, total)
    if kind == "tensor memory":
        unit: UnitName = "tensor memory loads" if is_load else "tensor memory stores"
        return ThreadCost(unit, total / timing.tensor_memory_bytes, total)
    return ThreadCost("L2", total / target.rates.l2_bytes, total)


# PTX

_VECTOR: Final = re.compile(r"\.v(\d+)\b|\.x(\d+)\b")
_TYPES: Final = re.compile(r"\.(?:[busf]|bf|tf)(\d+)(x2)?")
_OPERANDS: Final = re.compile(r"\.(?:[us]|bf|tf|f)(\d+)(?=\.|$)|\.e\dm\d(?=\.|$)")
"""Types of MMAs, of their results first: `.f32`, `.s8`, `.e4m3`, of which the last has no bits."""
_MMA: Final = re.compile(r"\.m(\d+)n(\d+)k(\d+)\b")
_CP_ASYNC: Final = re.compile(r"cp\.async\.c[ag]\.shared\S*\s[^;]*?,\s*(\d+)\s*[,;]")


def cost_of_instruction(
    instruction: str, line: str, target: Target, warps: int
) -> ThreadCost | None:
    """What an instruction of PTX takes; none if it takes nothing, or does not say how much."""
    kind = kind_of(instruction)
    numbers = _TYPES.findall(instruction)
    bits = int(numbers[-1][0]) if numbers else 32
    elements = 2 if any(pair for _, pair in numbers) else 1
    if kind == "tensor cores":
        if (shape := _MMA.search(instruction)) is None:
            return None
        operands = [int(each or 8) for each in _OPERANDS.findall(instruction)[1:]]
        bits = operands[0] if operands else bits
        is_group = instruction.startswith("wgmma")
        count = prod(map(int, shape.groups())) * (warps / WARPGROUP_WARPS if is_group else warps)
        return multiply(count, bits, target, is_async=is_group)
    if kind in ("global memory", "shared memory", "tensor memory", "atomics", "local memory"):
        if (copied := _CP_ASYNC.search(line)) is not None:
            return _move(kind, int(copied[1]), target, warps)
        vector = _VECTOR.search(instruction)
        count = int(vector[1] or vector[2]) if vector is not None else 1
        if "matrix" in instruction:
            return _move(kind, count * MATRIX_BYTES / WARP_THREADS, target, warps)
        in_shared = kind == "atomics" and ".shared" in instruction
        moved, is_load = count * elements * bits / 8, instruction.startswith("tcgen05.ld")
        return _move("shared memory" if in_shared else kind, moved, target, warps, is_load=is_load)
    if kind == "floats" and bits == 16 and elements == 1:
        bits = 32  # An instruction of its own, as for f32.
    return compute(kind, elements, bits, target, warps, packed=elements)


# Types


def _elements(ty: Attribute) -> tuple[int, Attribute]:
    if isinstance(ty, VectorType):
        return prod(ty.get_shape()), ty.element_type
    return 1, ty


def _bits(ty: Attribute) -> int:
    if _is_pointer(ty):
        return POINTER_BITS
    if isinstance(ty, AnyFloat) or hasattr(ty, "width"):
        return element_bit_width(ty)
    return 32


def _bytes(types: Sequence[Attribute]) -> float:
    total = 0.0
    for ty in types:
        parts = ty.types.data if isinstance(ty, LLVMStructType) else (ty,)
        for count, element in map(_elements, parts):
            total += count * _bits(element) / 8
    return total


def _is_pointer(ty: Attribute) -> bool:
    return isinstance(_elements(ty)[1], LLVMPointerType)


def _is_shared(ty: Attribute) -> bool:
    element = _elements(ty)[1]
    space = element.addr_space if isinstance(element, LLVMPointerType) else None
    return isinstance(space, IntAttr) and space.data == SHARED


# Which code of threads a single warp runs for the others: the producer, which loads tiles by TMA,
# and the warp that issues `tcgen05.mma`.
#
#     ^bb0:  llvm.cond_br %is_consumer, ^bb1, ^bb2
#     ^bb1:  nvvm.wgmma.mma_async …                  all warps that work on tiles
#            llvm.br ^bb3
#     ^bb2:  nvvm.cp.async.bulk.tensor.2d.shared…    the producer, a warp
#            llvm.br ^bb3
#     ^bb3:  llvm.return
#
# Those are blocks that reach, or are reached from, what a warp issues for all, but not what all
# warps do to tiles: `wgmma`, `mma`, and loads and stores of tensor memory. Kernels without such
# work, or whose warps load and multiply in turns, have none.


PRODUCER_WARPS: Final = 1
_ISSUED: Final = re.compile(
    r"tma\.(?:async\.load|gather)|bulk\.tensor.*shared(?:\.|::)cluster|tcgen05\.mma"
)
_SHARED_WORK: Final = re.compile(r"tcgen05\.(?:ld|st)\b")


def is_issued(name: str) -> bool:
    """Whether one warp issues an op or an instruction of PTX for all: TMA loads, `tcgen05.mma`."""
    return _ISSUED.search(name) is not None


def is_shared_work(name: str, kind: PtxKind) -> bool:
    """Whether all warps that work on tiles run an op or an instruction of PTX."""
    return kind == "tensor cores" or _SHARED_WORK.search(name) is not None


def find_producer_blocks(
    successors: Sequence[Sequence[int]], issued: Collection[int], shared: Collection[int]
) -> set[int]:
    """The blocks of one warp in a graph, given those with what it issues, and with shared work."""
    if not issued or not shared:
        return set()
    predecessors: list[list[int]] = [[] for _ in successors]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    near = _reach(successors, issued) | _reach(predecessors, issued)
    return near - _reach(successors, shared) - _reach(predecessors, shared)


def _reach(edges: Sequence[Sequence[int]], starts: Collection[int]) -> set[int]:
    found, todo = set(starts), list(starts)
    while todo:
        for block in edges[todo.pop()]:
            if block not in found:
                found.add(block)
                todo.append(block)
    return found


def find_producers(module: ModuleOp) -> set[Block]:
    """The blocks of a module that one warp runs, with all that is nested in them."""
    issued, shared = set[Block](), set[Block]()
    for op in walk(module):
        if is_issued(op.name):
            issued.update(_blocks_around(op))
        elif is_shared_work(op.name, kind_of_name(op.name)):
            shared.update(_blocks_around(op))
    found = set[Block]()
    for region in {block.parent for block in issued} & {block.parent for block in shared}:
        if region is None or _is_in_loop(region):
            continue
        found |= _find_in_graph(region, issued, shared)
        for op in (op for block in region.blocks for op in block.ops):
            found |= _find_alternatives(op, issued, shared)
    return found


def _find_in_graph(region: Region, issued: set[Block], shared: set[Block]) -> set[Block]:
    blocks = list(region.blocks)
    places = {block: at for at, block in enumerate(blocks)}
    successors = [
        [] if block.last_op is None else [places[each] for each in block.last_op.successors]
        for block in blocks
    ]
    issuing, working = (
        [places[block] for block in blocks if block in kind] for kind in (issued, shared)
    )
    return {blocks[at] for at in find_producer_blocks(successors, issuing, working)}


def _find_alternatives(op: Operation, issued: set[Block], shared: set[Block]) -> set[Block]:
    """Of regions of which one is run, those with what a warp issues, if others have the work."""
    if not isinstance(op, scf.IfOp | scf.IndexSwitchOp):
        return set()
    regions = [set(region.blocks) for region in op.regions]
    if not any(region & shared for region in regions):
        return set()
    alone = (region for region in regions if region & issued and not region & shared)
    return set[Block]().union(*alone)


def _blocks_around(op: Operation) -> list[Block]:
    found: list[Block] = []
    while (block := op.parent) is not None and (parent := block.parent_op()) is not None:
        found.append(block)
        op = parent
    return found


def _is_in_loop(region: Region) -> bool:
    op = region.parent
    while op is not None:
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return True
        op = op.parent_op()
    return False


# How often the blocks of a control-flow graph run, given the trip counts of its loops.


def find_loops(successors: Sequence[Sequence[int]]) -> dict[int, dict[int, set[int]]]:
    """
    The natural loops of a graph whose first block is its entry: for each header, the blocks that
    branch back to it, each with the blocks of its loop.
    """
    count = len(successors)
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    dominators = _find_dominators(successors, predecessors)
    loops: dict[int, dict[int, set[int]]] = {}
    for latch, targets in enumerate(successors):
        for header in targets:
            if dominators[latch] >> header & 1:
                body, todo = {header}, [latch]
                while todo:
                    block = todo.pop()
                    if block not in body:
                        body.add(block)
                        todo += predecessors[block]
                loops.setdefault(header, {})[latch] = body
    return loops


def _find_dominators(
    successors: Sequence[Sequence[int]], predecessors: Sequence[Sequence[int]]
) -> list[int]:
    """For each block, the set of those on all ways to it, as bits; none if nothing leads there."""
    count = len(successors)
    order, seen, stack = list[int](), {0}, [(0, iter(successors[0]))]
    while stack:
        block, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors[following])))
    everything = (1 << count) - 1
    found = [everything if block in seen else 0 for block in range(count)]
    found[0] = 1
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == 0:
                continue
            common = everything
            for each in predecessors[block]:
                if each in seen:
                    common &= found[each]
            common |= 1 << block
            if common != found[block]:
                found[block], changed = common, True
    return found


def count_times(
    successors: Sequence[Sequence[int]], trips_of: Callable[[int], float | None]
) -> list[float]:
    """
    How often each block runs. `trips_of` says how many iterations a loop has, by the blocks that
    branch back or, if that is not known of those, that leave it; none if it is not known.
    """
    times = [1.0] * len(successors)
    if not successors:
        return times
    for latches in find_loops(successors).values():
        body = set[int]().union(*latches.values())
        exits = [block for block in sorted(body) if not body.issuperset(successors[block])]
        for blocks in (latches, exits):
            known = [trips for trips in map(trips_of, blocks) if trips is not None]
            if known:
                for block in body:
                    times[block] *= max(known)
                break
    return times
