"""
Integers and pointers of Triton's IR as sums: of products of scalars, and of multiples of the index
along each dimension.

    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %1 = tt.splat %s : i32 -> tensor<64xi32>
    %2 = arith.muli %0, %1                            # s · i0
    %3 = tt.expand_dims %2 {axis = 1 : i32}           # s · i0, where i1 is the new dimension

Numbers are taken not to wrap around: an offset that does is not one into the tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.slices import sources_of
from tileiras_xdsl.dialects import tt

Monomial: TypeAlias = tuple[SSAValue, ...]
"""A product of scalars; of none, it is one."""

MAX_DEPTH = 64
"""How many ops a sum is followed through."""


@dataclass(frozen=True)
class Sum:
    """A sum of products of scalars."""

    terms: Mapping[Monomial, int] = field(default_factory=dict[Monomial, int])

    @staticmethod
    def of(number: int) -> Sum:
        """A number."""
        return Sum({(): number} if number else {})

    @staticmethod
    def symbol(value: SSAValue) -> Sum:
        """A scalar."""
        return Sum({(value,): 1})

    def plus(self, other: Sum, factor: int = 1) -> Sum:
        """The sum of this and a multiple of another one."""
        terms = dict(self.terms)
        for monomial, number in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor * number
        return Sum({monomial: number for monomial, number in terms.items() if number})

    def times(self, other: Sum) -> Sum:
        """The product."""
        terms: dict[Monomial, int] = {}
        for left, number in self.terms.items():
            for right, factor in other.terms.items():
                product = tuple(sorted((*left, *right), key=id))
                terms[product] = terms.get(product, 0) + number * factor
        return Sum({monomial: number for monomial, number in terms.items() if number})

    def divided(self, number: int) -> Sum | None:
        """The quotient by a number, if all terms are multiples."""
        if any(each % number for each in self.terms.values()):
            return None
        return Sum({monomial: each // number for monomial, each in self.terms.items()})

    @property
    def number(self) -> int | None:
        """The number that it is, if it is one."""
        if not self.terms:
            return 0
        return self.terms.get(()) if set(self.terms) == {()} else None


@dataclass(frozen=True)
class Wrap:
    """That a sum is taken modulo another one, along a dimension."""

    inner: Affine
    modulus: Sum


@dataclass(frozen=True)
class Affine:
    """
    `base + start + Σ strides[d] · i_d`. With `wraps`, what is along a dimension stands for its
    remainder by a number.
    """

    start: Sum
    strides: Mapping[int, Sum] = field(default_factory=dict[int, Sum])
    base: SSAValue | None = None
    """The scalar pointer, of a pointer."""
    wraps: Mapping[int, Wrap] = field(default_factory=dict[int, Wrap])

    def moved(self, dims: Mapping[int, int]) -> Affine:
        """The same with other numbers of dimensions."""

        def move(inner: Affine) -> Affine:
            return inner.moved(dims)

        return Affine(
            self.start,
            {dims[dim]: stride for dim, stride in self.strides.items()},
            self.base,
            {dims[dim]: Wrap(move(w.inner), w.modulus) for dim, w in self.wraps.items()},
        )

    def plus(self, other: Affine, factor: int = 1) -> Affine | None:
        """The sum, or difference; no two of pointers, nor of remainders along a dimension."""
        if (self.base is not None and other.base is not None) or factor < 0 < len(other.wraps):
            return None
        if self.wraps.keys() & other.strides.keys() or other.wraps.keys() & self.strides.keys():
            return None
        strides = dict(self.strides)
        for dim, stride in other.strides.items():
            strides[dim] = strides.get(dim, Sum()).plus(stride, factor)
        kept = {dim: stride for dim, stride in strides.items() if stride.terms}
        return Affine(
            self.start.plus(other.start, factor),
            kept,
            self.base or other.base,
            {**self.wraps, **other.wraps},
        )

    def times(self, factor: Sum) -> Affine:
        """The product with a number that is the same for all elements."""
        return Affine(
            self.start.times(factor),
            {dim: stride.times(factor) for dim, stride in self.strides.items()},
            None,
            self.wraps,
        )


class AffineAnalysis:
    """What values of a function are as sums."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Affine | None] = {}
        self.wide: set[Monomial] = set()
        """Products that were made in 64 bits."""

    def scalar(self, value: SSAValue) -> Sum:
        """A scalar integer; what is not known of it is a symbol."""
        found = self.get(value)
        return Sum.symbol(value) if found is None or found.strides else found.start

    def get(self, value: SSAValue, depth: int = 0) -> Affine | None:
        """An integer or pointer, or a tensor of them."""
        if value in self._known:
            return self._known[value]
        self._known[value] = None
        found = None if depth > MAX_DEPTH else self._find(value, depth + 1)
        if found is None and not tt.shape_of(value.type):
            is_pointer = isinstance(value.type, tt.PtrType)
            if is_pointer:
                found = Affine(Sum(), base=value)
            elif tt.is_integer(value.type):
                found = Affine(Sum.symbol(value))
        self._known[value] = found
        return found

    def _find(self, value: SSAValue, depth: int) -> Affine | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._of_argument(value, owner, depth)
        match owner.name:
            case "arith.constant":
                return _of_constant(owner)
            case "tt.make_range":
                start = owner.properties["start"]
                assert isinstance(start, IntegerAttr)
                return Affine(Sum.of(start.value.data), {0: Sum.of(1)})
            case "tt.splat" | "tt.broadcast" | "arith.extsi":
                return self.get(owner.operands[0], depth)
            case "tt.expand_dims":
                return self._expanded(owner, depth)
            case "arith.addi" | "arith.subi" | "tt.addptr":
                left, right = (self.get(operand, depth) for operand in owner.operands)
                if left is None or right is None:
                    return None
                return left.plus(right, -1 if owner.name == "arith.subi" else 1)
            case "arith.muli":
                return self._product(owner, depth)
            case "arith.remsi" if tt.shape_of(value.type):
                return self._remainder(owner, depth)
            case _:
                return None

    def _expanded(self, op: Operation, depth: int) -> Affine | None:
        found, axis = self.get(op.operands[0], depth), op.properties["axis"]
        if found is None:
            return None
        assert isinstance(axis, IntegerAttr)
        at, rank = axis.value.data, len(tt.shape_of(op.operands[0].type))
        return found.moved({dim: dim + (dim >= at) for dim in range(rank)})

    def _product(self, op: Operation, depth: int) -> Affine | None:
        left, right = (self.get(operand, depth) for operand in op.operands)
        if left is None or right is None:
            return None
        if left.strides:
            left, right = right, left
        if left.strides or left.wraps or right.base:
            return None
        found = right.times(left.start)
        if tt.element_of(op.results[0].type) == i64:
            self.wide |= found.start.terms.keys()
        return found

    def _remainder(self, op: Operation, depth: int) -> Affine | None:
        left, right = (self.get(operand, depth) for operand in op.operands)
        if left is None or right is None or right.strides or left.wraps or len(left.strides) != 1:
            return None
        ((dim, stride),) = left.strides.items()
        if stride.number != 1:
            return None
        return Affine(left.start, left.strides, None, {dim: Wrap(left, right.start)})

    def _of_argument(self, value: SSAValue, block: Block, depth: int) -> Affine | None:
        """A value that a loop carries, if each iteration adds the same to it."""
        loop = block.parent_op()
        if loop is None or loop.name != "scf.for" or not isinstance(value, BlockArgument):
            return None
        index = value.index - 1
        end = block.last_op
        if index < 0 or end is None:
            return None
        first = self.get(loop.operands[3 + index], depth)
        added = self._added(end.operands[index], value, loop, depth)
        lower, step = (self.scalar(loop.operands[at]) for at in (0, 2))
        if first is None or added is None or not step.number:
            return None
        advance = added.divided(step.number)
        if advance is None:
            return None
        count = Sum.symbol(block.args[0]).plus(lower, -1)
        return first.plus(Affine(advance.times(count)))

    def _added(
        self, value: SSAValue, argument: SSAValue, loop: Operation, depth: int
    ) -> Sum | None:
        """What is added to an argument in an iteration, if that does not change in the loop."""
        total = Sum()
        while value is not argument:
            owner = value.owner
            if isinstance(owner, Block) or owner.name not in ("tt.addptr", "arith.addi"):
                return None
            step = self.get(owner.operands[1], depth)
            if (
                step is None
                or step.strides
                or any(
                    _is_inside(symbol, loop) for monomial in step.start.terms for symbol in monomial
                )
            ):
                return None
            total = total.plus(step.start)
            value = owner.operands[0]
        return total


