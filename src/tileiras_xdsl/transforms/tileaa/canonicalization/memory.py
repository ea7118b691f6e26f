"""
Folds of `nv_tileaa` memory operations: pointer arithmetic, masks, atomics.

Whatever happens to the data of an access, whoever used its token still has one: that of the
access it has become, or else the token the access came after, or else a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from struct import iter_unpack
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
    i8,
    i64,
)
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects.arith import ExtSIOp
from tileiras_xdsl.dialects.cuda_tile.elements import (
    bits_to_float,
    element_bit_width,
    float_to_bits,
)
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, is_pointer, with_element
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AddPtrOp,
    AtomicCASOp,
    AtomicRMWOp,
    CreateMemTokenOp,
    JoinMemTokenOp,
    LoadOp,
    OrderedAccess,
    PrintOp,
    StoreOp,
    TokenOperation,
    enclosing_function,
    is_token,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.transforms.common.rewriting import build, replace_by

# What the `nv_tileaa` patterns ask about values, and the small expressions they build.


@dataclass(frozen=True)
class Constant:
    """The elements of a value known at compile time, as bit patterns of their type."""

    element: Attribute
    attribute: IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr

    def iter_bits(self) -> Iterator[int]:
        """The patterns, row-major; one of them for a scalar and a splat."""
        mask = (1 << element_bit_width(self.element)) - 1
        match self.attribute:
            case IntegerAttr(value=value):
                yield value.data & mask
            case FloatAttr(value=value):
                yield float_to_bits(value.data, self.element)
            case DenseIntOrFPElementsAttr(data=BytesAttr(data=data)):
                size = self.attribute.type.element_type.compile_time_size
                if data == data[:size] * (len(data) // size):
                    data = data[:size]
                for (item,) in iter_unpack(f"{size}s", data):
                    yield int.from_bytes(item, "little") & mask

    def iter_values(self, *, signed: bool = True) -> Iterator[int | float]:
        """The same as numbers; integers are read as signed or unsigned."""
        if not isinstance(self.element, IntegerType):
            for bits in self.iter_bits():
                yield bits_to_float(bits, self.element)
            return
        width = self.element.width.data
        for bits in self.iter_bits():
            yield bits - (1 << width) if signed and bits >> (width - 1) else bits

    @cached_property
    def distinct_bits(self) -> frozenset[int]:
        """The patterns that occur."""
        return frozenset(self.iter_bits())

    @property
    def is_zero(self) -> bool:
        """Whether all elements are zero, of either sign."""
        if isinstance(self.element, IntegerType):
            return self.distinct_bits == frozenset((0,))
        return all(bits_to_float(bits, self.element) == 0 for bits in self.distinct_bits)


def get_constant(value: SSAValue) -> Constant | None:
    """The elements of an `arith.constant` of numbers, or of an `nv_tileaa.splat` of one."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        owner = owner.source.owner
    if not isinstance(owner, ConstantOp):
        return None
    attribute = owner.value
    if not isinstance(attribute, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr):
        return None
    element = get_element(attribute.get_type())
    if not (isinstance(element, IntegerType) or is_float(element)):
        return None
    return Constant(element, attribute)


def is_full_of(value: SSAValue, bits: int) -> bool:
    """Whether a value is a constant all elements of which have this bit pattern."""
    constant = get_constant(value)
    return constant is not None and constant.distinct_bits == frozenset((bits,))


def are_equal_constants(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two values of one type are constants with the same bits in every element."""
    left, right = get_constant(lhs), get_constant(rhs)
    if left is None or right is None or lhs.type != rhs.type:
        return False
    return tuple(left.iter_bits()) == tuple(right.iter_bits())


def build_integer(
    rewriter: PatternRewriter, location: LocationAttr, value: int, ty: Attribute
) -> SSAValue:
    """A constant of an integer type, or of a tensor of it."""
    if isinstance(ty, TensorType):
        literal = DenseIntOrFPElementsAttr.from_list(cast("TensorType[IntegerType]", ty), [value])
    else:
        assert isinstance(ty, IntegerType)
        literal = IntegerAttr(value, ty)
    return build(rewriter, location, ConstantOp(literal))


# The algebra of joined memory tokens.
#
# The token of a `create_mem_token` is never dropped from a join of several: it stands for an
# mbarrier that its producers arrive on.

MAX_CHAIN = 512
"""How many ops before a join are looked at to see which tokens cover others."""


class FoldTrivialJoin(RewritePattern):
    """
    A join of one token is that token; a join of none is a new one.

    Before:  %a = nv_tileaa.join_mem_token [%t] : !nv_tileaa.mem_token
             %b = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
    After:   %b = nv_tileaa.create_mem_token : !nv_tileaa.mem_token      // and %a is %t
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: JoinMemTokenOp, rewriter: PatternRewriter, /):
        if len(op.tokens) == 1:
            rewriter.replace(op, [], [op.tokens[0]])
        elif not op.tokens:
            replace_by(rewriter, op, CreateMemTokenOp(function=enclosing_function(op)))


