"""Folds of `nv_tileaa` operations that change shapes or pick parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.dialects.arith import SelectOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    Elementwise,
    PredicateAttribute,
    get_shape,
    with_element,
    with_shape,
)
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    BroadcastOp,
    ExpandDimsOp,
    ExtractOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.transforms.common.rewriting import build, replace_by

SHAPE_CHANGES = (ViewOp, BroadcastOp, ExpandDimsOp)


class FoldShapeOfSplat(RewritePattern):
    """
    A splat in another shape is a splat.

    Before:  %1 = nv_tileaa.splat %s : f32 to tensor<1xf32>
             %2 = nv_tileaa.broadcast %1 : tensor<1xf32> -> tensor<8xf32>
    After:   %2 = nv_tileaa.splat %s : f32 to tensor<8xf32>

    The same for `view` and `expand_dims`. A `view` of it as a scalar is that scalar.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ViewOp | BroadcastOp | ExpandDimsOp, rewriter: PatternRewriter, /
    ):
        splat = op.source.owner
        if not isinstance(splat, SplatOp):
            return
        if not isinstance(op.result.type, TensorType):
            rewriter.replace(op, [], [splat.source])
            return
        replace_by(rewriter, op, SplatOp(splat.source, op.result.type))


class FuseViews(RewritePattern):
    """
    A view of a view is a view: elements keep their row-major order.

    Before:  %1 = nv_tileaa.view %x : tensor<8xf32> -> tensor<2x4xf32>
             %2 = nv_tileaa.view %1 : tensor<2x4xf32> -> tensor<4x2xf32>
    After:   %2 = nv_tileaa.view %x : tensor<8xf32> -> tensor<4x2xf32>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ViewOp, rewriter: PatternRewriter, /):
        inner = op.source.owner
        if isinstance(inner, ViewOp):
            replace_by(rewriter, op, ViewOp(inner.source, op.result.type))


class MoveAssumeAboveSplat(RewritePattern):
    """
    An assumption about every element of a splat is one about its scalar.

    Before:  %s = nv_tileaa.splat %x : i32 to tensor<8xi32>
             %a = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<16>} : tensor<8xi32>
    After:   %b = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32
             %a = nv_tileaa.splat %b : i32 to tensor<8xi32>

    Assumptions that depend on positions, `div_by<…, every …>` and `same_elements`, stay.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AssumeOp, rewriter: PatternRewriter, /):
        splat, predicate = op.value.owner, op.predicate
        if not isinstance(splat, SplatOp):
            return
        if not (isinstance(predicate, PredicateAttribute) and predicate.is_elementwise):
            return
        assumed = build(rewriter, op.location, AssumeOp(splat.source, predicate))
        replace_by(rewriter, op, SplatOp(assumed, op.result.type))


