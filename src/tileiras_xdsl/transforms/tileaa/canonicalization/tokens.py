"""
The algebra of joined memory tokens.

The token of a `create_mem_token` is never dropped from a join of several: it stands for an mbarrier
that its producers arrive on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects.nv_tileaa.memory import OrderedAccess, PrintOp, TokenOperation
from tileiras_xdsl.dialects.nv_tileaa.tokens import (
    CreateMemTokenOp,
    JoinMemTokenOp,
    enclosing_function,
    is_token,
)
from tileiras_xdsl.transforms.common.rewriting import replace_by

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
