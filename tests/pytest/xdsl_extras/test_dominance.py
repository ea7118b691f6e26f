"""SSA dominance, by hand-written cases and by random programs against the definition."""

import random
import time
from collections.abc import Callable, Iterable, Sequence

import pytest
from xdsl.dialects import builtin, cf, func, test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, traits_def, var_region_def
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove, NoTerminator
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.xdsl_extras.dominance import (
    GraphRegion,
    SSADominance,
    has_graph_regions,
    immediate_dominators,
    verify_dominance,
)

from ..harness.modules import context_of, parse_unverified


@irdl_op_definition
class IsolatedOp(IRDLOperation):
    name = "dominance.isolated"

    regs = var_region_def()

    traits = traits_def(IsolatedFromAbove(), NoTerminator())


@irdl_op_definition
class GraphOp(IRDLOperation):
    name = "dominance.graph"

    regs = var_region_def()

    traits = traits_def(GraphRegion(), NoTerminator())


@irdl_op_definition
class CheckedOp(IRDLOperation):
    name = "dominance.checked"

    body = region_def()

    traits = traits_def(SSADominance(), NoTerminator())


def parse_own(text: str) -> ModuleOp:
    """The module of a text, in which ops need not be registered, and the tests' own are."""
    ctx = context_of(builtin.Builtin, cf.Cf, func.Func, test.Test, allow_unregistered=True)
    for op in (IsolatedOp, GraphOp, CheckedOp):
        ctx.load_op(op)
    return parse_unverified(text, ctx=ctx)


def parse_function(body: str) -> ModuleOp:
    return parse_own(f"func.func @f(%a: i32, %c: i1) {{ {body} }}")


# Structured regions


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("func.return", id="empty"),
        pytest.param('%x = "test.op"(%a) : (i32) -> i32 "test.op"(%x) : (i32) -> ()', id="order"),
        pytest.param(
            """
            %x = "test.op"() : () -> i32
            "test.op"() ({
              "test.op"() ({ "test.op"(%x, %a) : (i32, i32) -> () }) : () -> ()
            }) : () -> ()
            """,
            id="use in nested regions",
        ),
        pytest.param(
            """
            "test.op"() ({
            ^bb0(%x: i32):
              "test.op"(%x) : (i32) -> ()
            }) : () -> ()
            """,
            id="block argument",
        ),
    ],
)
def test_structured_accepts(body: str):
    verify_dominance(parse_function(body))


@pytest.mark.parametrize(
    ("body", "operand"),
    [
        pytest.param(
            '"test.op"(%a, %x) : (i32, i32) -> () %x = "test.op"() : () -> i32', 1, id="order"
        ),
        pytest.param('%x = "test.op"(%x) : (i32) -> i32', 0, id="own result"),
        pytest.param(
            """
            %x = "test.op"() ({ "test.op"(%x) : (i32) -> () }) : () -> i32
            """,
            0,
            id="own result in own region",
        ),
        pytest.param(
            """
            "test.op"() ({ "test.op"(%x) : (i32) -> () }) : () -> ()
            %x = "test.op"() : () -> i32
            """,
            0,
            id="nested use before definition",
        ),
        pytest.param(
            """
            "test.op"(%x) : (i32) -> ()
            "test.op"() ({ %x = "test.op"() : () -> i32 }) : () -> ()
            """,
            0,
            id="defined in a later region",
        ),
    ],
)
def test_structured_rejects(body: str, operand: int):
    module = parse_function(body)
    with pytest.raises(VerifyException, match=f"^operand #{operand} does not dominate this use"):
        verify_dominance(module)


def test_value_does_not_escape_its_region():
    inner = test.TestOp(result_types=[i32])
    outer = test.TestOp(regions=[Region(Block([inner]))])
    user = test.TestOp([inner.res[0]])
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(ModuleOp([outer, user]))


def test_value_does_not_pass_between_sibling_regions():
    definition = test.TestOp(result_types=[i32])
    user = test.TestOp([definition.res[0]])
    op = test.TestOp(regions=[Region(Block([definition])), Region(Block([user]))])
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(ModuleOp([op]))


def test_detached_definition():
    detached = test.TestOp(result_types=[i32])
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(ModuleOp([test.TestOp([detached.res[0]])]))


def test_the_note_marks_the_use():
    module = parse_function('"test.op"(%x) : (i32) -> () %x = "test.op"() : () -> i32')
    with pytest.raises(VerifyException) as info:
        verify_dominance(module)
    assert "| operand #0 does not dominate this use" in info.value.__notes__[0]


