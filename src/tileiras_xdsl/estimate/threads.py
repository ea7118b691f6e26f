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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Final

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target

from .ptx import PtxKind, kind_of
from .work import UnitName

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
_PATTERNS: Final[tuple[tuple[re.Pattern[str], PtxKind], ...]] = tuple(
    (re.compile(pattern), kind) for pattern, kind in _NAMES
)


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
    for pattern, kind in _PATTERNS:
        if pattern.search(name) is not None:
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
    """So many multiply-adds of operands of so many bits, by `mma.sync` or asynchronously."""
    share = 1.0 if is_async else target.timing.mma_sync_share
    return ThreadCost("tensor cores", count / target.rates.multiply_adds_of(bits) / share)


def compute(
    kind: PtxKind, elements: float, bits: int, target: Target, warps: int, packed: int = 1
) -> ThreadCost | None:
    """So many elements of each thread, in instructions of so many."""
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
    """So many bytes of each thread."""
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