def replace_tokens(
    op: JoinMemTokenOp, tokens: Sequence[SSAValue], rewriter: PatternRewriter
) -> None:
    """Makes a join one of other tokens."""
    op.operands = tokens
    rewriter.notify_op_modified(op)


class FlattenJoin(RewritePattern):
    """
    A join of joins is a join of all their tokens, in order and each of them once.

    Before:  %j = nv_tileaa.join_mem_token [%a, %b] : !nv_tileaa.mem_token
             %t = nv_tileaa.join_mem_token [%c, %j, %a] : !nv_tileaa.mem_token
    After:   %t = nv_tileaa.join_mem_token [%c, %a, %b] : !nv_tileaa.mem_token
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: JoinMemTokenOp, rewriter: PatternRewriter, /):
        tokens: dict[SSAValue, None] = {}
        for token in op.tokens:
            parts: Sequence[SSAValue] = ()
            if isinstance(token.owner, JoinMemTokenOp):
                parts = token.owner.tokens
            tokens.update(dict.fromkeys(parts or (token,)))
        if tuple(tokens) != tuple(op.tokens):
            replace_tokens(op, tuple(tokens), rewriter)


def get_earlier_tokens(token: SSAValue) -> Sequence[SSAValue]:
    """The tokens that the op which yields this one comes after, if that op says so."""
    owner = token.owner
    if not isinstance(owner, JoinMemTokenOp | OrderedAccess | TokenOperation | PrintOp):
        return ()
    return [operand for operand in owner.operands if is_token(operand.type)]


class DropCoveredTokens(RewritePattern):
    """
    A token need not be joined with one that an access after it yields.

    Before:  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
             %t = nv_tileaa.join_mem_token [%t0, %t1, %x] : !nv_tileaa.mem_token
    After:   %t = nv_tileaa.join_mem_token [%t1, %x] : !nv_tileaa.mem_token

    The chain of accesses from one to the other may be long, and contain joins; loops and
    branches are not looked into. Tokens of `create_mem_token` stay.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: JoinMemTokenOp, rewriter: PatternRewriter, /):
        droppable = {
            token
            for token in op.tokens
            if not isinstance(token.owner, CreateMemTokenOp) and token.has_more_than_one_use()
        }
        if not droppable or len(op.tokens) < 2:
            return
        covered = self._find_covered(op, droppable)
        if covered:
            kept = [token for token in op.tokens if token not in covered]
            replace_tokens(op, kept, rewriter)

    def _find_covered(self, op: JoinMemTokenOp, wanted: set[SSAValue]) -> set[SSAValue]:
        """Those of the wanted tokens that others of the join come after."""
        earlier = (each for token in op.tokens for each in get_earlier_tokens(token))
        seen: set[SSAValue] = set()
        for token in islice(reachable(earlier, get_earlier_tokens), MAX_CHAIN):
            seen.add(token)
            if wanted <= seen:
                break
        return wanted & seen


TOKEN_PATTERNS: tuple[RewritePattern, ...] = (
    FoldTrivialJoin(),
    FlattenJoin(),
    DropCoveredTokens(),
)


POINTER_BYTES = 8
OFFSET_BITS = 64
"""Addresses are computed in that many bits; offsets are signed."""


def get_unit(elem_type: Attribute) -> int | None:
    """The bytes that `addptr` moves by for one element, if they are a whole number of them."""
    if is_pointer(elem_type):
        return POINTER_BYTES
    if not (isinstance(elem_type, IntegerType) or is_float(elem_type)):
        return None
    bits = element_bit_width(elem_type)
    return bits // 8 if bits in (8, 16, 32, 64) else None


