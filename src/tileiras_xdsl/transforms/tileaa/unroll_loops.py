"""
Unrolls loops without products, so that loads of several iterations are in flight together.

Before:  scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %z, %t = %t0) … : i32 {
           %x, %u = nv_tileaa.load %p[%i] token(%t0)
           %y = nv_tileaa.addi %s, %x
           %v = nv_tileaa.store %q[%i], %y token(%t)
           scf.yield %y, %v
         }
After:   scf.for %i = %c0 to %c64 step %c2 iter_args(%s = %z, %t = %t0) … : i32 {
           %j = %i + %c1
           %x0, %u0 = nv_tileaa.load %p[%i] token(%t0)
           %x1, %u1 = nv_tileaa.load %p[%j] token(%t0)
           %y0 = nv_tileaa.addi %s, %x0
           %v0 = nv_tileaa.store %q[%i], %y0 token(%t)
           %y1 = nv_tileaa.addi %y0, %x1
           %v1 = nv_tileaa.store %q[%j], %y1 token(%v0)
           scf.yield %y1, %v1
         } {nv_tileaa.unrolled}

Up to this level tokens are the only order between accesses, so what a load may be moved above
follows from its operands: nothing that it needs may come from an earlier iteration. A token may,
if none of the effects behind it touches what the load reads: of a loop that works in place, each
iteration has other elements. What follows the load stays behind these effects. Where all iterations
fit, no loop is left.

As many iterations are done together as take no CTA of an SM its registers: with fewer CTAs, less
is loaded while some of them compute. Loops are left to multi-stage buffers
(`tileas-unspecialized-pipeline`) if these have more on their way. They are not if another loop
reads the same memory, and SMs have all their warps, or buffers would take CTAs their shared memory:
the L1 cache may have it, which buffers pass by and make smaller. Loops of CTAs that stay for all
tile blocks are, as an SM has few of these.

Nothing is left of a loop that reads what is read elsewhere, if an SM has registers for enough CTAs
with all of it: without loops around them, `hoist-loads` does loads of the same addresses once.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp, UnitAttr
from xdsl.dialects.gpu import BlockIdOp, FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.alias import Aliases, Root, crossed_by
from tileiras_xdsl.analysis.axis_info import integer_range_of
from tileiras_xdsl.analysis.counted_loops import find_trip_count
from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.analysis.memory_order import Ordering, ordering
from tileiras_xdsl.analysis.slices import backward_slice, reachable, sources_of
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC, UNROLLED
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileaa.memory import JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.targets.choices import UNROLLED_OPS
from tileiras_xdsl.targets.machine import WARP_THREADS, WORD_BITS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import (
    choose_num_warps,
    count_words,
    get_target,
    kernels,
    leaves_enough,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of, last_of, parents

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """
    Unrolls innermost loops of kernels without products whose number of iterations is known, as far
    as threads have registers for what the loads of several iterations read. A plan with more stages
    than one asks for multi-stage buffers instead.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "unroll-loops"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            stages = get_plan(function).stages
            if (stages or 1) > 1 or find_all(function, DotOperation, MmaFScaledOp):
                continue
            spec = KERNEL_SPEC.get(function) or KernelSpecAttr()
            warps = choose_num_warps(function, spec, target)
            left: set[Operation] = set()
            for loop in find_all(function, scf.ForOp, inner_first=True):
                step = integer_of(loop.step)
                if step is not None and step > 0 and is_candidate(loop):
                    found = StreamingLoop(loop, step, function, left)
                    if found.loads:
                        found.unroll(target, warps)
                if loop.parent is not None:
                    left.add(loop)


def is_candidate(loop: scf.ForOp) -> bool:
    """
    Whether a loop is an innermost one, of a CTA that does not stay for all tile blocks.
    """
    if find_all(loop.body, scf.ForOp, scf.WhileOp) or UNROLLED.is_on(loop):
        return False
    around = [op for op in (loop, *parents(loop)) if isinstance(op, scf.ForOp)]
    return not any(isinstance(op, BlockIdOp) for op in backward_slice([op.lb for op in around]))


