"""Binders of ops that change shapes or pick parts, by mnemonic."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.ir import Attribute, Operation, Region

from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits

from . import numerics
from .elements import dtype_of, from_bits
from .machine import Binder, Body, Direct, Exit, Frame, Function, Program, Value
from .memory import Array
from .types import element_of, integer_of, is_signed, shape_of


def bind_reshape(op: Operation, program: Program) -> Function:
    shape = shape_of(op.results[0].type)

    def apply(value: Value) -> Value:
        return np.asarray(value).reshape(shape)

    return apply


def bind_broadcast(op: Operation, program: Program) -> Function:
    shape = shape_of(op.results[0].type)

    def apply(value: Value) -> Value:
        return np.broadcast_to(value, shape)

    return apply


def bind_permute(op: Operation, program: Program) -> Function:
    permutation = op.properties["permutation"]
    assert isinstance(permutation, DenseArrayBase)
    order = tuple(array_values(permutation))

    def apply(value: Value) -> Value:
        return np.transpose(value, order)

    return apply


def bind_cat(op: Operation, program: Program) -> Function:
    dim = integer_of(op, "dim")

    def apply(lhs: Value, rhs: Value) -> Value:
        return np.concatenate((lhs, rhs), dim)

    return apply


def _slices(part: tuple[int, ...], whole: tuple[int, ...], indices: tuple[Value, ...]):
    """The slice of a given number along each dimension; a number too large is cut."""
    found: list[slice] = []
    for size, extent, index in zip(part, whole, indices, strict=True):
        number = int(index) % (1 << 32)
        number = min(number, extent // size - 1)
        found.append(slice(number * size, (number + 1) * size))
    return tuple(found)


def bind_extract(op: Operation, program: Program) -> Function:
    whole, part = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    steps = part or (1,) * len(whole)

    def extract(value: Array, *indices: Value) -> Array:
        return value[_slices(steps, whole, indices)].reshape(part)

    return extract


def bind_insert(op: Operation, program: Program) -> Function:
    part, whole = shape_of(op.operands[0].type), shape_of(op.operands[1].type)

    def insert(source: Array, destination: Array, *indices: Value) -> Array:
        result = np.array(destination)
        result[_slices(part, whole, indices)] = source
        return result

    return insert


def bind_iota(op: Operation, program: Program) -> Function:
    element, shape = element_of(op.results[0].type), shape_of(op.results[0].type)
    numbers = from_bits(np.arange(prod(shape), dtype=np.uint64), element)

    def apply() -> Value:
        return numbers

    return apply


def bind_make_range(op: Operation, program: Program) -> Function:
    element, shape = element_of(op.results[0].type), shape_of(op.results[0].type)

    def make_range(start: Value, end: Value) -> Array:
        values = int(start) + np.arange(prod(shape), dtype=np.int64)
        return from_bits(values.astype(np.uint64), element)

    return make_range


def bind_select(op: Operation, program: Program) -> Function:
    def select(condition: Array, first: Array, second: Array) -> Array:
        return np.where(condition, first, second)

    return select


def bind_pack(op: Operation, program: Program) -> Function:
    source, result = element_of(op.operands[0].type), element_of(op.results[0].type)

    def apply(value: Value) -> Value:
        return numerics.pack(source, result, value)

    return apply


def bind_unpack(op: Operation, program: Program) -> Function:
    source, result = element_of(op.operands[0].type), element_of(op.results[0].type)

    def apply(value: Value) -> Value:
        return numerics.unpack(source, result, value)

    return apply


def bind_identity(op: Operation, program: Program) -> Function:
    def apply(value: Value) -> Value:
        return value

    return apply


# Matrix products


def bind_mmaf(op: Operation, program: Program) -> Function:
    a, b, c = (element_of(value.type) for value in op.operands[:3])

    def apply(lhs: Value, rhs: Value, acc: Value) -> Value:
        return numerics.mmaf(a, b, c, lhs, rhs, acc)

    return apply


def bind_mmai(op: Operation, program: Program) -> Function:
    lhs_signed, rhs_signed = (is_signed(op, f"signedness_{side}") for side in ("lhs", "rhs"))

    def multiply(lhs: Array, rhs: Array, acc: Array) -> Array:
        return numerics.mmai(lhs, rhs, acc, lhs_signed=lhs_signed, rhs_signed=rhs_signed)

    return multiply


def bind_mmaf_scaled(op: Operation, program: Program) -> Function:
    elements = [element_of(value.type) for value in op.operands]

    def apply(*values: Value) -> Value:
        return numerics.mmaf_scaled(elements, *values)

    return apply


# Reductions and scans


class Combiner:
    """The body of a reduction or scan, on whole arrays where its ops allow that."""

    def __init__(self, region: Region, program: Program):
        self.body: Body = program.bind_block(region.block)
        scalars = all(
            not shape_of(value.type)
            for op in region.walk()
            for value in (*op.operands, *op.results)
        )
        straight = all(not op.regions for op in region.walk())
        self.on_arrays = scalars and straight

    def combine(self, frame: Frame, first: list[Array], second: list[Array]) -> list[Array]:
        """Combines the elements of two lists of arrays."""
        if self.on_arrays:
            return self._run(frame, first, second)
        shape = first[0].shape
        results = [np.empty(shape, array.dtype) for array in first]
        for index in np.ndindex(shape):
            values = self._run(frame, [a[index] for a in first], [a[index] for a in second])
            for result, value in zip(results, values, strict=True):
                result[index] = value
        return results

    def _run(self, frame: Frame, first: list[Value], second: list[Value]) -> list[Array]:
        pairs = [value for pair in zip(first, second, strict=True) for value in pair]
        signal = self.body.run(frame, pairs)
        assert signal.exit is Exit.YIELD
        shape = np.shape(first[0])
        return [np.broadcast_to(value, shape) for value in signal.values]


def bind_reduce(axis_name: str) -> Binder:
    """Neighbours are combined until one is left, so that the order stays as it is."""

    def bind(op: Operation, program: Program) -> Direct:
        axis = integer_of(op, axis_name)
        combiner = Combiner(op.regions[0], program)
        operands, results = program.all(op.operands), program.all(op.results)

        def step(frame: Frame) -> None:
            registers = frame.registers
            arrays = [np.moveaxis(registers[operand], axis, 0) for operand in operands]
            while arrays[0].shape[0] > 1:
                even, odd = [a[0::2] for a in arrays], [a[1::2] for a in arrays]
                arrays = combiner.combine(frame, even, odd)
            for result, array in zip(results, arrays, strict=True):
                registers[result] = np.asarray(array)[0]

        return Direct(step)

    return bind


def bind_scan(axis_name: str) -> Binder:
    """Each round combines an element with the one twice as far before it."""

    def bind(op: Operation, program: Program) -> Direct:
        axis, reverse = integer_of(op, axis_name), _is_true(op, "reverse", default=False)
        inclusive = _is_true(op, "inclusive", default=True)
        identities = _identities(op)
        combiner = Combiner(op.regions[0], program)
        operands, results = program.all(op.operands), program.all(op.results)

        def step(frame: Frame) -> None:
            registers = frame.registers
            arrays = [np.moveaxis(registers[operand], axis, 0) for operand in operands]
            if reverse:
                arrays = [array[::-1] for array in arrays]
            distance = 1
            while distance < arrays[0].shape[0]:
                before, here = [a[:-distance] for a in arrays], [a[distance:] for a in arrays]
                combined = combiner.combine(frame, before, here)
                arrays = [
                    np.concatenate((a[:distance], c)) for a, c in zip(arrays, combined, strict=True)
                ]
                distance *= 2
            if not inclusive:
                arrays = [
                    np.concatenate((np.full_like(a[:1], identity), a[:-1]))
                    for a, identity in zip(arrays, identities, strict=True)
                ]
            if reverse:
                arrays = [array[::-1] for array in arrays]
            for result, array in zip(results, arrays, strict=True):
                registers[result] = np.moveaxis(array, 0, axis)

        return Direct(step)

    return bind


def _is_true(op: Operation, name: str, *, default: bool) -> bool:
    from xdsl.dialects.builtin import IntegerAttr

    attribute = op.properties.get(name, op.attributes.get(name))
    return bool(attribute.value.data) if isinstance(attribute, IntegerAttr) else default


def _identities(op: Operation) -> list[Array]:
    """The values an exclusive scan begins with; zeros if they are not given."""
    attribute = op.properties.get("identities")
    if not isinstance(attribute, ArrayAttr):
        return [np.zeros((), dtype_of(element_of(value.type))) for value in op.operands]
    return [_identity(value) for value in attribute]


def _identity(attribute: Attribute) -> Array:
    """The value of a typed scalar."""
    from xdsl.dialects.builtin import FloatAttr, IntegerAttr

    assert isinstance(attribute, FloatAttr | IntegerAttr)
    type, value = attribute.get_type(), attribute.value.data
    if isinstance(attribute, FloatAttr):
        return from_bits(np.array(float_to_bits(value, type), np.uint64), type)
    return np.asarray(value).astype(dtype_of(type))


SHAPES: dict[str, Binder] = {
    "reshape": bind_reshape,
    "view": bind_reshape,
    "expand_dims": bind_reshape,
    "broadcast": bind_broadcast,
    "splat": bind_broadcast,
    "permute": bind_permute,
    "cat": bind_cat,
    "extract": bind_extract,
    "insert": bind_insert,
    "iota": bind_iota,
    "make_range": bind_make_range,
    "select": bind_select,
    "pack": bind_pack,
    "unpack": bind_unpack,
    "int_to_ptr": bind_identity,
    "ptr_to_int": bind_identity,
    "ptr_to_ptr": bind_identity,
    "mmaf": bind_mmaf,
    "mmai": bind_mmai,
    "mmaf_scaled": bind_mmaf_scaled,
}
