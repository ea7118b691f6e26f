"""Warpgroups that issue WGMMAs alternately: from Tile IR to threads they compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import func, scf, vector
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.elementwise import Exp2Op
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.dialects.nv_tileas.ping_pong import (
    PingPongArriveOp,
    PingPongBeginOp,
    PingPongEndOp,
    PingPongWaitOp,
    SchedBarrierOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReleaseOp
from tileiras_xdsl.dialects.nv_tileas.shape import ReduceOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp
from tileiras_xdsl.dialects.nvvm import (
    ArtificialDependenceOp,
    BarrierArriveOp,
    Ex2ApproxOp,
    MBarrierArriveSharedOp,
    PMEventOp,
    ShflOp,
    WgmmaWaitGroupOp,
)
from tileiras_xdsl.dialects.vector import ExtractOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, select_steps
from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.warpgroups import IterationWork
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.delayed_arrivals import (
    DelayedArrival,
    find_release,
    lanes_of,
)
from tileiras_xdsl.transforms.tileaa.verify_no_cuda_tile import VerifyNoCudaTilePass
from tileiras_xdsl.transforms.tileas.tileas_generate_schedule import TileasGenerateSchedulePass
from tileiras_xdsl.transforms.tileas.tileas_plan import TileasPlanPass
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context, parse
from ..harness.passes import run_steps, verified_steps
from ..harness.remarks import asked, told
from .test_warpgroup_kernels import ARCH, Attention, Gemm, as_arguments

Array = npt.NDArray[Any]

ATTENTION = Attention("f16", 128, 64, 64)
SCORES = "tile<128x64xf32>"
LEVELS = ("tileas-materialize-schedule", "tileas-insert-barriers", "convert-tileas-to-nvgpu")


def causal(keys: int = 64) -> str:
    """Attention of keys up to each query: blocks of keys on the diagonal are masked."""
    text = Attention("f16", 128, keys, 64).text()
    scores, indices = f"tile<128x{keys}xf32>", f"tile<128x{keys}xi32>"
    blocks = "%two" if keys == 64 else "%one"
    text = text.replace("(%zero to %n, step", "(%zero to %end, step")
    text = text.replace(
        "%top, %all, %sum = for",
        f"""%next = addi %i, %one : tile<i32>
    %end = muli %next, {blocks} : tile<i32>
    %edge = muli %i, {blocks} : tile<i32>
    %rows = iota : tile<128xi32>
    %columns = iota : tile<{keys}xi32>
    %tall = reshape %rows : tile<128xi32> -> tile<128x1xi32>
    %flat = reshape %columns : tile<{keys}xi32> -> tile<1x{keys}xi32>
    %query_places = broadcast %tall : tile<128x1xi32> -> {indices}
    %key_places = broadcast %flat : tile<1x{keys}xi32> -> {indices}
    %size = constant <i32: {keys}> : tile<i32>
    %lowest = constant <f32: -1.0e30> : {scores}
    %top, %all, %sum = for""",
    )
    before, product, after = text.partition("%score = mmaf")
    product, end, after = (product + after).partition("\n")
    return (
        before
        + product.replace("%score", "%raw")
        + f"""
      %is_edge = cmpi greater_than_or_equal %t, %edge, signed : tile<i32> -> tile<i1>
      %score = if %is_edge -> ({scores}) {{
        %ahead = subi %t, %edge : tile<i32>
        %shift = muli %ahead, %size : tile<i32>
        %single = reshape %shift : tile<i32> -> tile<1x1xi32>
        %shifts = broadcast %single : tile<1x1xi32> -> {indices}
        %places = addi %key_places, %shifts : {indices}
        %seen = cmpi less_than_or_equal %places, %query_places, signed
            : {indices} -> tile<128x{keys}xi1>
        %masked = select %seen, %raw, %lowest : tile<128x{keys}xi1>, {scores}
        yield %masked : {scores}
      }} else {{
        yield %raw : {scores}
      }}"""
        + end
        + after
    )


def with_dots_behind(between: str) -> str:
    """
    Attention with other dots of the same tiles behind the loop, which no loop over tile blocks
    contains: threads change an operand of the second one. Something is between the two.
    """
    _, key, _, out = ATTENTION.views
    types = f"tile<128x64xf16>, {key.tile_type}, {SCORES}"
    return ATTENTION.text().replace(
        f"%result = divf %sum, %alls : {out.tile_type}",
        f"""{key.load("%k0", "%zero", "%zero")}
    %s0 = mmaf %query, %k0, %zeros : {types}
    {between}
    %k1 = addf %k0, %k0 : {key.tile_type}
    %s1 = mmaf %query, %k1, %zeros : {types}
    %s2 = addf %s0, %s1 : {SCORES}
    %mean = divf %sum, %alls : {out.tile_type}
    %result = addf %mean, %s2 : {out.tile_type}""",
    )


GREATEST = """%most = reduce %all dim=0 identities=[0.0 : f32] : tile<128xf32> -> tile<f32>
      (%x: tile<f32>, %y: tile<f32>) {
        %z = maxf %x, %y : tile<f32>
        yield %z : tile<f32>
      }
    print_tko "%f\\0A", %most : tile<f32> -> token"""
"""All warps exchange what is greatest of rows, whatever becomes of it."""


@lru_cache(maxsize=8)
def leave_alone(module: ModuleOp, step: PipelinePass) -> None:
    """Asks for one CTA per SM, before passes decide: warpgroups of two do not take turns."""
    if step.name == VerifyNoCudaTilePass.name:
        TileasPlanPass(occupancy=1).apply(context(), module)


def lower(
    text: str,
    abi: str = "host-maps",
    ping_pong: bool = True,
    exclusive: bool | None = None,
) -> dict[str, ModuleOp]:
    """A kernel after some passes, and as threads in `nvvm`."""
    module = load(text)
    found: dict[str, ModuleOp] = {}
    for step in verified_steps(module, select_steps(3, to="nvvm"), ARCH, abi):
        leave_alone(module, step)
        if step.name == TileasGenerateSchedulePass.name:
            TileasGenerateSchedulePass(ping_pong=ping_pong, exclusive=exclusive).apply(
                context(), module
            )
        if step.name in LEVELS:
            found[step.name] = module.clone()
    return found | {"nvvm": module}


def scheduled(text: str, ping_pong: bool | None = True) -> FuncOp:
    """A kernel with its schedule."""
    module = asked(load(text))
    for step in select_steps(3, arch=ARCH, to="tileas"):
        if step.name == TileasGenerateSchedulePass.name:
            break
        run_steps(module, [step], ARCH, "host-maps")
        leave_alone(module, step)
    TileasGenerateSchedulePass(ping_pong=ping_pong).apply(context(), module)
    (function,) = find_all(module, FuncOp)
    return function


def arrays_of(queries: int, keys: int) -> list[Array]:
    random = np.random.default_rng(4)
    shapes = (queries, 64), (keys, 64), (keys, 64)
    return [random.standard_normal(shape).astype(np.float16) / 4 for shape in shapes]


def softmax(arrays: Sequence[Array], mask: Array | None = None) -> Array:
    q, k, w = (each.astype(np.float64) for each in arrays)
    weights = np.exp2(q @ k.T)
    if mask is not None:
        weights = weights * mask
    return weights @ w / weights.sum(1, keepdims=True)


def execute(
    module: ModuleOp, arrays: Sequence[Array], trips: int = 0, seed: int | None = None
) -> Array:
    """What a kernel computes, checked for races; one SM does all tile blocks."""
    queries = len(arrays[0])
    out = np.full((queries, 64), 7, np.float32)
    run(
        module,
        grid=(queries // 128,),
        args=as_arguments([*arrays, out], trips),
        check=True,
        seed=seed,
        sm_count=1,
    )
    return out


@pytest.mark.every(8, first=3)
@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize(
    ("level", "trips", "seed"),
    [(LEVELS[0], 2, None), (LEVELS[1], 3, 1), (LEVELS[2], 2, 2), ("nvvm", 3, None)],
)
def test_attention(level: str, trips: int, seed: int | None, exclusive: bool):
    arrays = arrays_of(128, trips * 64)
    module = lower(ATTENTION.text(), exclusive=exclusive)[level]
    found = execute(module, arrays, trips, seed)
    np.testing.assert_allclose(found, softmax(arrays), atol=2e-3)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize("between", ["", GREATEST], ids=["", "reduce"])
def test_warpgroups_wait_for_each_other_behind_turns(between: str, exclusive: bool):
    """They write an operand of the second dot, or reduce a tile, while the first is in flight."""
    arrays = arrays_of(128, 128)
    q, k, _ = (each.astype(np.float64) for each in arrays)
    expected = softmax(arrays) + 3 * q @ k[:64].T
    modules = lower(with_dots_behind(between), exclusive=exclusive)
    assert len(find_all(modules[LEVELS[0]], PingPongWaitOp)) == 4
    for level, seed in ((LEVELS[0], None), (LEVELS[1], 1), (LEVELS[2], 2)):
        found = execute(modules[level], arrays, 2, seed)
        np.testing.assert_allclose(found, expected, atol=2e-3)


@pytest.mark.long
@pytest.mark.parametrize("level", [*LEVELS, "nvvm"])
def test_trip_counts_and_timing(level: str):
    module = lower(ATTENTION.text())[level]
    for trips, seed in [(0, None), (1, None), (1, 1), (2, None), (2, 2), (4, None), (7, 3), (7, 4)]:
        arrays = arrays_of(128, max(1, trips) * 64)
        expected = softmax(arrays) if trips else np.full((128, 64), np.nan)
        np.testing.assert_allclose(execute(module, arrays, trips, seed), expected, atol=2e-3)


@pytest.mark.long
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
@pytest.mark.parametrize("level", [*LEVELS, "nvvm"])
def test_causal_attention(level: str, abi: str):
    """Two loops of each tile block, of a persistent kernel."""
    module = lower(causal(), abi)[level]
    arrays = arrays_of(256, 256)
    expected = softmax(arrays, np.tri(256))
    for seed in (None, 3, 4):
        np.testing.assert_allclose(execute(module, arrays, seed=seed), expected, atol=2e-3)


@pytest.mark.long
def test_turns_change_nothing_but_the_order():
    """At each level all numbers are those of a kernel without turns."""
    arrays = arrays_of(256, 256)
    plain = lower(causal(), ping_pong=False)
    shared, exclusive = (lower(causal(), exclusive=each) for each in (False, True))
    for level in (LEVELS[0], "nvvm"):
        first, second, third = (execute(each[level], arrays) for each in (plain, shared, exclusive))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(first, third)
    names = [
        [op.name for op in each[LEVELS[0]].walk() if not op.name.startswith("nv_tileas.ping_pong.")]
        for each in (plain, shared)
    ]
    assert names[0] == names[1]


def test_where_turns_are():
    """From the first WGMMA of an iteration to the last; nothing is waited for in between."""
    module = lower(ATTENTION.text(), exclusive=False)["tileas-materialize-schedule"]
    (begin,) = find_all(module, PingPongBeginOp)
    (end,) = find_all(module, PingPongEndOp)
    assert begin.parent_block() is end.parent_block()
    waits = find_all(module, PingPongWaitOp)
    issued: list[int] = []
    for wait in waits:
        assert isinstance(wait.next_op, AsyncDotOp)
        inside = ops_until(wait, PingPongArriveOp)
        assert isinstance(inside[-1], AsyncDotOp)
        assert not any(isinstance(op, AsyncFutureWaitOp | ConsumerReleaseOp) for op in inside)
        issued.append(sum(isinstance(op, AsyncDotOp) for op in inside))
    # Before the loop, in it, and after it.
    assert issued == [1, 2, 1]
    assert isinstance(waits[1].parent_op(), scf.ForOp)
    assert sum(issued) == len(find_all(module, AsyncDotOp))


@pytest.mark.part("kernels")
def test_where_exclusive_turns_are():
    """From the first WGMMA of an iteration to the wait for the last, behind the maxima of rows."""
    module = lower(ATTENTION.text())["tileas-materialize-schedule"]
    waits = find_all(module, PingPongWaitOp)
    insides = [ops_until(wait, PingPongArriveOp) for wait in waits]
    for inside in insides:
        dots = [op for op in inside if isinstance(op, AsyncDotOp)]
        last = inside[-1]
        assert isinstance(last, AsyncFutureWaitOp)
        assert last.source is dots[-1].result
        assert not any(isinstance(op, Exp2Op) for op in inside)
        turn = last.next_op
        assert isinstance(turn, PingPongArriveOp)
        is_in_loop = isinstance(turn.parent_op(), scf.ForOp)
        assert (turn.delayed is not None) == is_in_loop
        if not is_in_loop:
            # ptxas does not move the arrival to where nothing else is left to do.
            after = ops_until(last, SchedBarrierOp)
            assert all(isinstance(op, PingPongArriveOp | ConsumerReleaseOp) for op in after)
    kinds = (AsyncDotOp, AsyncFutureWaitOp, ReduceOp, SchedBarrierOp, ConsumerReleaseOp)
    found = [type(op) for op in insides[1] if isinstance(op, kinds)]
    assert found == [
        AsyncDotOp,
        AsyncDotOp,
        AsyncFutureWaitOp,
        ConsumerReleaseOp,
        ReduceOp,
        AsyncFutureWaitOp,
    ]


def test_delayed_arrivals_are_among_exponentials():
    """Those of the first row of a thread come before the arrival, those of the second after it."""
    module = lower(ATTENTION.text())["convert-tileas-to-nvgpu"]
    (needs_maximum, needs_first, first_needed) = find_all(module, ArtificialDependenceOp)
    # The release of K, and the wait for O behind it, come after the maximum of a row.
    (element,) = (op for op in slice_of(needs_maximum.on) if isinstance(op, ExtractOp))
    shuffled = element.vector
    release = needs_maximum.parent_op()
    assert isinstance(release, scf.IfOp)
    (released,) = find_all(release, MBarrierArriveSharedOp)
    assert needs_maximum in slice_of(released.address)
    following = ops_until(release, WgmmaWaitGroupOp)
    assert any(isinstance(op, ShflOp) and op.value is shuffled for op in following)
    (arrive,) = (op for op in find_all(module, BarrierArriveOp) if op.id is needs_first.result)
    exponentials = [
        op
        for op in find_all(module, Ex2ApproxOp)
        if op.parent is arrive.parent and lanes_of(op.result) == 16
    ]
    assert len(exponentials) == 2
    low, high = exponentials
    assert slice_of(needs_first.on) & {low}
    assert high not in slice_of(needs_first.on)
    assert first_needed in slice_of(high.result)
    assert first_needed not in slice_of(low.result)
    assert low.is_before_in_block(arrive)
    assert arrive.is_before_in_block(first_needed)
    assert first_needed.is_before_in_block(high)
    # What follows has all of them, in the order of the scores.
    (whole,) = (
        op
        for op in find_all(module, vector.ShuffleOp)
        if {op.v1, op.v2} == {low.result, high.result}
    )
    order = [*whole.mask.get_values()]
    assert [lane % 4 < 2 for lane in range(32)] == [number < 16 for number in order]
    # There is no scheduling barrier in the loop.
    (loop,) = (op for op in [arrive.parent_op()] if isinstance(op, scf.ForOp))
    assert not find_all(loop, PMEventOp)


RELEASE = """
builtin.module {{
  func.func @thread(%c: i1, %stage: i32, %b: !llvm.ptr<3>, %s: vector<2xf32>,
                    %o: vector<4xf32>, %id: i32, %n: i32) {{
    %scores = nvvm.wgmma.wait.group.sync.aligned 1, %s : vector<2xf32>
    {before}
    scf.if %c {{
      {inside}
    }}
    {behind}
    %other = nvvm.shfl.sync bfly %n, %scores, %n, %n : vector<2xf32> -> vector<2xf32>
    %sums = nvvm.wgmma.wait.group.sync.aligned 0, %o : vector<4xf32>
    nvvm.barrier.arrive id = %id number_of_threads = %n
    func.return
  }}
}}
"""
ARRIVAL = "%t = nvvm.mbarrier.arrive.shared %b : !llvm.ptr<3> -> i64"
PAUSE = "nvvm.nanosleep %n : i32"


@pytest.mark.parametrize(
    ("before", "inside", "behind", "is_found"),
    [
        ("", ARRIVAL, "", True),
        (PAUSE, ARRIVAL, "", True),
        # It does more than release a stage, or threads do something else before the wait.
        ("", f"{ARRIVAL}\n{PAUSE}", "", False),
        ("", PAUSE, "", False),
        ("", ARRIVAL, PAUSE, False),
    ],
)
def test_releases_that_waits_stay_behind(before: str, inside: str, behind: str, is_found: bool):
    module = parse(RELEASE.format(before=before, inside=inside, behind=behind))
    (arrive,) = find_all(module, BarrierArriveOp)
    (branch,) = find_all(module, scf.IfOp)
    (shuffle,) = find_all(module, ShflOp)
    assert find_release(arrive) == ((branch, shuffle) if is_found else None)


def with_maxima_of(element: str) -> str:
    """Attention whose scores are rounded before threads find their maxima."""
    before, _, after = ATTENTION.text().partition("%high = reduce")
    _, following, after = after.partition("%m1 = maxf")
    single, rows = f"tile<{element}>", f"tile<128x{element}>"
    return (
        before
        + f"""%rounded = ftof %score : {SCORES} -> tile<128x64x{element}>
      %highest = reduce %rounded dim=1 identities=[-3.0e4 : {element}]
          : tile<128x64x{element}> -> {rows}
        (%x: {single}, %y: {single}) {{
          %z = maxf %x, %y : {single}
          yield %z : {single}
        }}
      %high = ftof %highest : {rows} -> tile<128xf32>
      """
        + following
        + after
    )


@pytest.mark.part("kernels")
@pytest.mark.parametrize("element", ["f16", "f64"])
def test_maxima_of_any_type(element: str):
    """Registers that lanes exchange have two of them, or there are two for each."""
    modules = lower(with_maxima_of(element))
    needs_maximum = find_all(modules["convert-tileas-to-nvgpu"], ArtificialDependenceOp)[0]
    assert any(isinstance(op, vector.BitcastOp) for op in slice_of(needs_maximum.on))
    arrays = arrays_of(128, 128)
    found = execute(modules["nvvm"], arrays, 2)
    np.testing.assert_allclose(found, softmax(arrays), atol=2e-3)


@pytest.mark.part("kernels")
def test_delayed_arrivals_without_exponentials_that_follow():
    """
    Threads reduce scores once more before they compute exponentials: scheduling barriers keep the
    wait for O behind the maxima, and the arrival in front of what follows.
    """
    text = ATTENTION.text().replace(
        "%m1 = maxf %m0, %high :",
        f"""%sums = reduce %score dim=1 identities=[0.0 : f32] : {SCORES} -> tile<128xf32>
        (%x: tile<f32>, %y: tile<f32>) {{
          %z = addf %x, %y : tile<f32>
          yield %z : tile<f32>
        }}
      %higher = maxf %high, %sums : tile<128xf32>
      %m1 = maxf %m0, %higher :""",
    )
    module = lower(text)["convert-tileas-to-nvgpu"]
    assert not find_all(module, ArtificialDependenceOp)
    (arrive,) = (
        op for op in find_all(module, BarrierArriveOp) if isinstance(op.parent_op(), scf.ForOp)
    )
    block = arrive.parent_block()
    assert block is not None
    kinds = (PMEventOp, ShflOp, WgmmaWaitGroupOp, BarrierArriveOp)
    order = [type(op) for op in block.ops if isinstance(op, kinds)]
    index = order.index(BarrierArriveOp)
    assert order[index - 3 : index] == [ShflOp, PMEventOp, WgmmaWaitGroupOp]
    assert order[index + 1] is PMEventOp


def test_shuffles_of_scalars_are_no_maxima():
    behind = "%lane = nvvm.shfl.sync idx %n, %stage, %n, %n : i32 -> i32"
    module = parse(RELEASE.format(before="", inside=ARRIVAL, behind=behind))
    (arrive,) = find_all(module, BarrierArriveOp)
    found = find_release(arrive)
    assert found is not None
    assert lanes_of(found[1].value) == 2


def slice_of(value: SSAValue) -> set[Operation]:
    """The ops of its block that a value is computed by."""
    found: set[Operation] = set()
    todo = [value]
    while todo:
        owner = todo.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            found.add(owner)
            todo.extend(owner.operands)
    return found


LATE = """
builtin.module {{
  func.func @thread(%max: vector<2xf32>, %s: vector<32xf32>, %id: i32, %n: i32, %p: !llvm.ptr<3>) {{
    nvvm.barrier.arrive id = %id number_of_threads = %n
    {effect}
    %spread = vector.shuffle %max, %max {mask} : vector<2xf32>, vector<2xf32>
    %x = arith.subf %s, %spread : vector<32xf32>
    %e = nvvm.ex2.approx.f %x : vector<32xf32>
    "test.op"(%e, %x) : (vector<32xf32>, vector<32xf32>) -> ()
    func.return
  }}
}}
"""
ROWS = "[" + ", ".join(["0", "0", "1", "1"] * 8) + "]"


@pytest.mark.parametrize(
    ("mask", "effect", "is_placed"),
    [
        (ROWS, "", True),
        ("[" + ", ".join(["0", "1"] * 16) + "]", "", True),
        # One row only, rows of different sizes, and threads that wait before exponentials.
        ("[" + ", ".join(["1"] * 32) + "]", "", False),
        ("[" + ", ".join(["0"] * 31 + ["1"]) + "]", "", False),
        (ROWS, "nvvm.barrier id = %id number_of_threads = %n", False),
    ],
)
def test_exponentials_that_turns_can_be_passed_on_among(mask: str, effect: str, is_placed: bool):
    module = parse(LATE.format(mask=mask, effect=effect))
    (arrive,) = find_all(module, BarrierArriveOp)
    (function,) = find_all(module, func.FuncOp)
    DelayedArrival(arrive, function.body.block.args[-1]).place()
    module.verify()
    exponentials = find_all(module, Ex2ApproxOp)
    assert len(exponentials) == (2 if is_placed else 1)
    assert bool(find_all(module, ArtificialDependenceOp)) == is_placed
    (user,) = find_all(module, test_dialect.TestOp)
    assert [lanes_of(value) for value in user.operands] == [32, 32]
    if is_placed:
        low, high = exponentials
        assert low.is_before_in_block(arrive)
        assert arrive.is_before_in_block(high)
    else:
        assert isinstance(arrive.next_op, PMEventOp)


def test_exponentials_of_long_computations():
    """Each op in front of them is looked at once, however many uses of it follow."""
    count = 1200
    text = LATE.format(mask=ROWS, effect="").replace("arith.subf %s,", f"arith.subf %s{count},")
    chain = [
        f"%s{n + 1} = arith.mulf %s{n or ''}, %s{n or ''} : vector<32xf32>" for n in range(count)
    ]
    module = parse(text.replace("%spread =", "\n".join((*chain, "%spread =")), 1))
    (arrive,) = find_all(module, BarrierArriveOp)
    (function,) = find_all(module, func.FuncOp)
    DelayedArrival(arrive, function.body.block.args[-1]).place()
    module.verify()
    assert len(find_all(module, Ex2ApproxOp)) == 2
    assert sum(op.name == "arith.mulf" for op in module.walk()) == count


def ops_until(first: Operation, kind: type[Operation]) -> list[Operation]:
    """The ops between two ops of a block."""
    found: list[Operation] = []
    following = first.next_op
    while following is not None and not isinstance(following, kind):
        found.append(following)
        following = following.next_op
    return found


# Bugs


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize(("which", "seed"), [(0, None), (1, 5), (2, None), (3, 6)])
def test_threads_that_lack_an_arrival_wait_forever(which: int, seed: int | None):
    module = lower(ATTENTION.text())["nvvm"].clone()
    arrivals = find_all(module, BarrierArriveOp)
    assert len(arrivals) == 4
    arrivals[which].detach()
    with pytest.raises(ExecutionError, match=r"deadlock: .* wait at barrier 1[01], where 128 of "):
        execute(module, arrays_of(128, 192), 3, seed)


def test_threads_that_arrive_twice():
    module = lower(ATTENTION.text())["nvvm"].clone()
    begin = find_all(module, BarrierArriveOp)[0]
    block = begin.parent_block()
    assert block is not None
    block.insert_op_before(begin.clone(), begin)
    with pytest.raises(ExecutionError, match="arrives at a named barrier again"):
        execute(module, arrays_of(128, 64), 1)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("level", LEVELS[:2])
def test_tiles_whose_turn_is_not_passed_on(level: str):
    module = lower(ATTENTION.text())[level].clone()
    wait, kept = find_all(module, PingPongWaitOp)[1], find_all(module, PingPongArriveOp)[1]
    kept.detach()
    with pytest.raises(VerifyException, match="the other warpgroups wait for it forever"):
        wait.verify()
    with pytest.raises(ExecutionError, match="deadlock: warpgroups wait for their next turns"):
        execute(module, arrays_of(128, 192), 3)


def test_turns_that_are_passed_on_twice():
    module = lower(ATTENTION.text())[LEVELS[0]].clone()
    again = find_all(module, PingPongArriveOp)[0]
    block = again.parent_block()
    assert block is not None
    block.insert_op_after(second := again.clone(), again)
    with pytest.raises(VerifyException, match=r"expects 'nv_tileas.ping_pong.wait' before it"):
        second.verify()
    with pytest.raises(ExecutionError, match="passes a turn on that it does not have"):
        execute(module, arrays_of(128, 64), 1)


def test_a_barrier_in_a_turn():
    """One warpgroup waits for the others there, and these for their turn."""
    module = lower(ATTENTION.text())["tileas-insert-barriers"].clone()
    wait = find_all(module, PingPongWaitOp)[1]
    block = wait.parent_block()
    assert block is not None
    block.insert_op_after(BarrierOp(), wait)
    with pytest.raises(VerifyException, match=r"before 'nv_tileas.barrier', where warpgroups"):
        wait.verify()
    with pytest.raises(ExecutionError, match="deadlock: warpgroups wait for each other"):
        execute(module, arrays_of(128, 192), 3)


# Who takes turns


def test_schedules():
    schedule = get_schedule(scheduled(ATTENTION.text()))
    assert schedule is not None
    assert schedule.ping_pong == 2
    assert schedule.exclusive == 1


def test_turns_where_tensor_cores_are_not_the_limit():
    """With d = 64 special functions take as long as WGMMAs, with d = 128 half as long."""
    for work, expected in (((1024, 1032), True), ((2048, 1032), False)):
        assert WARPGROUPS.ping_pong_pays(8, [IterationWork(*work)]) is expected
        assert WARPGROUPS.ping_pong_pays(16, [IterationWork(*work)])
    both = [IterationWork(1024, 1032), IterationWork(2048, 1032)]
    assert not WARPGROUPS.ping_pong_pays(8, both)
    assert not WARPGROUPS.ping_pong_pays(8, [])
    for head, expected in ((64, 2), (128, None)):
        function = scheduled(Attention("f16", 128, 128, head).text(), ping_pong=None)
        schedule = get_schedule(function)
        assert schedule is not None
        assert schedule.ping_pong == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (Attention().text(), "1 warpgroup multiplies"),
        (
            Attention("f16", 64, 256, 64).text(),
            "warpgroups wait for each other at 'nv_tileas.reduce'",
        ),
        (Gemm("f16", 128, 256, 64).text(), "in no loop threads work on the results of its WGMMAs"),
    ],
)
def test_kernels_without_turns(text: str, reason: str):
    function = scheduled(text)
    schedule = get_schedule(function)
    assert schedule is not None
    assert schedule.ping_pong is None
    assert [each.reason for each in told(function, name="PingPong")] == [reason]