class StreamingLoop:
    """A loop, and its loads that depend on nothing of the iterations before."""

    def __init__(self, loop: scf.ForOp, step: int, function: FuncOp, left: Container[Operation]):
        self.function = function
        self.left = left
        """Other loops that are not going to be unrolled, or further."""
        self.loop = loop
        self.step = step
        self.body = loop.body.block
        self.aliases = Aliases(function)
        self.trips = find_trip_count(loop)
        self.tokens: dict[Operation, list[SSAValue]] = {}
        """Of loads that are ordered behind what does not matter to them: tokens before the loop."""
        known: set[Operation] = set()
        for op in self.body.ops:
            if self._is_free(op, known):
                known.add(op)
        self.loads = [op for op in self.body.ops if op in known and is_plain_load(op)]
        addresses = [
            value for op in self.loads for value in op.operands if not is_token(value.type)
        ]
        needed = backward_slice(addresses, known.__contains__)
        self.early = [op for op in self.body.ops if op in needed or op in self.loads]
        """Loads and what they need, in the order of the body."""

    # How many iterations are done together

    def unroll(self, target: Target, warps: int) -> None:
        """Unrolls the loop, or says that it is to have no buffers."""
        together = self.choose(target, warps)
        if together is None:
            return
        self._release()
        if together == 1 != self.trips:
            UNROLLED.set(self.loop, UnitAttr())
        else:
            self._widen(together)

    def choose(self, target: Target, warps: int) -> int | None:
        """
        How many iterations are done together: as many as take no CTA of an SM its registers, if
        their number is known, else a single one. None is chosen if buffers are to load ahead, and
        for a loop of one iteration on the outside.
        """
        streaming = target.streaming
        words = [max(1, count_words(load.results[0].type)) for load in self.loads]
        live = LiveTiles(lambda tile: count_words(tile.type)).in_block(self.body)
        if self.trips is not None and self.trips * len(list(self.body.ops)) <= UNROLLED_OPS:
            whole = self.trips * sum(words)
            more = whole - sum(words)
            fits = leaves_enough(live + more, live, whole, warps, target, streaming.warps)
            if fits and self.is_read_elsewhere:
                return self.trips
        if self.trips == 1 and not any(isinstance(op, scf.ForOp) for op in parents(self.loop)):
            return None
        lanes = WARP_THREADS * warps
        loaded = sum(-(-number // lanes) for number in words)
        registers = streaming.registers - (-live // lanes)
        fitting = (
            n
            for n in range(streaming.resident_warps // warps, 1, -1)
            if target.registers.cap(n * warps) >= registers
        )
        ctas = next(fitting, 1)
        more = max(0, target.registers.cap(ctas * warps) - registers) // loaded
        steps = integer_range_of(self.loop.step.type).high // self.step
        most = min(1 + more, steps, UNROLLED_OPS // len(list(self.body.ops)))
        trips = self.trips or 1
        together = max((n for n in range(1, 1 + most) if trips % n == 0), default=1)
        size, sharing = WORD_BITS // 8 * sum(words), max(1, streaming.warps // warps)
        share = target.shared.per_cta(sharing)
        stages = streaming.stages(target.rates, size, sharing, share, None)
        # A thread copies a word at least.
        has_buffers = together == 1 or max(words) >= lanes
        if together < min(stages, self.trips or stages) and has_buffers:
            has_room = target.shared.per_cta(ctas) >= stages * size
            has_warps = ctas * warps >= streaming.resident_warps
            if not self.is_read_again or (has_room and not has_warps):
                return None
        return together

    @property
    def is_read_again(self) -> bool:
        """Whether another loop reads the memory that this one does."""
        loops = find_all(self.function, scf.ForOp)
        return self._is_read_by(
            op for loop in loops if loop is not self.loop for op in loop.body.block.ops
        )

    @property
    def is_read_elsewhere(self) -> bool:
        """
        Whether the memory that this loop reads is also read where no loop needs to be left, and
        tokens order neither behind other effects.
        """
        return all(map(is_independent, self.loads)) and self._is_read_by(
            op
            for op in self.function.walk()
            if not self.loop.is_ancestor(op)
            and not any(map(self.left.__contains__, parents(op)))
            and is_independent(op)
        )

    def _is_read_by(self, ops: Iterable[Operation]) -> bool:
        roots = {root for op in ops if is_plain_load(op) for root in self._roots(op)}
        return any(self._roots(op) & roots for op in self.loads)

    def _roots(self, load: Operation) -> frozenset[Root]:
        place = self.aliases.place(load)
        return frozenset() if place is None else place.roots

    # The loop that is left

    def _widen(self, together: int) -> None:
        """Does so many iterations at a time, all loads first; if these are all, no loop is left."""
        loop, last, (index, *arguments) = self.loop, last_of(self.body), self.body.args
        ty = loop.step.type
        assert isinstance(ty, IntegerType | IndexType)
        ops = [op for op in self.body.ops if op is not last]
        for op in ops:
            op.detach()
        builder = Builder(InsertPoint.before(last))
        copies: list[dict[SSAValue, SSAValue]] = []
        for number in range(1, together):
            moved = located(arith.ConstantOp(IntegerAttr(number * self.step, ty)), loop)
            place = located(arith.AddiOp(index, moved.result), loop)
            builder.insert([moved, place])
            copies.append({index: place.result})
        for op in self.early:
            builder.insert([op, *(op.clone(values) for values in copies)])
        others = [op for op in ops if op not in self.early]
        builder.insert(others)
        yielded = ends = tuple(last.operands)
        for values in copies:
            values.update(zip(arguments, ends, strict=True))
            builder.insert([op.clone(values) for op in others])
            ends = [values.get(value, value) for value in yielded]
        last.operands = ends
        if together == self.trips:
            Rewriter.inline_block(self.body, InsertPoint.before(loop), [loop.lb, *loop.iter_args])
            ends = tuple(last.operands)
            Rewriter.erase_op(last)
            Rewriter.replace_op(loop, [], ends)
        else:
            wide = located(arith.ConstantOp(IntegerAttr(together * self.step, ty)), loop)
            Rewriter.insert_op(wide, InsertPoint.before(loop))
            loop.operands[2] = wide.result
            UNROLLED.set(loop, UnitAttr())

    # What a load may be moved above

    def _is_free(self, op: Operation, known: Container[Operation]) -> bool:
        """Whether an op needs nothing of earlier iterations, nor what is not known to be so."""
        if op.regions or not (is_plain_load(op) or is_side_effect_free(op)):
            return False
        for value in op.operands:
            if value is self.body.args[0] or not self._is_inside(value):
                continue
            if is_plain_load(op) and is_token(value.type):
                if (tokens := self._find_tokens(op, value)) is None:
                    return False
                self.tokens[op] = tokens
            elif not isinstance(value.owner, Operation) or value.owner not in known:
                return False
        return True

    def _is_inside(self, value: SSAValue) -> bool:
        owner = value.owner
        return owner is self.body or (isinstance(owner, Operation) and self.loop.is_ancestor(owner))

    def _find_tokens(self, load: Operation, token: SSAValue) -> list[SSAValue] | None:
        """
        Tokens before the loop that order the same before a load as one in it; none if there is
        something in the loop that the load has to stay behind.
        """
        found: dict[SSAValue, None] = {}
        for value, is_earlier in reachable([(token, False)], self._before):
            if not self._is_inside(value):
                found[value] = None
            elif isinstance(value.owner, Operation) and not self._is_apart(
                load, value.owner, is_earlier=is_earlier
            ):
                return None
        return list(found)

    def _before(self, place: tuple[SSAValue, bool]) -> Iterator[tuple[SSAValue, bool]]:
        """The tokens that one is made of, each with whether it is one of an earlier iteration."""
        value, is_earlier = place
        if not self._is_inside(value):
            return
        if isinstance(value, BlockArgument):
            yield self.loop.iter_args[value.index - 1], True
            yield last_of(self.body).operands[value.index - 1], True
        elif isinstance(value.owner, Operation):
            yield from ((each, is_earlier) for each in value.owner.operands if is_token(each.type))

    def _is_apart(self, load: Operation, op: Operation, *, is_earlier: bool) -> bool:
        """Whether a load may be moved above an op with a token, maybe of another iteration."""
        if isinstance(op, JoinMemTokenOp):
            return True
        if op.regions or op.parent_block() is not self.body:
            return False
        order = ordering(own_effects(op), Effect.READ)
        if order is not Ordering.SAME_MEMORY:
            return order is Ordering.FREE
        crossed = crossed_by(self.loop if is_earlier else None)
        return not self.aliases.may_alias(load, op, crossed)

    def _release(self) -> None:
        """Orders loads behind what was before the loop only, and what follows them as before."""
        for load, tokens in self.tokens.items():
            join = JoinMemTokenOp(*tokens)
            Rewriter.insert_op(join, InsertPoint.before(self.loop))
            (number,) = (n for n, value in enumerate(load.operands) if is_token(value.type))
            old = load.operands[number]
            load.operands[number] = join.result
            join.location = load.location
            for result in load.results[1:]:
                both = JoinMemTokenOp(result, old)
                both.location = load.location
                Rewriter.insert_op(both, InsertPoint.after(load))
                result.replace_uses_with_if(
                    both.result, lambda use, op=both: use.operation is not op
                )


def is_independent(op: Operation) -> bool:
    """Whether no token orders an op behind other effects than loads."""
    tokens = [each for each in op.operands if is_token(each.type)]
    makers = (value.owner for value in reachable(tokens, find_sources))
    return not any(
        isinstance(maker, Operation) and not maker.regions and own_effects(maker) & ~Effect.READ
        for maker in makers
    )


def find_sources(token: SSAValue) -> list[SSAValue]:
    """The tokens that one is made of."""
    op = token.owner
    if isinstance(op, Operation) and not op.regions:
        return [each for each in op.operands if is_token(each.type)]
    return sources_of(token)


def located(op: OpT, other: Operation) -> OpT:
    """An op that is where another one is in the program."""
    op.location = other.location
    return op
