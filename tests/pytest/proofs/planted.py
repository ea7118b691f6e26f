"""
Wrong rules: parts of ours replaced by worse ones, and patterns that are known to be wrong. For each
there is a program of `programs` on which the solver has to find values that tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects.cuda_tile.control_flow import IfOp
from tileiras_xdsl.dialects.cuda_tile.conversion import ExtIOp
from tileiras_xdsl.dialects.cuda_tile.enums import Overflow, OverflowAttr, Signedness
from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp, MulFOp
from tileiras_xdsl.dialects.cuda_tile.integer import AddIOp, AndIOp, DivIOp, MulIOp, ShRIOp
from tileiras_xdsl.transforms.common.rewriting import build, replace_by
from tileiras_xdsl.transforms.cuda_tile.canonicalization import patterns, values
from tileiras_xdsl.transforms.tileaa.canonicalization import dot, memory, shape
from tileiras_xdsl.transforms.tileaa.canonicalization import memory as tokens


class Mutation(NamedTuple):
    """A part of the compiler, and what takes its place."""

    rule: str
    """The rule that becomes wrong."""
    module: Any
    name: str
    replacement: Any
    program: str
    width: str


def _and(rewriter: Any, location: Any, first: SSAValue, second: SSAValue) -> SSAValue:
    return build(rewriter, location, AndIOp(first, second))


def _sign_extension(value: SSAValue, ty: Any, signedness: Signedness) -> ExtIOp:
    return ExtIOp(value, ty, Signedness.SIGNED)


def _always(*values: object) -> bool:
    return True


def _four(element: object) -> int:
    return 4


def _is_zero(value: object, bits: int) -> bool:
    return bits == 0


def _every_token(token: SSAValue) -> list[SSAValue]:
    if not isinstance(token, BlockArgument):
        return []
    return [each for each in token.block.args if tokens.is_token(each.type)]


def _unsigned(constant: Any, ty: Any, *, signed: bool) -> Any:
    return _load_integers(constant, ty, signed=True)


_load_integers: Callable[..., Any] = getattr(dot, "_load_integers")


MUTATIONS = (
    Mutation("CollapseNested", patterns, "build_and", _and, "branches", "i8"),
    Mutation("InlineStaticBranch", patterns, "is_true", values.is_false, "branches", "i8"),
    Mutation("MergeAdjacent", patterns, "is_negation", _always, "left_alone", "i1"),
    Mutation("YieldToValue", patterns, "is_same", _always, "branches", "i8"),
    Mutation("fold cuda_tile.select", patterns, "is_same", _always, "selects", "i8"),
    Mutation(
        "fold cuda_tile.muli",
        values,
        "NEUTRAL",
        {**values.NEUTRAL, MulIOp: 0},
        "integers",
        "i8",
    ),
    Mutation("fold cuda_tile.subi", values, "SubIOp", AddIOp, "integers", "i8"),
    Mutation("fold cuda_tile.cmpi", values, "SignednessAttr", str, "integers", "i8"),
    Mutation("SelectToExtension", patterns, "ExtIOp", _sign_extension, "selects", "i8"),
    Mutation("FuseAddPtrs", memory, "OFFSET_BITS", 8, "pointers", "i8"),
    Mutation("FuseAddPtrs", memory, "get_unit", _four, "pointers", "i8"),
    Mutation("FoldMaskedLoad", memory, "may_vanish", _always, "kept", "i32"),
    Mutation("FoldMaskedStore", memory, "is_full_of", _is_zero, "accesses", "i8"),
    Mutation("FoldAtomicRMW", memory, "can_be_load", _always, "kept", "i32"),
    Mutation("FoldAtomicRMW", memory, "is_full_of", _always, "kept", "i32"),
    Mutation("MoveExtractUp", shape, "is_elementwise", _always, "kept", "i32"),
    Mutation("DropCoveredTokens", tokens, "get_earlier_tokens", _every_token, "accesses", "i8"),
    Mutation("FoldConstantDot", dot, "_load_integers", _unsigned, "dots", "i8"),
)

# Patterns


class DivisionToShift(RewritePattern):
    """`divi x, 1 signed` → `shri x, 1 signed`, a shift by the divisor and not by its logarithm."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivIOp, rewriter: PatternRewriter, /):
        if values.get_splat_bits(op.rhs) == 1:
            replace_by(rewriter, op, ShRIOp(op.lhs, op.rhs, Signedness.SIGNED))