class FuseAddPtrs(RewritePattern):
    """
    Two steps of a pointer are one.

    Before:  %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : !llvm.ptr<1>, i64
             %p2 = nv_tileaa.addptr %p1, %b {elem_type = f32} : !llvm.ptr<1>, i64
    After:   %s = arith.addi %a, %b : i64
             %p2 = nv_tileaa.addptr %p, %s {elem_type = f32} : !llvm.ptr<1>, i64

    Offsets of fewer bits are extended first, for their sum might wrap around where two steps
    do not. Elements of different sizes are counted in bytes:

    Before:  %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : !llvm.ptr<1>, i64
             %p2 = nv_tileaa.addptr %p1, %b {elem_type = i8} : !llvm.ptr<1>, i64
    After:   %4 = arith.constant 4 : i64
             %m = arith.muli %a, %4 : i64
             %s = arith.addi %m, %b : i64
             %p2 = nv_tileaa.addptr %p, %s {elem_type = i8} : !llvm.ptr<1>, i64

    Elements that do not fill bytes (i1, 4-bit floats, tf32) and offsets of more than 64 bits
    are left alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddPtrOp, rewriter: PatternRewriter, /):
        inner = op.base.owner
        if not isinstance(inner, AddPtrOp):
            return
        ty = op.result.type
        if not (inner.base.type == inner.result.type == ty):
            return  # another address space
        inner_unit, outer_unit = get_unit(inner.elem_type), get_unit(op.elem_type)
        if inner_unit is None or outer_unit is None:
            return
        offsets = (inner.offset, op.offset)
        if any(_get_width(offset) > OFFSET_BITS for offset in offsets):
            return
        location = op.location
        first, second = (_extend(rewriter, location, offset) for offset in offsets)
        elem_type = op.elem_type
        if inner_unit != outer_unit:
            first = _scale(rewriter, location, first, inner_unit)
            second = _scale(rewriter, location, second, outer_unit)
            elem_type = i8
        total = build(rewriter, location, arith.AddiOp(first, second))
        replace_by(rewriter, op, AddPtrOp(inner.base, total, elem_type))


def _get_width(offset: SSAValue) -> int:
    element = get_element(offset.type)
    assert isinstance(element, IntegerType)
    return element.width.data


def _extend(rewriter: PatternRewriter, location: LocationAttr, offset: SSAValue) -> SSAValue:
    if _get_width(offset) == OFFSET_BITS:
        return offset
    return build(rewriter, location, ExtSIOp(offset, with_element(offset.type, i64)))


def _scale(
    rewriter: PatternRewriter, location: LocationAttr, offset: SSAValue, unit: int
) -> SSAValue:
    if unit == 1:
        return offset
    multiplier = build_integer(rewriter, location, unit, offset.type)
    return build(rewriter, location, arith.MuliOp(offset, multiplier))


def without_segments(properties: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Properties for an op with other operands."""
    return {name: value for name, value in properties.items() if name != "operandSegmentSizes"}


def _types(value: SSAValue | None) -> Sequence[Attribute]:
    return [] if value is None else [value.type]


def erase_access(
    op: LoadOp | StoreOp, values: Sequence[SSAValue], rewriter: PatternRewriter
) -> None:
    """Erases an access that touches no memory; its users get `values`, and a valid token."""
    tokens: list[SSAValue | None] = []
    if op.result_token is not None:
        token = op.token
        if token is None and op.result_token.first_use is not None:
            token = build(rewriter, op.location, CreateMemTokenOp(function=enclosing_function(op)))
        tokens.append(token)
    rewriter.replace(op, [], [*values, *tokens])


def may_vanish(op: LoadOp | StoreOp) -> bool:
    """
    Whether an access that no lane takes part in does nothing at all: it is not volatile, and
    orders no other accesses.
    """
    return op.volatile is None and op.get_semantic() in ("weak", "relaxed")


