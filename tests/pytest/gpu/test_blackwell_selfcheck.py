"""
`tests/gpu/blackwell_selfcheck.py` without a GPU: its kernels assemble for each architecture that
has what they ask for, and the interpreter gives what it expects of hardware.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.gpu import blackwell_selfcheck as check

from tileiras_xdsl.backend import cuda
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.targets.machine import ComputeCapability

GROUPS = [runs.name for runs in check.recorded()]


def cases_of(group: str) -> Iterator[check.Case]:
    (runs,) = (each for each in check.recorded() if each.name == group)
    return runs.record()


def run_rewritten(case: check.Case, **options: Any) -> None:
    """Runs a kernel as it is for hardware, and compares."""
    module = case.module.clone()
    check.for_hardware(module)
    found = [x.copy() if isinstance(x, np.ndarray) else x for x in case.before]
    run_threads(module, case.grid, found, **options)
    for array, expected in zip(found, case.after, strict=True):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.every(25)
@pytest.mark.filterwarnings(
    "ignore::tileiras_xdsl.interpreter.threads.tensor_cores.TensorOrderWarning"
)
@pytest.mark.parametrize("group", GROUPS)
def test_kernels_of_tests_mean_the_same(group: str):
    cases = list(cases_of(group))
    assert cases
    for case in cases[:: max(1, len(cases) // 3)]:
        run_rewritten(case)


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("number", range(4))
def test_own_kernels(number: int):
    case = list(check.own_cases(small=True))[number]
    run_rewritten(case, workers=3)


def test_a_wrong_expectation_is_noticed():
    """The words of a load, as those of another shape."""
    first, *_, last = cases_of("words that tcgen05.ld moves")
    first.after = last.after
    with pytest.raises(AssertionError):
        run_rewritten(first)


@pytest.mark.oracle
@pytest.mark.every(25, first=18)
@pytest.mark.parametrize("group", GROUPS)
def test_kernels_assemble(group: str, tmp_path: Path, oracle_program: Callable[[str], Path]):
    oracle_program("ptxas")
    lacking = check.make(tmp_path, "sm_100a", cases_of(group))
    assert bool(lacking) == (group == "tcgen05.ld.red")
    made = json.loads((tmp_path / "cases.json").read_text())
    for case in made["cases"]:
        assert (tmp_path / f"{case['file']}.cubin").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.every(2)
@pytest.mark.oracle
@pytest.mark.parametrize("arch", ["sm_103a", "sm_110a"])
def test_what_architectures_lack(arch: str, tmp_path: Path, oracle_program: Callable[[str], Path]):
    oracle_program("ptxas")
    groups = ("saturation of i8", "tcgen05.ld.red", "commits tell when products are complete")
    cases = [*cases_of(groups[0]), *cases_of(groups[1]), check.commit_order()]
    lacking = check.make(tmp_path, arch, iter(cases))
    expected = [groups[0], f"{groups[0]} (2)"] if arch == "sm_103a" else []
    assert lacking == expected


def test_the_report_names_what_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cases = [{"name": name} for name in ("right", "wrong", "ends", "stays")]
    made = {"arch": "sm_100a", "lacking": ["ld.red"], "cases": cases}
    (tmp_path / "cases.json").write_text(json.dumps(made))
    device = SimpleNamespace(
        name="B200", capability=ComputeCapability(10, 0), driver_version="13.0"
    )
    monkeypatch.setattr(cuda.Device, "get", staticmethod(lambda: device))
    answers: dict[str, tuple[int, str, str]] = {
        "0": (0, "\n", ""),
        "1": (0, "array 1 differs", ""),
        "2": (1, "", "Traceback\nCudaError: illegal instruction"),
    }

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        if command[-1] not in answers:
            raise subprocess.TimeoutExpired(command, 1)
        return subprocess.CompletedProcess(command, *answers[command[-1]])

    monkeypatch.setattr(subprocess, "run", run)
    report = tmp_path / "report.txt"
    assert check.run_all(tmp_path, report) == 3
    assert report.read_text().splitlines() == [
        "B200, sm_100, driver 13.0",
        "code for sm_100a",
        "holds    right",
        "DIFFERS  wrong",
        "         array 1 differs",
        "FAULT    ends",
        "         CudaError: illegal instruction",
        "HANGS    stays",
        "-        ld.red: not on sm_100a",
        "3 of 4 assumptions fail",
    ]
