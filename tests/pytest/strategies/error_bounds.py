"""
What a program computes, in float64, and how far from that a right result may be.

An evaluator of its own, for the ops that `matmul_programs.py` uses. A number is a value and a bound
of its error. Every op adds what its rounding may add to what the errors of its operands become:
sums may be in any order, multiplications and additions may be fused, functions may be approximated.
Conversions of exact numbers are exact, as their rounding is specified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product as all_of
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    IntegerType,
    ModuleOp,
    f16,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import PartitionViewType, PtrType, TensorViewType, TileType
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicateAttr,
    RoundingAttr,
    SignednessAttr,
)
from tileiras_xdsl.interpreter.elements import float_format, round_to

Array: TypeAlias = npt.NDArray[Any]

SUM_UNIT = 2.0**-23
"""Of a step of a sum in f32: tensor cores cut off instead of rounding."""
F8_UNIT, F8_TERMS = 2.0**-13, 32
"""Tensor cores add so many products of 8-bit floats, aligned to the largest, with few bits."""
F16_STEP = 8
"""The fewest terms after which a sum in f16 is rounded."""
FUNCTION_UNIT = 2.0**-20
"""Of approximations of functions: a few units in the last place of f32."""
TINY = 2.0**-126
"""What may be flushed to zero."""


@dataclass(frozen=True)
class Approx:
    """Numbers, and bounds of their errors."""

    value: Array
    error: Array

    def __post_init__(self) -> None:
        # An error that is infinite, times zero: anything may be in the place of the number.
        is_unknown = np.isnan(self.error) & np.isfinite(self.value)
        object.__setattr__(self, "error", np.where(is_unknown, np.inf, self.error))

    @staticmethod
    def exact(value: Array) -> Approx:
        return Approx(value, np.zeros(value.shape))

    def wrong_in(self, array: Array) -> Array:
        """Which elements of an array are further off than they may be."""
        numbers = wide(array)
        with np.errstate(invalid="ignore"):
            is_near = np.abs(numbers - self.value) <= self.error
        both_nan = np.isnan(numbers) & np.isnan(self.value)
        return ~(is_near | (numbers == self.value) | both_nan)


@dataclass(frozen=True)
class Pointers:
    """Elements of an argument."""

    array: int
    offset: Array


@dataclass(frozen=True)
class Tensor:
    """A tensor in memory, and the tiles of it."""

    base: Pointers
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    view: PartitionViewType | None = None


@dataclass(frozen=True)
class End:
    """How a block ends, and with which values."""

    op: Operation
    values: list[Any]


def expected_results(
    module: ModuleOp, grid: tuple[int, int, int], arguments: Sequence[Any]
) -> dict[int, Approx]:
    """What the arrays among the arguments hold when a program has run."""
    return Evaluator(module, grid, arguments).run()


class Evaluator:
    """Runs the blocks of a grid one after the other."""

    def __init__(self, module: ModuleOp, grid: tuple[int, int, int], arguments: Sequence[Any]):
        self.entry = next(op for op in module.walk() if isinstance(op, ct.EntryOp))
        self.grid = grid
        self.block_id = (0, 0, 0)
        self.values: dict[SSAValue, Any] = {}
        self.memory: dict[int, Approx] = {}
        """Floats as numbers with bounds, integers with bounds of zero."""
        parameters = self.entry.body.block.args
        for number, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True)):
            element = element_of(parameter)
            if isinstance(element, PtrType):
                self.memory[number] = Approx.exact(wide(argument))
                self.values[parameter] = Pointers(number, np.zeros((), np.int64))
            elif isinstance(element, IntegerType):
                self.values[parameter] = np.array(argument, np.int64)
            else:
                rounded = round_to(np.array(argument, np.float64), element)
                self.values[parameter] = Approx.exact(rounded.astype(np.float64))

    def run(self) -> dict[int, Approx]:
        """What is in each array in the end."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            for z, y, x in all_of(*(range(size) for size in reversed(self.grid))):
                self.block_id = (x, y, z)
                self.run_block(self.entry.body.block)
        return self.memory

    def run_block(self, block: Block) -> End | None:
        """Runs ops up to one that leaves the block."""
        for op in block.ops:
            match op:
                case ct.YieldOp() | ct.BreakOp() | ct.ContinueOp() | ct.ReturnOp():
                    return End(op, self.operands(op))
                case ct.IfOp():
                    region = op.then_region if self.values[op.condition] else op.else_region
                    end = self.run_block(region.block) if region.blocks else None
                    if end is not None and not isinstance(end.op, ct.YieldOp):
                        return end
                    self.set(op, [] if end is None else end.values)
                case ct.ForOp():
                    self.run_for(op)
                case ct.LoopOp():
                    self.run_loop(op)
                case _:
                    self.set(op, EVALUATORS[type(op)](self, op))
        return None

    def run_for(self, op: ct.ForOp) -> None:
        bounds = (op.lower_bound, op.upper_bound, op.step)
        low, high, step = (int(self.values[value]) for value in bounds)
        carried = [self.values[value] for value in op.init_values]
        for number in range(low, high, step):
            counter, *arguments = op.body.block.args
            self.values[counter] = np.array(number, np.int64)
            self.values.update(zip(arguments, carried, strict=True))
            end = self.run_block(op.body.block)
            carried = [] if end is None else end.values
        self.set(op, carried)

    def run_loop(self, op: ct.LoopOp) -> None:
        carried = [self.values[value] for value in op.init_values]
        while True:
            self.values.update(zip(op.body.block.args, carried, strict=True))
            end = self.run_block(op.body.block)
            carried = [] if end is None else end.values
            if end is not None and isinstance(end.op, ct.BreakOp):
                self.set(op, carried)
                return

    def set(self, op: Operation, results: Any) -> None:
        found = cast(list[Any], results) if isinstance(results, list) else [results]
        # Tokens have no values.
        self.values.update(zip(op.results, found, strict=False))

    def operands(self, op: Operation) -> list[Any]:
        return [self.values.get(operand) for operand in op.operands]

    # Memory

    def tile_places(self, tensor: Tensor, index: Sequence[Any]) -> tuple[Array, Array]:
        """Where the elements of a tile are, and which of them the tensor has."""
        view = tensor.view
        assert view is not None
        tile, dims = view.get_tile_shape(), view.get_dim_map()
        places: Array = np.broadcast_to(tensor.base.offset, tile).copy()
        inside: Array = np.ones(tile, np.bool_)
        for axis, (size, dim, number) in enumerate(zip(tile, dims, index, strict=True)):
            shape = [size if each == axis else 1 for each in range(len(tile))]
            coordinates = (int(number) * size + np.arange(size)).reshape(shape)
            places += coordinates * tensor.strides[dim]
            inside &= (coordinates >= 0) & (coordinates < tensor.sizes[dim])
        return places, inside

    def read(self, array: int, places: Array, mask: Array, padding: Any, element: Attribute) -> Any:
        """Elements of memory, and what stands for those that a mask leaves out."""
        memory = self.memory[array]
        at = np.where(mask, places, 0)
        value = np.where(mask, memory.value[at], values_of(padding))
        if isinstance(element, IntegerType):
            return value.astype(np.int64)
        return Approx(value, np.where(mask, memory.error[at], errors_of(padding)))

    def write(self, array: int, places: Array, mask: Array, tile: Any) -> None:
        memory = self.memory[array]
        at = np.broadcast_to(places, mask.shape)[mask]
        memory.value[at] = values_of(tile)[mask]
        memory.error[at] = errors_of(tile)[mask]

    def accumulate(self, array: int, places: Array, mask: Array, tile: Any, unit: float) -> None:
        """Adds, in whatever order blocks come."""
        memory, blocks = self.memory[array], int(np.prod(self.grid)) + 1
        at = np.broadcast_to(places, mask.shape)[mask]
        added, error = values_of(tile)[mask], errors_of(tile)[mask]
        rounding = unit * blocks * (np.abs(memory.value[at]) + np.abs(added))
        np.add.at(memory.value, at, added)
        np.add.at(memory.error, at, error + rounding)


