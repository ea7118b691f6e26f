"""
What the rules of `convert-tt-to-cuda-tile` build ops with: values and types of both dialects, and
the order of accesses.

A rule makes ops of `cuda_tile` for one op of Triton's. Within the regions of scans and of
`map_elementwise`, what Triton writes for scalars is made for whole tiles (`Emitter.lanes`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias, TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    IntegerType,
    LocationAttr,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.types import TileType, is_number
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

OpT = TypeVar("OpT", bound=Operation)

Number: TypeAlias = int | float | bool


@dataclass(frozen=True)
class Descriptor:
    """What a tensor descriptor stands for."""

    base: SSAValue
    shape: tuple[SSAValue, ...]
    """As integers of 64 bits, as the strides are."""
    strides: tuple[SSAValue, ...]
    type: tt.TensorDescType
    pads_nan: bool = False

    @property
    def parts(self) -> tuple[SSAValue, ...]:
        """The values that it consists of."""
        return (self.base, *self.shape, *self.strides)

    def with_parts(self, parts: Sequence[SSAValue]) -> Descriptor:
        """The same of other values."""
        rank = len(self.shape)
        shape, strides = tuple(parts[1 : 1 + rank]), tuple(parts[1 + rank :])
        return Descriptor(parts[0], shape, strides, self.type, self.pads_nan)


Converted: TypeAlias = SSAValue | Descriptor


def flatten(values: Iterable[Converted]) -> list[SSAValue]:
    """Values, with one for each part of a descriptor."""
    return [
        part
        for value in values
        for part in (value.parts if isinstance(value, Descriptor) else (value,))
    ]


def rebuild(parts: Sequence[SSAValue], like: Sequence[Converted]) -> list[Converted]:
    """The values that consist of some parts, where descriptors were in others."""
    found, at = list[Converted](), 0
    for model in like:
        count = len(flatten((model,)))
        part = parts[at : at + count]
        found.append(model.with_parts(part) if isinstance(model, Descriptor) else part[0])
        at += count
    return found


Results: TypeAlias = "Operation | Converted | Sequence[Converted] | None"
Rule: TypeAlias = "Callable[[Emitter, Operation], Results]"

RULES: Final[dict[str, Rule]] = {}
"""What is made of an op, by its name."""

RuleT = TypeVar("RuleT", bound=Callable[..., object])


def rule(*names: str) -> Callable[[RuleT], RuleT]:
    """Has a function convert the ops of some names."""

    def register(function: RuleT) -> RuleT:
        for name in names:
            RULES[name] = function  # pyright: ignore[reportArgumentType]
        return function

    return register


@dataclass
class Order:
    """
    The order of accesses: a read comes after the last write, a write after the reads since then,
    which come after the write before them.
    """

    last: SSAValue
    reads: list[SSAValue] = field(default_factory=list[SSAValue])


class Emitter:
    """Builds the ops of one kernel."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.values: dict[SSAValue, Converted] = {}
        self.location: LocationAttr = UNKNOWN_LOC
        self.lanes: tuple[int, ...] | None = None
        """The shape of the tiles that stand for scalars, in a region for each element."""
        self.order: Order
        self.read_only: frozenset[SSAValue] = frozenset()
        """Arguments through which nothing is stored; loads through them need no order."""
        self.stored_once: frozenset[SSAValue] = frozenset()
        """Arguments through which there is one store and nothing else."""
        self.fp_fusion = False
        """Whether products and sums are FMAs."""
        self.current: Operation | None = None
        """The op that is being converted."""
        self.calls: list[Block] = []
        """The functions that it is in the bodies of, which are called."""

    # Ops and values

    def fail(self, message: str) -> NoReturn:
        """Fails at the op that is being converted."""
        assert self.current is not None
        fail(self.current, f"'{self.current.name}' op {message}")

    def emit(self, op: OpT) -> OpT:
        """Puts an op behind those that were made."""
        op.location = self.location
        self.block.add_op(op)
        return op

    def one(self, op: Operation) -> SSAValue:
        """The same, of an op of which the first result is wanted."""
        return self.emit(op).results[0]

    def value(self, value: SSAValue) -> SSAValue:
        """What a value has become."""
        found = self.values[value]
        if isinstance(found, Descriptor):
            self.fail("cannot take a tensor descriptor")
        if self.lanes and not self.tile(found).rank:
            return self.broadcast(found, self.lanes)  # It is from outside of the region.
        return found

    def scalar(self, value: SSAValue) -> SSAValue:
        """What a value has become that is the same for all elements."""
        found = self.values[value]
        if isinstance(found, Descriptor) or self.tile(found).rank:
            self.fail(f"has no conversion for {value.name_hint or 'a value'} of each element")
        return found

    def list_values(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        """What values have become."""
        return [self.value(each) for each in values]

    def convert(self, values: Iterable[SSAValue]) -> list[Converted]:
        """The same, of values that may be descriptors."""
        return [
            found if isinstance(found := self.values[value], Descriptor) else self.value(value)
            for value in values
        ]

    def bind(
        self, old: Sequence[SSAValue], new: Sequence[SSAValue], like: Sequence[Converted]
    ) -> None:
        """Has values be what they have become, those of descriptors made like others."""
        for value, made in zip(old, rebuild(new, like), strict=True):
            self.values[value] = made
            if isinstance(made, SSAValue) and made.name_hint is None:
                made.name_hint = value.name_hint

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Has ops be put into a block; what is known of values there is forgotten afterwards."""
        outer, known = self.block, dict(self.values)
        self.block = block
        yield
        self.block, self.values = outer, known

    @contextmanager
    def of_each_element(self, lanes: Sequence[int]) -> Generator[None]:
        """Has scalars be tiles of a shape, with one for each element."""
        outer, self.lanes = self.lanes, tuple(lanes)
        yield
        self.lanes = outer

    # Types

    def element(self, ty: Attribute) -> Attribute:
        """The type of an element."""
        if isinstance(ty, tt.PtrType):
            if not is_number(ty.pointee):
                self.fail(f"has no conversion for pointers to '{ty.pointee}'")
            return ct.PtrType(ty.pointee)
        if not is_number(ty):
            self.fail(f"has no conversion for values of type '{ty}'")
        return ty

    def type(self, ty: Attribute) -> TileType:
        """The tile of a tensor or scalar."""
        shape = tt.shape_of(ty) if isinstance(ty, TensorType) else self.lanes or ()
        try:
            return TileType(self.element(tt.element_of(ty)), shape)
        except VerifyException as error:
            self.fail(f"has no conversion for values of type '{ty}': {error}")

    def tile(self, value: SSAValue) -> TileType:
        """The type of a converted value."""
        assert isinstance(value.type, TileType)
        return value.type

    # What rules often make

    def constant(self, ty: TileType, *values: Number) -> SSAValue:
        """A tile of one number, or of one for each element."""
        return self.one(ct.ConstantOp(DenseElementsAttr.from_values(ty, values)))

    def like(self, value: SSAValue, *numbers: Number) -> SSAValue:
        """A constant of the type of a value."""
        return self.constant(self.tile(value), *numbers)

    def integer(self, number: int, bits: int = 32) -> SSAValue:
        """A scalar."""
        return self.constant(TileType(i64 if bits == 64 else i32), number)

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile in another shape."""
        ty = self.tile(value).with_shape(shape)
        return value if ty == value.type else self.one(ct.ReshapeOp(value, ty))

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A scalar, or a tile with extents of one, in a larger shape."""
        ty = self.tile(value)
        if not ty.rank:
            value = self.reshape(value, (1,) * len(shape))
        if self.tile(value).get_shape() == tuple(shape):
            return value
        return self.one(ct.BroadcastOp(value, ty.with_shape(shape)))

    def iota(self, shape: Sequence[int], axis: int, element: IntegerType = i32) -> SSAValue:
        """The indices along an axis of a tile."""
        numbers = self.one(ct.IotaOp(TileType(element, (shape[axis],))))
        along = [1] * len(shape)
        along[axis] = shape[axis]
        return self.broadcast(self.reshape(numbers, along), shape)

    def extend(self, value: SSAValue, bits: int, *, signed: bool = True) -> SSAValue:
        """Integers in so many bits, if they have fewer."""
        ty = self.tile(value)
        assert isinstance(ty.element_type, IntegerType)
        if ty.element_type.width.data >= bits:
            return value
        signedness = ct.Signedness.SIGNED if signed else ct.Signedness.UNSIGNED
        wide = ty.with_element(IntegerType(bits))
        return self.one(ct.ExtIOp(value, wide, signedness=signedness))

    def to_float(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Floats of another type, rounded to nearest even."""
        ty = self.tile(value)
        if ty.element_type == element:
            return value
        return self.one(ct.FToFOp(value, ty.with_element(element)))

    def compare(
        self, relation: ct.ComparisonPredicate, lhs: SSAValue, rhs: SSAValue, *, signed: bool = True
    ) -> SSAValue:
        """A comparison; of floats, one that is false for NaN."""
        if isinstance(self.tile(lhs).element_type, IntegerType):
            signedness = ct.Signedness.SIGNED if signed else ct.Signedness.UNSIGNED
            return self.one(
                ct.CmpIOp(lhs, rhs, comparison_predicate=relation, signedness=signedness)
            )
        return self.one(
            ct.CmpFOp(
                lhs,
                rhs,
                comparison_predicate=relation,
                comparison_ordering=ct.ComparisonOrdering.ORDERED,
            )
        )

    def select(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue) -> SSAValue:
        """One of two values; a scalar condition holds for all elements."""
        shape = self.tile(then).get_shape()
        if self.tile(condition).get_shape() != shape:
            condition = self.broadcast(condition, shape)
        return self.one(ct.SelectOp(condition, then, otherwise))

    def all_of(self, masks: Sequence[SSAValue]) -> SSAValue:
        """Where all of some masks are true."""
        first, *rest = masks
        for mask in rest:
            first = self.one(ct.AndIOp(first, mask))
        return first

    # The order of accesses

    def join(self, tokens: Sequence[SSAValue]) -> SSAValue:
        """A token after all of some."""
        distinct = list(dict.fromkeys(tokens))
        if len(distinct) == 1:
            return distinct[0]
        return self.one(ct.JoinTokensOp(distinct))

    def everything(self) -> SSAValue:
        """A token after all accesses so far."""
        return self.join(self.order.reads or [self.order.last])

    def read(self, access: Callable[[SSAValue | None], Operation], is_free: bool) -> SSAValue:
        """Emits a read, which takes a token unless it needs no order."""
        if is_free:
            return self.one(access(None))
        op = self.emit(access(self.order.last))
        self.order.reads.append(op.results[-1])
        return op.results[0]

    def write(self, access: Callable[[SSAValue], OpT], *, is_alone: bool = False) -> OpT:
        """
        Emits a write, or what must stay in its place like one. If nothing else accesses that
        memory, it is in the order as a read is.
        """
        op = self.emit(access(self.order.last if is_alone else self.everything()))
        if is_alone:
            self.order.reads.append(op.results[-1])
        else:
            self.order = Order(op.results[-1])
        return op

    def run(self, op: Operation) -> None:
        """Converts an op."""
        self.current = op
        self.location = op.location
        convert = RULES.get(op.name)
        if convert is None:
            self.fail("has no conversion")
        results = convert(self, op)
        if results is None:
            results = ()
        elif isinstance(results, Operation):
            self.emit(results)
            results = results.results[: len(op.results)]
        elif isinstance(results, SSAValue | Descriptor):
            results = (results,)
        for old, new in zip(op.results, results, strict=True):
            self.values[old] = new
            if isinstance(new, SSAValue) and new.name_hint is None:
                new.name_hint = old.name_hint


I1: Final = TileType(i1)
I32: Final = TileType(i32)
I64: Final = TileType(i64)
