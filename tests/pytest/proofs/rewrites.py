"""
Rewrite patterns and folds, run one step at a time as the greedy driver does, each step proven.

What a step may change is the block of a function, or of the body of a loop, around the op that it
is for. Both versions of that block are translated for all values of its arguments and of what it
uses from outside, and the new one has to refine the old one: where the old one has no undefined
behaviour, neither has the new one, the same way out is taken, memory and other effects are the
same, tokens order at least as much, and values that are not poison are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.folder import Folder
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, HasFolder, IsTerminator

from tileiras_xdsl.dialects.cuda_tile.types import is_float

from . import accesses, floats, integers
from .floats import IS_EXACT, is_same_float
from .machine import (
    BRANCHES,
    EVALUATORS,
    EVENT,
    KINDS,
    TOKEN_BITS,
    Lane,
    Machine,
    Outcome,
    State,
    Tile,
    Unsupported,
    element_of,
    is_token,
    run_scope,
    unknown,
)
from .smt import DEFAULT_TIMEOUT, Term, Verdict, prove, z3

LOOPS = (
    *("cuda_tile.for", "cuda_tile.loop", "scf.for", "scf.while"),
    *("cuda_tile.reduce", "cuda_tile.scan"),
)
MAX_STEPS = 200

MODULES = (accesses, floats, integers)
"""The modules that say what ops mean."""


# Refinement


def refines(before: Outcome, after: Outcome) -> Term:
    """Whether one outcome may take the place of another."""
    same_order = [z3.BoolVal(True)]
    orders = dict(after.state.order)
    for event, needed in before.state.order:
        found = orders.get(event, z3.BitVecVal(0, TOKEN_BITS))
        same_order.append(needed & ~found == 0)
    claims = [
        z3.Not(after.state.undefined),
        before.kind == after.kind,
        before.state.memory == after.state.memory,
        before.state.history == after.state.history,
        *same_order,
    ]
    for kind, old_values in before.values.items():
        new_values = after.values.get(kind)
        if new_values is None:
            claims.append(before.kind != KINDS.index(kind))
            continue
        same = [
            tile_refines(old, new, ty)
            for old, new, ty in zip(old_values, new_values, before.types[kind], strict=True)
        ]
        claims.append(z3.Implies(before.kind == KINDS.index(kind), z3.And(*same)))
    return z3.Implies(z3.Not(before.state.undefined), z3.And(*claims))


def tile_refines(old: Tile, new: Tile, ty: Attribute) -> Term:
    """Whether a tile may take the place of another of its type."""
    pairs = zip(old.lanes, new.lanes, strict=True)
    return z3.And(*(lane_refines(a, b, ty) for a, b in pairs))


def lane_refines(old: Lane, new: Lane, ty: Attribute) -> Term:
    """Whether an element may take the place of another."""
    element = element_of(ty)
    if is_token(ty):
        return old.bits & ~new.bits == 0
    is_same = is_same_float(old, new, element) if is_float(element) else old.bits == new.bits
    return z3.Or(old.poison, z3.And(z3.Not(new.poison), is_same))


def prove_blocks(
    before: Block,
    after: Block,
    outside: tuple[Callable[[SSAValue], Tile], Callable[[SSAValue], Tile]] | None = None,
    assumptions: list[Term] | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    *,
    may_be_poison: bool = True,
) -> Verdict:
    """
    Whether a block refines another with the same arguments. Floats are at first nothing but bits,
    then those of the theory, if that makes a difference.
    """
    verdict = Verdict("unknown", 0.0)
    for is_exact in (False, True):
        reset = IS_EXACT.set(is_exact)
        try:
            outcomes: list[Outcome] = []
            for number, block in enumerate((before, after)):
                arguments = [
                    unknown(each.type, f"arg{each.index}", may_be_poison=may_be_poison)
                    for each in block.args
                ]
                use = _nothing if outside is None else outside[number]
                outcomes.append(run_scope(block, arguments, use))
            verdict = prove(refines(*outcomes), assumptions or (), timeout)
        finally:
            IS_EXACT.reset(reset)
        if verdict.answer == "proven" or not _has_floats(before, after):
            break
    return verdict


def _has_floats(*blocks: Block) -> bool:
    return any(
        is_float(element_of(value.type))
        for block in blocks
        for op in block.walk()
        for value in (*op.operands, *op.results)
    )


def _nothing(value: SSAValue) -> Tile:
    raise Unsupported(f"{value} is not known")


# Where a step happens


def scope_of(op: Operation) -> Block:
    """The innermost block around an op that is the body of a function or a loop."""
    block = op.parent
    while block is not None:
        parent = block.parent_op()
        if parent is None or parent.name not in BRANCHES:
            return block
        block = parent.parent
    raise Unsupported("an op outside of blocks")


Path = tuple[tuple[int, int, int], ...]


def path_of(block: Block) -> Path:
    """Where a block is in its module: at each level, the number of op, region and block."""
    parts: list[tuple[int, int, int]] = []
    current: Block | None = block
    while current is not None and (op := current.parent_op()) is not None:
        region = current.parent
        assert region is not None
        number = next(n for n, each in enumerate(region.blocks) if each is current)
        place = 0 if op.parent is None else op.parent.get_operation_index(op)
        parts.append((place, op.regions.index(region), number))
        current = op.parent
    return tuple(reversed(parts))


def block_at(root: Operation, path: Path) -> Block:
    """The block of a path."""
    block: Block | None = None
    for place, region, number in path:
        op = root if block is None else list(block.ops)[place]
        block = list(op.regions[region].blocks)[number]
    assert block is not None
    return block


@dataclass
class Outside:
    """
    The values that a block uses from outside: those of ops with a meaning and no effect are
    computed, all others may be anything.
    """

    numbers: dict[SSAValue, int]
    assumptions: list[Term]

    @staticmethod
    def of(root: Operation, scope: Block, assumptions: list[Term]) -> Outside:
        """All values outside of a block, in the order of the program."""
        numbers: dict[SSAValue, int] = {}

        def visit(op: Operation) -> None:
            for region in op.regions:
                for block in region.blocks:
                    if block is scope:
                        continue
                    for argument in block.args:
                        numbers[argument] = len(numbers)
                    for inner in block.ops:
                        visit(inner)
                        for result in inner.results:
                            numbers[result] = len(numbers)

        visit(root)
        return Outside(numbers, assumptions)

    def get(self, value: SSAValue) -> Tile:
        """What a value is."""
        owner = value.owner
        if isinstance(value, BlockArgument) or not isinstance(owner, Operation):
            return unknown(value.type, f"out{self.numbers[value]}")
        reads = "load" in owner.name or "atomic" in owner.name
        if owner.name not in EVALUATORS or owner.regions or reads:
            return unknown(value.type, f"out{self.numbers[value]}")
        machine = Machine(State.start(), {}, self.get)
        machine.run_op(owner)
        self.assumptions.append(z3.Not(machine.state.undefined))
        return machine.values[value]


# Steps


@dataclass(frozen=True)
class Step:
    """A rewrite that was done."""

    rule: str
    """The name of a pattern's class, or `fold` and the name of an op."""
    op: str
    """The op that it was for."""
    verdict: Verdict | None
    reason: str
    """Why there is no verdict."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.rule} of {self.op}: {self.verdict or self.reason}"


def text_of(op: Operation) -> str:
    """An op as text, however invalid."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(op)
    return stream.getvalue()