class MoveSplatAboveSelect(RewritePattern):
    """
    A splat of a choice is a choice between splats; nothing does the inverse.

    Before:  %s = arith.select %c, %t, %f : f32
             %r = nv_tileaa.splat %s : f32 to tensor<8xf32>
    After:   %sc = nv_tileaa.splat %c : i1 to tensor<8xi1>
             %st = nv_tileaa.splat %t : f32 to tensor<8xf32>
             %sf = nv_tileaa.splat %f : f32 to tensor<8xf32>
             %r = arith.select %sc, %st, %sf : tensor<8xi1>, tensor<8xf32>

    A splat that is seen in another shape waits until that shape is its own: nothing would
    move the change of shape above the choice.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplatOp, rewriter: PatternRewriter, /):
        select = op.source.owner
        if not isinstance(select, SelectOp):
            return
        if any(isinstance(use.operation, SHAPE_CHANGES) for use in op.result.uses):
            return
        ty = op.result.type
        condition, if_true, if_false = (
            build(rewriter, op.location, SplatOp(value, with_element(ty, value.type)))
            for value in (select.cond, select.lhs, select.rhs)
        )
        replace_by(rewriter, op, SelectOp(condition, if_true, if_false))


def is_elementwise(op: Operation) -> bool:
    """Whether lane i of each result depends on lane i of each tensor among the operands only."""
    if isinstance(op, AddPtrOp) or op.has_trait(Elementwise, value_if_unregistered=False):
        return True
    if op.dialect_name() not in ("arith", "math") or not op.operands or op.regions:
        return False
    shapes = {get_shape(result.type) for result in op.results}
    operands = {get_shape(operand.type) for operand in op.operands if get_shape(operand.type)}
    return len(shapes) == 1 and operands <= shapes and is_side_effect_free(op)


@dataclass(frozen=True)
class ExtractedPart:
    """The part of a tensor (a lane, or a slice) that an `extract` takes."""

    source: SSAValue
    indices: tuple[SSAValue, ...]
    shape: tuple[int, ...]
    """Empty for a lane."""

    def of(self, source: SSAValue) -> ExtractedPart:
        """The same part of a tensor of the same shape; a scalar is its own part."""
        if not isinstance(source.type, TensorType):
            return ExtractedPart(source, (), ())
        return ExtractedPart(source, self.indices, self.shape)

    def without(self, axis: int, source: SSAValue) -> ExtractedPart:
        """The part of the tensor that dimension `axis` was added to."""
        indices = (*self.indices[:axis], *self.indices[axis + 1 :])
        return ExtractedPart(source, indices, (*self.shape[:axis], *self.shape[axis + 1 :]))

    def get_origins(self) -> Sequence[ExtractedPart] | None:
        """The parts it can be computed from, if its source is an op that allows this."""
        owner = self.source.owner
        if not isinstance(self.source.type, TensorType) or not isinstance(owner, Operation):
            return None
        if isinstance(owner, ExpandDimsOp):
            if self.shape and not isinstance(owner.source.type, TensorType):
                return None
            return [self.without(owner.get_axis(), owner.source)]
        if is_elementwise(owner):
            return [self.of(operand) for operand in owner.operands]
        return None


@dataclass
class PartBuilder:
    """
    Computes parts from the parts they depend on. Each is computed once, however many paths
    lead to it, so that the code grows by no more than the ops that are passed.
    """

    rewriter: PatternRewriter
    root: ExtractOp
    values: dict[ExtractedPart, SSAValue] = field(default_factory=dict[ExtractedPart, SSAValue])

    def get(self, wanted: ExtractedPart) -> SSAValue:
        """The value of a part; iterative, as chains may be deeper than Python's stack."""
        stack = [wanted]
        while stack:
            part = stack[-1]
            origins = () if part in self.values else part.get_origins()
            missing = [origin for origin in origins or () if origin not in self.values]
            if missing:
                stack.extend(reversed(missing))
                continue
            if part not in self.values:
                self.values[part] = self._build(part, origins)
            stack.pop()
        return self.values[wanted]

    def _build(self, part: ExtractedPart, origins: Sequence[ExtractedPart] | None) -> SSAValue:
        source, location = part.source, self.root.location
        if not isinstance(source.type, TensorType):
            return source
        if origins is None:
            extract = ExtractOp(source, part.indices, with_shape(source.type, part.shape))
            return build(self.rewriter, location, extract)
        values = [self.values[origin] for origin in origins]
        owner = source.owner
        assert isinstance(owner, Operation)
        if isinstance(owner, ExpandDimsOp):
            if not part.shape:
                return values[0]
            return build(self.rewriter, location, ExpandDimsOp(values[0], owner.get_axis()))
        op = type(owner).create(
            operands=values,
            result_types=[with_shape(ty, part.shape) for ty in owner.result_types],
            properties=owner.properties.copy(),
            attributes=owner.attributes.copy(),
            location=location,
        )
        return self.rewriter.insert(op).results[owner.results.index(source)]


class MoveExtractUp(RewritePattern):
    """
    A lane of what is computed lane by lane is computed from lanes.

    Before:  %s = nv_tileaa.addf %a, %b : tensor<8xf32>
             %e = nv_tileaa.extract %s[%i] : (tensor<8xf32>, i32) -> f32
    After:   %ea = nv_tileaa.extract %a[%i] : (tensor<8xf32>, i32) -> f32
             %eb = nv_tileaa.extract %b[%i] : (tensor<8xf32>, i32) -> f32
             %e = nv_tileaa.addf %ea, %eb : f32

    A lane of an `expand_dims` is one of its source, the index along the new dimension being
    zero. Passed are ops with `Elementwise`, `addptr`, and those of `arith` and `math`; never
    `reduce`, `scan`, `dot`, `broadcast`, `permute` or an op with effects.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractOp, rewriter: PatternRewriter, /):
        part = ExtractedPart(op.source, tuple(op.indices), get_shape(op.result.type))
        if part.get_origins() is None:
            return
        rewriter.replace(op, [], [PartBuilder(rewriter, op).get(part)])


SHAPE_PATTERNS: tuple[RewritePattern, ...] = (
    FoldShapeOfSplat(),
    FuseViews(),
    MoveAssumeAboveSplat(),
    MoveSplatAboveSelect(),
    MoveExtractUp(),
)