def test_values_from_outside_the_root_count_as_defined():
    definition = test.TestOp(result_types=[i32])
    root = test.TestOp(regions=[Region(Block([test.TestOp([definition.res[0]])]))])
    module = ModuleOp([test.TestOp(regions=[Region(Block([root, definition]))])])
    verify_dominance(root)
    with pytest.raises(VerifyException, match="does not dominate"):
        verify_dominance(module)


# Graph regions, isolation


def test_graph_regions_are_recognised():
    assert has_graph_regions(ModuleOp([]))
    assert has_graph_regions(GraphOp.create())
    assert not has_graph_regions(func.FuncOp("f", ((), ())))
    assert not has_graph_regions(test.TestOp())
    module = parse_own('"some.unregistered"() ({ "test.op"() : () -> () }) : () -> ()')
    unregistered = module.body.first_block.first_op if module.body.first_block else None
    assert unregistered is not None
    assert not has_graph_regions(unregistered)


def test_order_is_free_in_a_graph_region():
    verify_dominance(
        parse_own("""
        "test.op"(%x) : (i32) -> ()
        %x = "test.op"() ({ "test.op"(%x, %y) : (i32, i32) -> () }) : () -> i32
        %y = "test.op"(%y) : (i32) -> i32
        """)
    )


def test_values_do_not_escape_into_a_graph_region():
    module = parse_own("""
    "test.op"(%x) : (i32) -> ()
    "test.op"() ({ %x = "test.op"() : () -> i32 }) : () -> ()
    """)
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(module)


def test_order_matters_again_below_a_graph_region():
    module = parse_own("""
    "test.op"() ({
      "test.op"(%x) : (i32) -> ()
      %x = "test.op"() : () -> i32
    }) : () -> ()
    """)
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(module)


def test_isolated_op_sees_nothing_from_outside():
    module = parse_own("""
    %x = "test.op"() : () -> i32
    "dominance.isolated"() ({
      "test.op"() ({ "test.op"(%x) : (i32) -> () }) : () -> ()
    }) : () -> ()
    """)
    with pytest.raises(
        VerifyException,
        match=r"^operand #0: using value defined outside the region "
        r"\('dominance.isolated' is isolated from above\)",
    ):
        verify_dominance(module)


def test_isolated_root_sees_nothing_from_outside():
    definition = test.TestOp(result_types=[i32])
    root = IsolatedOp.create(regions=[Region(Block([test.TestOp([definition.res[0]])]))])
    ModuleOp([definition, root])
    with pytest.raises(VerifyException, match="defined outside the region"):
        verify_dominance(root)


def test_values_are_visible_again_after_an_isolated_op():
    verify_dominance(
        parse_function("""
        %x = "test.op"() : () -> i32
        "dominance.isolated"() ({ %y = "test.op"() : () -> i32 }) : () -> ()
        "test.op"(%x, %a) : (i32, i32) -> ()
        """)
    )


# Control flow graphs

