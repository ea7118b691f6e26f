"""
Which atomics of a kernel may be combined in a private copy of the array that they update.

    nv_tileaa.atomic_rmw base + index, 1 mask(index < n) {relaxed, add}        // old value unused

A CTA may keep the sums in memory of its own, and add them to the array once, when it ends: integers
are combined exactly, in any order, and relaxed atomics order nothing. Only who reads the array
meanwhile sees less of it, as if the CTA had come later. What has to hold:

- the atomics combine integers by an associative and commutative operation, and nobody uses their
  old values;
- the kernel has no other strong access, fence, wait or print, and no token orders an access after
  the atomics that may alias: these have to come after the update of the array itself;
- if the atomics are not relaxed, no token orders anything after them, not even each other. Then
  there is nothing to acquire for, and what a release publishes has happened when the CTA ends: the
  final updates release it;
- an upper bound of the index is known at the start of the kernel, by the mask of the atomics or by
  the integer range of the index.

The bound is an expression of scalars that are the same for all CTAs. It holds for elements whose
mask is true, if no part of it is larger than the private copy: then nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Final, TypeGuard

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.dialects.gpu import BlockIdOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.dialects.memory_order import ACCESS, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, AndIOp, CmpIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp, AllocaOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.xdsl_extras.walking import integer_of, parents, walk

from .alias import Aliases
from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis
from .slices import operands_first

IDENTITIES: Final[Mapping[str, Callable[[int], int]]] = MappingProxyType(
    {
        "add": lambda bits: 0,
        "addu": lambda bits: 0,
        "or": lambda bits: 0,
        "xor": lambda bits: 0,
        "umax": lambda bits: 0,
        "and": lambda bits: -1,
        "umin": lambda bits: -1,
        "max": lambda bits: -(1 << bits - 1),
        "min": lambda bits: (1 << bits - 1) - 1,
    }
)
"""Operations that combine integers in any order, and what changes nothing, by the bits of these."""

RELEASING: Final = ("release", "acq_rel")
ORDERS: Final = ("relaxed", "acquire", *RELEASING)
"""Memory orders of atomics that may be combined; those of `seq_cst` have a place among others."""

ELEMENT_BITS: Final = 32
"""Shared memory adds to words of 32 bits in one instruction; to longer ones by compare-and-swap."""


MAX_DEPTH: Final = 12
"""Of the ops that an index is computed by, this many one after the other are looked through."""


@dataclass(frozen=True)
class Constant:
    """A bound that is known."""

    value: int


@dataclass(frozen=True)
class Scalar:
    """The elements are one scalar, or less than one (`is_limit`)."""

    value: SSAValue
    is_limit: bool = False


@dataclass(frozen=True)
class Term:
    """The sum or the product of two bounds."""

    first: Bound
    second: Bound
    is_product: bool = False


Bound = Constant | Scalar | Term
"""The largest value of an element whose mask is true; all are at least zero."""


Followers = Callable[[Operation], Iterable[Operation]]
"""The effects that a token orders after one, maybe in other iterations."""


@dataclass(frozen=True)
class PrivateAtomics:
    """Atomics that may update a private copy."""

    ops: Sequence[AtomicRMWOp]
    base: SSAValue
    """Where the array begins."""
    bounds: Sequence[Bound]
    """Of the indices of each atomic."""
    updates: int
    """How many elements a tile block updates, as far as that is known."""

    @property
    def mode(self) -> str:
        """How elements are combined."""
        return self.ops[0].rmw_mode.data

    @property
    def semantic(self) -> str:
        """The memory order of the final updates: they release what the atomics do."""
        return "release" if self.ops[0].get_semantic() in RELEASING else "relaxed"

    @property
    def scope(self) -> str:
        """The memory scope of the atomics."""
        return word(self.ops[0].mem_scope, "gpu")

    @property
    def element(self) -> IntegerType:
        """The type of elements."""
        element = get_element(self.ops[0].value.type)
        assert isinstance(element, IntegerType)
        return element

    @property
    def identity(self) -> int:
        """What changes no element."""
        return IDENTITIES[self.mode](ELEMENT_BITS)


def is_scattered(op: Operation) -> TypeGuard[AtomicRMWOp]:
    """
    Whether an op is an atomic on elements anywhere in global memory whose old values nobody uses.
    """
    return (
        isinstance(op, AtomicRMWOp)
        and bool(get_shape(op.value.type))
        and get_element(op.pointer.type) != SHARED_POINTER
        and op.result.first_use is None
        and op.result_token is not None
    )


def find_uniform_scalars(function: FuncOp) -> set[Operation]:
    """The ops of a kernel's body that compute scalars which are the same for all CTAs."""
    block = function.body.block
    found: set[Operation] = set()
    for op in block.ops:
        if op.regions or isinstance(op, BlockIdOp) or not op.has_trait(NoMemoryEffect):
            continue
        is_scalar = not any(isinstance(ty, TensorType) for ty in op.result_types)
        if is_scalar and op.results and all(_is_uniform(value, found) for value in op.operands):
            found.add(op)
    return found


