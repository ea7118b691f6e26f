"""
Bounds and trip counts of loops that passes make of others, proven for all values.

- `loop-split`: every value of the induction variable is in one of the two loops, in the one whose
  branch its comparison chooses, and no others are.
- `uplift-while-to-for`: with each value of the new induction variable, the old loop goes on if and
  only if the new one does, and its body sees the same number. Then both run in lockstep.
- `simplify-loops`: a derived induction variable has its old value in every iteration, and behind.

The passes run as they are, and the bounds are those in the IR after them. Divisions by a step that
is not known are hard for the solver: all values of i4 are tried, and powers of two proven at every
width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.cuda_tile.control_flow import ForOp
from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass
from tileiras_xdsl.transforms.tileaa.simplify_loops import SimplifyLoopsPass
from tileiras_xdsl.transforms.tileaa.uplift_while_to_for import UpliftWhileToForPass

from .canonicalization import context, parse
from .integers import compare
from .machine import Machine, State, Tile, constant, unknown
from .programs import Program
from .rewrites import MODULES
from .smt import Term, Verdict, exhaust, prove, z3

WIDTHS = ("i8", "i16", "i32", "i64")
SMALL = "i4"
"""All values of these are tried where a step is not known."""
EXTRA = 4
"""Bits that sums of a few numbers need in addition."""


EVALUATED = MODULES
"""What is imported so that ops have a meaning."""


def run_pass(text: str, each: ModulePass) -> ModuleOp:
    module = parse(Program("loop", "", text))
    each.apply(context(), module)
    return module


def evaluate(block: Block, until: Operation | None, known: dict[SSAValue, Tile]) -> Machine:
    """Runs the ops of a block up to one of them."""
    machine = Machine(State.start(), known)
    for op in block.ops:
        if op is until:
            break
        if op.name.startswith("test.") or op.regions:
            continue
        if all(operand in machine.values for operand in op.operands):
            machine.run_op(op)
    return machine


def parameters(block: Block) -> dict[SSAValue, Tile]:
    return {each: unknown(each.type, f"p{each.index}", may_be_poison=False) for each in block.args}


def extended(bits: Term, *, signed: bool = True) -> Term:
    return (z3.SignExt if signed else z3.ZeroExt)(EXTRA, bits)


# Splitting

RELATIONS = {
    "less_than": "lt",
    "less_than_or_equal": "le",
    "greater_than": "gt",
    "greater_than_or_equal": "ge",
}
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class SplitCase(NamedTuple):
    """A loop with a comparison in it."""

    width: str
    predicate: str
    signedness: str
    is_mirrored: bool
    step: str
    """A number, or `?` for any."""
    bound: str
    """A number, or `?` for any."""

    @property
    def text(self) -> str:
        ty, tile = self.width, f"!cuda_tile.tile<{self.width}>"
        constants = "".join(
            f"    %{name} = constant <{ty}: {value}> : tile<{ty}>\n"
            for name, value in (("st", self.step), ("v", self.bound))
            if value != "?"
        )
        more = "".join(
            f", %{name}: {tile}"
            for name, value in (("st", self.step), ("v", self.bound))
            if value == "?"
        )
        operands = "%v, %i" if self.is_mirrored else "%i, %v"
        unsigned = "unsigned " if self.signedness == "unsigned" else ""
        return f"""cuda_tile.module @m {{
  testing$func @f(%lb: {tile}, %ub: {tile}{more}) {{
{constants}    for {unsigned}%i in (%lb to %ub, step %st) : tile<{ty}> {{
      %c = cmpi {self.predicate} {operands}, {self.signedness} : tile<{ty}> -> tile<i1>
      if %c {{
        %t = print_tko "then" -> token
      }} else {{
        %t = print_tko "else" -> token
      }}
    }}
    return
  }}
}}"""


def split_cases(widths: Sequence[str] = (SMALL, *WIDTHS)) -> Iterator[SplitCase]:
    """Loops that are split."""
    for width in widths:
        if width == SMALL:
            # Those that need no constant, of which there are none of so few bits.
            predicates = ("less_than", "greater_than_or_equal")
            for predicate, signedness in product(predicates, ("signed", "unsigned")):
                yield SplitCase(width, predicate, signedness, False, "?", "?")
            continue
        steps = ("1", "2", "16")
        largest = str((1 << (int(width[1:]) - 1)) - 1)
        for predicate, signedness, step in product(RELATIONS, ("signed", "unsigned"), steps):
            yield SplitCase(width, predicate, signedness, False, step, "?")
        for predicate, bound in product(RELATIONS, ("5", largest, "-1")):
            yield SplitCase(width, predicate, "signed", True, "1", bound)


def prove_split(case: SplitCase, timeout: float = 20.0) -> Verdict:
    """Whether the two loops that a loop is split into are right."""
    module = run_pass(case.text, LoopSplitPass())
    loops = [op for op in module.walk() if isinstance(op, ForOp)]
    assert len(loops) == 2, "the loop is not split"
    block = loops[0].parent
    assert block is not None
    machine = evaluate(block, None, parameters(block))
    signed = case.signedness == "signed"

    def wide(value: SSAValue) -> Term:
        return extended(machine.get(value).scalar.bits, signed=signed)

    lower, middle = wide(loops[0].lower_bound), wide(loops[0].upper_bound)
    start, upper, step = (
        wide(value) for value in (loops[1].lower_bound, loops[1].upper_bound, loops[1].step)
    )
    width = lower.size() - EXTRA
    number = z3.BitVec("i", lower.size())
    if case.bound == "?":
        point = machine.get(block.args[-1]).scalar.bits
    else:
        point = z3.BitVecVal(int(case.bound), width)
    relation = RELATIONS[case.predicate]
    if case.is_mirrored:
        relation = MIRRORED[relation]
    then = compare(relation, number, extended(point, signed=signed), signed=True)
    is_first = then if relation in ("lt", "le") else z3.Not(then)

    most = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
    # No step of the loop overflows, the last one included.
    assumptions = [
        z3.Not(machine.state.undefined),
        step > 0,
        z3.Implies(lower < upper, last_step(lower, upper, step) <= most),
    ]

    def is_in(first: Term, end: Term) -> Term:
        on_grid = z3.URem(number - first, step) == 0
        return z3.And(first <= number, number < end, on_grid)

    old = is_in(lower, upper)
    claim = z3.And(
        is_in(lower, middle) == z3.And(old, is_first),
        is_in(start, upper) == z3.And(old, z3.Not(is_first)),
    )
    texts = [first_text(loop.body.block) for loop in loops]
    expected = ["then", "else"] if relation in ("lt", "le") else ["else", "then"]
    assert texts == expected, texts
    if case.step == "?":
        return exhaust(claim, assumptions)
    return prove(claim, assumptions, timeout)


def last_step(lower: Term, upper: Term, step: Term) -> Term:
    """The first value of an induction variable that is not below the upper bound."""
    return lower + (z3.UDiv(upper - 1 - lower, step) + 1) * step


def first_text(block: Block) -> str:
    """What the first `print` of a block writes."""
    op = next(op for op in block.ops if op.name == "cuda_tile.print_tko")
    return str(op.properties["str"]).strip('"')


# Uplifting


class WhileCase(NamedTuple):
    """A loop that may be a counted one."""

    width: str
    predicate: str
    signedness: str
    first: tuple[int | None, int | None]
    """What is known of the initial value."""
    bound: tuple[int | None, int | None]
    step: int | tuple[int, int]
    """A number, or what is known of it."""
    is_down: bool
    overflow: str
    is_bottom_tested: bool
    is_mirrored: bool
    divisor: int = 1

    @property
    def text(self) -> str:
        ty = self.width

        def assume(name: str, source: str, bounds: tuple[int | None, int | None]) -> str:
            low, high = ("?" if each is None else each for each in bounds)
            text = (
                f"  %{name}0 = nv_tileaa.assume {source} "
                f"{{predicate = #nv_tileaa.bounded<{low}, {high}>}} : {ty}\n"
            )
            divisor = 1 if name == "s" else self.divisor
            return text + (
                f"  %{name} = nv_tileaa.assume %{name}0 "
                f"{{predicate = #nv_tileaa.div_by<{divisor}>}} : {ty}\n"
            )

        if isinstance(self.step, int):
            step = f"  %s = arith.constant {self.step} : {ty}\n"
        else:
            step = assume("s", "%z", self.step)
        op = "subi" if self.is_down else "addi"
        flags = f' {{overflow = "{self.overflow}"}}' if self.overflow else ""
        tested = "%n" if self.is_bottom_tested else "%i"
        operands = f"%b, {tested}" if self.is_mirrored else f"{tested}, %b"
        test = (
            f'    %c = nv_tileaa.cmpi {operands} {{comparison_predicate = "{self.predicate}", '
            f'signedness = "{self.signedness}"}} : {ty} -> i1\n'
        )
        use = f'"test.op"(%X) : ({ty}) -> ()\n'
        if self.is_bottom_tested:
            before = (
                f"    {use.replace('X', 'i')}    %n = nv_tileaa.{op} %i, %s{flags} : {ty}\n{test}"
                f"    scf.condition(%c) %n : {ty}\n"
            )
            after = f"    scf.yield %j : {ty}\n"
        else:
            before = f"{test}    scf.condition(%c) %i : {ty}\n"
            after = (
                f"    {use.replace('X', 'j')}    %n = nv_tileaa.{op} %j, %s{flags} : {ty}\n"
                f"    scf.yield %n : {ty}\n"
            )
        assumptions = assume("a", "%x", self.first) + assume("b", "%y", self.bound)
        return f"""func.func @f(%x: {ty}, %y: {ty}, %z: {ty}) -> {ty} {{
{assumptions}{step}
  %r = scf.while (%i = %a) : ({ty}) -> {ty} {{
{before}  }} do {{
  ^bb0(%j: {ty}):
{after}  }}
  func.return %r : {ty}
}}"""


PREDICATES = (*RELATIONS, "not_equal")


def while_cases(count: int, seed: int = 0, widths: Sequence[str] = WIDTHS) -> Iterator[WhileCase]:
    """Loops with bounds near what is special."""
    random = Random(seed)
    for _ in range(count):
        width = random.choice(widths)
        half = 1 << (int(width[1:]) - 1)
        corners = (0, 1, -1, 5, 100, -100, half - 1, half - 2, half - 5, -half, -half + 3)

        def draw(
            half: int = half, corners: Sequence[int] = corners
        ) -> tuple[int | None, int | None]:
            ends = [each for each in random.sample(corners, 2) if -half <= each < half]
            if len(ends) < 2 or random.random() < 0.2:
                return random.choice(((0, None), (None, None), (None, half - 9), (1, 100)))
            return min(ends), max(ends)

        step: int | tuple[int, int] = random.choice((1, 1, 1, 2, 3, 4, 7, -1, -2, -3, 16))
        if random.random() < 0.15:
            step = random.choice(((1, 3), (1, half - 1), (2, 2), (1, 16)))
        yield WhileCase(
            width,
            random.choice(PREDICATES),
            random.choice(("signed", "signed", "unsigned")),
            draw(),
            draw(),
            step,
            random.random() < 0.4,
            random.choice(("", "", "no_signed_wrap", "no_unsigned_wrap")),
            random.random() < 0.35,
            random.random() < 0.2,
            random.choice((1, 1, 2, 4)),
        )


def prove_uplift(case: WhileCase, timeout: float = 20.0) -> Verdict | None:
    """Whether the loop that another one becomes is right; nothing if it stays as it is."""
    module = run_pass(case.text, UpliftWhileToForPass())
    loop = next((op for op in module.walk() if isinstance(op, scf.ForOp)), None)
    if loop is None:
        return None
    block = loop.parent
    assert block is not None
    known = parameters(block)
    machine = evaluate(block, loop, known)

    def of_name(name: str) -> Term:
        for value, tile in machine.values.items():
            if value.name_hint == name:
                return tile.scalar.bits
        raise AssertionError(name)

    first, bound = of_name("a"), of_name("b")
    size = first.size()
    if isinstance(case.step, int):
        step = z3.BitVecVal(case.step, size)
    else:
        step = of_name("s")
    lower, upper, stride = (
        extended(machine.get(value).scalar.bits) for value in (loop.lb, loop.ub, loop.step)
    )
    # The induction variable of the new loop, as a number that does not wrap around.
    counter = z3.BitVec("counter", size + EXTRA)
    distance = z3.Extract(size - 1, 0, counter - lower)
    is_up = z3.Extract(size - 1, 0, stride) == (-step if case.is_down else step)
    number = z3.If(is_up, first + distance, first - distance)
    following, previous = number + step, number - step
    if case.is_down:
        following, previous = previous, following
    relation = {**dict(RELATIONS), "not_equal": "ne"}[case.predicate]
    sides = (bound, following if case.is_bottom_tested else number)
    lhs, rhs = sides if case.is_mirrored else sides[::-1]
    goes_on = compare(relation, lhs, rhs, signed=case.signedness == "signed")

    body = loop.body.block
    short = Tile((), (constant(0, size)._replace(bits=z3.Extract(size - 1, 0, counter)),))
    inner = evaluate(body, None, {**machine.values, body.args[0]: short})
    use = next(op for op in body.ops if op.name == "test.op").operands[0]
    if use in body.args[1:]:
        seen = number  # it is still carried by the loop, as it was
    else:
        seen = inner.get(use).scalar.bits

    on_grid = z3.URem(counter - lower, stride) == 0 if relation == "ne" else z3.BoolVal(True)
    assumptions = [
        z3.Not(machine.state.undefined),
        counter >= lower,
        on_grid,
        z3.Not(overflows(case, number, step)),
        # Nor was the value itself poison, with which the test would be undefined.
        z3.Implies(counter != lower, z3.Not(overflows(case, previous, step))),
    ]
    is_reached = z3.Or(counter == lower, counter - stride < upper)
    runs = counter < upper
    most = (1 << (size - 1)) - 1
    if case.is_bottom_tested:
        claim = z3.And(
            stride > 0,
            lower < upper,
            z3.Implies(
                runs,
                z3.And(goes_on == (counter + stride < upper), seen == number),
            ),
            z3.Implies(runs, counter + stride <= most),
        )
    else:
        endless = is_endless(case, first, bound, size)
        claim = z3.And(
            stride > 0,
            z3.Implies(
                is_reached,
                z3.And(
                    z3.Or(goes_on == runs, z3.And(counter > most, endless)),
                    z3.Implies(runs, seen == number),
                ),
            ),
            z3.Implies(runs, z3.Or(counter + stride <= most, endless)),
        )
    verdict = prove(claim, assumptions, timeout)
    if verdict.answer != "proven":
        return verdict
    return prove_last(case, module, loop, machine, number, counter, timeout)


def overflows(case: WhileCase, number: Term, step: Term) -> Term:
    """Whether the next value of the old induction variable is poison."""
    if case.overflow == "no_signed_wrap":
        if case.is_down:
            fits = (z3.BVSubNoOverflow(number, step), z3.BVSubNoUnderflow(number, step, True))
        else:
            fits = (z3.BVAddNoOverflow(number, step, True), z3.BVAddNoUnderflow(number, step))
        return z3.Not(z3.And(*fits))
    if case.overflow == "no_unsigned_wrap":
        if case.is_down:
            return z3.Not(z3.BVSubNoUnderflow(number, step, False))
        return z3.Not(z3.BVAddNoOverflow(number, step, False))
    return z3.BoolVal(False)


def is_endless(case: WhileCase, first: Term, bound: Term, size: int) -> Term:
    """
    Whether the old loop would never end, which is undefined: no value that it can have, with a
    step of a power of two, fails the test.
    """
    if not isinstance(case.step, int) or abs(case.step).bit_count() != 1 or case.overflow:
        return z3.BoolVal(False)
    # The largest number that the induction variable can have is below the bound.
    rest = z3.URem(first, z3.BitVecVal(abs(case.step), size))
    largest = z3.BitVecVal((1 << (size - 1)) - abs(case.step), size) + rest
    return largest < bound if "equal" not in case.predicate else largest <= bound


def prove_last(
    case: WhileCase,
    module: ModuleOp,
    loop: scf.ForOp,
    machine: Machine,
    number: Term,
    counter: Term,
    timeout: float,
) -> Verdict:
    """Whether the value of the induction variable behind the loop is right, if it is computed."""
    block = loop.parent
    assert block is not None
    end = block.last_op
    assert end is not None
    if end.operands[0] in loop.results:
        return Verdict("proven", 0.0)
    behind = evaluate(block, None, dict(machine.values))
    lower, upper = (extended(machine.get(value).scalar.bits) for value in (loop.lb, loop.ub))
    last = z3.If(lower < upper, upper, lower)
    result = behind.get(end.operands[0]).scalar.bits
    claim = z3.substitute(number, (counter, last)) == result
    return prove(claim, [z3.Not(behind.state.undefined)], timeout)


# Derived induction variables


class DerivedCase(NamedTuple):
    """A loop that carries a number that follows from its induction variable."""

    width: str
    step: int
    own_step: int
    is_down: bool
    lower: int | None
    is_used: bool

    @property
    def text(self) -> str:
        ty = self.width
        op = "subi" if self.is_down else "addi"
        lower = f"  %l = arith.constant {self.lower} : {ty}\n" if self.lower is not None else ""
        name = "%lb" if self.lower is None else "%l"
        result = "%r" if self.is_used else "%first"
        return f"""func.func @f(%lb: {ty}, %ub: {ty}, %first: {ty}) -> {ty} {{
  %s = arith.constant {self.step} : {ty}
  %t = arith.constant {self.own_step} : {ty}
{lower}  %r = scf.for %i = {name} to %ub step %s iter_args(%j = %first) -> ({ty}) : {ty} {{
    "test.op"(%j) : ({ty}) -> ()
    %n = nv_tileaa.{op} %j, %t : {ty}
    scf.yield %n : {ty}
  }}
  func.return {result} : {ty}
}}"""


def derived_cases(widths: Sequence[str] = WIDTHS) -> Iterator[DerivedCase]:
    """Loops with steps of both signs."""
    steps = ((1, 1), (1, 3), (1, -2), (2, 4), (4, -8), (3, 9), (2, -2))
    for width, (step, own), is_down, lower in product(widths, steps, (False, True), (None, 0, 5)):
        yield DerivedCase(width, step, own, is_down, lower, step == 1)


def prove_derived(case: DerivedCase, timeout: float = 20.0) -> Verdict | None:
    """Whether a derived induction variable is right; nothing if it is still carried."""
    module = run_pass(case.text, SimplifyLoopsPass())
    loop = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    if loop.iter_args:
        return None
    block = loop.parent
    assert block is not None
    machine = evaluate(block, loop, parameters(block))
    body = loop.body.block
    size = int(case.width[1:])
    round_ = z3.BitVec("round", size)
    lower, upper = (machine.get(value).scalar.bits for value in (loop.lb, loop.ub))
    counter = lower + round_ * case.step
    known = {**machine.values, body.args[0]: Tile((), (constant(0, size)._replace(bits=counter),))}
    inner = evaluate(body, None, known)
    use = next(op for op in body.ops if op.name == "test.op").operands[0]
    own = -case.own_step if case.is_down else case.own_step
    first = next(tile for value, tile in machine.values.items() if value.name_hint == "first")
    claims = [inner.get(use).scalar.bits == first.scalar.bits + round_ * own]
    if case.is_used:
        end = block.last_op
        assert end is not None
        behind = evaluate(block, None, dict(machine.values))
        trips = z3.If(lower < upper, upper - lower, z3.BitVecVal(0, size))
        claims.append(behind.get(end.operands[0]).scalar.bits == first.scalar.bits + trips * own)
    return prove(z3.And(*claims), (), timeout)
