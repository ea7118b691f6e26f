"""
Removes needless loop-carried values of `scf.for` and results of `scf.if`.

Before:  %r:4 = scf.for %i = %c0 to %n step %c1
             iter_args(%a = %x, %b = %y, %j = %c3, %d = %z) -> (f32, f32, i32, f32) : i32 {
           %next_b = "use"(%a, %b, %j) …
           %next_j = nv_tileaa.addi %j, %c2 : i32
           %next_d = nv_tileaa.addf %d, %a : f32
           scf.yield %a, %next_b, %next_j, %next_d
         }                                                       // only %r#0 and %r#1 are used
After:   %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %y) -> (f32) : i32 {
           %twice = nv_tileaa.muli %i, %c2 : i32
           %j = nv_tileaa.addi %c3, %twice : i32
           %next_b = "use"(%x, %b, %j) …
           scf.yield %next_b : f32
         }

%a is loop-invariant: it is %x, in the loop and after it. %d is dead: only the next %d uses it. %j
is a derived induction variable, so it is computed from %i. Software pipelining relies on that: it
has to compute the indices of loads of later iterations. All of it is exact for integers that wrap
around.

Before:  %r:3 = scf.if %c -> (f32, f32, f32) {
           scf.yield %x, %y, %z
         } else {
           scf.yield %x, %poison, %w
         }                                                       // %r#2 is not used
After:   nothing; %r#0 is %x, and %r#1 is %y, which is defined outside.

Before:  %a = nv_tileaa.muli %block, %c128                       // rows before a tile block
         %first = nv_tileaa.divi %a, %c128 …                     // rounded down
         %next = nv_tileaa.addi %block, %c1
         %b = nv_tileaa.muli %next, %c128
         %end = nv_tileaa.divi %b, %c128 …                       // rounded up
         scf.for %i = %first to %end step %c1 …
After:   %end = nv_tileaa.addi %first, %c1
         scf.for %i = %first to %end step %c1 …

The trip count is a constant, because nothing overflows, as ranges of integers say. So a loop of one
iteration, such as that of the masked blocks of causal attention, is known as one. Software
pipelining has no steady state for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.counted_loops import find_induction_step, without_assumptions
from tileiras_xdsl.analysis.scalar_evolution import LinearAnalysis, is_plus
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, MulIOp, SubIOp
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of, last_of, walk

from .uplift_while_to_for import erase_dead, get_function


@dataclass(frozen=True)
class SimplifyLoopsPass(ModulePass):
    """
    Removes loop-carried values of `scf.for` that are invariant, dead, or derived from the induction
    variable, and results of `scf.if` that are unused or the same in both arms. Where the trip count
    of a loop is a constant, its upper bound is the lower one plus a constant.
    """

    name = "simplify-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # The bounds of a loop that begins at a constant are simple.
        loops = [loop for loop in find_all(op, scf.ForOp) if integer_of(loop.lb) is None]
        for function in dict.fromkeys(map(get_function, loops)):
            simplify_bounds(function)
        known: dict[Operation, AxisInfoAnalysis] = {}
        has_changed = True
        while has_changed:
            has_changed = False
            # Inner ones first: they may hold the last uses of what outer ones carry.
            for each in tuple(op.walk(region_first=True)):
                match each:
                    case scf.ForOp() if each.results:
                        has_changed |= simplify_for(each, known)
                    case scf.IfOp() if each.results:
                        has_changed |= simplify_if(each)
                    case _:
                        pass


def simplify_bounds(function: Operation) -> None:
    """Gives loops whose trip count is a constant the lower bound plus a constant as upper bound."""
    linear = LinearAnalysis(analyze(function))
    for loop in find_all(function, scf.ForOp):
        distance, ty = linear.difference(loop.ub, loop.lb), loop.lb.type
        if distance is None or distance <= 0 or not linear[loop.lb].terms:
            continue
        if is_plus(loop.ub, loop.lb, distance) or not isinstance(ty, IntegerType):
            continue
        constant = arith.ConstantOp(IntegerAttr(distance, ty))
        upper = AddIOp(loop.lb, constant.result)
        constant.location = upper.location = loop.location
        upper.result.name_hint = loop.ub.name_hint
        Rewriter.insert_op([constant, upper], InsertPoint.before(loop))
        old, loop.operands[1] = loop.ub, upper.result
        if isinstance(old.owner, Operation):
            erase_dead([old.owner])


def simplify_for(loop: scf.ForOp, known: dict[Operation, AxisInfoAnalysis]) -> bool:
    """Removes needless loop-carried values; returns whether there were any."""
    dropped = set[int]()
    for number, end in enumerate(last_of(loop.body.block).operands):
        if end in (loop.body.block.args[1 + number], loop.iter_args[number]):
            replace_carried(loop, number, loop.iter_args[number], loop.iter_args[number])
            dropped.add(number)
        elif (
            derived := find_derived_induction(loop, number, known)
        ) is not None and derived.apply():
            dropped.add(number)
    dropped |= find_dead(loop)
    if not dropped:
        return False
    drop_carried(loop, dropped)
    return True


def replace_carried(loop: scf.ForOp, number: int, inside: SSAValue, behind: SSAValue) -> None:
    """Replaces a loop-carried value in the loop, and its result after it."""
    loop.body.block.args[1 + number].replace_all_uses_with(inside)
    loop.results[number].replace_all_uses_with(behind)


# Derived induction variables


@dataclass(frozen=True)
class DerivedInduction:
    """A derived induction variable: its step is a multiple of the loop's."""

    loop: scf.ForOp
    number: int
    multiple: int
    """Its step divided by the loop's."""
    is_by_one: bool
    """Whether the loop's step is one."""
    is_entered: bool
    """Whether the lower bound is provably not above the upper bound."""

    def apply(self) -> bool:
        """Computes it from the loop's induction variable; returns whether that was possible."""
        loop = self.loop
        argument = loop.body.block.args[1 + self.number]
        result = loop.results[self.number]
        if result.first_use is not None and not self.is_by_one:
            return False
        base = self.build_base(InsertPoint.before(loop))
        inside = self.build(loop.body.block.args[0], base, InsertPoint.at_start(loop.body.block))
        behind = base
        if result.first_use is not None:
            point = InsertPoint.after(loop)
            last = loop.ub
            if not self.is_entered:
                last = self.insert(arith.MaxSIOp(loop.lb, loop.ub), point)
            behind = self.build(last, base, point)
        inside.name_hint = inside.name_hint or argument.name_hint
        replace_carried(loop, self.number, inside, behind)
        return True

    def build_base(self, point: InsertPoint) -> SSAValue:
        """Its value where the loop's induction variable is zero."""
        first, lower = self.loop.iter_args[self.number], self.loop.lb
        if integer_of(lower) == 0:
            return first
        scaled = self.scale(lower, point)
        if first is scaled:
            return self.constant(0, point)
        return self.insert(SubIOp(first, scaled), point)

    def build(self, counter: SSAValue, base: SSAValue, point: InsertPoint) -> SSAValue:
        """Its value, given the loop's induction variable."""
        scaled = self.scale(counter, point)
        return scaled if integer_of(base) == 0 else self.insert(AddIOp(base, scaled), point)

    def scale(self, counter: SSAValue, point: InsertPoint) -> SSAValue:
        if self.multiple == 1:
            return counter
        return self.insert(MulIOp(counter, self.constant(self.multiple, point)), point)

    def constant(self, number: int, point: InsertPoint) -> SSAValue:
        ty = self.loop.lb.type
        assert isinstance(ty, IntegerType)
        return self.insert(arith.ConstantOp(IntegerAttr(number, ty)), point)

    def insert(self, op: Operation, point: InsertPoint) -> SSAValue:
        op.location = self.loop.location
        Rewriter.insert_op(op, point)
        return op.results[0]