def _is_inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    parent = owner.parent_op() if isinstance(owner, Block) else owner
    while parent is not None and parent is not op:
        parent = parent.parent_op()
    return parent is op


def get_constant(value: SSAValue) -> int | None:
    """The integer that a constant is, in all elements."""
    op = value.owner
    if isinstance(op, Block) or op.name != "arith.constant":
        return None
    constant = op.properties["value"]
    if isinstance(constant, IntegerAttr):
        return constant.value.data
    if isinstance(constant, DenseIntOrFPElementsAttr) and constant.is_splat():
        (number, *_) = constant.get_values()
        return number if isinstance(number, int) else None
    return None


def _of_constant(op: Operation) -> Affine | None:
    number = get_constant(op.results[0])
    return None if number is None else Affine(Sum.of(number))


_COUNTS: Final = (
    *(tt.GetProgramIdOp, tt.GetNumProgramsOp, tt.LoadOp, tt.AtomicOperation),
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
)
"""What yields numbers of programs and tiles, which are taken not to be negative."""


def may_be_negative(product: Monomial) -> bool:
    """
    Whether a product may be negative. An argument may, unless it multiplies something that is not
    an argument: then it is a size.
    """
    factors = [each for each in product if not _is_parameter(each)]
    return (not factors and bool(product)) or any(_is_negative(each, set()) for each in factors)


