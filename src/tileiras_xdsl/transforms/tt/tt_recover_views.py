"""
Tensors in memory, found in the arithmetic of pointers.

    %p = a + (start_m + i0) · stride + (k + i1)           # pointers, as sums
    %m = k + i1 < K                                       # the mask
    %x = tt.load %p, %m, %zero : tensor<128x64x!tt.ptr<f16>>
    →
    %d = tt.make_tensor_descriptor %a, [%M, %K], [%stride, %one] : <f16>, <128x64xf16>
    %x = tt.descriptor_load %d[%start_m, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>

Loads and stores of at least two dimensions qualify whose offsets are sums of multiples of the index
along each dimension; one dimension has no gaps. Pointers that a loop moves on by the same distance
in each iteration are sums, too. The mask has to be a bound for some of the dimensions; what is
masked out has to be zero. Along a dimension without a bound the access is taken to stay in the
tensor, as it must. Strides are taken not to be negative. A scalar that is subtracted from an index,
or may be negative, moves the pointer; a size that is negative is zero.

Indices that wrap around, `(start + i) % M`, are those of a view of size M but for the elements
beyond, which are zero in the view. That is right if nothing of them is stored: through dots and ops
that work element by element, what comes of them has to end in stores that mask them out.

What `tl.multiple_of` says of pointers is what the view is aligned to.

What stays a gather gets a remark that says what was missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.llvm import AssumeOp
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.transforms.common.rewriting import erase_unused
from tileiras_xdsl.xdsl_extras.walking import walk

from .affine import Affine, AffineAnalysis, Monomial, Sum, may_be_negative
from .arithmetic import first_number
from .memory import FOUND, UNLIMITED, multiple_of

UNBOUNDED = (1 << 31) - 1
"""The size of a tensor along a dimension in which accesses stay in it."""


class Missing(Exception):
    """What is missing for a view."""


@dataclass(frozen=True)
class Axis:
    """A dimension of a view."""

    stride: Sum
    start: Sum
    size: Sum

    @property
    def is_unit(self) -> bool:
        """Whether there are no gaps."""
        return self.stride.number == 1


@dataclass(frozen=True)
class Bound:
    """That indices along a dimension are less than a number."""

    dim: int
    limit: Sum


@dataclass(frozen=True)
class TtRecoverViewsPass(ModulePass):
    """Replaces accesses through pointers by accesses to tensors, where they are such."""

    name = "tt-recover-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analysis = AffineAnalysis()
        found: list[tuple[tt.LoadOp | tt.StoreOp, SSAValue, Sequence[Axis], int]] = []
        for access in walk(op):
            if not isinstance(access, tt.LoadOp | tt.StoreOp):
                continue
            if len(tt.shape_of(access.ptr.type)) < 2:
                continue
            try:
                base, axes = find_view(analysis, access)
            except Missing as missing:
                what = "load" if isinstance(access, tt.LoadOp) else "store"
                message = f"this {what} goes through pointers, not through a view of a tensor"
                explain(access, "Missed", "Memory", message, reason=str(missing))
                continue
            alignment = find_alignment(analysis, access, axes)
            found.append((access, base, axes, alignment))
        # All at once: the analysis is of the IR as it was.
        for access, base, axes, alignment in found:
            replace(access, base, axes, alignment)
        erase_unused(op)


def find_view(
    analysis: AffineAnalysis, access: tt.LoadOp | tt.StoreOp
) -> tuple[SSAValue, Sequence[Axis]]:
    """The pointer and the dimensions of a view that an access is to; raises `Missing`."""
    shape = tt.shape_of(access.ptr.type)
    pointers = analysis.get(access.ptr)
    if pointers is None or pointers.base is None:
        raise Missing("its offsets are no sums of multiples of indices")
    if isinstance(access, tt.LoadOp):
        if access.is_volatile.value.data:
            raise Missing("it is volatile")
        if access.other is not None and not is_zero(access.other):
            raise Missing("what is masked out is not zero")
    bounds = {} if access.mask is None else find_bounds(analysis, access.mask)
    for dim, extent in enumerate(shape):
        if dim not in pointers.strides and extent > 1:
            raise Missing(f"all elements along dimension {dim} are the same")
    unit = [dim for dim, extent in enumerate(shape) if extent > 1 and _is_one(pointers, dim)]
    if len(unit) != 1:
        raise Missing("no dimension lies without gaps")
    if sum(extent > 1 for extent in shape) < 2:
        raise Missing("it has one dimension only")
    rest, axes = pointers.start, dict[int, Axis]()
    # Dimensions without gaps come last: any term is a multiple of one.
    for dim in sorted(range(len(shape)), key=lambda each: each in unit):
        stride = pointers.strides.get(dim, Sum.of(1))
        start, size = place(pointers, dim, stride, rest, bounds.get(dim), shape[dim], analysis.wide)
        rest = rest.plus(start.times(stride), -1)
        axes[dim] = Axis(stride, start, size)
    for dim, wrap in pointers.wraps.items():
        if not isinstance(access, tt.LoadOp):
            raise Missing("indices of a store wrap around")
        limit = Bound(dim, wrap.modulus.plus(wrap.inner.start, -1))
        require_masked(analysis, access.result, limit)
    for axis in axes.values():
        for part in (axis.start, axis.size):
            if any(symbol.type != i32 for monomial in part.terms for symbol in monomial):
                raise Missing("an index or size has not 32 bits")
    return _with_offset(pointers.base, rest, access), [axes[dim] for dim in range(len(shape))]


def find_alignment(
    analysis: AffineAnalysis, access: tt.LoadOp | tt.StoreOp, axes: Sequence[Axis]
) -> int:
    """
    Bytes that the address of a view and all its strides are multiples of, by what
    `tl.multiple_of` says: each row of pointers begins at a multiple.
    """
    pointers, shape = analysis.get(access.ptr), tt.shape_of(access.ptr.type)
    (unit,) = (dim for dim, extent in enumerate(shape) if extent > 1 and axes[dim].is_unit)
    hints = find_hints(access.ptr)
    if pointers is None or pointers.wraps or unit >= len(hints):
        return 1
    size = ct.element_bit_width(tt.element_of(tt.pointee_of(access.ptr.type))) // 8
    # There is one row only along a dimension of extent 1, of which hints say nothing.
    others = [axes[dim].stride for dim, extent in enumerate(shape) if extent == 1]
    known = [size * multiple_of_sum(each) for each in (axes[unit].start, *others)]
    return gcd(hints[unit] & -hints[unit], *known)


def find_hints(pointers: SSAValue) -> Sequence[int]:
    """What `tl.multiple_of` says of pointers along each dimension."""
    owner = pointers.owner
    if not isinstance(owner, Block):
        return first_number(owner.attributes.get("tt.divisibility"))
    loop = owner.parent_op()
    if not isinstance(loop, scf.ForOp) or not isinstance(pointers, BlockArgument):
        return ()
    return first_number(loop.attributes.get(f"tt.divisibility_arg{pointers.index}"))


def multiple_of_sum(expression: Sum) -> int:
    """A power of two that a sum is a multiple of."""
    found = UNLIMITED
    for monomial, number in expression.terms.items():
        found = gcd(found, (number & -number) * prod(map(multiple_of, monomial)))
    return found


def _is_one(pointers: Affine, dim: int) -> bool:
    return dim in pointers.strides and pointers.strides[dim].number == 1


def is_zero(value: SSAValue) -> bool:
    """Whether a value is a constant with zeros alone."""
    owner = value.owner
    while isinstance(owner, Operation) and owner.name in ("tt.splat", "tt.broadcast"):
        owner = owner.operands[0].owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return False
    constant = owner.properties["value"]
    if isinstance(constant, DenseIntOrFPElementsAttr):
        return constant.is_splat() and not constant.get_values()[0]
    return not getattr(constant, "value").data


def conjuncts(value: SSAValue) -> Iterator[SSAValue]:
    """The conditions that a mask is the conjunction of."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.name == "arith.andi":
        for operand in owner.operands:
            yield from conjuncts(operand)
    elif isinstance(owner, Operation) and owner.name == "tt.broadcast":
        yield from conjuncts(owner.operands[0])
    else:
        yield value