def find_derived_induction(
    loop: scf.ForOp, number: int, known: dict[Operation, AxisInfoAnalysis]
) -> DerivedInduction | None:
    """A loop-carried integer as derived induction variable; `None` if it is not one."""
    counter, argument = loop.body.block.args[0], loop.body.block.args[1 + number]
    if argument.type != counter.type or not isinstance(counter.type, IntegerType):
        return None
    function = get_function(loop)
    if function not in known:
        known[function] = analyze(function)
    axis_info = known[function]
    step = find_induction_step(
        last_of(loop.body.block).operands[number],
        axis_info,
        lambda value: without_assumptions(value) is argument,
        lambda value: not loop.is_ancestor(value.owner),
    )
    length = axis_info[loop.step].value
    if step is None or step.constant is None or length is None or length <= 0:
        return None
    multiple, rest = divmod(-step.constant if step.is_down else step.constant, length)
    if rest:
        return None
    is_entered = axis_info[loop.lb].high <= axis_info[loop.ub].low
    return DerivedInduction(loop, number, multiple, length == 1, is_entered)


# Dead values


def find_dead(loop: scf.ForOp) -> set[int]:
    """The loop-carried values that are not needed for side effects, or after the loop."""
    body, end = loop.body.block, last_of(loop.body.block)
    dead = {number for number, result in enumerate(loop.results) if result.first_use is None}
    if not dead:
        return dead
    live = [op for op in body.ops if op is not end and not would_be_trivially_dead(op)]
    needed = [value for number, value in enumerate(end.operands) if number not in dead]
    seen = set(live)
    for op in live:
        needed += get_used(op)
    while needed:
        value = needed.pop()
        if isinstance(value, BlockArgument) and value.block is body:
            number = value.index - 1
            if number in dead:
                dead.remove(number)
                needed.append(end.operands[number])
            continue
        owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        op = None if owner is None else body.find_ancestor_op_in_block(owner)
        if op is not None and op not in seen:
            seen.add(op)
            needed += get_used(op)
    return dead


