"""Vectors and structs: their elements, slices, shuffles and reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.errors import ExecutionError

from .arithmetic import alike, bind_identity
from .attributes import integers_of, word_of
from .in_flight import passed_on
from .machine import Function, InBlock, Program, binary, binds, unary
from .state import BlockState
from .values import Array, Value, dtype_of_type, element_of, shape_of


def common_rows(values: Sequence[Array]) -> int:
    """The first dimension of values together."""
    return max(len(value) for value in values)


def rows(value: Array, count: int) -> Array:
    """A value with so many rows; those of one row may be shared."""
    return value if len(value) == count else np.broadcast_to(value, (count, *value.shape[1:]))


# Making vectors


@binds("vector.from_elements")
def bind_from_elements(op: Operation, program: Program) -> Function:
    """A vector of all its elements."""
    shape = shape_of(op.results[0].type)

    def apply(*elements: Array) -> Array:
        count = common_rows(elements)
        columns = np.stack([rows(element, count) for element in elements], axis=1)
        return columns.reshape(count, *shape)

    return apply


@binds("vector.to_elements")
def bind_to_elements(op: Operation, program: Program) -> Function:
    """All elements of a vector."""
    is_single = len(op.results) == 1

    def apply(vector: Array) -> Value:
        flat = vector.reshape(len(vector), -1)
        if is_single:
            return flat[:, 0]
        return tuple(flat[:, column] for column in range(flat.shape[1]))

    return apply


@binds("vector.splat", "vector.broadcast")
def bind_broadcast(op: Operation, program: Program) -> Function:
    """Elements repeated along leading dimensions, and those of size 1."""
    shape = shape_of(op.results[0].type)

    def apply(value: Array) -> Array:
        inner = value.reshape(len(value), *(1,) * (len(shape) - value.ndim + 1), *value.shape[1:])
        return np.ascontiguousarray(np.broadcast_to(inner, (len(value), *shape)))

    return apply


@binds("vector.shape_cast")
def bind_shape_cast(op: Operation, program: Program) -> Function:
    """The same elements in another shape."""
    shape = shape_of(op.results[0].type)
    return unary(lambda value: value.reshape(len(value), *shape))


@binds("vector.create_mask", "vector.constant_mask")
def bind_mask(op: Operation, program: Program) -> Function:
    """True for the first elements."""
    shape = shape_of(op.results[0].type)
    static = integers_of(op, "mask_dim_sizes") if not op.operands else []

    def apply(*sizes: Array) -> Array:
        limits = sizes or [np.array([size]) for size in static]
        mask = np.ones((common_rows(limits), *shape), np.bool_)
        for axis, (extent, limit) in enumerate(zip(shape, limits, strict=True)):
            within = np.arange(extent)[None] < limit[:, None]
            mask &= within.reshape(
                len(within), *(extent if i == axis else 1 for i in range(len(shape)))
            )
        return mask

    return apply


# Parts of vectors


@binds("vector.shuffle", "llvm.shufflevector")
def bind_shuffle(op: Operation, program: Program) -> Function:
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


@binds("vector.extract")
def bind_extract(op: Operation, program: Program) -> Function:
    """An element, or part, of a vector."""
    position = _position(op)

    def apply(vector: Array, *dynamic: Array) -> Array:
        count = common_rows((vector, *dynamic))
        return rows(vector, count)[position(count, *dynamic)]

    return apply


@binds("vector.insert")
def bind_insert(op: Operation, program: Program) -> Function:
    """A vector with an element, or part, replaced."""
    position = _position(op)

    def apply(source: Array, vector: Array, *dynamic: Array) -> Array:
        count = common_rows((source, vector, *dynamic))
        result = np.array(rows(vector, count))
        result[position(count, *dynamic)] = source
        return result

    return apply


@binds("llvm.extractelement")
def bind_extract_element(op: Operation, program: Program) -> Function:
    """An element of a vector."""

    def apply(vector: Array, position: Array) -> Array:
        count = common_rows((vector, position))
        return rows(vector, count)[np.arange(count), position]

    return apply


@binds("llvm.insertelement")
def bind_insert_element(op: Operation, program: Program) -> Function:
    """A vector with an element replaced."""

    def apply(vector: Array, element: Array, position: Array) -> Array:
        count = common_rows((vector, element, position))
        result = np.array(rows(vector, count))
        result[np.arange(count), position] = element
        return result

    return apply


def _slices(op: Operation, sizes: Sequence[int]) -> tuple[slice, ...]:
    offsets = integers_of(op, "offsets")
    return (
        slice(None),
        *(slice(at, at + size) for at, size in zip(offsets, sizes, strict=False)),
    )


@binds("vector.extract_strided_slice")
def bind_extract_slice(op: Operation, program: Program) -> Function:
    """A part of a vector."""
    slices = _slices(op, integers_of(op, "sizes"))
    return unary(lambda value: value[slices])


@binds("vector.insert_strided_slice")
def bind_insert_slice(op: Operation, program: Program) -> Function:
    """A vector with a part replaced."""
    slices = _slices(op, shape_of(op.operands[0].type))

    def apply(source: Array, vector: Array) -> Array:
        result = np.array(rows(vector, common_rows((source, vector))))
        result[slices] = source
        return passed_on(result, source, vector)

    return apply


# Structs


@binds("llvm.extractvalue")
def bind_extract_value(op: Operation, program: Program) -> Function:
    """A field of a struct."""
    path = integers_of(op, "position")
    return unary(lambda value: reduce(lambda part, index: part[index], path, value))


def _replaced(value: Value, path: list[int], field: Value) -> Value:
    if not path:
        return field
    first, *rest = path
    return tuple(
        _replaced(part, rest, field) if index == first else part for index, part in enumerate(value)
    )


@binds("llvm.insertvalue")
def bind_insert_value(op: Operation, program: Program) -> Function:
    """A struct with a field replaced."""
    path = integers_of(op, "position")
    return binary(lambda container, value: _replaced(container, path, value))


# Reductions


def combiner(kind: str, element: Attribute) -> Callable[[Array, Array], Array]:
    """How two values are combined; by the words of `vector`, `gpu`, `nvvm` and `llvm`."""
    is_integer = isinstance(element, IntegerType)
    functions: dict[str, tuple[Any, dict[str, Any]]] = {
        "add": (numerics.addi if is_integer else numerics.addf, {}),
        "mul": (numerics.muli if is_integer else numerics.mulf, {}),
        "fadd": (numerics.addf, {}),
        "fmul": (numerics.mulf, {}),
        "and": (numerics.andi, {}),
        "or": (numerics.ori, {}),
        "xor": (numerics.xori, {}),
        **dict.fromkeys(("minsi", "smin"), (numerics.mini, {"signed": True})),
        **dict.fromkeys(("maxsi", "smax"), (numerics.maxi, {"signed": True})),
        **dict.fromkeys(("minui", "umin"), (numerics.mini, {"signed": False})),
        **dict.fromkeys(("maxui", "umax"), (numerics.maxi, {"signed": False})),
        **dict.fromkeys(("minnumf", "fmin"), (numerics.minf, {})),
        **dict.fromkeys(("maxnumf", "fmax"), (numerics.maxf, {})),
        **dict.fromkeys(("minimumf", "fminimum"), (numerics.minf, {"propagate_nan": True})),
        **dict.fromkeys(("maximumf", "fmaximum"), (numerics.maxf, {"propagate_nan": True})),
        "min": (numerics.mini, {"signed": True}) if is_integer else (numerics.minf, {}),
        "max": (numerics.maxi, {"signed": True}) if is_integer else (numerics.maxf, {}),
    }
    if kind not in functions:
        raise ExecutionError(f"a reduction by '{kind}' cannot be run on the CPU")
    function, options = functions[kind]
    return lambda a, b: function(element, *alike((a, b)), **options)


@binds("vector.reduction")
def bind_reduction(op: Operation, program: Program) -> Function:
    """Combines the elements of a vector, the first ones first."""
    combine = combiner(word_of(op, "kind") or "", element_of(op.results[0].type))

    def apply(vector: Array, *start: Array) -> Array:
        columns = vector.reshape(len(vector), -1)
        return reduce(combine, [columns[:, i] for i in range(columns.shape[1])], *start)

    return apply


def _bind_llvm_reduction(op: Operation, program: Program) -> Function:
    combine = combiner(op.name.rpartition(".")[2], element_of(op.results[0].type))

    def apply(*operands: Array) -> Array:
        *start, vector = operands
        return reduce(combine, [vector[:, i] for i in range(vector.shape[1])], *start)

    return apply


for word in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax", "fadd", "fmul"):
    binds(f"llvm.intr.vector.reduce.{word}")(_bind_llvm_reduction)
for word in ("fmin", "fmax", "fminimum", "fmaximum"):
    binds(f"llvm.intr.vector.reduce.{word}")(_bind_llvm_reduction)


@binds("vector.step")
def bind_step(op: Operation, program: Program) -> Function:
    """0, 1, 2 …"""
    (extent,) = shape_of(op.results[0].type)
    numbers = np.arange(extent).astype(dtype_of_type(op.results[0].type))[None]
    return lambda: numbers


@binds("builtin.unrealized_conversion_cast")
def bind_cast(op: Operation, program: Program) -> Function:
    """The same value under another type, where both are held alike."""
    if len(op.operands) != 1 or len(op.results) != 1:
        raise ExecutionError("casts several values, which cannot be run on the CPU")
    return cast(Function, bind_identity(op, program))


@binds("vector.print")
def bind_print(op: Operation, program: Program) -> InBlock:
    """Prints the value of each thread on a line."""

    def apply(block: BlockState, *values: Array) -> tuple[()]:
        for thread in np.flatnonzero(block.active_mask()):
            block.write(" ".join(str(block.full(value)[thread]) for value in values) + "\n")
        return ()

    return InBlock(apply)
