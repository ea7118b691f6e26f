"""
Static estimates: they follow from the schedule, and say what limits it. `test_prediction` compares
them with what was measured.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.dialects.gpu import FuncOp

import tileiras_xdsl as tx
from tileiras_xdsl.cost.clock import (
    START,
    Demand,
    Request,
    Schedulers,
    Signal,
    TensorCores,
    Unit,
    Wgmma,
    latest,
)
from tileiras_xdsl.cost.model import (
    NOMINAL,
    Launch,
    _simulate,  # pyright: ignore[reportPrivateUsage]
    estimate_fitting,
    estimate_kernel,
    make_launch,
    simulate_kernel,
)
from tileiras_xdsl.cost.report import LABEL, Estimate, Trace
from tileiras_xdsl.cost.warpgroups import MOST_OPS, Costs, Sample, Samples, UnknownScheduleError
from tileiras_xdsl.cost.work import THREAD_UNITS, UnitName, exchange_of, tile_bytes
from tileiras_xdsl.dialects.cuda_tile import EntryOp
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp, ProducerCommitOp
from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Abi, Options
from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.plan.ranking import passes_for
from tileiras_xdsl.targets.target import Target, all_targets
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import parse

BYTECODE = Path(__file__).parents[3] / "benchmarks/gpu/bytecode"


@cache
def compiled(name: str, gpu: str, abi: Abi = "host-maps") -> ModuleOp:
    program = Program.of(BYTECODE / f"{name}.tileirbc")
    return Compilation(program, Options(gpu, abi=abi)).lower("tileas")


def schedule(name: str, gpu: str = "sm_100") -> ModuleOp:
    """A kernel at the end of the stage `tileas`, to be changed."""
    return compiled(name, gpu).clone()


def estimate(
    module: ModuleOp, target: Target | None = None, launch: Launch | None = None
) -> Estimate:
    (function,) = kernels(module)
    return estimate_kernel(function, target or get_target(module), launch)


def with_rates(module: ModuleOp, **rates: int) -> Target:
    target = get_target(module)
    return replace(target, rates=replace(target.rates, **rates))


def matmul_launch(m: int, n: int, size: int = 8192) -> Launch:
    values = [None, size, size, size, 1] * 3
    return Launch(((size // m) * (size // n), 1, 1), values, 3 * 2 * size * size)


# Time


def issue(dots: list[tuple[int, float]], depth: int) -> list[tuple[float, float]]:
    """When threads go on after dots of warpgroups that come one after the other, and results."""
    pushed: list[TensorCores] = []
    cores = TensorCores(Unit("tensor cores"), Unit("shared memory"), depth, pushed.append)
    next(cores.steps)
    found: list[Wgmma] = []
    for number, time in dots:
        warpgroup: Any = SimpleNamespace(op=None)
        op = ModuleOp([])
        mma = Wgmma(warpgroup, op, START.after(time, "other"), number, 64, 32, 16, lambda _: None)
        while cores.queue and cores.cursor <= time:
            next(cores.steps)
        cores.issue(mma)
        next(cores.steps)
        found.append(mma)
    while cores.queue:
        next(cores.steps)
    return [(mma.taken.stamp.time, mma.done.stamp.time) for mma in found]


def test_threads_stop_at_a_full_queue() -> None:
    """As measured on an H200, but for some clocks: 16 of 64 clocks, of which 7 are underway."""
    assert issue([(7, 0)], 6) == [(0, 7 * 64 + 16)]
    assert issue([(16, 0)], 6) == [(9 * 64, 16 * 64 + 16)]
    # Another warpgroup comes, whose instructions enter behind.
    assert issue([(16, 0), (4, 200)], 6) == [(576, 1040), (576 + 4 * 64, 1040 + 4 * 64)]
    assert issue([(16, 0), (4, 200)], 99) == [(0, 1040), (200, 1040 + 4 * 64)]


def share(*requests: tuple[int, float, dict[UnitName, float]]) -> list[float]:
    """When ops of warpgroups end that have an age, come at a time, and need clocks of units."""
    pushed: list[Schedulers] = []
    schedulers = Schedulers({name: Unit(name) for name in THREAD_UNITS}, pushed.append)
    found: list[Request] = []

    def run(until: float) -> None:
        while schedulers.running and schedulers.cursor <= until:
            next(schedulers.steps)

    for age, time, clocks in requests:
        run(time)
        found.append(Request(age, START.after(time, "other"), Demand.of(clocks)))
        schedulers.request(found[-1])
    run(inf)
    return [request.done.stamp.time for request in found]


def test_schedulers_prefer_young_warps() -> None:
    special: dict[UnitName, float] = {"exponentials": 256, "issue": 32}
    assert share((0, 0, special)) == [256]
    # The older one waits, whoever comes first; a unit never does more than it can.
    assert share((0, 0, special), (1, 100, special)) == [512, 356]
    assert share((1, 0, special), (0, 100, special)) == [256, 512]
    assert sorted(share(*((age, 0, special) for age in range(4)))) == [256, 512, 768, 1024]
    # Other units go on meanwhile, with the issue slots that are left.
    assert share((1, 0, special), (0, 0, {"FMA": 64, "issue": 32})) == [256, 64]
    assert share((1, 0, special), (0, 0, {"issue": 70})) == [256, 80]


def test_critical_path() -> None:
    tensor, shared = Unit("tensor"), Unit("shared")
    _, first = tensor.take(START, 10)
    _, loaded = shared.take(START, 25)
    begin, end = tensor.take(latest(first, loaded), 5)
    assert begin is loaded
    assert end.path() == {"shared": 25, "tensor": 5}
    assert (tensor.busy, end.time) == (15, 30)


def test_unit_serves_in_order() -> None:
    unit = Unit("unit")
    unit.take(START, 10)
    begin, end = unit.take(START.after(4, "other"), 10)
    assert (begin.time, end.time) == (10, 20)
    assert unit.take(START.after(50, "other"), 1)[0].time == 50


def test_signal_wakes_when_all_arrived() -> None:
    woken: list[bool] = []
    signal = Signal(2, waiting=[lambda: woken.append(True)])
    signal.arrive(START.after(7, "one"))
    assert not woken
    signal.arrive(START.after(3, "two"))
    assert woken == [True]
    assert signal.stamp.time == 7


# Limits


def test_iteration_of_a_matmul() -> None:
    found = estimate(schedule("matmul_128x256x64"))
    loop = found.main_loop
    assert loop is not None
    # 128x256x64 at 4096 multiply-adds a clock, operands at 128 and tiles at 64 bytes a clock.
    assert loop.busy["tensor cores"] == 512
    assert loop.busy["shared memory"] == 384
    assert loop.busy["L2"] == 768
    assert loop.clocks >= 768
    assert found.limit == "L2"


def test_other_limits_have_other_names() -> None:
    module = schedule("matmul_128x128x64")
    assert estimate(module).limit == "L2"
    near = with_rates(module, l2_bytes=512)
    assert estimate(module, near).limit.startswith("the critical path (latency of loads")
    near = replace(near, timing=replace(near.timing, load=400))
    fast = estimate(module, near)
    assert fast.limit in ("shared memory", "tensor cores")
    assert fast.share > 0.8
    narrow = replace(near, timing=replace(near.timing, shared_bytes=64))
    assert estimate(module, narrow).limit == "shared memory"
    assert near.tcgen05 is not None
    rates = {name: rate // 4 for name, rate in near.tcgen05.multiply_adds.items()}
    slow = replace(near, tcgen05=replace(near.tcgen05, multiply_adds=rates))
    assert estimate(module, slow).limit == "tensor cores"


def test_more_exponentials_make_attention_faster() -> None:
    """With d = 128, where a CTA has one stage of K and V each, it would wait for loads then."""
    module = schedule("attention_d64")
    one, two = estimate(module), estimate(module, with_rates(module, special_lanes=32))
    assert two.clocks < 0.95 * one.clocks
    loops = one.main_loop, two.main_loop
    assert [loop.busy["exponentials"] for loop in loops if loop] == [1032, 516]


def test_exponentials_of_sm_103() -> None:
    assert (
        estimate(schedule("attention_d128", "sm_103")).share
        > estimate(schedule("attention_d128")).share
    )


# The schedule


def test_one_stage_waits_for_loads() -> None:
    module = schedule("matmul_128x256x64")
    before = estimate(module)
    for op in find_all(module, CreatePipelineOp):
        op.properties["numStages"] = IntegerAttr(1, i32)
    after = estimate(module)
    assert after.clocks > 2 * before.clocks
    assert max(after.path, key=lambda cause: after.path[cause]) == "latency of loads"
    assert after.limit.startswith("the critical path (latency of loads")


def test_one_accumulator_costs_overlap() -> None:
    """MMAs of a tile wait until threads have read the tile before, unless they wait for L2."""
    module = schedule("matmul_128x128x64")
    launch, near = matmul_launch(128, 128, 2048), with_rates(module, l2_bytes=512)
    before = estimate(module, near, launch)
    for op in find_all(module, CreatePipelineOp):
        if "nv_tileas.column" in op.attributes:
            op.properties["numStages"] = IntegerAttr(1, i32)
    assert estimate(module, near, launch).clocks > before.clocks


def test_what_never_comes() -> None:
    module = schedule("matmul_128x256x64")
    for op in find_all(module, ProducerCommitOp):
        op.detach()
        op.erase()
    with pytest.raises(UnknownScheduleError, match="wait for each other"):
        estimate(module)


# Launches


def test_waves() -> None:
    """15 tiles for each SM take no longer than 14.5, and do more."""
    module = schedule("matmul_128x256x64")
    full = estimate(module, launch=matmul_launch(128, 256, 4096))
    assert full.waves == pytest.approx(512 / 148)
    part = replace(matmul_launch(128, 256, 4096), grid=(148 * 3 + 1, 1, 1))
    assert estimate(module, launch=part).clocks == pytest.approx(full.clocks)
    assert estimate(module, launch=part).share < full.share


def test_agents_share_an_sm_if_they_were_made_for_that() -> None:
    """They take the registers that one CTA has, unless they are told to leave some to others."""
    passes = passes_for(Plan(warps=4, occupancy=2, persistent=0))
    program = Program.of(BYTECODE / "matmul_128x128x64.tileirbc")
    plan = PassPlan(insert=passes)
    module = Compilation(program, Options("sm_90", abi="host-maps"), plan=plan).lower("tileas")
    (function,), target = kernels(module), get_target(module)
    launch = matmul_launch(128, 128)
    assert estimate_fitting(function, target, launch).occupancy == 2
    spec = KERNEL_SPEC.get(function)
    assert spec is not None
    KERNEL_SPEC.set(function, spec.replaced(occupancy=1))
    assert estimate_fitting(function, target, launch).occupancy == 1


def test_pairs_load_less() -> None:
    """Pairs of CTAs, and accumulators that are double-buffered, keep tensor cores busy."""
    launch = matmul_launch(256, 256)
    program = tx.load(BYTECODE / "matmul_256x256x64.tileirbc")
    (entry,) = find_all(program, EntryOp)
    hints = OptimizationHintsAttr.from_dict({"sm_100": {"num_cta_in_cga": 2}})
    entry.properties["optimization_hints"] = hints
    pairs = estimate(
        Compilation(Program.of(program), Options("sm_100")).lower("tileas"), launch=launch
    )
    single = estimate(compiled("matmul_128x256x64", "sm_100"), launch=matmul_launch(128, 256))
    loops = pairs.main_loop, single.main_loop
    assert [loop.busy["L2"] for loop in loops if loop] == [512, 768]
    assert pairs.share >= 0.85 > single.share


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_110", "sm_120"])
def test_every_architecture(gpu: str) -> None:
    found = estimate(schedule("matmul_128x128x64", gpu))
    assert 0.05 < found.share <= 1
    text, reason = found.summary()
    assert text.startswith(f"{LABEL}: ")
    assert "limited by" in text
    assert "an iteration takes" in reason


def test_loops_that_run_too_often_are_not_followed(monkeypatch: pytest.MonkeyPatch):
    """Compiling with remarks must not take longer than compiling."""
    import tileiras_xdsl as tx
    from tileiras_xdsl.cost import model

    monkeypatch.setattr(model, "MOST_NOMINAL_OPS", 100)
    remarks = tx.compile(tx.examples["gemm"].path, 90, explain=True, cache=False).remarks
    assert "no static estimate; its loops run too often to be followed" in remarks


def test_loops_that_go_on_as_a_guessed_branch_says_end():
    """What a branch yields that is taken by guess is no number: here it would be true for ever."""
    module = parse("""
    builtin.module attributes {nv_tileaa.compute_capability = 90 : i32} {
      gpu.module @kernels {
        gpu.func @kernel(%p: !llvm.ptr<1>, %start: i32) kernel attributes {
            nv_tileas.num_warps = 4 : i32} {
          %one = arith.constant 1 : i32
          %last = scf.while (%tile = %start) : (i32) -> i32 {
            %at = nv_tileaa.addptr %p, %tile {elem_type = i32} : !llvm.ptr<1>, i32
            %end = nv_tileas.load %at : !llvm.ptr<1> -> i32
            %less = nv_tileaa.cmpi %tile, %end
              {comparison_predicate = "less_than", signedness = "signed"} : i32 -> i1
            %more, %next = scf.if %less -> (i1, i32) {
              %true = arith.constant true
              %other = nv_tileaa.addi %tile, %one : i32
              scf.yield %true, %other : i1, i32
            } else {
              %false = arith.constant false
              scf.yield %false, %tile : i1, i32
            }
            scf.condition(%more) %next : i32
          } do {
          ^bb0(%tile: i32):
            scf.yield %tile : i32
          }
          gpu.return
        }
      }
    }
    """)
    (function,) = kernels(module)
    found = simulate_kernel(function, get_target(module))
    loops = [each for agent in found.simulation.agents for each in agent.loops]
    assert {len(each.ends) for each in loops} == {NOMINAL.inner + 1}
    assert found.simulation.sm.guessed == {each.loop for each in loops}


def test_arrays_of_unknown_sizes_say_nothing_of_their_bytes():
    arrays = tx.array("float32", 2), np.zeros((8, 4), np.float16)
    assert make_launch((1, 1, 1), arrays).arrays == {1: 64.0}


def test_products_by_fmas_are_not_those_of_tensor_cores():
    """A product of f32 that is not rounded to tf32 is no share of the peak of the tensor cores."""
    tile, view = (
        "tile<64x64xf32>",
        "partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>",
    )
    loads = "\n".join(
        f"""%t{name} = make_tensor_view %{name}, shape = [64, 64], strides = [64, 1]
              : tensor_view<64x64xf32, strides=[64,1]>
            %v{name} = make_partition_view %t{name} : {view}
            %{name}0, %k{name} = load_view_tko weak %v{name}[%zero, %zero]
              : {view}, tile<i32> -> {tile}, token"""
        for name in "abc"
    )
    pointers = ", ".join(f"%{name}: tile<ptr<f32>>" for name in "abc")
    text = f"""entry @product({pointers}) {{
      %zero = constant <i32: 0> : tile<i32>
      {loads}
      %d = mmaf %a0, %b0, %c0 : {tile}, {tile}, {tile}
      %stored = store_view_tko weak %d, %vc[%zero, %zero] token = %kc
        : {tile}, {view}, tile<i32> -> token
      return
    }}"""
    found = estimate(Compilation(Program.of(text), Options("sm_80")).lower("tileas"))
    assert found.multiply_adds == found.occupancy * 64**3
    assert found.busy["tensor cores"] == 0 < found.busy["FMA"]
    assert "tensor cores" not in found.summary()[0]


def test_copies_from_shared_memory_go_one_way():
    """Exchanges between threads are written and read."""
    program = Program.of(tx.examples["softmax"])
    module = Compilation(program, Options("sm_90")).lower("tileas")
    (copy,) = find_all(module, CopyOp)
    (function,), trace = kernels(module), Trace()
    estimate_kernel(function, get_target(module), trace=trace)
    use = trace.uses[copy]
    bytes_per_clock = get_target(module).timing.shared_bytes
    assert use.busy["shared memory"] == tile_bytes(copy.result.type) / bytes_per_clock * use.times


def test_bank_conflicts_and_shuffles():
    """Lanes that read a column take turns; a shuffle needs neither memory nor a barrier."""
    first, last = ([f"[0, {1 << n}]" for n in range(5)], [f"[{1 << n}, 0]" for n in range(5)])
    half = [*first[:4], last[0]], [first[4], *last[1:]]

    def layout(register: list[str], lane: list[str]) -> str:
        names = f"register = [{', '.join(register)}], lane = [{', '.join(lane)}], warp = []"
        return f"tensor<32x32xf32, #nv_tileas.layout<{names}>>"

    rows, columns, mixed = layout(last, first), layout(first, last), layout(*half)
    shared = f"tensor<32x32xf32, #nv_tileas.shared<offset = [{', '.join(first + last)}]>>"
    module = parse(f"""
      %x = "test.op"() : () -> {shared}
      %r = nv_tileas.copy %x : {shared} -> {rows}
      %c = nv_tileas.copy %x : {shared} -> {columns}
      %s = nv_tileas.convert_layout %c : {columns} -> {mixed}
      %t = nv_tileas.convert_layout %c : {columns} -> {rows}
    """)
    target = all_targets()["sm_90a"]
    ops = find_all(module, CopyOp, ConvertLayoutOp)
    by_row, by_column, shuffled, turned = (exchange_of(op, target, 4) for op in ops)
    assert (by_row.wavefronts, by_row.barriers) == (4 * 32, 1)
    assert by_column.wavefronts == 8 * by_row.wavefronts
    assert shuffled.barriers == 0 < shuffled.wavefronts
    assert turned.wavefronts >= 2 * by_row.wavefronts


@pytest.mark.parametrize(
    ("name", "gpu", "rates"),
    [
        ("matmul_128x256x64", "sm_90", {}),
        ("attention_d128", "sm_90", {}),
        # Loads are waited for, once for all stages of the buffer.
        ("matmul_128x128x64", "sm_100", {"l2_bytes": 512}),
    ],
)
def test_some_iterations_stand_for_others(name: str, gpu: str, rates: dict[str, int]):
    module = schedule(name, gpu)
    (function,), target = kernels(module), with_rates(module, **rates)
    every, some = (
        simulate_kernel(function, target, nominal=replace(NOMINAL, is_sampled=each)).simulation
        for each in (False, True)
    )
    assert some.sm.ops_left > every.sm.ops_left
    assert some.clocks == pytest.approx(every.clocks, rel=0.01)
    assert some.sm.multiply_adds == pytest.approx(every.sm.multiply_adds)
    assert some.sm.num_bytes == pytest.approx(every.sm.num_bytes)
    for unit, other in zip(some.sm.units.values(), every.sm.units.values(), strict=True):
        assert unit.total == pytest.approx(other.busy)


def test_iterations_of_loops_with_loops_in_them_stand_for_others():
    """A kernel whose own loop over tiles has 16 iterations, each of 128."""
    module = compiled("matmul_persistent", "sm_90")
    (function,), target, launch = kernels(module), get_target(module), matmul_launch(128, 256)
    launch = replace(launch, grid=(132, 1, 1))
    every, some = (
        simulate_kernel(function, target, launch, nominal=replace(NOMINAL, is_sampled=each))
        for each in (False, True)
    )
    assert MOST_OPS - some.simulation.sm.ops_left < (MOST_OPS - every.simulation.sm.ops_left) / 8
    assert some.simulation.clocks == pytest.approx(every.simulation.clocks, rel=0.01)
    assert some.simulation.sm.multiply_adds == pytest.approx(every.simulation.sm.multiply_adds)
    loops = [
        {(agent.number, each.loop): each.total for agent in found.agents for each in agent.loops}
        for found in (every.simulation, some.simulation)
    ]
    assert loops[1] == pytest.approx(loops[0], rel=0.02)


@pytest.mark.parametrize("name", ["matmul_128x256x64", "rms_norm", "attention_causal_d64"])
def test_scalars_that_decide_nothing_are_left_out(name: str):
    """A trace keeps all ops; the clocks are the same."""
    module = compiled(name, "sm_90")
    (function,), target = kernels(module), get_target(module)
    every, some = Costs(target, keeps_all=True), Costs(target)
    estimates = [run_costs(function, costs) for costs in (every, some)]
    assert estimates[0] == estimates[1]
    left_out = sum(len(every.plans[block]) - len(some.plans[block]) for block in every.plans)
    assert left_out > 5


def run_costs(function: FuncOp, costs: Costs) -> tuple[float, float, dict[str, float]]:
    done = _simulate(function, costs, None, None, nominal=NOMINAL).simulation
    return (
        done.clocks,
        done.sm.num_bytes,
        {name: unit.total for name, unit in done.sm.units.items()},
    )


def test_agents_with_other_loops_are_run_as_they_are():
    """How many iterations one agent leaves out, another one may not have."""
    samples, loop = Samples(), test.TestOp()
    assert samples.choose(loop, 0, 100, 4, is_outer=False) == Sample(0, 0, 8, 4, 84)
    assert samples.choose(loop, 0, 99, 4, is_outer=False) == Sample(0, 0, 8, 4, 84)
    with pytest.raises(UnknownScheduleError, match="agents have other loops"):
        samples.choose(loop, 0, 50, 4, is_outer=False)
    assert samples.choose(loop, 1, 12, 4, is_outer=False) is None


def test_a_loop_is_measured_in_two_runs():
    """In later ones, one iteration stands for all; they are as long as those of the second run."""
    samples, loop, clocks = Samples(), test.TestOp(), (10.0, 7.0, 1.0)
    found = [samples.choose(loop, number, 100, 2, is_outer=False) for number in range(3)]
    assert found == [Sample(0, 0, 6, 2, 90), Sample(1, 1, 6, 2, 90), Sample(2, 1, 0, 1, 99)]
    for sample, each in zip(found, clocks, strict=True):
        assert sample is not None
        samples.measure(sample, START, START.after(2 * each, "work"), 1.0)
    assert samples.clocks == 90 * 10 + 90 * 7 + 99 * 7
    other = samples.choose(test.TestOp(), 3, 100, 2, is_outer=False)
    assert other == Sample(3, 3, 6, 2, 90)