def find_private_atomics(
    function: FuncOp,
    axis_info: AxisInfoAnalysis,
    uniform: Collection[Operation],
    followers: Followers,
    largest: int,
) -> PrivateAtomics | str | None:
    """
    The atomics of a kernel that may update a private copy of up to this many elements, why there
    are none, or nothing if it has no scattered atomics. `uniform` are the ops that compute scalars
    that are the same for all CTAs, and `followers` gives the effects that a token orders after one.
    """
    found = [op for op in walk(function) if isinstance(op, AtomicRMWOp) and is_scattered(op)]
    if not found:
        return None
    if reason := _why_not(function, found, followers):
        return reason
    bases: set[SSAValue] = set()
    bounds: list[Bound] = []
    for op in found:
        base, index = _split(op.pointer)
        if base is None or index is None or not _is_uniform(base, uniform):
            return "its pointers are not one base and indices"
        bound = _Bounds(op.mask, axis_info, uniform, largest).of(index)
        if bound is None:
            return "no upper bound of its indices is known at the start of the kernel"
        bases.add(base)
        bounds.append(bound)
    if len(bases) > 1:
        return "the kernel has atomics on several arrays"
    return PrivateAtomics(found, bases.pop(), bounds, sum(map(_count_updates, found)))


def _why_not(
    function: FuncOp,
    found: Sequence[AtomicRMWOp],
    followers: Followers,
) -> str | None:
    kinds = {
        (op.rmw_mode.data, op.get_semantic(), op.mem_scope, get_element(op.value.type))
        for op in found
    }
    if len(kinds) > 1:
        return "the kernel has atomics of several kinds"
    ((mode, semantic, _, element),) = kinds
    if mode not in IDENTITIES or element != IntegerType(ELEMENT_BITS):
        return f"'{mode}' of {element} cannot be combined first, or not by one instruction"
    if semantic not in ORDERS:
        return f"it is '{semantic}'"
    atomics = set[Operation](found)
    for op in walk(function):
        if op in atomics:
            continue
        if own_effects(op) & ~ACCESS or isinstance(op, AllocaOp):
            return f"the kernel has '{op.name}', which other CTAs may see or wait for"
        if isinstance(op, DotOperation | MmaFScaledOp):
            return "the kernel has dots"
    aliases = Aliases(function)
    for op in found:
        for later in followers(op):
            # Relaxed updates of one kind may be in any order.
            is_free = semantic == "relaxed" and (
                later in atomics or not aliases.may_alias(op, later)
            )
            if not is_free:
                return f"'{later.name}' has to come after it"
    return None


def _split(pointer: SSAValue) -> tuple[SSAValue | None, SSAValue | None]:
    """The scalar and the indices that pointers are made of."""
    owner = pointer.owner
    if not isinstance(owner, AddPtrOp) or owner.elem_type != IntegerType(ELEMENT_BITS):
        return None, None
    base = owner.base.owner
    return (base.source if isinstance(base, SplatOp) else None), owner.offset


