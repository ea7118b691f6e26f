"""
Simplifies `nv_tileaa` by the patterns of its ops, and by nothing else.

Before:  %true = arith.constant true
         %m1 = nv_tileaa.splat %true : i1 to tensor<1xi1>
         %m = nv_tileaa.broadcast %m1 : tensor<1xi1> -> tensor<8xi1>
         %v, %t1 = nv_tileaa.load %p mask(%m : tensor<8xi1>) token(%t0)
             : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
After:   %v, %t1 = nv_tileaa.load %p token(%t0)
             : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token

xDSL's `canonicalize` applies the same patterns together with those of all other dialects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileiras_xdsl.dialects.nv_tileaa.queues import PragmaOp, QueueGetOp
from tileiras_xdsl.xdsl_extras.walking import last_of

from .canonicalization.booleans import BOOLEAN_PATTERNS
from .canonicalization.dot import DOT_PATTERNS
from .canonicalization.memory import MEMORY_PATTERNS, TOKEN_PATTERNS
from .canonicalization.shape import SHAPE_PATTERNS

# Unused results of `nv_tileaa` operations with regions.


def keep_results(
    op: QueueGetOp | PragmaOp,
    kept: Sequence[int],
    properties: dict[str, Attribute],
    rewriter: PatternRewriter,
) -> None:
    """Rebuilds an op with some of its results only, and its region to yield only those."""
    terminator = last_of(op.body.block)
    terminator.operands = [terminator.operands[number] for number in kept]
    rewriter.notify_op_modified(terminator)
    result = type(op).create(
        operands=op.operands,
        result_types=[op.results[number].type for number in kept],
        properties=properties,
        attributes=op.attributes.copy(),
        regions=[rewriter.move_region_contents_to_new_regions(op.body)],
        location=op.location,
    )
    new_of = dict(zip(kept, result.results, strict=True))
    rewriter.replace(op, result, [new_of.get(number) for number in range(len(op.results))])


class PruneQueueResults(RewritePattern):
    """
    Results of `queue.get` nobody uses are no longer yielded; the others keep their order.

    Before:  %q:3 = "nv_tileaa.queue.get"() ({
               nv_tileaa.queue.yield %a, %b, %c : f32, i32, f64
             }) : () -> (f32, i32, f64)                              // only %q#1 is used
    After:   %q = "nv_tileaa.queue.get"() ({
               nv_tileaa.queue.yield %b : i32
             }) : () -> i32

    The op stays even without results: it takes an entry from the queue.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QueueGetOp, rewriter: PatternRewriter, /):
        live = [number for number, result in enumerate(op.results) if result.first_use is not None]
        if len(live) < len(op.results):
            keep_results(op, live, op.properties.copy(), rewriter)


class PrunePragmaResults(RewritePattern):
    """
    Results of `pragma` nobody uses are no longer yielded; the others keep their order.

    Before:  %p:3 = "nv_tileaa.pragma"() <{payload_results = [1 : i32]}> ({
               nv_tileaa.yield %a, %b, %c : f32, i32, f64
             }) {unroll = 4 : i32} : () -> (f32, i32, f64)           // only %p#2 is used
    After:   %p:2 = "nv_tileaa.pragma"() <{payload_results = [0 : i32]}> ({
               nv_tileaa.yield %b, %c : i32, f64
             }) {unroll = 4 : i32} : () -> (i32, f64)

    What `payload_results` lists is kept, and goes by its new number there.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PragmaOp, rewriter: PatternRewriter, /):
        needed = set(op.get_payload_results())
        live = [
            number
            for number, result in enumerate(op.results)
            if result.first_use is not None or number in needed
        ]
        if len(live) == len(op.results):
            return
        properties = op.properties.copy()
        if op.payload_results is not None:
            properties["payload_results"] = ArrayAttr(
                IntegerAttr(live.index(item.value.data), item.type)
                if isinstance(item, IntegerAttr)
                else item
                for item in op.payload_results
            )
        keep_results(op, live, properties, rewriter)


PRUNING_PATTERNS: tuple[RewritePattern, ...] = (PruneQueueResults(), PrunePragmaResults())


TILEAA_PATTERNS: tuple[RewritePattern, ...] = (
    *SHAPE_PATTERNS,
    *BOOLEAN_PATTERNS,
    *MEMORY_PATTERNS,
    *DOT_PATTERNS,
    *TOKEN_PATTERNS,
    *PRUNING_PATTERNS,
)


@dataclass(frozen=True)
class CanonicalizeTileaaPass(ModulePass):
    """
    Folds shapes, comparisons of truth values, pointer arithmetic, masks, atomics, constant dots,
    joined tokens and unused results of `nv_tileaa`, and removes dead code, until nothing changes
    any more.

    Results of ops keep their types, and users of a memory token keep one. The pass may run
    anywhere between `convert-cuda-tile-to-tileaa` and `convert-tileaa-to-tileas`.
    """

    name = "canonicalize-tileaa"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        applier = GreedyRewritePatternApplier(list(TILEAA_PATTERNS))
        PatternRewriteWalker(applier).rewrite_module(op)
