"""
MMA instruction selection by operand types, and how warps tile the accumulator.

| operands | instruction | from |
| --- | --- | --- |
| f16, bf16 | m16n8k16 | sm_80 |
| tf32, and f32 that may be rounded to it | m16n8k8 | sm_80 |
| f8E4M3FN, f8E5M2 | m16n8k32 | sm_89; accumulators of f16 from sm_120a on |
| i8, each signed or unsigned | m16n8k32 | sm_80 |
| f64 | m8n8k4 | sm_80 |

Floats of 8 and 4 bits are converted to f16 where there is no instruction for them, and operands of
different types to one that represents both exactly. Every other dot is computed by FMAs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import FloatTF32Type, IntegerType, f16, i8
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.target import Target

from .linear_layout import LANE_BITS, LinearLayout, bits_along, log2
from .matrix_layouts import (
    M16N8K64_4BIT,
    Instruction,
    mma_a,
    mma_accumulator,
    mma_b,
    mma_scale_a,
    mma_scale_b,
)

SMALL_FLOATS: Final = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}
IN_F16: Final = ("f16", "f8E4M3FN", "f8E5M2", "f4E2M1FN")
"""Floats that f16 represents exactly."""
IN_TF32: Final = (*IN_F16, "bf16", "tf32")
OPERAND_BITS: Final = {"f64": 64, "tf32": 32, "f16": 16, "bf16": 16}
"""Width of operand types, by their PTX names; others have 8 bits."""


@dataclass(frozen=True)
class MmaInstruction:
    """An MMA instruction with the PTX names of its operand types."""

    instruction: Instruction
    type_a: str
    type_b: str
    operand_type: Attribute | None = None
    """The type that operands are converted to first, if they have another."""


def choose_mma_instruction(
    a: Attribute,
    b: Attribute,
    accumulator: Attribute,
    target: Target,
    *,
    rounds: bool = False,
    signed: tuple[bool, bool] = (True, True),
) -> MmaInstruction | None:
    """
    The MMA instruction for the types of A, B and the accumulator; `None` if there is none.
    `rounds` says that f32 may be rounded to tf32.
    """
    if isinstance(a, IntegerType):
        if a != i8 or b != i8 or accumulator != IntegerType(32):
            return None
        words = ["s8" if each else "u8" for each in signed]
        return _instruction(target, words[0], words[1])
    names = (str(a), str(b))
    total = str(accumulator)
    if names == ("f64", "f64"):
        return _instruction(target, "f64", "f64") if total == "f64" else None
    if total not in ("f32", "f16"):
        return None
    words = [SMALL_FLOATS.get(name, "") for name in names]
    takes_f16 = target.has("mma.f8f6f4")
    if (total == "f32" or takes_f16) and all(word in target.mma for word in words):
        return _instruction(target, words[0], words[1])
    if {*names}.issubset(IN_F16):
        return _instruction(target, "f16", "f16", f16)
    if total != "f32":
        return None
    if names == ("bf16", "bf16"):
        return _instruction(target, "bf16", "bf16")
    allowed = (*IN_TF32, "f32") if rounds else IN_TF32
    if {*names}.issubset(allowed):
        return _instruction(target, "tf32", "tf32", FloatTF32Type())
    return None


def _instruction(
    target: Target, a: str, b: str, operand_type: Attribute | None = None
) -> MmaInstruction | None:
    """The target's instruction for operand types given by PTX names, if it has one."""
    if a not in target.mma:
        return None
    return MmaInstruction(Instruction(*target.mma[a], OPERAND_BITS.get(a, 8)), a, b, operand_type)


@dataclass(frozen=True)
class ScaledInstruction:
    """A block-scaled `mma.sync` with the PTX names of its types."""

    instruction: Instruction
    kind: str
    operand_type: str
    scale_type: str
    scales: int
    """Scales for each row of A and column of B (`.scale_vec`), each for a block along K."""


SCALED_INSTRUCTIONS: Final = {
    ("f8E4M3FN", "f8E8M0FNU", 32): ScaledInstruction(
        Instruction(16, 8, 32, 8), "mxf8f6f4", "e4m3", "ue8m0", 1
    ),
    ("f8E5M2", "f8E8M0FNU", 32): ScaledInstruction(
        Instruction(16, 8, 32, 8), "mxf8f6f4", "e5m2", "ue8m0", 1
    ),
    ("f4E2M1FN", "f8E8M0FNU", 32): ScaledInstruction(M16N8K64_4BIT, "mxf4", "e2m1", "ue8m0", 2),
    ("f4E2M1FN", "f8E4M3FN", 16): ScaledInstruction(M16N8K64_4BIT, "mxf4nvf4", "e2m1", "ue4m3", 4),
}
"""
Block-scaled MMAs by the types of operands and scales, and the size of a block along K. The sign of
scales of f8E4M3FN is not read: they are positive.
"""


def choose_scaled_instruction(
    element: Attribute, scale: Attribute, block: int, shape: Sequence[int], target: Target
) -> ScaledInstruction | None:
    """
    The block-scaled MMA for operands with scales, given the sizes of the dot: M, N and K; `None` if
    there is none.
    """
    found = SCALED_INSTRUCTIONS.get((str(element), str(scale), block))
    if found is None or not target.has("mma.block_scale"):
        return None
    size = found.instruction
    fits = all(n >= least for n, least in zip(shape, (size.m, size.n, size.k), strict=True))
    return found if fits else None


