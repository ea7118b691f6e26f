"""
Vectors and structs: their elements, slices, shuffles and reductions; and what only threads do
element by element: bits of vectors, packed conversions, wide products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatTF32Type,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.arithmetic import Combine, combiner, ptx_rounding, run_identity
from tileiras_xdsl.interpreter.elements import round_to, signed, unsigned, widen, wrap
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, Function
from tileiras_xdsl.interpreter.values import (
    Array,
    Value,
    attribute,
    dtype_of_type,
    element_of,
    flag,
    from_rows,
    integers,
    integers_of,
    operand_element,
    operand_type,
    result_element,
    result_shape,
    result_type,
    shape_of,
    to_rows,
    word_of,
)

from .copies import passed_on
from .state import CtaThreads


def common_rows(values: Sequence[Array]) -> int:
    """The first dimension of values together."""
    return max(len(value) for value in values)


def rows(value: Array, count: int) -> Array:
    """A value with this many rows; those of one row may be shared."""
    return value if len(value) == count else np.broadcast_to(value, (count, *value.shape[1:]))


# Making vectors


@THREADS.runs("vector.from_elements", shape=result_shape)
def run_from_elements(*elements: Array, shape: tuple[int, ...]) -> Array:
    """A vector of all its elements."""
    count = common_rows(elements)
    columns = np.stack([rows(element, count) for element in elements], axis=1)
    return columns.reshape(count, *shape)


@THREADS.runs("vector.to_elements", is_single=lambda op: len(op.results) == 1)
def run_to_elements(vector: Array, *, is_single: Any) -> Value:
    """All elements of a vector."""
    flat = vector.reshape(len(vector), -1)
    if is_single:
        return flat[:, 0]
    return tuple(flat[:, column] for column in range(flat.shape[1]))


@THREADS.runs("vector.splat", "vector.broadcast", shape=result_shape)
def run_broadcast(value: Array, *, shape: tuple[int, ...]) -> Array:
    """Elements repeated along leading dimensions, and those of size 1."""
    inner = value.reshape(len(value), *(1,) * (len(shape) - value.ndim + 1), *value.shape[1:])
    return np.ascontiguousarray(np.broadcast_to(inner, (len(value), *shape)))


@THREADS.runs("vector.shape_cast", shape=result_shape)
def run_shape_cast(value: Value, *, shape: tuple[int, ...]) -> Value:
    """The same elements in another shape."""
    return value.reshape(len(value), *shape)


@THREADS.runs(
    "vector.create_mask",
    "vector.constant_mask",
    shape=result_shape,
    static=lambda op: integers_of(op, "mask_dim_sizes") if not op.operands else [],
)
def run_mask(*sizes: Array, shape: tuple[int, ...], static: Any) -> Array:
    """True for the first elements."""
    limits = sizes or [np.array([size]) for size in static]
    mask = np.ones((common_rows(limits), *shape), np.bool_)
    for axis, (extent, limit) in enumerate(zip(shape, limits, strict=True)):
        within = np.arange(extent)[None] < limit[:, None]
        mask &= within.reshape(
            len(within), *(extent if i == axis else 1 for i in range(len(shape)))
        )
    return mask


# Parts of vectors


@THREADS.binds("vector.shuffle", "llvm.shufflevector")
def bind_shuffle(op: Operation, program: BoundProgram) -> Function:
    """Elements, or rows, of two vectors in any order."""
    order = np.array(integers_of(op, "mask"))
    order = np.where(order < 0, 0, order)

    def apply(a: Array, b: Array) -> Array:
        if a is b:
            return passed_on(np.asarray(a)[:, order % a.shape[1]], a)
        count = common_rows((a, b))
        parts = [np.asarray(rows(value, count)) for value in (a, b)]
        return passed_on(np.concatenate(parts, axis=1)[:, order], a, b)

    return apply


def _position(op: Operation) -> Callable[..., tuple[Any, ...]]:
    """Takes the dynamic positions of an op; returns what to index a vector by."""
    static = integers_of(op, "static_position")
    if DYNAMIC_INDEX not in static:
        fixed = (slice(None), *static)

        def constant(count: int, *dynamic: Array) -> tuple[Any, ...]:
            return fixed

        return constant

    def apply(count: int, *dynamic: Array) -> tuple[Any, ...]:
        given = iter(dynamic)
        indices = [next(given) if at == DYNAMIC_INDEX else np.array([at]) for at in static]
        return (np.arange(count), *indices)

    return apply


@THREADS.runs("vector.extract", position=lambda op: _position(op))
def run_extract(vector: Array, *dynamic: Array, position: Any) -> Array:
    """An element, or part, of a vector."""
    count = common_rows((vector, *dynamic))
    return rows(vector, count)[position(count, *dynamic)]


@THREADS.runs("vector.insert", position=lambda op: _position(op))
def run_insert(source: Array, vector: Array, *dynamic: Array, position: Any) -> Array:
    """A vector with an element, or part, replaced."""
    count = common_rows((source, vector, *dynamic))
    result = np.array(rows(vector, count))
    result[position(count, *dynamic)] = source
    return result


@THREADS.runs("llvm.extractelement")
def run_extract_element(vector: Array, position: Array) -> Array:
    """An element of a vector."""
    count = common_rows((vector, position))
    return rows(vector, count)[np.arange(count), position]


@THREADS.runs("llvm.insertelement")
def run_insert_element(vector: Array, element: Array, position: Array) -> Array:
    """A vector with an element replaced."""
    count = common_rows((vector, element, position))
    result = np.array(rows(vector, count))
    result[np.arange(count), position] = element
    return result


def _slices(op: Operation, sizes: Sequence[int]) -> tuple[slice, ...]:
    offsets = integers_of(op, "offsets")
    return (
        slice(None),
        *(slice(at, at + size) for at, size in zip(offsets, sizes, strict=False)),
    )


@THREADS.runs(
    "vector.extract_strided_slice", slices=lambda op: _slices(op, integers_of(op, "sizes"))
)
def run_extract_slice(value: Value, *, slices: Any) -> Value:
    """A part of a vector."""
    return value[slices]


@THREADS.runs(
    "vector.insert_strided_slice", slices=lambda op: _slices(op, shape_of(op.operands[0].type))
)
def run_insert_slice(source: Array, vector: Array, *, slices: Any) -> Array:
    """A vector with a part replaced."""
    result = np.array(rows(vector, common_rows((source, vector))))
    result[slices] = source
    return passed_on(result, source, vector)


# Structs


@THREADS.runs("llvm.extractvalue", path=integers("position"))
def run_extract_value(value: Value, *, path: list[int]) -> Value:
    """A field of a struct."""
    return reduce(lambda part, index: part[index], path, value)


def _replaced(value: Value, path: list[int], field: Value) -> Value:
    if not path:
        return field
    first, *rest = path
    return tuple(
        _replaced(part, rest, field) if index == first else part for index, part in enumerate(value)
    )


@THREADS.runs("llvm.insertvalue", path=integers("position"))
def run_insert_value(container: Value, value: Value, *, path: list[int]) -> Value:
    """A struct with a field replaced."""
    return _replaced(container, path, value)


# Reductions


@THREADS.runs(
    "vector.reduction",
    combine=lambda op: combiner(word_of(op, "kind"), element_of(op.results[0].type)),
)
def run_reduction(vector: Array, *start: Array, combine: Combine) -> Array:
    """Combines the elements of a vector, the first ones first."""
    columns = vector.reshape(len(vector), -1)
    return reduce(combine, [columns[:, i] for i in range(columns.shape[1])], *start)


LLVM_KINDS = (
    *("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"),
    *("fadd", "fmul", "fmin", "fmax", "fminimum", "fmaximum"),
)


@THREADS.runs(
    *(f"llvm.intr.vector.reduce.{kind}" for kind in LLVM_KINDS),
    combine=lambda op: combiner(op.name.rpartition(".")[2], element_of(op.results[0].type)),
)
def run_llvm_reduction(*operands: Array, combine: Combine) -> Array:
    """The same, where the vector comes last."""
    *start, vector = operands
    return run_reduction(vector, *start, combine=combine)


@THREADS.binds("vector.step")
def bind_step(op: Operation, program: BoundProgram) -> Function:
    """0, 1, 2 …"""
    (extent,) = shape_of(op.results[0].type)
    numbers = np.arange(extent).astype(dtype_of_type(op.results[0].type))[None]
    return lambda: numbers


@THREADS.binds("builtin.unrealized_conversion_cast")
def bind_cast(op: Operation, program: BoundProgram) -> Function:
    """The same value under another type, where both are held alike."""
    if len(op.operands) != 1 or len(op.results) != 1:
        raise ExecutionError("casts several values, which cannot be run on the CPU")
    return run_identity


@THREADS.runs("vector.print")
def run_print(cta: CtaThreads, *values: Array) -> None:
    """Prints the value of each thread on a line."""
    for thread in np.flatnonzero(cta.active_mask()):
        cta.write(" ".join(str(cta.full(value)[thread]) for value in values) + "\n")


# Element by element


@THREADS.runs(
    "arith.bitcast",
    "vector.bitcast",
    "llvm.bitcast",
    source=operand_type(0),
    result=result_type,
)
def run_bitcast(value: Value, *, source: Attribute, result: Attribute) -> Array:
    """Other elements of the same bits."""
    return from_rows(to_rows(value, source), result)


@THREADS.runs("arith.mulsi_extended", element=operand_element(0))
def run_signed_product(a: Array, b: Array, *, element: Attribute) -> Value:
    """Both halves of a product."""
    low, high = run_unsigned_product(a, b, element=element)
    zero = np.zeros_like(high)
    high = numerics.subi(element, high, np.where(signed(a) < 0, b, zero))
    return low, numerics.subi(element, high, np.where(signed(b) < 0, a, zero))


@THREADS.runs("arith.mului_extended", element=operand_element(0))
def run_unsigned_product(a: Array, b: Array, *, element: Attribute) -> Value:
    """Both halves of a product of numbers without a sign."""
    return numerics.muli(element, a, b), numerics.mulhii(element, a, b)


@THREADS.runs("arith.addui_extended", element=operand_element(0))
def run_extended_sum(a: Array, b: Array, *, element: Attribute) -> Value:
    """A sum and whether it was too large."""
    total = numerics.addi(element, a, b)
    return total, unsigned(total) < unsigned(a)


@THREADS.runs(
    "nvvm.cvt.fptrunc.x2",
    source=operand_element(0),
    result=result_element,
    rounding=ptx_rounding("rn"),
    relu=flag("relu"),
    satfinite=flag("satfinite"),
)
def run_packed_truncation(
    value: Array,
    *,
    source: Attribute,
    result: Attribute,
    rounding: str,
    relu: bool,
    satfinite: bool,
) -> Array:
    """Narrows two floats; negative ones to zero, infinite ones to the largest, if it says so."""
    wide = widen(value, source)
    if relu:
        wide = np.where(wide < 0, wide.dtype.type(0), wide)
    return round_to(wide, result, rounding, True if satfinite else None)


@THREADS.runs("nvvm.fragment.fptrunc", source=operand_element(0), fmt=attribute("format"))
def run_fragment_truncation(value: Array, *, source: Attribute, fmt: Attribute) -> Array:
    """The bytes of narrow floats."""
    return numerics.bitcast(fmt, i8, round_to(widen(value, source), fmt))


@THREADS.runs("nvvm.fragment.fpext", result=result_element, fmt=attribute("format"))
def run_fragment_extension(value: Array, *, result: Attribute, fmt: Attribute) -> Array:
    """The values of bytes that are narrow floats."""
    return numerics.ftof(fmt, result, numerics.bitcast(i8, fmt, value))


@THREADS.runs("nvvm.convert.float.to.tf32", rounding=ptx_rounding("rna"), relu=flag("relu"))
def run_to_tf32(value: Array, *, rounding: str, relu: bool) -> Array:
    """The bits of a tf32."""
    wide = np.where(value < 0, np.float32(0), value) if relu else value
    return numerics.bitcast(f32, i32, round_to(wide, FloatTF32Type(), rounding))


@THREADS.runs("nvvm.prmt")
def run_prmt(low: Array, high: Array, selector: Array) -> Array:
    """Four bytes of eight, or the sign of one, by the halves of the bytes of a selector."""
    low, high, selector = np.broadcast_arrays(low, high, selector)
    both = unsigned(np.ascontiguousarray(low)).astype(np.uint64)
    both |= unsigned(np.ascontiguousarray(high)).astype(np.uint64) << np.uint64(32)
    result = np.zeros(low.shape, np.uint64)
    choice = unsigned(np.ascontiguousarray(selector)).astype(np.uint64)
    for position in range(4):
        nibble = choice >> np.uint64(4 * position)
        byte = both >> ((nibble & np.uint64(7)) * np.uint64(8)) & np.uint64(0xFF)
        sign = (byte >> np.uint64(7)) * np.uint64(0xFF)
        byte = np.where(nibble & np.uint64(8) != 0, sign, byte)
        result |= byte << np.uint64(8 * position)
    return wrap(result, i32)
