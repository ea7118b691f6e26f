"""
Loops whose first WGMMA is issued behind the last one of the iteration before
(`tileas-generate-schedule{cut="results"}`): tiles that others read as well stay in their buffer
stages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl import load, run
from tileiras_xdsl.dialects.nv_tileas.decisions import HELD, STAGE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.pipeline import ModuleStage, make_pass, select_steps
from tileiras_xdsl.transforms.tileas.schedule import agents, stages
from tileiras_xdsl.transforms.tileas.tileas_generate_schedule import TileasGenerateSchedulePass
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..corpus.test_attention_kernels import BACKWARD, BENCHMARKS, check_gradients
from ..harness.modules import context

TENSOR = "tensor_view<?x64xf16, strides=[64,1]>"
VIEW = f"partition_view<tile=(128x64), {TENSOR}>"
SUMS = "tensor_view<?x64xf32, strides=[64,1]>"
SUM = f"partition_view<tile=(128x64), {SUMS}>"
TILE, SCORES, TOTAL = "tile<128x64xf16>", "tile<128x128xf32>", "tile<128x64xf32>"
Array = npt.NDArray[Any]
GENERATE = "tileas-generate-schedule"


def program(*, token: str = "", first: str = "%none") -> str:
    """
    A CTA multiplies its tile of Q by all tiles of K, adds the squares of the products, times these
    tiles of K, and adds the tile of K times itself to another array.
    """
    views = "".join(
        f"""
      %q{name} = assume div_by<16>, %p{name} : tile<ptr<{element}>>
      %t{name} = make_tensor_view %q{name}, shape = [%rows, 64], strides = [64, 1] : tile<i32>
          -> {tensor}
      %v{name} = make_partition_view %t{name} : {view}"""
        for name, element, tensor, view in (
            *(("q", "f16", TENSOR, VIEW), ("k", "f16", TENSOR, VIEW)),
            *(("o", "f32", SUMS, SUM), ("d", "f32", SUMS, SUM)),
        )
    )
    return f"""
    cuda_tile.module @kernels {{
    entry @kernel(%pq: tile<ptr<f16>>, %pk: tile<ptr<f16>>, %po: tile<ptr<f32>>,
                  %pd: tile<ptr<f32>>, %rows: tile<i32>, %trips: tile<i32>) {{{views}
      %i, %j, %z = get_tile_block_id : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %none = constant <f32: 0.0> : {SCORES}
      %start = constant <f32: 0.0> : {TOTAL}
      %q, %tokenq = load_view_tko weak %vq[%i, %zero] : {VIEW}, tile<i32> -> {TILE}, token
      %t0 = make_token : token
      %sum, %carried, %t9 = for %x in (%zero to %trips, step %one) : tile<i32>
          iter_values(%acc = %start, %last = %none, %t = %t0) -> ({TOTAL}, {SCORES}, token) {{
        %k, %tokenk = load_view_tko weak %vk[%x, %zero] {token} : {VIEW}, tile<i32> -> {TILE}, token
        %kt = permute %k [1, 0] : {TILE} -> tile<64x128xf16>
        %s = mmaf %q, %kt, {first} : {TILE}, tile<64x128xf16>, {SCORES}
        %e = mulf %s, %s rounding<nearest_even> : {SCORES}
        %p = ftof %e : {SCORES} -> tile<128x128xf16>
        %next = mmaf %p, %k, %acc : tile<128x128xf16>, {TILE}, {TOTAL}
        %w = ftof %k : {TILE} -> {TOTAL}
        %u = atomic_red_view_tko relaxed device %vd[%x, %zero], addf, %w token = %t
            : {TOTAL}, {SUM}, tile<i32> -> token
        continue %next, %s, %u : {TOTAL}, {SCORES}, token
      }}
      %done = store_view_tko weak %sum, %vo[%i, %zero] : {TOTAL}, {SUM}, tile<i32> -> token
      return
    }}
    }}
    """


def scheduled(module: ModuleOp, to: ModuleStage, abi: str = "host-maps") -> ModuleOp:
    """A kernel whose first WGMMA is issued early, at a stage."""
    for step in select_steps(to=to, arch="sm_90a"):
        each = make_pass(step, "sm_90a", abi)
        if step.name == GENERATE:
            each = TileasGenerateSchedulePass(cut=stages.RESULTS)
        each.apply(context(), module)
    module.verify()
    return module


def schedule(text: str) -> ModuleOp:
    """The same with its schedule."""
    module = load(text)
    for step in select_steps(to="tileas", arch="sm_90a"):
        if step.name == GENERATE:
            TileasGenerateSchedulePass(cut=stages.RESULTS).apply(context(), module)
            return module
        make_pass(step, "sm_90a", "host-maps").apply(context(), module)
    raise AssertionError(GENERATE)


def check(module: ModuleOp, trips: int) -> None:
    """Runs it on small integers, whose sums are exact."""
    random = np.random.default_rng(trips)
    rows = 128 * max(2, trips)
    q, k = (random.integers(-1, 2, (rows, 64)).astype(np.float16) for _ in range(2))
    out, added = np.full((rows, 64), 7, np.float32), np.full((rows, 64), 5, np.float32)
    run(module, grid=2, args=[q, k, out, added, rows, trips], check=True)
    wide = [each.astype(np.float32) for each in (q, k)]
    used = wide[1][: 128 * trips]
    weights = np.square(wide[0] @ used.T).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(out[:256], (weights @ used)[:256])
    np.testing.assert_array_equal(added[: 128 * trips], 5 + 2 * used)


@pytest.mark.every(2)
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("to", ["tileas", "nvgpu", "nvvm"])
def test_numbers(to: ModuleStage, trips: int):
    check(scheduled(load(program()), to), trips)


def held(module: ModuleOp) -> list[str | None]:
    """What loads do with their buffer stages."""
    found = map(HELD.get, find_all(module, TiledLoadOp))
    return [None if each is None else each.data for each in found]


def test_the_tile_is_loaded_once():
    assert held(schedule(program())) == [None, "keep", "release"]


@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
def test_gradients_of_attention(abi: str):
    module = scheduled(load(BENCHMARKS / f"{BACKWARD}.tileirbc"), "nvgpu", abi)
    check_gradients(module, 1, 256)


def test_a_schedule_that_is_made_again():
    module = schedule(program())
    for cut, expected in (
        (stages.RESULTS, [None, "keep", "release"]),
        (stages.OPERANDS, [None, None]),
    ):
        TileasGenerateSchedulePass(cut=cut).apply(context(), module)
        assert held(module) == expected


def is_staged(module: ModuleOp) -> bool:
    return any(map(STAGE.is_on, walk(module)))


def test_tiles_that_atomics_may_change_are_not_loaded_early():
    assert is_staged(schedule(program()))
    assert not is_staged(schedule(program(token="token = %t")))


def test_products_that_need_the_last_iteration_are_not_issued_early():
    assert not is_staged(schedule(program(first="%last")))


def test_one_buffer_stage_is_not_enough(monkeypatch: pytest.MonkeyPatch):
    """
    The producer would wait for the tile of this iteration before it loads the next one. Here as
    many as there are do not suffice.
    """
    monkeypatch.setattr(stages, "MIN_STAGES", 100)
    assert not is_staged(schedule(program()))


def never(_: Operation) -> bool:
    return False


def always(_: Operation) -> bool:
    return True


def test_a_stage_that_is_released_early_is_found(monkeypatch: pytest.MonkeyPatch):
    """Of a planted bug: the first product gives the buffer stage back."""
    monkeypatch.setattr(agents, "is_kept", never)
    module = scheduled(load(program()), "nvgpu")
    with pytest.raises(ExecutionError):
        check(module, 5)


def test_a_stage_that_is_never_released_is_found(monkeypatch: pytest.MonkeyPatch):
    """Of a planted bug: nobody gives it back, and the producer waits forever."""
    monkeypatch.setattr(agents, "is_kept", always)
    module = scheduled(load(program()), "nvgpu")
    with pytest.raises(ExecutionError, match="wait"):
        check(module, 12)
