"""Matrices of a warp, also as fragments: `mma.sync`, `ldmatrix` and `stmatrix`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    StringAttr,
    VectorType,
    f64,
    i8,
    i32,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.nvvm.base import MatrixShapeAttr
from tileiras_xdsl.dialects.nvvm.fragments import FragmentMmaOp, FragmentScaledMmaOp
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.elements import bit_width, dtype_of, widen
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta
from tileiras_xdsl.interpreter.values import (
    Array,
    Bytes,
    Integers,
    Value,
    element_of,
    flag,
    from_row_bytes,
    from_rows,
    has,
    integer,
    integers_of,
    operand_type,
    property_of,
    result_type,
    row_bits,
    row_bytes,
    to_rows,
    word_of,
)

from . import accesses
from .accesses import SHARED, How, lanes_of
from .pointers import memref_address
from .shadow import WARP
from .state import CtaThreads
from .warp import ALL_LANES, per_warp

ROW_BYTES = 16
"""Bytes of a row of the matrices of `ldmatrix`."""

ELEMENTS: dict[str, Attribute] = {
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "tf32": FloatTF32Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    "e4m3": Float8E4M3FNType(),
    "e5m2": Float8E5M2Type(),
    "s8": i8,
    "u8": i8,
    "s4": IntegerType(4),
    "u4": IntegerType(4),
    "s32": i32,
}
"""What PTX's names of elements stand for."""
DEFAULTS = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "f64": "f64", "i8": "s8", "i4": "s4"}
"""PTX's names of the elements of a vector, where an op does not name them."""


# MMA