DIAMOND = """
  %x = "test.op"() : () -> i32
  "cf.cond_br"(%c)[^left, ^right] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^left:
  %l = "test.op"(%x) : (i32) -> i32
  "cf.br"()[^join] : () -> ()
^right:
  %r = "test.op"(%a) : (i32) -> i32
  "cf.br"()[^join] : () -> ()
^join:
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(DIAMOND + '"test.termop"(%x, %a) : (i32, i32) -> ()', id="diamond"),
        pytest.param(
            """
              "cf.br"()[^bb2] : () -> ()
            ^bb1:
              "test.termop"(%x) : (i32) -> ()
            ^bb2:
              %x = "test.op"() : () -> i32
              "cf.br"()[^bb1] : () -> ()
            """,
            id="blocks in another order",
        ),
        pytest.param(
            """
              %x = "test.op"() : () -> i32
              "cf.br"(%x)[^head] : (i32) -> ()
            ^head(%i: i32):
              "test.op"() ({ "test.op"(%i, %x) : (i32, i32) -> () }) : () -> ()
              "cf.cond_br"(%c, %i)[^head, ^exit]
                <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
            ^exit:
              "test.termop"(%i) : (i32) -> ()
            """,
            id="loop",
        ),
        pytest.param(
            """
              func.return
            ^dead:
              %y = "test.op"(%x, %z) : (i32, i32) -> i32
              %x = "test.op"() : () -> i32
              "cf.br"()[^other] : () -> ()
            ^other:
              "test.op"() ({ "test.op"(%y) : (i32) -> () }) : () -> ()
              %z = "test.op"() : () -> i32
              "cf.br"()[^dead] : () -> ()
            """,
            id="unreachable blocks",
        ),
    ],
)
def test_cfg_accepts(body: str):
    verify_dominance(parse_function(body))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(DIAMOND + '"test.termop"(%l) : (i32) -> ()', id="one side of a diamond"),
        pytest.param(
            DIAMOND + '"test.termop"() ({ "test.op"(%r) : (i32) -> () }) : () -> ()',
            id="nested use of one side of a diamond",
        ),
        pytest.param(
            """
              "cf.br"()[^head] : () -> ()
            ^head:
              "test.op"(%x) : (i32) -> ()
              "cf.cond_br"(%c)[^body, ^exit]
                <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
            ^body:
              %x = "test.op"() : () -> i32
              "cf.br"()[^head] : () -> ()
            ^exit:
              func.return
            """,
            id="value of the last iteration",
        ),
        pytest.param(
            """
              "cf.br"()[^live] : () -> ()
            ^dead:
              %x = "test.op"() : () -> i32
              "cf.br"()[^live] : () -> ()
            ^live:
              "test.termop"(%x) : (i32) -> ()
            """,
            id="value of an unreachable block",
        ),
        pytest.param(
            """
              func.return
            ^dead:
              "test.op"() ({ "test.op"(%x) : (i32) -> () }) : () -> ()
              %x = "test.op"() : () -> i32
              func.return
            """,
            id="order in an unreachable block, seen from a nested region",
        ),
        pytest.param(
            """
              func.return
            ^dead:
              "test.op"() ({
                "test.op"(%x) : (i32) -> ()
                %x = "test.op"() : () -> i32
              }) : () -> ()
              func.return
            """,
            id="region in an unreachable block",
        ),
    ],
)
def test_cfg_rejects(body: str):
    module = parse_function(body)
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        verify_dominance(module)


# The trait


def test_trait_checks_in_the_verifier():
    module = parse_own("""
    "dominance.checked"() ({
      "test.op"(%x) : (i32) -> ()
      %x = "test.op"() : () -> i32
    }) : () -> ()
    """)
    with pytest.raises(VerifyException, match="operand #0 does not dominate this use"):
        module.verify()


def test_trait_accepts():
    parse_own("""
    "dominance.checked"() ({
      %x = "test.op"() : () -> i32
      "test.op"(%x) : (i32) -> ()
    }) : () -> ()
    """).verify()


# Cost


def test_depth_costs_no_recursion():
    definition = test.TestOp(result_types=[i32])
    op: Operation = test.TestOp([definition.res[0]])
    for _ in range(5_000):
        op = test.TestOp(regions=[Region(Block([op]))])
    verify_dominance(ModuleOp([definition, op]))


def best_time(module: ModuleOp) -> float:
    times: list[float] = []
    for _ in range(5):
        start = time.process_time()
        verify_dominance(module)
        times.append(time.process_time() - start)
    return min(times)


def chain(length: int) -> ModuleOp:
    """Ops of which each uses all kinds of values around it, and every tenth opens a region."""
    first = test.TestOp(result_types=[i32])
    block = Block([first])
    for index in range(length):
        regions = [Region(Block([test.TestOp([first.res[0]])]))] if index % 10 == 0 else []
        assert block.last_op is not None
        block.add_op(test.TestOp([*block.last_op.results, first.res[0]], [i32], regions=regions))
    return ModuleOp([test.TestOp(regions=[Region(block)])])


def blocks_in_a_row(length: int) -> ModuleOp:
    """Blocks of which each branches to the next and back to the one before."""
    blocks = [Block(arg_types=[i32]) for _ in range(length)]
    for block, before, after in zip(blocks[1:-1], blocks, blocks[2:], strict=False):
        block.add_op(test.TestTermOp([blocks[0].args[0]], successors=[before, after]))
    blocks[0].add_op(test.TestTermOp(successors=[blocks[1]]))
    blocks[-1].add_op(test.TestTermOp([block.args[0] for block in blocks]))
    return ModuleOp([test.TestOp(regions=[Region(blocks)])])


@pytest.mark.every(2)
@pytest.mark.parametrize("build", [chain, blocks_in_a_row])
def test_time_is_linear(build: Callable[[int], ModuleOp]):
    small, large = best_time(build(500)), best_time(build(5_000))
    # Ten times the ops. There is room for noise; a quadratic check needs a hundred times.
    assert large < 40 * small


# Random programs against the definition


def random_region(rng: random.Random, depth: int, single_block: bool) -> Region:
    blocks = [
        Block(arg_types=[i32] * rng.randint(0, 1))
        for _ in range(1 if single_block else rng.randint(1, 5))
    ]
    for block in blocks:
        for _ in range(rng.randint(0, 2)):
            block.add_op(random_op(rng, depth))
        # No branches to the entry block, as MLIR demands.
        successors = rng.choices(blocks[1:], k=rng.randint(0, 2)) if len(blocks) > 1 else []
        block.add_op(test.TestTermOp(successors=successors))
    return Region(blocks)


def random_op(rng: random.Random, depth: int) -> Operation:
    if depth == 0 or rng.random() < 0.4:
        return test.TestOp(result_types=[i32])
    kind = rng.choice((test.TestOp, test.TestOp, test.TestOp, GraphOp, IsolatedOp))
    regions = [
        random_region(rng, depth - 1, single_block=kind is GraphOp)
        for _ in range(rng.randint(1, 2))
    ]
    if kind is test.TestOp:
        return test.TestOp(result_types=[i32], regions=regions)
    return kind.create(regions=regions)


def values_of(ops: Iterable[Operation]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for op in ops:
        values.extend(op.results)
        values.extend(arg for region in op.regions for block in region.blocks for arg in block.args)
    return values


def reachable(region: Region, without: Block | None = None) -> set[Block]:
    """The blocks that paths from the entry reach, when the paths avoid the block `without`."""
    entry = region.blocks[0]
    reached: set[Block] = set()
    pending = [entry]
    while pending:
        block = pending.pop()
        if block is without or block in reached:
            continue
        reached.add(block)
        assert block.last_op is not None
        pending.extend(block.last_op.successors)
    return reached


def enclosing_chain(op: Operation) -> Sequence[Operation]:
    """`op` and the ops around it."""
    chain = [op]
    while (parent := chain[-1].parent_op()) is not None:
        chain.append(parent)
    return chain


def dominates_by_definition(value: SSAValue, user: Operation) -> bool:
    """The definition, one clause after the other; no state, no sharing, no speed."""
    using_block = user.parent
    assert using_block is not None
    using_region = using_block.parent
    assert using_region is not None
    if using_block not in reachable(using_region):
        return True

    assert isinstance(value, (OpResult, BlockArgument))
    defining_block = value.block if isinstance(value, BlockArgument) else value.op.parent
    assert defining_block is not None
    region = defining_block.parent
    assert region is not None

    chain = enclosing_chain(user)
    ancestor = next((op for op in chain if op.parent_region() is region), None)
    if ancestor is None:
        return False
    crossed = chain[1 : chain.index(ancestor) + 1]
    if any(op.has_trait(IsolatedFromAbove) for op in crossed):
        return False

    block = ancestor.parent
    assert block is not None
    if block is not defining_block:
        return block not in reachable(region) or block not in reachable(region, defining_block)
    region_op = region.parent
    assert region_op is not None
    if isinstance(value, BlockArgument) or has_graph_regions(region_op):
        return True
    ops = list(block.ops)
    return ops.index(value.op) < ops.index(ancestor)


def is_accepted(module: ModuleOp) -> bool:
    try:
        verify_dominance(module)
    except VerifyException:
        return False
    return True


@pytest.mark.part("sweeps")
@pytest.mark.every(6)
@pytest.mark.parametrize("seed", range(6))
def test_random_programs_agree_with_the_definition(seed: int):
    """Puts every value of a program into every op of it, one at a time."""
    rng = random.Random(seed)
    verdicts: list[bool] = []
    while len(verdicts) < 500:
        op = test.TestOp(regions=[random_region(rng, 3, single_block=False)])
        module = ModuleOp([op])
        ops = list(op.walk())
        if len(ops) > 25:
            continue
        values = values_of(ops)
        for user in ops:
            if not isinstance(user, (test.TestOp, test.TestTermOp)) or user is op:
                continue
            for value in values:
                if value.owner is op:
                    continue
                user.operands = [value]
                verdict = is_accepted(module)
                assert verdict == dominates_by_definition(value, user), str(module)
                verdicts.append(verdict)
            user.operands = []
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9


@pytest.mark.parametrize("seed", range(20))
def test_immediate_dominators_agree_with_the_definition(seed: int):
    rng = random.Random(seed)
    blocks = [Block() for _ in range(rng.randint(1, 12))]
    for block in blocks:
        successors = rng.choices(blocks, k=rng.randint(0, 3))
        block.add_op(test.TestTermOp(successors=successors))
    region = Region(blocks)
    entry = blocks[0]
    live = reachable(region)
    dominators = immediate_dominators(region)

    assert set(dominators) == live
    assert dominators[entry] is entry
    for block in live - {entry}:
        strict = {a for a in live if a is not block and block not in reachable(region, a)}
        # Of the strict dominators, the immediate one is dominated by all others.
        closest = dominators[block]
        assert closest in strict
        assert all(a is closest or closest not in reachable(region, a) for a in strict)

    order = list(dominators)
    assert all(order.index(dominators[block]) <= order.index(block) for block in order)

    if len(live) == len(blocks) and not any(
        entry in block.last_op.successors for block in blocks if block.last_op is not None
    ):
        info = DominanceInfo(region)
        assert all(info.dominates(dominators[block], block) for block in live)


def test_immediate_dominators_of_an_empty_region():
    assert immediate_dominators(Region()) == {}