def find_bound(analysis: AffineAnalysis, condition: SSAValue) -> Bound | None:
    """The bound that a condition is, of the index along one dimension."""
    op, axis = condition.owner, 0
    expands: list[int] = []
    while isinstance(op, Operation) and op.name == "tt.expand_dims":
        attribute = op.properties["axis"]
        assert isinstance(attribute, IntegerAttr)
        expands.append(attribute.value.data)
        op = op.operands[0].owner
    if not isinstance(op, arith.CmpiOp):
        return None
    less = {2: (0, 1, 0), 3: (0, 1, 1), 4: (1, 0, 0), 5: (1, 0, 1)}.get(op.predicate.value.data)
    if less is None:
        return None
    low, high, more = less
    left, right = (analysis.get(op.operands[at]) for at in (low, high))
    if left is None or right is None or left.wraps or right.wraps or right.strides:
        return None
    if len(left.strides) != 1:
        return None
    ((axis, stride),) = left.strides.items()
    if stride.number != 1:
        return None
    for at in reversed(expands):
        axis += axis >= at
    return Bound(axis, right.start.plus(left.start, -1).plus(Sum.of(more)))


def find_bounds(analysis: AffineAnalysis, mask: SSAValue) -> dict[int, Sum]:
    """The bounds that a mask is; raises `Missing` if it is more."""
    found: dict[int, Sum] = {}
    for condition in conjuncts(mask):
        bound = find_bound(analysis, condition)
        if bound is None:
            raise Missing("the mask is no bound of indices")
        if found.get(bound.dim, bound.limit) != bound.limit:
            raise Missing("the mask has two bounds of an index")
        found[bound.dim] = bound.limit
    return found