def _is_uniform(value: SSAValue, uniform: Collection[Operation]) -> bool:
    """Whether a scalar is the same for all CTAs: a parameter, or computed from these."""
    owner = value.owner
    if isinstance(owner, Operation):
        return owner in uniform
    return isinstance(owner.parent_op(), FuncOp)


def _count_updates(op: AtomicRMWOp) -> int:
    count = prod(get_shape(op.value.type))
    for parent in parents(op):
        if isinstance(parent, scf.ForOp):
            limits = [integer_of(value) for value in (parent.lb, parent.ub, parent.step)]
            low, high, step = limits
            if low is not None and high is not None and step:
                count *= max(0, -(-(high - low) // step))
    return count


def _conjuncts(mask: SSAValue) -> Iterable[SSAValue]:
    """The masks that one is the conjunction of."""
    owner = mask.owner
    return owner.operands if isinstance(owner, AndIOp | arith.AndIOp) else ()


class _Bounds:
    """Bounds of indices, under a mask."""

    def __init__(
        self,
        mask: SSAValue | None,
        axis_info: AxisInfoAnalysis,
        uniform: Collection[Operation],
        largest: int,
    ):
        self.axis_info = axis_info
        self.uniform = uniform
        self.largest = largest
        self.limits = dict(self._find_limits(mask))

    def _find_limits(self, mask: SSAValue | None) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Values that are less than a scalar where a mask is true, as unsigned integers."""
        for part in () if mask is None else operands_first(mask, _conjuncts):
            match part.owner:
                case CmpIOp(lhs=value, rhs=limit) as op if (
                    word(op.comparison_predicate, "equal") == "less_than"
                ):
                    owner = limit.owner
                    is_unsigned = not op.is_signed or self.axis_info[value].low >= 0
                    if is_unsigned and isinstance(owner, SplatOp) and self._is_scalar(owner.source):
                        yield value, owner.source
                case _:
                    pass

    def _is_scalar(self, value: SSAValue) -> bool:
        return isinstance(value.type, IntegerType) and _is_uniform(value, self.uniform)

    def of(self, value: SSAValue, depth: int = 0) -> Bound | None:
        """A bound of a tensor of integers, if there is one that is short."""
        if depth > MAX_DEPTH:
            return None
        info = self.axis_info[value]
        # Of fewer bits than a bound has, what is small without a sign may be negative with it, and
        # sums and products of small numbers wrap around.
        is_wide = integer_range_of(value.type).bits >= ELEMENT_BITS
        limit = self.limits.get(value)
        if limit is not None and is_wide:
            return Scalar(limit, is_limit=True)
        if 0 <= info.low and info.high < self.largest:
            return Constant(info.high)
        match value.owner:
            case SplatOp(source=scalar) if self._is_scalar(scalar):
                return Scalar(scalar)
            case arith.ExtUIOp(input=source) if (limit := self.limits.get(source)) is not None:
                return Scalar(limit, is_limit=True)
            case arith.ExtUIOp(input=source):
                return self.of(source, depth + 1)
            case arith.ExtSIOp(input=source) if integer_range_of(source.type).bits >= ELEMENT_BITS:
                return self.of(source, depth + 1)
            case AddIOp(lhs=first, rhs=second) if is_wide:
                return self._term(first, second, depth)
            case MulIOp(lhs=first, rhs=second) if is_wide:
                return self._term(first, second, depth, is_product=True)
            case _:
                return None

    def _term(
        self, first: SSAValue, second: SSAValue, depth: int, *, is_product: bool = False
    ) -> Bound | None:
        bounds = self.of(first, depth + 1), self.of(second, depth + 1)
        if bounds[0] is None or bounds[1] is None:
            return None
        return Term(bounds[0], bounds[1], is_product)
