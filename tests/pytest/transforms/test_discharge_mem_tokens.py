"""
Programs without tokens mean what they meant with them.

Three checks that know nothing of how the pass works. Programs give the same numbers when the
interpreter performs accesses in any order that barriers allow, and then no two accesses race. And
on no path through the result are two effects, ordered by tokens before, without a barrier between
them if they need one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue

from tileiras_xdsl.analysis import axis_info_analysis
from tileiras_xdsl.analysis.alias import Aliases, AliasSets
from tileiras_xdsl.analysis.axis_info_analysis import Analysis
from tileiras_xdsl.analysis.memory_order import Ordering
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.memory_order import Effect
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import is_token
from tileiras_xdsl.frontend.bytecode import read
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.transforms.tileaa import discharge_mem_tokens
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.discharge_mem_tokens import (
    Barriers,
    Conflicts,
    DischargeMemTokensPass,
    Loop,
    OrderedEffect,
    PendingEffects,
    Summary,
    Walk,
    needs_cta_barrier,
)
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.cases import every
from ..harness.modules import context
from ..harness.passes import applied, apply
from ..interpreter.differential import converted, difference, discharged, outcome
from ..interpreter.test_corpus import CORPUS, GRID, KERNELS, arguments
from ..strategies.programs import random_program

PROGRAMS = 40
CHUNK = 10

LOOPS = scf.ForOp | scf.WhileOp
Crossed = frozenset[Operation]


def canonical(module: ModuleOp) -> ModuleOp:
    return apply(converted(module), CanonicalizeTileaaPass())


def tokens_of(op: Operation) -> list[SSAValue]:
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return [value for value in (*op.operands, *op.results, *arguments) if is_token(value.type)]


# A checker of its own


def effects_of(module: ModuleOp) -> list[Operation]:
    """The ops that tokens may order, in program order: the pass keeps all of them."""
    kinds = memory.OrderedAccess | memory.TokenOperation | memory.PrintOp
    return [op for op in module.walk() if isinstance(op, kinds)]


def first_of(region: Region) -> list[Operation]:
    """The op that a region begins with."""
    return [block.first_op for block in list(region.blocks)[:1] if block.first_op is not None]


def after(op: Operation) -> list[Operation]:
    """Where control goes behind an op with regions."""
    return [] if op.next_op is None else [op.next_op]


def successors(op: Operation) -> list[Operation]:
    """The ops that may be the next one."""
    match op:
        case scf.ForOp():
            return first_of(op.body) + after(op)
        case scf.WhileOp():
            return first_of(op.before_region)
        case scf.IfOp():
            taken = [first for region in op.regions for first in first_of(region)]
            return taken if len(taken) == 2 else taken + after(op)
        case scf.ConditionOp():
            loop = parent_of(op)
            assert isinstance(loop, scf.WhileOp)
            return first_of(loop.after_region) + after(loop)
        case scf.YieldOp():
            around = parent_of(op)
            match around:
                case scf.ForOp():
                    return first_of(around.body) + after(around)
                case scf.WhileOp():
                    return first_of(around.before_region)
                case _:
                    return after(around)
        case _:
            return after(op)


def parent_of(op: Operation) -> Operation:
    parent = op.parent_op()
    assert parent is not None
    return parent


def back_edge(op: Operation) -> set[Operation]:
    """The loop that an op leads to the next iteration of."""
    around = parent_of(op)
    return {around} if isinstance(op, scf.YieldOp) and isinstance(around, LOOPS) else set()


def reached_without_barrier(start: Operation) -> set[tuple[Operation, Crossed]]:
    """
    The ops that a path leads to from an op, on which there is no barrier, and the loops whose
    back edges are on it.
    """
    seen: set[tuple[Operation, Crossed]] = set()
    pending = [(op, frozenset[Operation]()) for op in successors(start)]
    while pending:
        op, crossed = pending.pop()
        if (op, crossed) in seen or isinstance(op, gpu.BarrierOp | memory.MemoryFenceAliasOp):
            continue
        seen.add((op, crossed))
        loop = back_edge(op)
        for following in successors(op):
            # The loop ends, if control does not go back into it.
            again = loop and following.parent_op() in loop
            pending.append((following, crossed | loop if again else crossed))
    return seen


def token_uses(token: SSAValue) -> Iterator[SSAValue]:
    """The tokens that come after one, by one step."""
    for use in token.uses:
        op, index = use.operation, use.index
        match op:
            case scf.ForOp():
                yield op.body.block.args[index - 2]
                yield op.results[index - 3]
            case scf.WhileOp():
                yield op.before_region.block.args[index]
            case scf.ConditionOp():
                loop = parent_of(op)
                assert isinstance(loop, scf.WhileOp)
                yield loop.after_region.block.args[index - 1]
                yield loop.results[index - 1]
            case scf.YieldOp():
                around = parent_of(op)
                if isinstance(around, scf.WhileOp):
                    yield around.before_region.block.args[index]
                else:
                    yield around.results[index]
                if isinstance(around, scf.ForOp):
                    yield around.body.block.args[index + 1]
            case _:
                yield from (result for result in op.results if is_token(result.type))


def ordered_after(effect: Operation) -> set[Operation]:
    """The effects that a token puts behind an effect."""
    seen: set[SSAValue] = set()
    pending: list[SSAValue] = [result for result in effect.results if is_token(result.type)]
    found: set[Operation] = set()
    while pending:
        token = pending.pop()
        if token in seen:
            continue
        seen.add(token)
        found.update(use.operation for use in token.uses)
        pending += token_uses(token)
    return found


def reads_only(op: Operation) -> bool:
    return isinstance(op, memory.LoadOp | views.TileLoad)


def is_strong(op: Operation) -> bool:
    return semantic_of(op) != "weak" or "volatile" in op.properties


def is_of_one_thread(op: Operation) -> bool:
    scalar = isinstance(op, memory.StoreOp | memory.AtomicRMWOp | memory.AtomicCASOp)
    scalar |= isinstance(op, memory.LoadOp) and is_strong(op)
    return scalar and not get_shape(op.operands[0].type)


def semantic_of(op: Operation) -> str:
    return op.get_semantic() if isinstance(op, memory.OrderedAccess) else "weak"


def needs_barrier(first: Operation, second: Operation, aliases: Aliases, crossed: Crossed) -> bool:
    """Whether two effects in order may go wrong if threads do not meet between them."""
    if is_of_one_thread(first) and is_of_one_thread(second):
        return False
    if any(isinstance(op, memory.MemoryFenceAliasOp) for op in (first, second)):
        return False
    prints = [isinstance(op, memory.PrintOp) for op in (first, second)]
    if any(prints):
        return all(prints)
    if isinstance(second, memory.TokenOperation) or isinstance(first, memory.GdcWaitOp):
        return True
    if semantic_of(first) in ("acquire", "acq_rel", "seq_cst"):
        return True
    if semantic_of(second) in ("release", "acq_rel", "seq_cst"):
        return True
    if isinstance(first, memory.TokenOperation):
        # What comes behind a launch of other grids may be done before it.
        return False
    if reads_only(first) and reads_only(second) and not (is_strong(first) and is_strong(second)):
        return False
    return aliases.may_alias(first, second, crossed)


def missing_barriers(before: ModuleOp, result: ModuleOp) -> list[tuple[Operation, Operation]]:
    """The pairs of effects that need a barrier, but have none on some path of the result."""
    old, new = effects_of(before), effects_of(result)
    assert [op.name for op in old] == [op.name for op in new]
    aliases = {op: Aliases(op) for op in result.walk() if isinstance(op, gpu.FuncOp)}
    counterpart = dict(zip(old, new, strict=True))
    missing: list[tuple[Operation, Operation]] = []
    for first in old:
        behind = {counterpart[op] for op in ordered_after(first) if op in counterpart}
        earlier = counterpart[first]
        for later, crossed in reached_without_barrier(earlier):
            if later in behind and needs_barrier(
                earlier, later, aliases[function_around(earlier)], crossed
            ):
                missing.append((earlier, later))
    return missing


def function_around(op: Operation) -> gpu.FuncOp:
    while not isinstance(op, gpu.FuncOp):
        op = parent_of(op)
    return op


def check(module: ModuleOp) -> ModuleOp:
    """Checks what the pass makes of a module, and returns it."""
    result = applied(module, DischargeMemTokensPass())
    assert not any(tokens_of(op) for op in result.walk())
    assert not missing_barriers(module, result)
    return result


# Programs


@pytest.mark.part("kernels")
@pytest.mark.parametrize("first", every(4, range(0, PROGRAMS, CHUNK)))
def test_random_programs_mean_the_same(first: int):
    for seed in range(first, first + CHUNK):
        program = random_program(seed)
        lowered = canonical(program.module)
        result = check(lowered)
        expected = outcome(lowered, program.arguments(), program.grid)
        for shuffled, checks in ((None, ()), (seed, ()), (None, ("races",))):
            found = outcome(result, program.arguments(), program.grid, seed=shuffled, check=checks)
            assert difference(expected, found) is None, f"program {seed}, {shuffled}, {checks}"


@pytest.mark.every(9)
@pytest.mark.parametrize("name", KERNELS[::4])
def test_kernels_mean_the_same(name: str):
    module = read((CORPUS / f"{name}.tileirbc").read_bytes())
    entries: Sequence[ct.EntryOp] = [op for op in module.walk() if isinstance(op, ct.EntryOp)]
    lowered = canonical(module)
    result = check(lowered)
    for entry in entries:
        block = entry.body.block
        expected = outcome(lowered, arguments(block, 0), GRID, entry.symbol)
        found = outcome(result, arguments(block, 0), GRID, entry.symbol)
        assert difference(expected, found) is None


@pytest.mark.every(21, first=2)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_have_the_barriers_they_need(name: str):
    check(canonical(read((CORPUS / f"{name}.tileirbc").read_bytes())))


# The checks themselves


def no_barrier(self: Barriers) -> list[Operation]:
    return []


def one_less(self: Barriers) -> list[Operation]:
    return all_needed(self)[:-1]


def without_back_edges(self: Barriers, op: Loop) -> Summary:
    walk, state = Walk(op), PendingEffects()
    for region in op.regions:
        state = self._visit_region(region, state, walk)  # pyright: ignore[reportPrivateUsage]
    self._found += walk.barriers  # pyright: ignore[reportPrivateUsage]
    return Summary(walk, state.pending, is_passed=True)


def pass_all(self: Walk) -> Iterator[Operation]:
    """Nothing in a loop is seen from outside."""
    return iter(())


def only_if_later_reads(earlier: OrderedEffect, later: OrderedEffect) -> Ordering:
    return Ordering.FREE if later.effects & Effect.WRITE else needs_cta_barrier(earlier, later)


def only_if_weak(earlier: OrderedEffect, later: OrderedEffect) -> Ordering:
    if (earlier.effects | later.effects) & (Effect.ACQUIRE | Effect.RELEASE):
        return Ordering.FREE
    return needs_cta_barrier(earlier, later)


def nothing(self: AliasSets, op: Operation, among: int, loop: Operation | None) -> int:
    return 0


all_needed = Barriers.needed

PLANTED: dict[Callable[..., object], tuple[object, str]] = {
    no_barrier: (Barriers, "needed"),
    one_less: (Barriers, "needed"),
    without_back_edges: (Barriers, "_summarize"),
    pass_all: (Walk, "all_first"),
    only_if_later_reads: (discharge_mem_tokens, "needs_cta_barrier"),
    only_if_weak: (discharge_mem_tokens, "needs_cta_barrier"),
    nothing: (AliasSets, "candidates"),
}
TELLING = (
    *("aliased_arrays", "spin_lock", "ordered_views", "orders_and_scopes", "bitonic_sort"),
    *("persistent_matmul", "selective_scan", "last_block_reduces"),
)


@pytest.mark.part("kernels")
@pytest.mark.every(7, first=4)
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_missing_barriers_are_noticed(
    planted: Callable[..., object], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(*PLANTED[planted], planted)
    noticed = 0
    for name in TELLING:
        module = canonical(read((CORPUS / f"{name}.tileirbc").read_bytes()))
        noticed += bool(missing_barriers(module, discharged(module)))
    assert noticed


@pytest.mark.part("kernels")
def test_races_show_that_barriers_are_missing(monkeypatch: pytest.MonkeyPatch):
    """The interpreter sees it too, if no barrier is there at all."""
    monkeypatch.setattr(Barriers, "needed", no_barrier)
    with pytest.raises(ExecutionError, match="race"):
        run_random_programs(40, check=("races",))


def run_random_programs(count: int, *, check: Sequence[str]) -> None:
    for seed in range(count):
        program = random_program(seed)
        result = discharged(canonical(program.module))
        outcome(result, program.arguments(), program.grid, check=check)


# Tokens until the hop


@pytest.mark.requirement("J-17")
def test_nothing_before_removes_tokens():
    """Tokens are there, whatever ran before; what is left of them then is lowered by the hop."""
    module = canonical(load(CORPUS / "spin_lock.tileirbc"))
    assert any(tokens_of(op) for op in module.walk())
    before = [op.name for op in module.walk() if tokens_of(op)]
    CanonicalizeTileaaPass().apply(context(), module)
    assert [op.name for op in module.walk() if tokens_of(op)] == before
    result = discharged(module)
    ConvertTileaaToTileasPass().apply(context(), result)
    assert not any(tokens_of(op) for op in result.walk())
    assert not any("mbarrier" in op.name for op in result.walk())


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.requirement("J-19")
def test_joined_means_all_inputs_complete(order: tuple[int, int]):
    """What follows a join comes after each of its tokens, whichever is first."""
    first = ("%t1", "%t2")[order[0]], ("%t1", "%t2")[order[1]]
    module = load(
        f"""
        func.func @k(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>, %y: tensor<8x!llvm.ptr<3>>) {{
          %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
          %t1 = nv_tileaa.store %p, %x token(%t0)
            : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> !nv_tileaa.mem_token
          %t2 = nv_tileaa.store %y, %x token(%t0)
            : tensor<8x!llvm.ptr<3>>, tensor<8xi32> -> !nv_tileaa.mem_token
          %t3 = nv_tileaa.join_mem_token [{first[0]}, {first[1]}] : !nv_tileaa.mem_token
          %v, %t4 = nv_tileaa.load %p token(%t3)
            : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
          %w, %t5 = nv_tileaa.load %y token(%t4)
            : tensor<8x!llvm.ptr<3>> -> tensor<8xi32>, !nv_tileaa.mem_token
          func.return
        }}
        """
    )
    names = [op.name for op in discharged(module).walk()]
    stores = [i for i, name in enumerate(names) if name.endswith(".store")]
    assert stores[-1] < names.index("gpu.barrier") < names.index("nv_tileaa.load")


@pytest.mark.requirement("J-19")
def test_every_effect_has_a_successor():
    """An effect with no token in is still before what takes the token it yields."""
    module = load(
        """
        func.func @k(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>) {
          %t1 = nv_tileaa.store %p, %x
            : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> !nv_tileaa.mem_token
          %v, %t2 = nv_tileaa.load %p token(%t1)
            : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
          func.return
        }
        """
    )
    names = [op.name for op in discharged(module).walk()]
    assert names.index("nv_tileaa.store") < names.index("gpu.barrier")
    assert names.index("gpu.barrier") < names.index("nv_tileaa.load")


# Work


VIEW = "!nv_tileaa.tiled_view<4, !nv_tileaa.memref<?xf32, strides = [1]>>"


def many_accesses(count: int) -> str:
    """Stores to and loads from as many tiles of a tensor, none of which conflict."""
    lines = [
        f"""
        %k{number} = arith.constant {number} : i32
        %j{number + 1} = nv_tileaa.addi %j{number}, %c1000000 : i32
        %s{number} = nv_tileaa.tiled_store %x, %v[%k{number}] token(%t{number})
          : tensor<4xf32>, {VIEW}, i32 -> !nv_tileaa.mem_token
        %y{number}, %t{number + 1} = nv_tileaa.tiled_load %v[%j{number + 1}] token(%s{number})
          : {VIEW}, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
        """
        for number in range(count)
    ]
    return "".join(lines).replace("%j0,", "%c0,")


def deep_loops(depth: int) -> str:
    """Loops in each other, each with a store of its own that the others have to come after."""
    if depth == 0:
        return ""
    carried = "(tensor<4xf32>, !nv_tileaa.mem_token)"
    return f"""
      %r{depth}, %e{depth} = scf.for %i{depth} = %c0 to %n step %c1
        iter_args(%x{depth} = %x{depth + 1}, %b{depth} = %b{depth + 1}) -> {carried} : i32 {{
      %y{depth}, %l{depth} = nv_tileaa.tiled_load %v[%i{depth}] token(%b{depth})
        : {VIEW}, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
      {deep_loops(depth - 1)}
      %s{depth} = nv_tileaa.tiled_store %y{depth}, %v[%i{depth}] token(
        {f"%e{depth - 1}" if depth > 1 else f"%l{depth}"})
        : tensor<4xf32>, {VIEW}, i32 -> !nv_tileaa.mem_token
      scf.yield %y{depth}, %s{depth} : tensor<4xf32>, !nv_tileaa.mem_token
    }}
    """


def kernel_on_view(body: str) -> ModuleOp:
    return load(
        f"""
        func.func @k(%p: !llvm.ptr<1>, %n: i32, %x: tensor<4xf32>) {{
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %c1000000 = arith.constant 1000000 : i32
          %size = nv_tileaa.assume %n {{predicate = #nv_tileaa.bounded<0, 1000000000>}} : i32
          %m = nv_tileaa.make_memref %p sizes(%size : i32)
            : !llvm.ptr<1> -> !nv_tileaa.memref<?xf32, strides = [1]>
          %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 4>, dimGroups = [[0]]}}
            : !nv_tileaa.memref<?xf32, strides = [1]> -> {VIEW}
          %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
          {body}
          func.return
        }}
        """
    )


def count_work(module: ModuleOp, monkeypatch: pytest.MonkeyPatch) -> int:
    """The questions that the pass asks about effects, and the ops that it and facts look at."""
    work = 0

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal work
            work += 1
            return function(*arguments)

        return call

    with monkeypatch.context() as patch:
        for owner, name in (
            (Aliases, "may_alias"),
            (AliasSets, "candidates"),
            (Conflicts, "has_any"),
            (Barriers, "_visit_effect"),
            (Barriers, "_visit_loop"),
            (Analysis, "visit_block"),
            *((axis_info_analysis.RULES, name) for name in ("arith.constant", "nv_tileaa.addi")),
        ):
            if isinstance(owner, dict):
                patch.setitem(owner, name, counted(owner[name]))
            else:
                patch.setattr(owner, name, counted(getattr(owner, name)))
        DischargeMemTokensPass().apply(context(), module)
    return work


@pytest.mark.part("kernels")
def test_work_is_linear_in_accesses(monkeypatch: pytest.MonkeyPatch):
    """A quarter of them in a quarter of the steps: no pairs are asked for."""
    few, many = (count_work(kernel_on_view(many_accesses(n)), monkeypatch) for n in (50, 200))
    assert many <= 4.2 * few


def test_work_is_linear_in_nesting(monkeypatch: pytest.MonkeyPatch):
    """Loops in loops are not walked once more at each level."""

    def work(depth: int) -> int:
        nest = deep_loops(depth).replace(f"%x{depth + 1}", "%x").replace(f"%b{depth + 1}", "%t0")
        return count_work(kernel_on_view(nest), monkeypatch)

    shallow, deep = work(10), work(40)
    assert deep <= 4.5 * shallow