class FoldMaskedLoad(RewritePattern):
    """
    A load of all lanes needs no mask; a load of none is the fallback.

    Before:  %m = arith.constant dense<true> : tensor<8xi1>
             %v, %t1 = nv_tileaa.load %p
                 mask(%m : tensor<8xi1>) other(%o : tensor<8xf32>) token(%t0)
                 : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
    After:   %v, %t1 = nv_tileaa.load %p token(%t0)
                 : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token

    With `dense<false>` there is no load any more, `%v` is `%o` (`ub.poison` if there is none)
    and `%t1` is `%t0` (a new token if there is none). Left alone: masks that are mixed or not
    constant, a fallback of another type than the result, and, with no lane to load, what is
    volatile or acquires.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoadOp, rewriter: PatternRewriter, /):
        if op.mask is None:
            return
        if op.other is not None and op.other.type != op.result.type:
            return
        if is_full_of(op.mask, 1):
            load = LoadOp.build(
                operands=[op.pointer, [], [], op.token],
                result_types=[op.result.type, _types(op.result_token)],
                properties=without_segments(op.properties),
                attributes=op.attributes.copy(),
            )
            replace_by(rewriter, op, load)
        elif is_full_of(op.mask, 0) and may_vanish(op):
            value = op.other
            if value is None:
                value = build(rewriter, op.location, PoisonOp(op.result.type))
            erase_access(op, [value], rewriter)


class FoldMaskedStore(RewritePattern):
    """
    A store of all lanes needs no mask; a store of none is nothing.

    Before:  %m = arith.constant dense<false> : tensor<8xi1>
             %t1 = nv_tileaa.store %p, %v mask(%m : tensor<8xi1>) token(%t0)
                 : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
    After:   nothing, and `%t1` is `%t0` (a new token if there is none)

    With `dense<true>` the mask goes. Left alone: masks that are mixed or not constant, and,
    with no lane to store, what is volatile or releases.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: StoreOp, rewriter: PatternRewriter, /):
        if op.mask is None:
            return
        if is_full_of(op.mask, 1):
            store = StoreOp.build(
                operands=[op.pointer, op.value, [], op.token],
                result_types=[_types(op.result_token)],
                properties=without_segments(op.properties),
                attributes=op.attributes.copy(),
            )
            replace_by(rewriter, op, store)
        elif is_full_of(op.mask, 0) and may_vanish(op):
            erase_access(op, [], rewriter)


LOAD_PROPERTIES = ("mem_semantic", "mem_scope", "optimization_hints")


def can_be_load(op: AtomicCASOp | AtomicRMWOp) -> bool:
    """
    Whether an atomic that leaves memory as it was can be a load: a load neither releases nor
    is sequentially consistent. Masked and volatile ones stay.
    """
    return op.mask is None and op.volatile is None and op.get_semantic() in ("relaxed", "acquire")


def replace_by_load(op: AtomicCASOp | AtomicRMWOp, rewriter: PatternRewriter) -> None:
    """Replaces an atomic by an atomic load of the same order and scope."""
    load = LoadOp.build(
        operands=[op.pointer, [], [], op.token],
        result_types=[op.result.type, _types(op.result_token)],
        properties={name: op.properties.get(name) for name in LOAD_PROPERTIES},
        attributes=op.attributes.copy(),
    )
    replace_by(rewriter, op, load)


class FoldAtomicCAS(RewritePattern):
    """
    To replace a constant by itself is to read.

    Before:  %c = arith.constant 7 : i32
             %old, %t1 = nv_tileaa.atomic_cas %p, %c, %c token(%t0)
                 {mem_semantic = "relaxed", mem_scope = "gpu"}
                 : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
    After:   %old, %t1 = nv_tileaa.load %p token(%t0)
                 {mem_semantic = "relaxed", mem_scope = "gpu"}
                 : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token

    Constants are compared by their bits, lane by lane. Anything but a relaxed or acquiring,
    unmasked access that is not volatile is left alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtomicCASOp, rewriter: PatternRewriter, /):
        if can_be_load(op) and are_equal_constants(op.compare, op.replacement):
            replace_by_load(op, rewriter)


class FoldAtomicRMW(RewritePattern):
    """
    To combine memory with the identity of a mode is to read.

    Before:  %z = arith.constant 0 : i32
             %old, %t1 = nv_tileaa.atomic_rmw %p, %z token(%t0)
                 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"}
                 : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
    After:   %old, %t1 = nv_tileaa.load %p token(%t0)
                 {mem_semantic = "relaxed", mem_scope = "gpu"}
                 : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token

    Identities are 0 of `add`, `or` and `xor`, and all bits of `and`, in every lane. `addf`
    has none (-0.0 + 0.0 is 0.0), `xchg` neither. The conditions are those of `FoldAtomicCAS`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtomicRMWOp, rewriter: PatternRewriter, /):
        element = get_element(op.value.type)
        if not can_be_load(op) or not isinstance(element, IntegerType):
            return
        match op.rmw_mode.data:
            case "add" | "or" | "xor":
                identity = 0
            case "and":
                identity = (1 << element.width.data) - 1
            case _:
                return
        if is_full_of(op.value, identity):
            replace_by_load(op, rewriter)


MEMORY_PATTERNS: tuple[RewritePattern, ...] = (
    FuseAddPtrs(),
    FoldMaskedLoad(),
    FoldMaskedStore(),
    FoldAtomicCAS(),
    FoldAtomicRMW(),
)
