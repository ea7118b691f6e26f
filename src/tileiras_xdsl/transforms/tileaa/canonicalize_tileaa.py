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

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from .canonicalization.dot import DOT_PATTERNS
from .canonicalization.memory import MEMORY_PATTERNS
from .canonicalization.results import PRUNING_PATTERNS
from .canonicalization.shape import SHAPE_PATTERNS
from .canonicalization.tokens import TOKEN_PATTERNS

TILEAA_PATTERNS: tuple[RewritePattern, ...] = (
    *SHAPE_PATTERNS,
    *MEMORY_PATTERNS,
    *DOT_PATTERNS,
    *TOKEN_PATTERNS,
    *PRUNING_PATTERNS,
)


@dataclass(frozen=True)
class CanonicalizeTileaaPass(ModulePass):
    """
    Folds shapes, pointer arithmetic, masks, atomics, constant dots, joined tokens and unused
    results of `nv_tileaa`, and removes dead code, until nothing changes any more.

    Results of ops keep their types, and users of a memory token keep one. The pass may run
    anywhere between `convert-cuda-tile-to-tileaa` and `convert-tileaa-to-tileas`.
    """

    name = "canonicalize-tileaa"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        applier = GreedyRewritePatternApplier(list(TILEAA_PATTERNS))
        PatternRewriteWalker(applier).rewrite_module(op)