@dataclass(frozen=True)
class WarpGrid:
    """Warps along the batch, M and N."""

    batch: int
    m: int
    n: int


@dataclass(frozen=True)
class MmaLayouts:
    """Layouts of A, B and the accumulator of an MMA."""

    a: LinearLayout
    b: LinearLayout
    accumulator: LinearLayout


def mma_layouts(
    shape: Sequence[int], k: int, grid: WarpGrid, instruction: Instruction
) -> MmaLayouts | None:
    """
    Layouts for an accumulator of a shape, [m, n] or [batch, m, n], and K; `None` if the tile is
    smaller than the instruction.
    """
    batch = tuple(shape[:-2])
    rows, columns = shape[-2:]
    warps = {"warps_batch": grid.batch, "instruction": instruction}
    bits = instruction.element_bits
    a = mma_a((*batch, rows, k), grid.m, grid.n, bits, **warps)
    b = mma_b((*batch, k, columns), grid.m, grid.n, bits, **warps)
    accumulator = mma_accumulator(
        shape, grid.m, grid.n, warps_batch=grid.batch, instruction=instruction
    )
    if a is None or b is None or accumulator is None:
        return None
    return MmaLayouts(a, b, accumulator)


def scale_layouts(
    shape: Sequence[int], groups: int, grid: WarpGrid, instruction: Instruction
) -> tuple[LinearLayout, LinearLayout]:
    """
    Layouts of the scales of A, [m, groups], and of B, [groups, n], for an accumulator of a shape;
    a batch comes first. Lanes hold those that the instruction reads from them.
    """
    batch = tuple(shape[:-2])
    rows, columns = shape[-2:]
    a = mma_scale_a(
        (*batch, rows, groups), grid.m, grid.n, 8, warps_batch=grid.batch, instruction=instruction
    )
    b = mma_scale_b(
        (*batch, groups, columns),
        grid.m,
        grid.n,
        8,
        warps_batch=grid.batch,
        instruction=instruction,
    )
    assert a is not None
    assert b is not None
    return a, b


def choose_grid(
    shape: Sequence[int], warps: int, instruction: Instruction, *, rows_only: bool = False
) -> WarpGrid:
    """
    A warp grid that gives each warp a nearly square tile, batches first. With `rows_only`, warps
    are along M as long as there are enough rows, so that reductions along N stay within a warp.
    """
    rows, columns = shape[-2:]
    batches = shape[0] if len(shape) == 3 else 1
    batch = min(batches, warps)
    m = n = 1
    while batch * m * n < warps:
        more_rows = rows // m >= 2 * instruction.m
        more_columns = columns // n >= 2 * instruction.n
        if more_rows and (rows_only or not more_columns or rows // m >= columns // n):
            m *= 2
        elif more_columns:
            n *= 2
        else:
            m *= 2
    return WarpGrid(batch, m, n)


def find_grid(
    layouts: MmaLayouts, shape: Sequence[int], k: int, instruction: Instruction
) -> WarpGrid | None:
    """The warp grid that has given layouts, if there is one."""
    warps = layouts.accumulator.warps
    batch = 1
    while batch <= warps:
        m = 1
        while batch * m <= warps:
            grid = WarpGrid(batch, m, warps // (batch * m))
            if mma_layouts(shape, k, grid, instruction) == layouts:
                return grid
            m *= 2
        batch *= 2
    return None


def vector_layout(shape: Sequence[int], warps: int) -> LinearLayout:
    """
    The accumulator layout of a dot by FMAs: each thread has a few rows and columns, so that it
    reuses each operand element.
    """
    rank = len(shape)
    left = [log2(extent) for extent in shape]
    used = [0] * rank

    def take(dim: int) -> int | None:
        if used[dim] == left[dim]:
            return None
        used[dim] += 1
        return bits_along(shape, dim)[used[dim] - 1]

    def fill(count: int, dims: Sequence[int]) -> list[int]:
        bases: list[int] = []
        while len(bases) < count:
            for dim in dims:
                if (basis := take(dim)) is not None:
                    bases.append(basis)
                    break
            else:
                bases.append(0)
        return bases

    threads = LANE_BITS + log2(warps)
    spare = max(0, sum(left) - threads)
    columns, rows = rank - 1, rank - 2
    register = fill(min(2, spare, left[columns]), [columns])
    lane = fill(3, [columns, rows, *range(rows)]) + fill(2, [rows, columns, *range(rows)])
    warp = fill(log2(warps), [*range(rows), rows, columns])
    rest = sum(left) - sum(used)
    register += fill(rest, [columns, rows, *range(rows)])
    return LinearLayout.distributed(shape, register, lane, warp)


def get_mma_instruction(op: DotOp | AsyncDotOp, target: Target) -> MmaInstruction | None:
    """The MMA instruction of a dot; None if FMAs do it."""
    precision = op.input_precision
    return choose_mma_instruction(
        get_element(op.a.type),
        get_element(op.b.type),
        get_element(op.get_types()[2]),
        target,
        rounds=precision is not None and precision.data == "tf32",
        signed=(op.is_signed("lhs"), op.is_signed("rhs")),
    )