def place(
    pointers: Affine,
    dim: int,
    stride: Sum,
    rest: Sum,
    bound: Sum | None,
    extent: int,
    wide: Collection[Monomial],
) -> tuple[Sum, Sum]:
    """
    Where accesses begin along a dimension, and its size; `rest` is what offsets begin with, `wide`
    are products that were made in 64 bits.
    """
    wrap = pointers.wraps.get(dim)
    if wrap is not None:
        if bound is not None:
            raise Missing("indices wrap around and have a bound, too")
        if any(number < 0 or may_be_negative(p) for p, number in wrap.inner.start.terms.items()):
            raise Missing("indices that wrap around may be negative")
        return wrap.inner.start, wrap.modulus
    ((divisor, factor), *more) = stride.terms.items()
    if factor < 0:
        raise Missing("indices count down")
    start = Sum()
    for monomial, number in rest.terms.items():
        quotient = None if more else without(monomial, divisor)
        if quotient is None or number % factor or number < 0:
            continue  # What is subtracted moves the pointer: an index must not be negative.
        part = Sum({quotient: number // factor})
        if bound is not None:
            # What the bound has, too, so that the size is the same everywhere.
            wanted = bound.terms.get(quotient, 0) == -(number // factor)
        else:
            in_loop = any(isinstance(symbol, BlockArgument) for symbol in quotient)
            wanted = bool(divisor) or in_loop or not (number // factor) % extent
            # Indices have 32 bits, which may be too few for a product that was made in 64.
            wanted = wanted and (quotient not in wide or number // factor == extent)
        if wanted and quotient != () and not may_be_negative(quotient):
            start = start.plus(part)
    if bound is not None:
        return start, start.plus(bound)
    return start, Sum.of(UNBOUNDED if start.terms else extent)


def without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """A product without the factors of another; `None` if it has not all of them."""
    rest = list(monomial)
    for symbol in divisor:
        if symbol not in rest:
            return None
        rest.remove(symbol)
    return tuple(rest)


# Elements that nothing is stored of

_ELEMENTWISE = ("arith.", "math.")


def require_masked(analysis: AffineAnalysis, value: SSAValue, limit: Bound) -> None:
    """
    Raises `Missing` unless whatever is computed of the elements of a value beyond a limit is masked
    out where it is stored.
    """
    seen: set[tuple[SSAValue, int]] = set()
    pending = [(value, limit.dim)]
    while pending:
        each, dim = pending.pop()
        if (each, dim) in seen:
            continue
        seen.add((each, dim))
        for use in each.uses:
            user = use.operation
            if isinstance(user, tt.StoreOp):
                if use.index != 1 or not _masks(analysis, user, Bound(dim, limit.limit)):
                    raise Missing("a store does not mask out the elements that wrap around")
                continue
            pending += _follow(user, use.index, dim)


def _masks(analysis: AffineAnalysis, store: tt.StoreOp, limit: Bound) -> bool:
    if store.mask is None:
        return False
    return any(find_bound(analysis, condition) == limit for condition in conjuncts(store.mask))


def _follow(user: Operation, index: int, dim: int) -> list[tuple[SSAValue, int]]:
    """The values of which elements depend on those beyond a limit along a dimension."""
    if user.name == "tt.dot":
        # Rows of a, columns of b, both of c; and what is before them, batches.
        if index == 2 or dim != len(tt.shape_of(user.operands[0].type)) - 1 - index:
            return [(user.results[0], dim)]
        raise Missing("elements that wrap around are summed up")
    if user.name == "scf.yield":
        parent = user.parent_op()
        assert parent is not None
        found: list[tuple[SSAValue, int]] = [(parent.results[index], dim)]
        if parent.name == "scf.for":
            found.append((parent.regions[0].block.args[1 + index], dim))
        elif parent.name != "scf.if":
            raise Missing(f"elements that wrap around get into '{parent.name}'")
        return found
    if user.name == "scf.for" and index >= 3:
        argument = user.regions[0].block.args[index - 2]
        return [(argument, dim), (user.results[index - 3], dim)]
    if user.name == "tt.trans" and isinstance(user, tt.TransOp):
        return [(user.result, user.get_order().index(dim))]
    if user.name.startswith(_ELEMENTWISE) or user.name == "tt.fp_to_fp":
        return [(result, dim) for result in user.results]
    raise Missing(f"elements that wrap around get into '{user.name}'")


# The new ops


def _with_offset(base: SSAValue, offset: Sum, before: Operation) -> SSAValue:
    """A pointer, moved by a number that is the same for all elements."""
    if not offset.terms:
        return base
    moved = tt.AddPtrOp(base, Materializer(before).make(offset, i64))
    _insert(moved, before)
    return moved.result


def _insert(op: Operation, before: Operation) -> None:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))


@dataclass
class Materializer:
    """Makes ops of sums, before an op."""

    before: Operation

    def _emit(self, op: Operation) -> SSAValue:
        _insert(op, self.before)
        return op.results[0]

    def _cast(self, value: SSAValue, ty: IntegerType) -> SSAValue:
        return value if value.type == ty else self._emit(tensor_arith.ExtSIOp(value, ty))

    def _constant(self, number: int, ty: IntegerType) -> SSAValue:
        return self._emit(arith.ConstantOp(IntegerAttr(number, ty)))

    def make(self, expression: Sum, ty: IntegerType) -> SSAValue:
        """The value of a sum."""
        total: SSAValue | None = None
        for monomial, number in expression.terms.items():
            product: SSAValue | None = None
            for symbol in monomial:
                factor = self._cast(symbol, ty)
                product = factor if product is None else self._emit(arith.MuliOp(product, factor))
            if product is None:
                product = self._constant(number, ty)
            elif number != 1:
                product = self._emit(arith.MuliOp(product, self._constant(number, ty)))
            total = product if total is None else self._emit(arith.AddiOp(total, product))
        return self._constant(0, ty) if total is None else total

    def make_size(self, expression: Sum) -> SSAValue:
        """The same, of a size: one that is computed may be negative, if all is masked out."""
        value = self.make(expression, i32)
        if expression.number is not None and expression.number >= 0:
            return value
        return self._emit(arith.MaxSIOp(value, self._constant(0, i32)))

    def make_positive(self, expression: Sum, ty: IntegerType) -> SSAValue:
        """The same, of which is said that it is not negative."""
        value = self.make(expression, ty)
        if expression.number is None:
            zero = self._constant(0, ty)
            condition = self._emit(tensor_arith.CmpiOp(value, zero, "sge"))
            _insert(AssumeOp(condition), self.before)
        return value


def replace(
    access: tt.LoadOp | tt.StoreOp, base: SSAValue, axes: Sequence[Axis], alignment: int
) -> None:
    """Puts an access to a tensor in place of one through pointers."""
    shape = tt.shape_of(access.ptr.type)
    element = tt.element_of(tt.pointee_of(access.ptr.type))
    last = next(d for d, axis in enumerate(axes) if axis.is_unit and shape[d] > 1)
    order = [*(dim for dim in range(len(axes)) if dim != last), last]
    make = Materializer(access)
    block = TensorType(element, [shape[dim] for dim in order])
    descriptor = tt.MakeTensorDescriptorOp(
        base,
        [make.make_size(axes[dim].size) for dim in order],
        [make.make_positive(axes[dim].stride, i64) for dim in order],
        tt.TensorDescType(block),
    )
    descriptor.attributes[FOUND] = IntegerAttr(alignment, i32)
    _insert(descriptor, access)
    offsets = [make.make_positive(axes[dim].start, i32) for dim in order]
    is_plain = order == sorted(order)
    if isinstance(access, tt.StoreOp):
        value = access.value
        if not is_plain:
            value = _transpose(value, order, access)
        _insert(tt.DescriptorStoreOp(descriptor.result, value, offsets), access)
        Rewriter.erase_op(access)
        return
    load = tt.DescriptorLoadOp(descriptor.result, offsets, block)
    _insert(load, access)
    loaded = load.result
    if not is_plain:
        loaded = _transpose(loaded, [order.index(dim) for dim in range(len(order))], access)
    access.result.replace_all_uses_with(loaded)
    Rewriter.erase_op(access)


def _transpose(value: SSAValue, order: Sequence[int], before: Operation) -> SSAValue:
    shape = tt.shape_of(value.type)
    result = tt.with_shape(value.type, [shape[dim] for dim in order])
    op = tt.TransOp(value, result, order=DenseArrayBase.from_list(i32, list(order)))
    _insert(op, before)
    return op.result