def number_accesses(module: Operation) -> None:
    """Numbers the accesses, so that tokens can be compared."""
    accesses = ("nv_tileaa.load", "nv_tileaa.store", "nv_tileaa.atomic_rmw", "nv_tileaa.atomic_cas")
    number = 0
    for op in module.walk():
        if op.name in accesses and number < TOKEN_BITS:
            op.attributes[EVENT] = IntegerAttr(number, i32)
            number += 1


Try = Callable[[Operation, PatternRewriter], bool]


def _try_fold(ctx: Context) -> Try:
    def attempt(op: Operation, rewriter: PatternRewriter) -> bool:
        if not op.has_trait(HasFolder, value_if_unregistered=False):
            return False
        if op.has_trait(ConstantLike, value_if_unregistered=True):
            return False
        folded = Folder(ctx).try_fold(op)
        if folded is None:
            return False
        values, ops = folded
        rewriter.replace(op, new_ops=ops, new_results=values)
        return True

    return attempt


def _try_pattern(pattern: RewritePattern) -> Try:
    def attempt(op: Operation, rewriter: PatternRewriter) -> bool:
        pattern.match_and_rewrite(op, rewriter)
        return rewriter.has_done_action

    return attempt


def prove_steps(
    module: ModuleOp,
    patterns: Sequence[RewritePattern],
    ctx: Context | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    defined: Collection[str] = (),
) -> Iterator[Step]:
    """
    Rewrites a module by patterns, in their order, and by the folds of its ops if there is a
    context, until nothing changes any more; yields each step with what the solver says of it.
    Arguments may be poison, but those of functions for the rules named in `defined`.
    """
    number_accesses(module)
    attempts: list[tuple[str, Try]] = []
    if ctx is not None:
        attempts.append(("fold", _try_fold(ctx)))
    attempts += [(type(pattern).__name__, _try_pattern(pattern)) for pattern in patterns]
    before = module.clone()
    for _ in range(MAX_STEPS):
        step = _do_step(module, before, attempts, timeout, defined)
        if step is None:
            return
        yield step
        before = module.clone()


def _do_step(
    module: ModuleOp,
    before: ModuleOp,
    attempts: Sequence[tuple[str, Try]],
    timeout: float,
    defined: Collection[str],
) -> Step | None:
    for op in list(module.walk()):
        if op.parent is None or op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        path, name = path_of(scope_of(op)), op.name
        for rule, attempt in attempts:
            if not attempt(op, PatternRewriter(op)):
                continue
            rule = f"fold {name}" if rule == "fold" else rule
            texts = text_of(before), text_of(module)
            try:
                is_defined = rule in defined
                verdict = prove_change(before, module, path, timeout, may_be_poison=not is_defined)
            except Unsupported as reason:
                return Step(rule, name, None, str(reason), *texts)
            return Step(rule, name, verdict, "", *texts)
    return None


def prove_change(
    before: Operation,
    after: Operation,
    path: Path,
    timeout: float = DEFAULT_TIMEOUT,
    *,
    may_be_poison: bool = True,
) -> Verdict:
    """Whether a module refines another that differs in one block only."""
    assumptions: list[Term] = []
    blocks = block_at(before, path), block_at(after, path)
    uses = [
        Outside.of(root, block, assumptions).get
        for root, block in zip((before, after), blocks, strict=True)
    ]
    parent = blocks[0].parent_op()
    is_loop = parent is not None and parent.name in LOOPS
    return prove_blocks(
        *blocks,
        (uses[0], uses[1]),
        assumptions,
        timeout,
        may_be_poison=may_be_poison or is_loop,
    )
