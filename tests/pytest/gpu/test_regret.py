"""`benchmarks/board/regret.py` without a GPU: what it compiles, and what it makes of times."""

from __future__ import annotations

import importlib.util
import json
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks/board/regret.py"
CASE = "memory_rms_norm"


@pytest.fixture
def regret(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("regret", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(*plans: tuple[str, float | None, float]) -> dict[str, Any]:
    """What `run` finds: by plan the rule, the prediction and the measured time."""
    names = ("rule", "predicted", "measured")
    rows = [{"plan": "", **dict(zip(names, plan, strict=True))} for plan in plans]
    return {"name": "a", "problems": [], "plans": rows}


def test_plans_are_compiled_once(
    regret: ModuleType, oracle_program: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    oracle_program("ptxas")
    regret.make(tmp_path, [CASE], 1)
    plans = json.loads((tmp_path / regret.BUNDLE).read_text())["cases"][CASE]["plans"]
    assert [plan["rule"] == "chosen" for plan in plans] == [True, False]
    assert plans[0]["plan"] != plans[1]["plan"]
    assert plans[0]["sha256"] != plans[1]["sha256"]
    assert all((tmp_path / plan["file"]).stat().st_size for plan in plans)
    assert all(plan["predicted"] > 0 for plan in plans)
    assert "2 plans" in capsys.readouterr().out
    regret.make(tmp_path, [CASE], 1)
    assert capsys.readouterr().out == ""


def test_kernels_of_others(
    regret: ModuleType, oracle_program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What `launches.py` found: each kernel in its first case whose sizes are known."""
    oracle_program("ptxas")
    code = regret.GPU_FOLDER / "bytecode/vector_add.tileirbc"
    size = 1 << 20
    launch = {
        **{"kernel": "add", "bytecode": "code", "grid": [1024, 1, 1], "is_guessed": False},
        "values": [None, size, 1] * 3,
        "arrays": {str(number): 2 * size for number in (0, 3, 6)},
    }
    found = {
        "others.unknown": {"launches": [{**launch, "is_guessed": True}]},
        "others.first": {"launches": [launch]},
        "others.second": {"launches": [launch]},
    }
    (tmp_path / "code.tileirbc").write_bytes(code.read_bytes())
    (tmp_path / "launches.json").write_text(json.dumps(found))
    regret.make(tmp_path, ["others."], 1, tmp_path)
    cases = json.loads((tmp_path / regret.BUNDLE).read_text())["cases"]
    assert [*cases] == ["others.first, add"]
    entry = cases["others.first, add"]
    assert entry["launch"]["grid"] == [1024, 1, 1]
    memory = SimpleNamespace(data_ptr=lambda: 1 << 30)

    def zeros(_total: int, **_options: object) -> SimpleNamespace:
        return memory

    torch = SimpleNamespace(zeros=zeros, uint8=None)
    monkeypatch.setitem(sys.modules, "torch", torch)
    _, values = regret.place_zeros(entry["launch"])
    places = values[::3]
    assert places[0] == memory.data_ptr()
    assert all(b - a >= 2 * size for a, b in pairwise(places))
    assert values[1::3] == [size] * 3


def test_regret(regret: ModuleType):
    right = timed(("chosen", 10.0, 10.0), ("width", 12.0, 11.0))
    wrong = timed(("chosen", 10.0, 12.0), ("width", None, 10.0))
    assert regret.regret_of(right) == 1.0
    assert regret.regret_of(wrong) == 1.2
    assert "best: width" in regret.describe(wrong)
    text = regret.summary([right, wrong])
    assert text.startswith("2 cases, 4 plans; regret: median 1.100, 95th percentile 1.200")
    assert regret.summary([]) == "no cases"


def test_plans_that_were_timed_are_judged_by_the_model_of_today(
    regret: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    fields = "persistent=0 ping_pong=0 cluster=1"
    chosen = f"warps=8 occupancy=2 stages=2 {fields}"
    row = timed(("chosen", 1.0, 50.0), ("width", 1.0, 40.0))
    for plan, text in zip(row["plans"], (f"warps=16 occupancy=1 {fields}", chosen), strict=True):
        plan["plan"] = text
    file = tmp_path / "timed.json"
    file.write_text(json.dumps({"cases": [{**row, "name": CASE}, {**row, "name": "other"}]}))
    regret.judge(file, [], None)
    passes, model = capsys.readouterr().out.splitlines()[-2:]
    assert passes.startswith("passes: 1 cases, 2 plans; regret: median 1.000")
    assert model.startswith("the model: 1 cases, 2 plans; regret: median 1.")


def test_times_without_predictions(regret: ModuleType):
    """Steps of numbers have none (`benchmarks/remeasure.py`)."""
    rows = [timed(("chosen", None, 3.0), ("choices.A=1", None, 2.0))]
    assert regret.summary(rows) == (
        "1 cases, 2 plans; regret: median 1.500, 95th percentile 1.500, worst 1.500"
    )