class Reassociate(RewritePattern):
    """`(a + b) + c` → `a + (b + c)`, of which the new sum need not be free of overflow."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddIOp, rewriter: PatternRewriter, /):
        inner = op.lhs.owner
        if isinstance(inner, AddIOp) and op.overflow == OverflowAttr(Overflow.NO_SIGNED_WRAP):
            right = build(
                rewriter, op.location, AddIOp(inner.rhs, op.rhs, overflow=Overflow.NO_SIGNED_WRAP)
            )
            replace_by(rewriter, op, AddIOp(inner.lhs, right, overflow=Overflow.NO_SIGNED_WRAP))


class Speculate(RewritePattern):
    """Moves a division out of a branch, where its divisor may be zero."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivIOp, rewriter: PatternRewriter, /):
        parent = op.parent_op()
        if isinstance(parent, IfOp):
            op.detach()
            rewriter.insert(op, InsertPoint.before(parent))


class AddZero(RewritePattern):
    """`x + 0.0` → `x`, which is wrong for -0.0."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddFOp, rewriter: PatternRewriter, /):
        if isinstance(op.rhs.owner, Operation) and values.get_constant(op.rhs) is not None:
            rewriter.replace(op, [], [op.lhs])


class MultiplyZero(RewritePattern):
    """`x * 0.0` → `0.0`, which is wrong for infinities and NaNs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulFOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, [], [op.rhs])


class ForgetFlag(RewritePattern):
    """Adds an overflow flag to a sum."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /):
        flag = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NUW,))
        if op.overflow_flags != flag:
            replace_by(rewriter, op, arith.AddiOp(op.lhs, op.rhs, overflow=flag))


def cuda_tile(body: str) -> str:
    """A module of `cuda_tile`."""
    return f"cuda_tile.module @m {{\n{body}\n}}"


def _floats(body: str) -> str:
    tile = "!cuda_tile.tile<f16>"
    return cuda_tile(
        f"testing$func @f(%x: {tile}) -> {tile} {{\n"
        "  %z = constant <f16: 0.0> : tile<f16>\n"
        f"  %r = {body} %x, %z : tile<f16>\n  return %r : tile<f16>\n}}"
    )


_TILE = "!cuda_tile.tile<i16>"

PATTERNS: tuple[tuple[RewritePattern, str], ...] = (
    (
        DivisionToShift(),
        cuda_tile(
            f"testing$func @f(%x: {_TILE}) -> {_TILE} {{\n  %one = constant <i16: 1> : tile<i16>\n"
            "  %r = divi %x, %one signed : tile<i16>\n  return %r : tile<i16>\n}"
        ),
    ),
    (
        Reassociate(),
        cuda_tile(
            f"testing$func @f(%a: {_TILE}, %b: {_TILE}, %c: {_TILE}) -> {_TILE} {{\n"
            "  %s = addi %a, %b overflow<no_signed_wrap> : tile<i16>\n"
            "  %r = addi %s, %c overflow<no_signed_wrap> : tile<i16>\n  return %r : tile<i16>\n}"
        ),
    ),
    (
        Speculate(),
        cuda_tile(
            f"testing$func @f(%c: !cuda_tile.tile<i1>, %a: {_TILE}, %b: {_TILE}) -> {_TILE} {{\n"
            f"  %r = if %c -> ({_TILE}) {{\n    %q = divi %a, %b unsigned : tile<i16>\n"
            "    yield %q : tile<i16>\n  } else {\n    yield %a : tile<i16>\n  }\n"
            "  return %r : tile<i16>\n}"
        ),
    ),
    (AddZero(), _floats("addf")),
    (MultiplyZero(), _floats("mulf")),
    (
        ForgetFlag(),
        "func.func @f(%a: i64, %b: i64) -> i64 {\n  %r = arith.addi %a, %b : i64\n"
        "  func.return %r : i64\n}",
    ),
)