def _is_parameter(value: SSAValue) -> bool:
    return isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), tt.FuncOp)


def _is_negative(value: SSAValue, seen: set[SSAValue]) -> bool:
    """Whether an integer may be negative; of what depends on itself, by what it depends on else."""
    if value in seen:
        return False
    seen.add(value)
    if sources := sources_of(value):
        return any(_is_negative(each, seen) for each in sources)
    if isinstance(value.owner, Block):
        loop = value.owner.parent_op()
        return not isinstance(loop, scf.ForOp) or _is_negative(loop.lb, seen)
    operands = value.owner.operands
    match value.owner:
        case arith.ConstantOp():
            number = value.owner.value
            return not isinstance(number, IntegerAttr) or number.value.data < 0
        case arith.AddiOp() | arith.MuliOp() | arith.MinSIOp() | arith.ExtSIOp():
            return any(_is_negative(each, seen) for each in operands)
        case arith.SelectOp():
            return any(_is_negative(each, seen) for each in operands[1:])
        case arith.MaxSIOp() | arith.AndIOp():
            return all(_is_negative(each, set(seen)) for each in operands)
        case _:
            return not isinstance(value.owner, _COUNTS)


def is_count(value: SSAValue, depth: int = 0) -> bool:
    """
    Whether an integer counts programs and elements: it is made of their numbers, of constants and
    of loops over such, by sums and products. They are taken not to wrap around.
    """
    if depth > MAX_DEPTH:
        return False
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if not isinstance(loop, scf.ForOp) or value is not owner.args[0]:
            return False
        return is_count(loop.lb, depth + 1) and is_count(loop.step, depth + 1)
    match owner.name:
        case "arith.constant":
            found = _of_constant(owner)
            return found is not None and (found.start.number or 0) >= 0
        case "tt.get_program_id" | "tt.get_num_programs" | "tt.make_range":
            return True
        case "arith.addi" | "arith.muli" | "arith.divsi" | "arith.remsi" | "arith.extsi":
            return all(is_count(each, depth + 1) for each in owner.operands)
        case "tt.splat" | "tt.broadcast" | "tt.expand_dims" | "tt.reshape":
            return is_count(owner.operands[0], depth + 1)
        case _:
            return False
