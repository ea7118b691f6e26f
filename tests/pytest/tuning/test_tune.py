"""`tileiras_xdsl.tune`, with a timer that needs no GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.driver import CudaError
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.cost.model import Launch
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.driver.tuning import tune as module
from tileiras_xdsl.driver.tuning.result import Prediction, Row, TuneError, TuneResult, list_configs
from tileiras_xdsl.driver.tuning.tune import (
    Devices,
    GpuTimer,
    PredictionJob,
    find_devices,
    poison,
    run_prediction,
    why_wrong,
)

from ..backend.fake_driver import FakeDriver

TILES = (64, 128, 256)


@dataclass
class FakeTimer:
    """Takes as long as it is told, by the last argument of the kernel."""

    milliseconds: Mapping[int, Any]
    """A number, or what is raised, by the tile size."""
    name: str = "a GPU"
    wrong: Sequence[int] = ()
    """Tile sizes with which nothing is computed."""
    calls: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Tile size, device, and number of launches."""
    lock: Any = field(default_factory=Lock)

    def identify(self, device: int) -> str:
        return self.name

    def time(
        self, compiled: Compiled, grid: Any, arguments: Sequence[Any], *, device: int, repeat: int
    ) -> list[float]:
        assert compiled.function is not None
        assert grid == (-(-4096 // arguments[-1]), 1, 1)
        compiled.function.flatten(arguments)
        with self.lock:
            self.calls.append((arguments[-1], device, repeat))
        time = self.milliseconds[arguments[-1]]
        if isinstance(time, Exception):
            raise time
        # One launch that something got in the way of.
        return [time] * (repeat - 1) + [100 * time]

    def launch(
        self, compiled: Compiled, grid: Any, arguments: Sequence[Any], *, device: int
    ) -> None:
        a, b, out, factor, tile = arguments
        if tile not in self.wrong:
            out[:] = 2 * a * factor + b


@pytest.fixture
def kernels(oracle_module: Callable[[str], ModuleType]) -> Any:
    oracle_module("cuda.tile")
    return import_module("..cutile_kernels", __package__)


@pytest.fixture
def executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def vectors() -> list[Any]:
    a, b = np.random.default_rng(0).random((2, 4096), np.float32)
    return [a, b, np.zeros_like(a)]


@pytest.fixture
def tune(kernels: Any, executor: Executor) -> Callable[..., TuneResult]:
    """Tunes a kernel by its tile size."""

    def call(timer: FakeTimer | None, **options: Any) -> TuneResult:
        given: dict[str, Any] = {
            "space": {"tile": TILES},
            "args": [*vectors(), 2.0],
            "grid": lambda config: -(-4096 // config["tile"]),  # pyright: ignore
            "gpu": "sm_90",
            "executor": executor,
            "margin": None,
        }
        return tx.tune(kernels.scale_and_add, timer=timer, **(given | options))

    return call


def configs(rows: Sequence[Row]) -> list[Any]:
    return [row.config["tile"] for row in rows]


# Measuring


def test_the_fastest_is_first(tune: Callable[..., TuneResult]):
    timer = FakeTimer({64: 3.0, 128: 1.0, 256: 2.0})
    result = tune(timer)
    assert configs(result.rows) == [128, 256, 64]
    assert result.best.config == {"tile": 128}
    assert result.best.milliseconds == 1.0
    assert repr(result.best) == "Row(tile=128: measured 1 ms)"
    assert (result.best.status, result.is_measured, result.gpu) == ("measured", True, "a GPU")
    assert result.best.grid == (32, 1, 1)
    assert result.best.arguments[-1] == 128
    assert result.best.compiled.cubin.startswith(b"\x7fELF")
    # Nothing is close to the best, so each was measured once.
    assert sorted(timer.calls) == [(64, 0, 5), (128, 0, 5), (256, 0, 5)]


def test_what_is_close_is_measured_again_by_turns(tune: Callable[..., TuneResult]):
    timer = FakeTimer({64: 1.05, 128: 1.0, 256: 2.0})
    result = tune(timer)
    assert result.best.config == {"tile": 128}
    assert [(tile, repeat) for tile, _, repeat in timer.calls[3:]] in (
        [(64, 10), (128, 10)] * 3,
        [(128, 10), (64, 10)] * 3,
    )
    assert [row.samples for row in result.rows] == [30, 30, 5]


def test_several_devices_share_the_work(tune: Callable[..., TuneResult]):
    timer = FakeTimer({64: 1.05, 128: 1.0, 256: 2.0})
    tune(timer, devices=[2, 3])
    assert {device for _, device, repeat in timer.calls if repeat == 5} <= {2, 3}
    # What is compared in the end was measured on one of them.
    assert {device for _, device, repeat in timer.calls if repeat == 10} == {2}


def test_devices_are_of_one_kind():
    class Different(FakeTimer):
        def identify(self, device: int) -> str:
            return f"GPU {device}"

    with pytest.raises(TuneError, match="the devices differ: GPU 0; GPU 1"):
        find_devices("sm_90", [0, 1], Different({}))
    with pytest.raises(TuneError, match="no device"):
        find_devices("sm_90", [], FakeTimer({}))


def test_failures_are_rows(tune: Callable[..., TuneResult]):
    result = tune(FakeTimer({64: BackendError("too large"), 128: 2.0, 256: 1.0}))
    assert configs(result.rows) == [256, 128, 64]
    assert (result.rows[2].status, result.rows[2].reason) == ("failed", "too large")


def test_a_lost_gpu_measures_nothing_more(tune: Callable[..., TuneResult]):
    error = CudaError("it faults", "CUDA_ERROR_ILLEGAL_ADDRESS")
    timer = FakeTimer(dict.fromkeys(TILES, error))
    result = tune(timer)
    assert len(timer.calls) == 1
    reasons = sorted(row.reason for row in result.rows)
    assert reasons[0] == "it faults"
    assert all("the GPU was lost" in reason for reason in reasons[1:])
    with pytest.raises(TuneError, match="no configuration of scale_and_add works"):
        _ = result.best


def test_what_cutile_refuses_is_a_row(tune: Callable[..., TuneResult]):
    result = tune(FakeTimer({128: 1.0}), space={"tile": (100, 128)})
    assert configs(result.rows) == [128, 100]
    assert result.rows[1].status == "failed"
    assert "power of two" in result.rows[1].reason.lower()


def test_references(tune: Callable[..., TuneResult]):
    arrays = vectors()

    def reference(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"out": 2 * arguments["a"] * arguments["factor"] + arguments["b"]}

    timer = FakeTimer({64: 1.0, 128: 2.0, 256: 3.0}, wrong=[64])
    result = tune(timer, args=[*arrays, 2.0], reference=reference)
    assert configs(result.rows) == [128, 256, 64]
    assert result.rows[2].reason == "4096 of 4096 elements of 'out' are wrong"
    with pytest.raises(TuneError, match="names 'nonsense', which is no parameter"):
        tune(timer, reference=lambda _: {"nonsense": 3}, database=False)  # pyright: ignore


# Dropping


@pytest.fixture
def matmul(kernels: Any, executor: Executor) -> Callable[..., TuneResult]:
    a, b, c = (np.empty((4096, 4096), np.float16) for _ in range(3))

    def call(space: Any, **options: Any) -> TuneResult:
        given: dict[str, Any] = {"gpu": "sm_90", "executor": executor}
        return tx.tune(
            kernels.tiled_product,
            lambda config: (-(-4096 // config["m"]), -(-4096 // config["n"])),
            [a, b, c],
            space,
            **(given | options),
        )

    return call


SPACE = {"m": (16, 128), "n": (16, 128), "k": (16, 64)}


def test_what_cannot_win_is_dropped(
    matmul: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "KEEP", 1)
    result = matmul(SPACE, margin=1.5)
    assert result.best.config == {"m": 128, "n": 128, "k": 64}
    best = result.best.predicted
    assert best is not None
    dropped = result.of("dropped")
    assert dropped
    for row in result.rows:
        assert row.predicted is not None
        assert (row.predicted > 1.5 * best) == (row.status == "dropped")
    assert dropped[-1].reason.startswith("predicted ")
    assert "dropped by the cost model (predicted to take more than 1.5 times" in result.caption


def test_the_few_best_are_never_dropped(
    matmul: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "KEEP", 3)
    result = matmul({"m": (16, 32, 64, 128), "n": (128,), "k": (64,)}, margin=1.0)
    assert len(result.of("predicted")) == 3
    assert [row.config["m"] for row in result.of("dropped")] == [16]


def test_what_was_dropped_comes_back_if_nothing_else_works(
    matmul: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "KEEP", 1)
    compile_many = module.compile_many
    calls = list[int]()

    def fail_first(programs: Any, *arguments: Any, **options: Any) -> Any:
        calls.append(len(programs))
        if len(calls) == 1:
            programs = ["not { a program"]
        return compile_many(programs, *arguments, **options)

    monkeypatch.setattr(module, "compile_many", fail_first)
    result = matmul({"m": (16, 32, 128), "n": (128,), "k": (64,)}, margin=1.01)
    assert [row.status for row in result.rows] == ["predicted", "predicted", "failed"]
    assert result.best.config["m"] == 32


def test_without_a_prediction_nothing_is_dropped(
    tune: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: Any) -> Any:
        raise UnknownScheduleError("no idea")

    monkeypatch.setattr(module, "estimate_fitting", fail)
    result = tune(None, margin=1.0)
    assert {row.status for row in result.rows} == {"predicted"}
    assert result.rows[0].reason == "no prediction: no idea"


# The model


def predict_by_exploration(kernels: Any, row: Row) -> float:
    """What `predict` says of a configuration, in milliseconds."""
    hints = {"occupancy": row.config["occupancy"]} if row.config.get("occupancy") else {}
    kernel = kernels.tiled_product.replace_hints(**hints) if hints else kernels.tiled_product
    explored = tx.explore(kernel, gpu="sm_90", args=row.arguments)
    (made,) = explored.predict(row.grid, row.arguments)
    return made.prediction.microseconds / 1e3


def test_ranks_by_what_an_exploration_predicts(
    kernels: Any, matmul: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    """Tiles that the compiler divides among a cluster are as good as those that it need not."""
    monkeypatch.setattr(module, "KEEP", 1)
    space = [
        *({"m": 256, "n": 256, "k": 64}, {"m": 128, "n": 256, "k": 64}),
        *({"m": 128, "n": 128, "k": 64}, {"m": 128, "n": 128, "k": 64, "occupancy": 2}),
    ]
    result = matmul(space, margin=1.5)
    assert not result.of("dropped")
    predicted = [row.predicted for row in result.rows]
    assert predicted == pytest.approx([predict_by_exploration(kernels, each) for each in result])
    assert len({*predicted}) >= 3, "another occupancy is another prediction"


def test_registers_limit_what_was_predicted(kernels: Any, executor: Executor):
    """What ptxas says of a kernel counts, as soon as it is known."""
    arrays = vectors()
    session = module.Session(
        module.TunedKernel(
            kernels.scale_and_add, [*arrays, 2.0], 16, module.Options("sm_90", abi="device-maps")
        ),
        [Row({"tile": 256})],
        Devices(None),
        *(None, None, False, None),
    )
    session.predict(executor)
    (row,) = session.rows
    assert row.prediction is not None
    row.keep(compiled := row.compiled)
    assert session._predict_again(row, executor) is None  # pyright: ignore[reportPrivateUsage]
    many = replace(compiled.launch_record, registers=255, threads=(1024, 1, 1))
    monkey = cast(Any, SimpleNamespace(launch_record=many))
    row.keep(monkey)
    again = session._predict_again(row, executor)  # pyright: ignore[reportPrivateUsage]
    assert again is not None
    found = again.result()
    assert isinstance(found, Prediction)
    assert found.occupancy < row.prediction.occupancy


def test_loops_over_data_have_no_prediction():
    """A loop whose trip count is read from memory takes nobody knows how long."""
    text = (
        "cuda_tile.module @m {\n  entry @k(%p: tile<ptr<i32>>) {\n"
        "    %zero = constant <i32: 0> : tile<i32>\n    %one = constant <i32: 1> : tile<i32>\n"
        "    %n, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token\n"
        "    %x = constant <i32: 1> : tile<1024xi32>\n"
        "    %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
        "    %ps = broadcast %q : tile<1xptr<i32>> -> tile<1024xptr<i32>>\n"
        "    for %i in (%zero to %n, step %one) : tile<i32> {\n"
        "      store_ptr_tko weak %ps, %x : tile<1024xptr<i32>>, tile<1024xi32> -> token\n"
        "      continue\n    }\n    return\n  }\n}\n"
    )
    job = PredictionJob("m", text.encode(), Options("sm_90"), Launch((1, 1, 1), [None]), None)
    assert run_prediction(job) == "no prediction: 1 loops have trip counts that depend on data"


def test_gpus_of_which_nothing_was_measured():
    """They are ranked by the clocks of an SM; more SMs take less time."""
    bytecode = Path(__file__).parents[3] / "benchmarks/gpu/bytecode/matmul_128x128x64.tileirbc"
    launch = Launch((4096, 1, 1), [None, 8192, 8192, 8192, 1] * 3, 3 * 2 * 8192.0**2)
    data, options = bytecode.read_bytes(), Options("sm_80")
    few, many = (
        run_prediction(PredictionJob("m", data, options, launch, count)) for count in (54, 108)
    )
    assert isinstance(few, Prediction)
    assert isinstance(many, Prediction)
    assert few.milliseconds == pytest.approx(2 * many.milliseconds, rel=0.05)


# Without a GPU


def test_only_the_best_are_compiled_if_nothing_can_be_measured(
    tune: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "KEEP", 1)
    result = tune(None)
    assert [row.is_compiled for row in result.rows] == [True, False, False]
    assert {row.status for row in result.rows} == {"predicted"}
    assert result.rows[1].compiled.cubin.startswith(b"\x7fELF")


def test_without_a_gpu_the_cost_model_ranks(
    matmul: Callable[..., TuneResult], monkeypatch: pytest.MonkeyPatch
):
    def fail(index: int = 0) -> Any:
        raise MissingToolError("no driver")

    monkeypatch.setattr(cuda.Device, "get", fail)
    result = matmul({"m": (64, 128), "n": (128,), "k": (64,)})
    assert not result.is_measured
    assert [row.config["m"] for row in result.rows] == [128, 64]
    assert "ranked by the cost model alone" in result.caption
    assert "no GPU here (no driver)" in result.caption
    with pytest.raises(MissingToolError):
        find_devices("sm_90", [0], None)
    with pytest.raises(OptionError, match="there is no GPU here"):
        matmul(SPACE, gpu=None)


@pytest.fixture
def use_driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[FakeDriver], None]]:
    """Puts a driver in the place of that of CUDA."""

    def use(fake: FakeDriver) -> None:
        monkeypatch.setattr(cuda, "get_driver", lambda: fake)
        cuda.Device.get.cache_clear()

    yield use
    cuda.Device.get.cache_clear()


def test_a_gpu_of_another_architecture(use_driver: Callable[[FakeDriver], None]):
    use_driver(FakeDriver(None))  # pyright: ignore[reportArgumentType]
    other = find_devices("sm_100", None, None)
    assert other.timer is None
    assert "does not run on this GPU" in other.note
    own = find_devices("sm_90", None, None)
    assert isinstance(own.timer, GpuTimer)
    assert own.gpu == "a GPU, 4 SMs, driver 13.1, L2 flushed"
    assert own.sm_count == 4


def test_a_driver_is_called_for_every_measurement(
    kernels: Any,
    tune: Callable[..., TuneResult],
    use_driver: Callable[[FakeDriver], None],
):
    """All but the GPU: arrays are copied, checked against a reference, and launched in bursts."""
    arguments = [*vectors(), 2.0]
    compiled = tx.compile(kernels.scale_and_add, "sm_90", args=[*arguments, 64])
    fake = FakeDriver(compiled.launch_record)
    use_driver(fake)
    result = tune(None, args=arguments, gpu=None)
    assert result.gpu == "a GPU, 4 SMs, driver 13.1, L2 flushed"
    assert [row.milliseconds for row in result.rows] == [0.5] * 3
    # Two to warm up and five for each, then two and ten by three turns, as all are equal.
    assert len(fake.named("cuLaunchKernel")) == 3 * (2 + 5) + 3 * 3 * (2 + 10)
    assert {tuple(call[1:4]) for call in fake.named("cuLaunchKernel")} == {
        (4096 // tile, 1, 1) for tile in TILES
    }
    # The best one stays; others are loaded again when they are launched.
    assert len(fake.named("cuModuleUnload")) == len(TILES) - 1
    for row in result.rows:
        row.compiled.launch(row.grid, row.arguments)
    assert len(fake.named("cuModuleLoadData")) == 2 * len(TILES) - 1
    # A driver that runs nothing leaves what was there before.
    checked = tune(
        None,
        args=arguments,
        reference=lambda named: {"out": named["a"]},  # pyright: ignore
        refresh=True,
    )
    assert {row.reason for row in checked.rows} == {"4096 of 4096 elements of 'out' are wrong"}
    assert not fake.memory


# The database


def test_measurements_are_kept(tune: Callable[..., TuneResult], own_cache: Path):
    slow = {64: 3.0, 128: 1.0, 256: 2.0}
    tune(FakeTimer(slow))
    assert (own_cache / "tuning.sqlite3").exists()
    timer = FakeTimer({})
    again = tune(timer)
    assert timer.calls == []
    assert configs(again.rows) == [128, 256, 64]
    assert {row.status for row in again.rows} == {"known"}
    assert "3 known from the database" in again.caption
    assert again.best.compiled.cubin.startswith(b"\x7fELF")
    other = FakeTimer(slow, "another GPU")
    assert tune(other).best.status == "measured"
    assert tune(FakeTimer(slow), refresh=True).best.status == "measured"
    assert tune(FakeTimer(slow), database=False).best.status == "measured"


def test_other_launches_are_measured_again(tune: Callable[..., TuneResult]):
    slow = {64: 3.0, 128: 1.0, 256: 2.0}
    tune(FakeTimer(slow))
    a, b = np.random.default_rng(0).random((2, 4000), np.float32)
    result = tune(FakeTimer(slow), args=[a, b, np.zeros_like(a), 2.0])
    assert result.best.status == "measured"


def test_new_configurations_join_known_ones(tune: Callable[..., TuneResult]):
    tune(FakeTimer({64: 3.0, 128: 1.0}), space={"tile": (64, 128)})
    timer = FakeTimer({256: 2.0})
    result = tune(timer)
    assert [row.status for row in result.rows] == ["known", "measured", "known"]
    assert configs(result.rows) == [128, 256, 64]


# Spaces and arguments


def test_spaces():
    product = list_configs({"a": (1, 2), "b": (3, 4)}, lambda config: config["a"] < config["b"] - 1)
    assert product == [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 4}]
    assert list_configs([{"a": 1}, {"a": 2}, {"a": 1}], None) == [{"a": 1}, {"a": 2}]
    assert list_configs({"a": range(2)}, None) == [{"a": 0}, {"a": 1}]
    with pytest.raises(TuneError, match="has no configuration"):
        list_configs({"a": ()}, None)
    for wrong in ({"a": 1}, {"a": "bc"}):
        with pytest.raises(TuneError, match="'a' of the space is not a sequence of values"):
            list_configs(wrong, None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TuneError, match="a space is a mapping"):
        list_configs([1], None)  # pyright: ignore[reportArgumentType]


def test_arguments_by_name_or_from_a_function(tune: Callable[..., TuneResult]):
    a, b, out = vectors()
    timer = FakeTimer({64: 3.0, 128: 1.0, 256: 2.0})
    named = tune(timer, args={"out": out, "factor": 2.0, "a": a, "b": b}, database=False)
    assert named.best.config == {"tile": 128}

    def arguments(config: Mapping[str, Any]) -> Sequence[Any]:
        return (a, b, out, 2.0, 64 * config["times"])

    result = tune(
        timer,
        space=[{"times": 1}, {"times": 2}],
        args=arguments,
        grid=lambda config: 4096 // (64 * config["times"]),  # pyright: ignore
    )
    assert result.best.config == {"times": 2}


def test_hints(tune: Callable[..., TuneResult]):
    space = {"tile": (128,), "occupancy": (None, 1, 2), "num_ctas": (1,)}
    result = tune(FakeTimer({128: 1.0}), space=space)
    assert len(result.of("measured")) == 3
    programs = {row.candidate.program.data for row in result.rows if row.candidate is not None}
    assert len(programs) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": {"nonsense": (1,)}}, "'nonsense' of the space is neither a parameter"),
        ({"args": [1, 2]}, "takes 4 arguments beside tile, but got 2"),
        ({"args": {"a": 1}}, "has no argument 'b'"),
        ({"grid": 0}, "a grid is one to three positive numbers, not 0"),
        ({"grid": repr}, "a grid is one to three positive numbers, not "),
        ({"grid": (1, 2, 3, 4)}, "a grid is one to three positive numbers, not "),
        ({"grid": itemgetter("m")}, "the grid function fails for tile=64: KeyError: 'm'"),
        ({"margin": 0.5}, "a margin is a number from 1 on"),
    ],
)
def test_mistakes(tune: Callable[..., TuneResult], options: dict[str, Any], message: str):
    with pytest.raises(TuneError, match=message):
        tune(FakeTimer({}), **options)


def test_only_kernels_of_cutile_are_tuned(executor: Executor):
    with pytest.raises(TuneError, match="which 'str' is not"):
        tx.tune("matmul.mlir", 1, [], {"a": (1,)}, gpu="sm_90")  # pyright: ignore


# The table


def test_the_table(tune: Callable[..., TuneResult]):
    result = tune(FakeTimer({64: BackendError("a <b> | c"), 128: 1.0, 256: 2.0}))
    lines = result.to_markdown().splitlines()
    assert lines[0].startswith("scale_and_add on a GPU: 2 of 3 configurations measured, 1 failed;")
    assert lines[2] == "| tile | measured, ms | predicted, ms | limit | status |"
    assert lines[4].startswith("| 128 | 1 | 0.00")
    assert lines[6].endswith(r"| failed: a <b> \| c |")
    assert str(result) == result.to_markdown()
    html = result._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<tr>") == 4
    assert "a &lt;b&gt; | c" in html
    assert "<caption" in html
    assert [row.config["tile"] for row in result[:2]] == [128, 256]
    assert len(result) == 3


def test_predictions_for_a_gpu_that_was_not_measured_are_ratios():
    rows = [
        Row({"tile": tile}, "predicted", Prediction(time, False, "L2", 1))
        for tile, time in ((64, 0.3), (128, 0.2))
    ]
    table = str(TuneResult("k", rows, "", "sm_100", 1.5, 1.0))
    assert "predicted, × best" in table
    assert "| 128 |  | 1.00 | L2 | predicted |\n| 64 |  | 1.50 | L2 |" in table
    assert repr(rows[0]) == "Row(tile=64: predicted)"


# What measures


def test_comparisons_with_references():
    out = np.zeros(4, np.float32)
    poison({"out": out})
    assert np.isnan(out).all()
    numbers = np.zeros(4, np.int32)
    poison({"numbers": numbers})
    assert (numbers == 1).all()
    expected = {"out": np.ones(4)}
    assert why_wrong({"out": np.ones(4, np.float32) + 1e-3}, expected, 1e-2, 0) is None
    assert why_wrong({"out": np.ones(4) + 0.1}, expected, 1e-2, 0) == (
        "4 of 4 elements of 'out' are wrong"
    )
    there = OnGpu(np.ones(4))
    assert why_wrong({"out": there}, {"out": OnGpu(np.ones(4))}, 1e-2, 0) is None
    assert why_wrong({"out": there}, {"out": OnGpu(np.zeros(4))}, 1e-2, 0) is not None
    assert why_wrong({"out": np.ones(3)}, expected, 1e-2, 0) == "'out' has shape (3,), not (4,)"


class OnGpu:
    """An array of PyTorch that must not be looked at from here."""

    device = "cuda:0"

    def __init__(self, values: Any):
        self.values = values
        self.shape = values.shape

    def to(self, place: str) -> OnGpu:
        assert place == self.device
        return self

    def double(self) -> OnGpu:
        return self

    def isclose(self, other: OnGpu, rtol: float, atol: float, *, equal_nan: bool) -> Any:
        return np.isclose(self.values, other.values, rtol, atol, equal_nan=equal_nan)


class Tensor:
    """An array of PyTorch, as far as it is looked at."""

    def __init__(self, index: int):
        self.device = type("Device", (), {"type": "cuda", "index": index})()

    def to(self, place: str) -> Tensor:
        return Tensor(int(place.partition(":")[2]))


def test_arrays_follow_to_other_devices():
    timer, tensor = GpuTimer(), Tensor(0)
    move: Callable[[Any, int], Any] = timer._move  # pyright: ignore[reportPrivateUsage]
    assert move(tensor, 0) is tensor
    moved = move(tensor, 1)
    assert moved.device.index == 1
    assert move(tensor, 1) is moved
    pair = (tensor, 3)
    assert move(pair, 0) is pair
    assert move(pair, 1)[0] is moved
    assert move(out := np.zeros(3), 1) is out
    assert move(other := object(), 0) is other
    with pytest.raises(TuneError, match="those of NumPy or PyTorch"):
        move(object(), 1)
    with pytest.raises(TuneError, match="on GPU 1"):
        timer.launch(None, (1, 1, 1), [tensor], device=1)  # pyright: ignore[reportArgumentType]


def test_nothing_is_measured_without_a_timer():
    assert Devices(None).timer is None