@cache
def _places(what: str, shape: tuple[int, int, int], width: int) -> tuple[Integers, Integers]:
    """
    Rows and columns of the elements that each lane holds of a matrix A, B or C, whose elements
    fill registers of 32 bits.
    """
    m, n, k = shape
    rows, columns = {"A": (m, k), "B": (k, n), "C": (m, n)}[what]
    count = rows * columns // WARP
    lane, element = np.arange(WARP)[:, None], np.arange(count)[None]
    group, member = lane // 4, lane % 4
    if what == "C":
        return group + 8 * (element // 2), 2 * member + element % 2
    packed = max(32 // width, 1)
    register, within = element // packed, element % packed
    along = member * packed + within
    if what == "B":
        return along + 4 * packed * register, group + 0 * element
    if m == 8:
        return group + 0 * element, along + 4 * packed * register
    return group + 8 * (register % 2), along + 4 * packed * (register // 2)


def _gather(fragment: Array, what: str, shape: tuple[int, int, int], width: int) -> Array:
    """The matrices of what the lanes of warps hold; both are the last two dimensions."""
    m, n, k = shape
    extents = {"A": (m, k), "B": (k, n), "C": (m, n)}[what]
    matrix = np.zeros((*fragment.shape[:-2], *extents), fragment.dtype)
    rows, columns = _places(what, shape, width)
    matrix[..., rows, columns] = fragment
    return matrix


def _supported(shape: tuple[int, int, int], width: int) -> bool:
    m, n, k = shape
    return n == 8 and m in (8, 16) and k % (4 * max(32 // width, 1)) == 0


def mma_tiles(
    cta: CtaThreads,
    shape: tuple[int, int, int],
    types: tuple[str, str, str],
    operands: tuple[Bytes, Bytes, Bytes],
    tiles: Sequence[int] = (1, 1, 1, 1),
) -> Bytes:
    """
    `a * b + c` of each warp, on the bytes of registers: this many MMAs along the batch, M, N
    and k. Registers count the fragment, then k, then m or n, those of c n, then m; then the batch.
    """
    cta.check_lanes(ALL_LANES)
    if cta.threads % WARP:
        raise ExecutionError(f"needs whole warps, but the CTA has {cta.threads} threads")
    elements = [ELEMENTS[ty] for ty in types]
    batch, along_m, along_n, along_k = tiles
    counts = {
        "C": (batch, along_m, along_n),
        "A": (batch, along_m, along_k),
        "B": (batch, along_n, along_k),
    }
    matrices: dict[str, Array] = {}
    for (what, count), element, data in zip(
        counts.items(), elements, (operands[2], *operands[:2]), strict=True
    ):
        width = 32 if isinstance(element, FloatTF32Type) else bit_width(element)
        held = _places(what, shape, width)[0].shape[1]
        total = prod(count) * held
        if data.shape[1] * 8 != total * width:
            raise ExecutionError(
                f"each lane has {total * width} bits of {what}, but got {data.shape[1] * 8}"
            )
        values = per_warp(cta, from_row_bytes(cta.full(data), element, (*count, held)))
        # Lanes past the tiles, whose fragments become matrices.
        matrices[what] = _gather(np.moveaxis(values, 1, -2), what, shape, width)
    result = _multiply(matrices, elements, types)
    rows, columns = _places("C", shape, 32)
    fragment = np.moveaxis(result[..., rows, columns], -2, 1)
    return row_bytes(fragment.reshape(cta.threads, -1), elements[0])


def _multiply(
    matrices: dict[str, Array], elements: Sequence[Attribute], types: tuple[str, str, str]
) -> Array:
    """Dots of tiles [warp, batch, m or n, k, row, column], one step along k after another."""
    a, b, c = (matrices[what] for what in "ABC")
    for step in range(a.shape[3]):
        left, right = a[:, :, :, None, step], b[:, :, None, :, step]
        if isinstance(elements[0], IntegerType):
            is_signed = [ty[0] == "s" for ty in types[1:]]
            c = numerics.mmai(left, right, c, lhs_signed=is_signed[0], rhs_signed=is_signed[1])
        else:
            c = numerics.mmaf(elements[1], elements[2], elements[0], left, right, c)
    return c


def check_mma(shape: tuple[int, int, int], types: tuple[str, str, str]) -> None:
    """Raises if there is no such MMA."""
    unknown = [ty for ty in types if ty not in ELEMENTS]
    width = 8 if unknown else bit_width(ELEMENTS[types[1]])
    if unknown or not _supported(shape, 32 if width == 19 else width):
        raise ExecutionError(
            f"an MMA m{shape[0]}n{shape[1]}k{shape[2]} of {', '.join(types)} "
            "cannot be run on the CPU"
        )


def accumulator_type(element: Attribute) -> str:
    """PTX's name of the elements of an accumulator."""
    return "s32" if isinstance(element, IntegerType) else str(element)


@THREADS.binds("nvgpu.mma.sync", "nvvm.fragment.mma")
def bind_mma_sync(op: Operation, program: BoundProgram) -> InCta:
    """An MMA of vectors, or of the tiles that fragments are."""
    a_type, b_type, c_type = (value.type for value in op.operands)
    tiles: Sequence[int] = (1, 1, 1, 1)
    words = [accumulator_type(element_of(c_type))]
    if isinstance(op, FragmentMmaOp):
        (m, n, k), tiles = op.shape.extents, op.get_tiles()
        words += [op.type_a.data.value, op.type_b.data.value]
    else:
        m, n, k = integers_of(op, "mmaShape")
        if isinstance(given := property_of(op, "types"), ArrayAttr):
            words = [word.data for word in cast(Sequence[StringAttr], given.data)]
        else:
            names = [str(element_of(ty)) for ty in (a_type, b_type)]
            words += [DEFAULTS.get(name, name) for name in names]
    types = (words[0], words[1], words[2])
    check_mma((m, n, k), types)

    def apply(cta: CtaThreads, a: Array, b: Array, c: Array) -> Array:
        operands = (to_rows(a, a_type), to_rows(b, b_type), to_rows(c, c_type))
        return from_rows(mma_tiles(cta, (m, n, k), types, operands, tiles), c_type)

    return InCta(apply)


SCALED_ELEMENTS: dict[str, Attribute] = {
    "e4m3": Float8E4M3FNType(),
    "e5m2": Float8E5M2Type(),
    "e2m1": Float4E2M1FNType(),
}
"""What PTX's names of operands with scales stand for."""
SCALE_ELEMENTS: dict[str, Attribute] = {
    "ue8m0": Float8E8M0FNUType(),
    "ue4m3": Float8E4M3FNType(),
}
"""What PTX's names of scales stand for; `ue4m3` has no sign."""
SIGN = 0x80
PACKED_K = 64
"""K of MMAs whose operands have two elements in a byte."""


def is_any_negative(scales: Bytes) -> bool:
    """Whether scales have a sign that counts: -0 is as good as 0."""
    return bool((scales > SIGN).any())


def _scales_of_lanes(
    cta: CtaThreads, data: Bytes, counts: tuple[int, ...], lanes: Integers
) -> Array:
    """Bytes that lanes of each warp hold, [warp, lane, batch, tile, step, scale]."""
    values = per_warp(cta, cta.full(data).reshape(cta.threads, *counts))
    return values[:, lanes]


@THREADS.binds("nvvm.fragment.scaled_mma")
def bind_scaled_mma(op: Operation, program: BoundProgram) -> InCta:
    """Block-scaled MMAs; scales are read from the lanes that the instruction reads."""
    assert isinstance(op, FragmentScaledMmaOp)
    shape, (batch, rows, columns, count) = op.shape.extents, op.get_tiles()
    first, steps, scales = op.get_scales()
    words = [op.type_a.data.value, op.type_b.data.value]
    scale_word = op.scale_type.data.value
    is_packed = shape[2] == PACKED_K
    known = ("e2m1",) if is_packed else ("e4m3", "e5m2")
    if any(word not in known for word in words):
        raise ExecutionError(
            f"block-scaled MMAs of {', '.join(words)} and {scale_word} cannot be run on the CPU"
        )
    types = [value.type for value in op.operands]
    elements = [ELEMENTS["f32"], *(SCALED_ELEMENTS[word] for word in words)]
    scale_element = SCALE_ELEMENTS[scale_word]
    group, half = np.arange(8), np.arange(2)
    # Of four lanes, the first has the scale of a row, and the second that of eight rows below.
    lanes_a = (4 * group[None, :] + half[:, None]).reshape(-1)
    lanes_b = 4 * group

    def apply(cta: CtaThreads, *values: Array) -> Array:
        cta.check_lanes(ALL_LANES)
        data = [to_rows(value, ty) for value, ty in zip(values, types, strict=True)]
        counts = {
            "C": (batch, rows, columns),
            "A": (batch, rows, count),
            "B": (batch, columns, count),
        }
        matrices: dict[str, Array] = {}
        for (what, tiles), element, part in zip(
            counts.items(), elements, (data[2], data[0], data[1]), strict=True
        ):
            width = bit_width(element)
            held = _places(what, shape, width)[0].shape[1]
            found = per_warp(cta, from_row_bytes(cta.full(part), element, (*tiles, held)))
            matrices[what] = _gather(np.moveaxis(found, 1, -2), what, shape, width)
        a_bytes = _scales_of_lanes(cta, data[3], (batch, rows, steps, scales), lanes_a)
        b_bytes = _scales_of_lanes(cta, data[4], (batch, columns, steps, scales), lanes_b)
        if scale_word == "ue4m3" and any(map(is_any_negative, (a_bytes, b_bytes))):
            raise ExecutionError("a scale is negative, but ue4m3 has no sign")
        # [warp, batch, tile, step, lane, scale], lanes are rows or columns.
        left, right = (
            widen(np.moveaxis(each, 1, 4).view(dtype_of(scale_element)), scale_element)
            for each in (a_bytes, b_bytes)
        )
        c = matrices["C"]
        for step in range(count):
            c = numerics.mmaf_scaled(
                [elements[1], elements[2], elements[0], f64, f64],
                matrices["A"][:, :, :, None, step],
                matrices["B"][:, :, None, :, step],
                c,
                left[:, :, :, None, first + step].astype(np.float64),
                np.moveaxis(right[:, :, None, :, first + step], -1, -2).astype(np.float64),
            )
        at_rows, at_columns = _places("C", shape, 32)
        fragment = np.moveaxis(c[..., at_rows, at_columns], -2, 1)
        return from_rows(row_bytes(fragment.reshape(cta.threads, -1), elements[0]), types[2])

    return InCta(apply)


def join_registers(cta: CtaThreads, values: Sequence[Array], types: Sequence[Attribute]) -> Bytes:
    """The bytes of several values together."""
    parts = [to_rows(cta.full(v), ty) for v, ty in zip(values, types, strict=True)]
    return np.concatenate(parts, axis=1)


def split_registers(data: Bytes, ty: Attribute) -> Value:
    """Bytes as a value of a type, or as a struct of them."""
    if not isinstance(ty, LLVMStructType):
        return from_rows(data, ty)
    fields: list[Value] = []
    at = 0
    for field in ty.types:
        size = row_bits(field) // 8
        fields.append(from_rows(data[:, at : at + size], field))
        at += size
    return tuple(fields)


@THREADS.binds("nvvm.mma.sync")
def bind_nvvm_mma(op: Operation, program: BoundProgram) -> InCta:
    """An MMA of registers."""
    shape = property_of(op, "shape")
    assert isinstance(shape, MatrixShapeAttr)
    layouts = word_of(op, "layoutA", "row"), word_of(op, "layoutB", "col")
    if layouts != ("row", "col"):
        raise ExecutionError(f"an MMA of layouts {layouts} cannot be run on the CPU")
    groups = [cast(Sequence[SSAValue], getattr(op, name)) for name in ("a", "b", "c")]
    words = [
        word_of(op, f"multiplicand{name}PtxType")
        or DEFAULTS.get(str(element_of(values[0].type)), "")
        for name, values in zip("AB", groups, strict=False)
    ]
    types = (accumulator_type(element_of(groups[2][0].type)), words[0], words[1])
    check_mma(shape.extents, types)
    given, ty = [[value.type for value in values] for values in groups], op.results[0].type
    if has(op, "satfinite"):
        raise ExecutionError("an MMA that saturates cannot be run on the CPU")

    def apply(cta: CtaThreads, *values: Array) -> Value:
        rest = iter(values)
        a, b, c = (join_registers(cta, list(islice(rest, len(each))), each) for each in given)
        return split_registers(mma_tiles(cta, shape.extents, types, (a, b, c)), ty)

    return InCta(apply, [value for values in groups for value in values])


# Matrices in shared memory


def load_matrices(
    op: Operation, cta: CtaThreads, address: Array, count: int, transpose: bool
) -> Bytes:
    """The bytes of each lane's part of matrices whose rows lanes name."""
    cta.check_lanes(ALL_LANES)
    lanes = lanes_of(cta, address, cta.lanes < 8 * count)
    data = accesses.load(How(op, SHARED), cta, lanes, ROW_BYTES, whole_warps=True)
    matrices = per_warp(cta, data).view(np.uint16)[:, : 8 * count].reshape(-1, count, 8, 8)
    if transpose:
        matrices = matrices.swapaxes(-1, -2)
    parts = matrices.reshape(len(matrices), count, WARP, 2).swapaxes(1, 2)
    rows = np.ascontiguousarray(parts).reshape(-1, count * 2)[: cta.threads]
    return rows.view(np.uint8)


def store_matrices(
    op: Operation, cta: CtaThreads, address: Array, data: Bytes, transpose: bool
) -> None:
    """Writes matrices, of which each lane holds a part, to rows that lanes name."""
    cta.check_lanes(ALL_LANES)
    count = data.shape[1] // 4
    parts = per_warp(cta, np.ascontiguousarray(cta.full(data))).view(np.uint16)
    parts = parts.reshape(-1, WARP, count, 2).swapaxes(1, 2)
    matrices = np.ascontiguousarray(parts).reshape(-1, count, 8, 8)
    if transpose:
        matrices = matrices.swapaxes(-1, -2)
    rows = np.zeros((len(matrices), WARP, 8), np.uint16)
    rows[:, : 8 * count] = np.ascontiguousarray(matrices).reshape(-1, 8 * count, 8)
    lanes = lanes_of(cta, address, cta.lanes < 8 * count)
    data = rows.reshape(-1, 8)[: cta.threads].view(np.uint8)
    accesses.store(How(op, SHARED), cta, lanes, data)


def _is_transposed(op: Operation) -> bool:
    return has(op, "transpose") or has(op, "trans")


def load_pieces(
    op: Operation, cta: CtaThreads, addresses: Array, count: int, transpose: bool
) -> Bytes:
    """Reads this many matrices for each of some addresses."""
    pieces = range(addresses.shape[1])
    parts = [load_matrices(op, cta, addresses[:, i], count, transpose) for i in pieces]
    return np.concatenate(parts, axis=1)


def store_pieces(
    op: Operation, cta: CtaThreads, addresses: Array, data: Bytes, transpose: bool
) -> None:
    """Writes matrices, equally many to each of some addresses."""
    targets = cta.full(addresses)
    for index, part in enumerate(np.split(data, targets.shape[1], axis=1)):
        store_matrices(op, cta, targets[:, index], part, transpose)


@THREADS.runs(
    *("nvgpu.ldmatrix", "nvvm.ldmatrix.sync", "nvvm.fragment.ldmatrix"),
    count=integer("num"),
    ty=result_type,
    transpose=_is_transposed,
)
def run_ldmatrix(
    cta: CtaThreads, source: Value, *, op: Operation, count: int, ty: Attribute, transpose: bool
) -> Value:
    """Reads matrices of 8 x 8 elements of 16 bits."""
    if isinstance(op.operands[0].type, VectorType):
        return from_rows(load_pieces(op, cta, cast(Array, source), count, transpose), ty)
    data = load_matrices(op, cta, memref_address(source), count, transpose)
    return split_registers(data, ty)


@THREADS.runs("nvvm.fragment.stmatrix", ty=operand_type(0), transpose=flag("trans"))
def run_fragment_stmatrix(
    cta: CtaThreads,
    value: Array,
    target: Array,
    *,
    op: Operation,
    ty: Attribute,
    transpose: bool,
) -> None:
    """Writes matrices of 8 x 8 elements of 16 bits."""
    store_pieces(op, cta, target, to_rows(cta.full(value), ty), transpose)


@THREADS.runs(
    "nvvm.stmatrix",
    transpose=lambda op: word_of(op, "layout") == "col",
    types=lambda op: [value.type for value in op.operands[1:]],
)
def run_stmatrix(
    cta: CtaThreads,
    target: Array,
    *sources: Array,
    op: Operation,
    transpose: bool,
    types: Sequence[Attribute],
) -> None:
    """Writes matrices of 8 x 8 elements of 16 bits."""
    store_matrices(op, cta, target, join_registers(cta, sources, types), transpose)