def element_of(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TileType)
    return value.type.element_type


def shape_of(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.get_shape()


def wide(array: Array) -> Array:
    """Memory as float64, which has all values of the types that are used."""
    return array.reshape(-1).astype(np.float64)


def values_of(tile: Any) -> Array:
    return tile.value if isinstance(tile, Approx) else np.asarray(tile)


def errors_of(tile: Any) -> Array:
    return tile.error if isinstance(tile, Approx) else np.zeros(np.shape(tile))


def unit_of(element: Attribute) -> float:
    """The largest relative error of rounding to a type."""
    return 2.0 ** -float_format(element).precision


def tiny_of(element: Attribute) -> float:
    """The largest error of rounding to a subnormal number."""
    found = float_format(element)
    return max(2.0 ** (found.min_exponent - found.precision), TINY)


def rounded(value: Array, error: Array, element: Attribute, unit: float | None = None) -> Approx:
    """A computed number, whose error is this before it is rounded."""
    relative = unit_of(element) if unit is None else unit
    more = relative * (np.abs(value) + error) + tiny_of(element)
    is_known = np.isfinite(value)
    error = np.where(is_known, error + np.where(is_known, more, 0.0), 0.0)
    return overflowing(value, error, element)


def overflowing(value: Array, error: Array, element: Attribute) -> Approx:
    """Numbers that are too large for a type become infinite, and those that may be, anything."""
    found = float_format(element)
    if found.saturates:
        return Approx(value, error)
    size = np.abs(value)
    is_large = size - error >= found.max_finite * (1 + unit_of(element))
    may_be_large = ~is_large & (size + error > found.max_finite)
    value = np.where(is_large, np.copysign(np.inf, value), value)
    return Approx(value, np.where(is_large, 0.0, np.where(may_be_large, np.inf, error)))


def wrapped(value: Array, element: Attribute) -> Array:
    """An integer as its type holds it."""
    assert isinstance(element, IntegerType)
    width = element.width.data
    if width == 1:
        return value.astype(np.int64) & 1
    half = 1 << (width - 1)
    if width == 64:
        return value.astype(np.int64)
    return ((value.astype(np.int64) + half) & ((1 << width) - 1)) - half


# Rules

Rule: TypeAlias = Callable[[Evaluator, Any], Any]
EVALUATORS: dict[type[Operation], Rule] = {}


def evaluates(*classes: type[Operation]) -> Callable[[Rule], Rule]:
    """Says what ops of some classes compute."""

    def register(rule: Rule) -> Rule:
        EVALUATORS.update(dict.fromkeys(classes, rule))
        return rule

    return register


def integer_rule(compute: Callable[[Array, Array], Array]) -> Rule:
    def rule(e: Evaluator, op: Operation) -> Array:
        a, b = e.operands(op)
        return wrapped(compute(a, b), element_of(op.results[0]))

    return rule


def floor_or_truncate(e: Evaluator, op: ct.DivIOp) -> Array:
    a, b = e.operands(op)
    rounding = op.rounding
    assert isinstance(rounding, RoundingAttr)
    match rounding.data:
        case ct.Rounding.NEGATIVE_INF:
            return a // b
        case ct.Rounding.POSITIVE_INF:
            return -(-a // b)
        case _:
            return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


EVALUATORS.update(
    {
        ct.AddIOp: integer_rule(np.add),
        ct.SubIOp: integer_rule(np.subtract),
        ct.MulIOp: integer_rule(np.multiply),
        ct.AndIOp: integer_rule(np.bitwise_and),
        ct.OrIOp: integer_rule(np.bitwise_or),
        ct.XOrIOp: integer_rule(np.bitwise_xor),
        ct.MaxIOp: integer_rule(np.maximum),
        ct.MinIOp: integer_rule(np.minimum),
        ct.RemIOp: integer_rule(np.fmod),
        ct.DivIOp: floor_or_truncate,
        ct.MakeTokenOp: lambda e, op: None,
        ct.JoinTokensOp: lambda e, op: None,
        ct.AssumeOp: lambda e, op: e.operands(op),
        ct.ExtIOp: lambda e, op: e.operands(op),
        ct.TruncIOp: lambda e, op: wrapped(e.operands(op)[0], element_of(op.to)),
        ct.GetTileBlockIdOp: lambda e, op: [np.array(number, np.int64) for number in e.block_id],
        ct.GetNumTileBlocksOp: lambda e, op: [np.array(number, np.int64) for number in e.grid],
        ct.IotaOp: lambda e, op: np.arange(shape_of(op.result)[0]),
    }
)


@evaluates(ct.CmpIOp)
def compare(e: Evaluator, op: ct.CmpIOp) -> Array:
    a, b = e.operands(op)
    predicate = op.comparison_predicate
    assert isinstance(predicate, ComparisonPredicateAttr)
    compute = {
        ct.ComparisonPredicate.EQUAL: np.equal,
        ct.ComparisonPredicate.NOT_EQUAL: np.not_equal,
        ct.ComparisonPredicate.LESS_THAN: np.less,
        ct.ComparisonPredicate.LESS_THAN_OR_EQUAL: np.less_equal,
        ct.ComparisonPredicate.GREATER_THAN: np.greater,
        ct.ComparisonPredicate.GREATER_THAN_OR_EQUAL: np.greater_equal,
    }[predicate.data]
    return compute(a, b).astype(np.int64)


@evaluates(ct.ConstantOp)
def constant(e: Evaluator, op: ct.ConstantOp) -> Any:
    shape = shape_of(op.result)
    numbers = op.elements.get_values()
    is_integer = isinstance(element_of(op.result), IntegerType)
    array = np.array(numbers, np.int64 if is_integer else np.float64)
    full = np.broadcast_to(array[0], shape) if len(numbers) == 1 else array.reshape(shape)
    return full if is_integer else Approx.exact(full)


def moves(compute: Callable[[Array, Any], Array]) -> Rule:
    """What moves elements, of whatever kind."""

    def rule(e: Evaluator, op: Operation) -> Any:
        tile = e.values[op.operands[0]]
        if isinstance(tile, Pointers):
            return Pointers(tile.array, compute(tile.offset, op))
        if isinstance(tile, Approx):
            return Approx(compute(tile.value, op), compute(tile.error, op))
        return compute(tile, op)

    return rule


EVALUATORS.update(
    {
        ct.ReshapeOp: moves(lambda x, op: x.reshape(shape_of(op.result))),
        ct.BroadcastOp: moves(lambda x, op: np.broadcast_to(x, shape_of(op.result))),
        ct.PermuteOp: moves(lambda x, op: x.transpose(op.permutation.get_values())),
    }
)


@evaluates(ct.ExtractOp)
def extract(e: Evaluator, op: ct.ExtractOp) -> Any:
    shape = shape_of(op.result)
    starts = [int(e.values[index]) * size for index, size in zip(op.indices, shape, strict=True)]
    part = tuple(slice(start, start + size) for start, size in zip(starts, shape, strict=True))
    tile = e.values[op.source]
    return Approx(tile.value[part], tile.error[part]) if isinstance(tile, Approx) else tile[part]


@evaluates(ct.SelectOp)
def select(e: Evaluator, op: ct.SelectOp) -> Any:
    condition, a, b = e.operands(op)
    chosen = np.where(condition, values_of(a), values_of(b))
    if not isinstance(a, Approx):
        return chosen
    return Approx(chosen, np.where(condition, errors_of(a), errors_of(b)))


# Floats


def float_rule(compute: Callable[..., tuple[Array, Array]], unit: float | None = None) -> Rule:
    """An op whose value and error before rounding are computed of numbers with errors."""

    def rule(e: Evaluator, op: Operation) -> Approx:
        parts = [part for tile in e.operands(op) for part in (tile.value, tile.error)]
        value, error = compute(*parts)
        return rounded(value, error, element_of(op.results[0]), unit)

    return rule


def divide(a: Array, ea: Array, b: Array, eb: Array) -> tuple[Array, Array]:
    value = a / b
    return value, (ea + np.abs(value) * eb) / np.maximum(np.abs(b) - eb, TINY)


def exponential(base: float) -> Callable[[Array, Array], tuple[Array, Array]]:
    """The argument is rounded as well when it is multiplied by a logarithm."""
    scale = float(np.log(base))

    def compute(a: Array, ea: Array) -> tuple[Array, Array]:
        value = np.exp(a * scale)
        shift = scale * (ea + SUM_UNIT * np.where(np.isfinite(a), np.abs(a), 0.0))
        return value, value * np.expm1(shift)

    return compute


def exact_rule(compute: Callable[..., Array], error: Callable[..., Array]) -> Rule:
    """An op that does not round."""

    def rule(e: Evaluator, op: Operation) -> Approx:
        tiles: list[Approx] = e.operands(op)
        value = compute(*(tile.value for tile in tiles))
        return Approx(value, error(*(tile.error for tile in tiles)))

    return rule


def logarithm(a: Array, ea: Array) -> tuple[Array, Array]:
    value = np.log(a)
    return value, ea / np.maximum(a - ea, TINY) + FUNCTION_UNIT * (1 + np.abs(value))


def add(a: Array, ea: Array, b: Array, eb: Array) -> tuple[Array, Array]:
    return a + b, ea + eb


def subtract(a: Array, ea: Array, b: Array, eb: Array) -> tuple[Array, Array]:
    return a - b, ea + eb


def multiply(a: Array, ea: Array, b: Array, eb: Array) -> tuple[Array, Array]:
    return a * b, np.abs(a) * eb + ea * np.abs(b) + ea * eb


def multiply_and_add(
    a: Array, ea: Array, b: Array, eb: Array, c: Array, ec: Array
) -> tuple[Array, Array]:
    product, error = multiply(a, ea, b, eb)
    return product + c, error + ec + SUM_UNIT * np.abs(product)


def hyperbolic_tangent(a: Array, ea: Array) -> tuple[Array, Array]:
    return np.tanh(a), ea


def unchanged(error: Array) -> Array:
    return error


EVALUATORS.update(
    {
        ct.AddFOp: float_rule(add),
        ct.SubFOp: float_rule(subtract),
        ct.MulFOp: float_rule(multiply),
        ct.FmaOp: float_rule(multiply_and_add),
        ct.DivFOp: float_rule(divide, FUNCTION_UNIT),
        ct.ExpOp: float_rule(exponential(float(np.e)), FUNCTION_UNIT),
        ct.Exp2Op: float_rule(exponential(2.0), FUNCTION_UNIT),
        ct.TanHOp: float_rule(hyperbolic_tangent, FUNCTION_UNIT),
        ct.LogOp: float_rule(logarithm, FUNCTION_UNIT),
        ct.NegFOp: exact_rule(np.negative, unchanged),
        ct.AbsFOp: exact_rule(np.abs, unchanged),
        ct.MaxFOp: exact_rule(np.maximum, np.maximum),
        ct.MinFOp: exact_rule(np.minimum, np.maximum),
    }
)


@evaluates(ct.IToFOp)
def integer_to_float(e: Evaluator, op: ct.IToFOp) -> Approx:
    (number,) = e.operands(op)
    element = element_of(op.to)
    return Approx.exact(round_to(number.astype(np.float64), element).astype(np.float64))


@evaluates(ct.FToFOp)
def float_to_float(e: Evaluator, op: ct.FToFOp) -> Approx:
    tile: Approx = e.values[op.from_]
    element = element_of(op.to)
    found = float_format(element)
    value = tile.value
    if found.saturates:
        value = np.clip(value, -found.max_finite, found.max_finite)
    nearest = round_to(value, element).astype(np.float64)
    # Instructions that round to tf32 differ in what they do with ties.
    is_exact = (tile.error == 0) & ((found.bits != 19) | (nearest == value))
    after = rounded(value, tile.error, element)
    return Approx(np.where(is_exact, nearest, after.value), np.where(is_exact, 0.0, after.error))


def as_signed(tile: Array, sign: Attribute) -> Array:
    """Bytes as a product reads them."""
    assert isinstance(sign, SignednessAttr)
    return tile if sign.data is ct.Signedness.SIGNED else tile & 0xFF


@evaluates(ct.MmaIOp)
def integer_product(e: Evaluator, op: ct.MmaIOp) -> Array:
    a, b, c = e.operands(op)
    a, b = (as_signed(x, sign) for x, sign in ((a, op.signedness_lhs), (b, op.signedness_rhs)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return wrapped(c + exact.astype(np.int64), element_of(op.result))


@evaluates(ct.MmaFOp)
def float_product(e: Evaluator, op: ct.MmaFOp) -> Approx:
    tiles: list[Approx] = e.operands(op)
    a, b, c = tiles
    element, depth = element_of(op.lhs), a.value.shape[-1]
    sizes_a, sizes_b = np.abs(a.value), np.abs(b.value)
    product = a.value @ b.value
    total, reach = c.value + product, sizes_a @ sizes_b + np.abs(c.value)
    error = c.error + SUM_UNIT * (depth + 1) * reach
    if a.error.any():
        error = error + a.error @ (sizes_b + b.error)
    if b.error.any():
        error = error + sizes_a @ b.error
    # What is summed up on the way: terms of both signs rarely get far from where they end.
    spread = 4 * np.sqrt((a.value**2) @ (b.value**2))
    partial = np.maximum(np.abs(c.value), np.abs(total)) + spread
    if isinstance(element, Float8E4M3FNType | Float8E5M2Type):
        steps = -(-depth // F8_TERMS)
        largest = sizes_a.max(-1, keepdims=True) * sizes_b.max(-2, keepdims=True)
        error = error + F8_UNIT * (F8_TERMS + 1) * steps * np.maximum(partial, largest)
    if element_of(op.acc) == f16:
        error = error + 2 * unit_of(f16) * (depth // F16_STEP + 1) * partial
    return Approx(total, error)


@evaluates(ct.ReduceOp)
def reduce(e: Evaluator, op: ct.ReduceOp) -> Any:
    (tile,) = e.operands(op)
    axis = op.get_dim()
    combine = op.body.block.first_op
    match combine:
        case ct.AddFOp():
            count = tile.value.shape[axis]
            sizes = (np.abs(tile.value) + tile.error).sum(axis)
            unit = 2 * unit_of(element_of(op.results[0]))
            return Approx(tile.value.sum(axis), tile.error.sum(axis) + unit * count * sizes)
        case ct.MaxFOp():
            return Approx(tile.value.max(axis), tile.error.max(axis))
        case ct.AddIOp():
            return wrapped(tile.sum(axis), element_of(op.results[0]))
        case ct.MaxIOp():
            return tile.max(axis)
        case _:
            raise AssertionError(f"a reduction by {combine}")


# Memory


@evaluates(ct.OffsetOp)
def offset(e: Evaluator, op: ct.OffsetOp) -> Pointers:
    pointers, steps = e.operands(op)
    return Pointers(pointers.array, pointers.offset + steps)


@evaluates(ct.MakeTensorViewOp)
def make_tensor_view(e: Evaluator, op: ct.MakeTensorViewOp) -> Tensor:
    ty = op.result.type
    assert isinstance(ty, TensorViewType)
    sizes = iter([int(e.values[value]) for value in op.dynamic_shape])
    strides = iter([int(e.values[value]) for value in op.dynamic_strides])
    return Tensor(
        e.values[op.base],
        tuple(next(sizes) if size is None else size for size in ty.shape.data),
        tuple(next(strides) if stride is None else stride for stride in ty.strides.data),
    )


@evaluates(ct.MakePartitionViewOp)
def make_partition_view(e: Evaluator, op: ct.MakePartitionViewOp) -> Tensor:
    tensor: Tensor = e.values[op.tensor_view]
    assert isinstance(op.result.type, PartitionViewType)
    return Tensor(tensor.base, tensor.sizes, tensor.strides, op.result.type)


@evaluates(ct.GetIndexSpaceShapeOp)
def index_space(e: Evaluator, op: ct.GetIndexSpaceShapeOp) -> list[Array]:
    tensor: Tensor = e.values[op.src]
    assert tensor.view is not None
    pairs = zip(tensor.view.get_tile_shape(), tensor.view.get_dim_map(), strict=True)
    return [np.array(-(-tensor.sizes[dim] // size), np.int64) for size, dim in pairs]


@evaluates(ct.LoadViewOp)
def load_view(e: Evaluator, op: ct.LoadViewOp) -> Any:
    tensor: Tensor = e.values[op.view]
    assert tensor.view is not None
    places, inside = e.tile_places(tensor, [e.values[index] for index in op.index])
    padding = 0.0 if tensor.view.padding is not None else np.nan
    return e.read(tensor.base.array, places, inside, padding, element_of(op.tile))


@evaluates(ct.StoreViewOp)
def store_view(e: Evaluator, op: ct.StoreViewOp) -> None:
    tensor: Tensor = e.values[op.view]
    places, inside = e.tile_places(tensor, [e.values[index] for index in op.index])
    e.write(tensor.base.array, places, inside, e.values[op.tile])


@evaluates(ct.LoadPtrOp)
def load_pointers(e: Evaluator, op: ct.LoadPtrOp) -> Any:
    pointers: Pointers = e.values[op.source]
    mask = mask_of(e, op.mask, pointers)
    padding = np.nan if op.padding_value is None else e.values[op.padding_value]
    return e.read(pointers.array, pointers.offset, mask, padding, element_of(op.result))


@evaluates(ct.StorePtrOp)
def store_pointers(e: Evaluator, op: ct.StorePtrOp) -> None:
    pointers: Pointers = e.values[op.destination]
    mask = mask_of(e, op.mask, pointers)
    e.write(pointers.array, pointers.offset, mask, e.values[op.value])


@evaluates(ct.AtomicRMWOp)
def atomic_add(e: Evaluator, op: ct.AtomicRMWOp) -> None:
    assert op.atomic_mode in (ct.AtomicMode.ADD, ct.AtomicMode.ADDF)
    pointers: Pointers = e.values[op.pointers]
    mask = mask_of(e, op.mask, pointers)
    element = element_of(op.arg)
    unit = 0.0 if isinstance(element, IntegerType) else 2 * unit_of(element)
    e.accumulate(pointers.array, pointers.offset, mask, e.values[op.arg], unit)


def mask_of(e: Evaluator, mask: SSAValue | None, pointers: Pointers) -> Array:
    if mask is None:
        return np.ones(pointers.offset.shape, np.bool_)
    return e.values[mask] != 0