def get_used(op: Operation) -> list[SSAValue]:
    """The operands of an op and of all ops in its regions."""
    return [value for each in walk(op) for value in each.operands]


def drop_carried(loop: scf.ForOp, dropped: set[int]) -> None:
    """Rebuilds a loop without some of its loop-carried values."""
    body, end = loop.body.block, last_of(loop.body.block)
    kept = [number for number in range(len(loop.results)) if number not in dropped]
    end.operands = [end.operands[number] for number in kept]
    erase_dead(body.ops)
    for number in sorted(dropped, reverse=True):
        body.erase_arg(body.args[1 + number])
    new = scf.ForOp(
        loop.lb,
        loop.ub,
        loop.step,
        [loop.iter_args[number] for number in kept],
        Rewriter.move_region_contents_to_new_regions(loop.body),
    )
    replace_by(loop, new, kept)


def simplify_if(branch: scf.IfOp) -> bool:
    """Removes needless results of an `scf.if`; returns whether there were any."""
    ends = [last_of(region.block) for region in branch.regions]
    for number, result in enumerate(branch.results):
        value = find_yielded(branch, [end.operands[number] for end in ends])
        if value is not None:
            result.replace_all_uses_with(value)
    kept = [number for number, result in enumerate(branch.results) if result.first_use is not None]
    if len(kept) == len(branch.results):
        return False
    for end in ends:
        end.operands = [end.operands[number] for number in kept]
        assert end.parent is not None
        erase_dead(end.parent.ops)
    types = [branch.results[number].type for number in kept]
    then, otherwise = map(Rewriter.move_region_contents_to_new_regions, branch.regions)
    new = scf.IfOp(branch.cond, types, then, otherwise)
    replace_by(branch, new, kept)
    erase_dead([new])
    return True


def find_yielded(branch: scf.IfOp, values: Sequence[SSAValue]) -> SSAValue | None:
    """The value from outside that both arms yield; poison in one arm may be any value."""
    defined = {value for value in values if not isinstance(value.owner, PoisonOp)}
    if len(defined) != 1:
        return None
    (value,) = defined
    return None if branch.is_ancestor(value.owner) else value


def replace_by(old: Operation, new: Operation, kept: Sequence[int]) -> None:
    """Replaces an op by one that has some of its results."""
    new.attributes.update(old.attributes)
    new.location = old.location
    Rewriter.insert_op(new, InsertPoint.before(old))
    for number, result in zip(kept, new.results, strict=True):
        old.results[number].replace_all_uses_with(result)
    Rewriter.erase_op(old)
