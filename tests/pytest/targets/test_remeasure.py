"""The command that measures tuned numbers one step up and down (`benchmarks/remeasure.py`)."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from tileiras_xdsl.targets import choices

SCRIPT = Path(__file__).parents[3] / "benchmarks/remeasure.py"


@cache
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("remeasure", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    path = sys.path[:]
    sys.modules["remeasure"] = found
    spec.loader.exec_module(found)
    sys.path[:] = path
    return found


def test_every_number_has_two_steps() -> None:
    numbers = {each.name: each for each in script().find_numbers()}
    assert len(numbers) > 50
    for name in choices.__annotations__:
        assert f"choices.{name}" in numbers, name
    assert numbers["choices.EXTREMA_CHAINS"].steps == (2, 8)
    assert numbers["choices.WHOLE_SHARE"].steps == (9 / 16, 15 / 16)
    assert numbers["hopper.WARPGROUPS.max_stages"].steps == (9, 15)
    for each in numbers.values():
        assert each.steps[0] < each.value < each.steps[1], each.name


def test_passes_see_a_step() -> None:
    """A number is changed before the module that uses it is imported."""
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); import remeasure\n"
        "remeasure.change('choices.EXTREMA_CHAINS', 16)\n"
        "remeasure.change('hopper.WARPGROUPS.max_stages', 5)\n"
        "from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import aggregates\n"
        "from tileiras_xdsl.targets.target import target_of, ComputeCapability\n"
        "target = target_of(ComputeCapability.parse('sm_90a'))\n"
        "print(aggregates.EXTREMA_CHAINS, target.warpgroups.max_stages)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert found.stdout.split() == [b"16", b"5"]


def test_only_code_that_differs_is_measured() -> None:
    done = {
        "": {"a": {"sha256": "1"}, "b": {"sha256": "2"}, "c": None},
        "x=2": {"a": {"sha256": "1"}, "b": {"sha256": "3"}, "c": {"sha256": "4"}},
        "x=8": {"a": {"sha256": "1"}, "b": None, "c": None},
    }
    found = script().bundle(done, {"a": "case a", "b": "case b", "c": "case c"})
    assert [*found] == ["case b"]
    assert [plan["rule"] for plan in found["case b"]["plans"]] == ["chosen", "x=2"]


def test_what_no_longer_holds() -> None:
    def row(name: str, *speeds: float) -> dict[str, object]:
        plans = [{"plan": "as it is", "measured": 100.0}]
        plans += [{"plan": f"x={i}", "measured": 100.0 / s} for i, s in enumerate(speeds)]
        return {"name": name, "plans": plans}

    rows = [row("a", 1.04, 1.04, 1.02), row("b", 1.035, 0.9, 1.0), row("c", 1.0, 1.04, 1.0)]
    holds = {step: script().still_holds(gain) for step, gain in script().gains(rows).items()}
    assert holds == {"x=0": False, "x=1": True, "x=2": True}
    assert [line.split()[0] for line in script().judge(rows)] == ["better", "holds", "holds"]
