"""
`tests/gpu/provoke.py` without a GPU: that its kernels, run one after the other by the interpreter,
give what it expects, and that it notices when they do not.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gpu.provocations import runner
from tests.gpu.provocations.cases import CASES, Bench, Case
from tests.gpu.provocations.gpu import Gpu
from tests.gpu.provocations.kernels import all_kernels

from tileiras_xdsl.backend import cuda

from .fake_library import FakeLibrary, entry_name, record_of

RESULTS = {
    **{"publish": 2, "overwrite": 2, "operands": 2, "epilogue": 2, "bounds": 2, "spin_tile": 1},
    **{"trips_tile": 1, "branch_tile": 1, "trips_product": 2, "empty": 1, "huge": 1, "copy": 1},
    **{"reduce_to_memory": 2, "cluster": 2},
}
"""Of each kernel, the number of the argument that the result is in."""
NEAR = [case for case in CASES if "far" not in case.name or case.name == "publish-f16-far"]
"""All, but for those that differ in where memory is."""
COMPARED = (
    *("publish-f16", "overwrite-f16", "operands-gdc", "spin-tile", "trips-tile", "trips-product"),
    *("empty", "huge-32", "reduce-umax-i32", "numpy-64-kb"),
)
"""One case for each way to compare; in those that load again, the kernel compares."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of text in place of cubins."""
    folder = tmp_path_factory.mktemp("bundle")
    for name, text in all_kernels().items():
        path = folder / f"{name}.device-maps.cubin"
        path.write_text(text)
        path.with_suffix(".json").write_text(json.dumps(record_of(text).to_dict()))
    return folder


@pytest.fixture(autouse=True)
def restore_driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Takes the library away again that a test used."""
    monkeypatch.setattr(cuda, "get_driver", cuda.get_driver)
    cuda.Device.get.cache_clear()
    yield
    cuda.Device.get.cache_clear()


def select(names: Sequence[str]) -> list[Case]:
    return [case for case in CASES if case.name in names]


def run_case(case: Case, bundle: Path, library: FakeLibrary) -> Bench:
    rounds = 1 if case.name == "cluster" else 2
    bench = Bench(Gpu(library, bundle, "device-maps"), rounds, serial=True)
    case.run(bench)
    return bench


@pytest.mark.every(11)
@pytest.mark.parametrize("case", NEAR, ids=lambda case: case.name)
def test_what_is_expected_is_what_the_program_says(case: Case, bundle: Path):
    library = FakeLibrary()
    outcome = run_case(case, bundle, library).outcome
    assert outcome.rounds
    assert outcome.wrong_rounds == 0, outcome
    launched = {entry for entry, _ in library.launches}
    assert launched == {entry_name(all_kernels()[name]) for name in case.kernels}
    assert any(is_dependent for _, is_dependent in library.launches) == case.name.endswith("-gdc")


@pytest.mark.every(3)
@pytest.mark.parametrize("case", select(COMPARED), ids=lambda case: case.name)
def test_a_wrong_element_is_noticed(case: Case, bundle: Path):
    def spoil(entry: str, arguments: list[Any]) -> None:
        if entry in RESULTS:
            result: np.ndarray[Any, Any] = arguments[RESULTS[entry]]
            result[5] += 1

    outcome = run_case(case, bundle, FakeLibrary(spoil)).outcome
    assert runner.state_of(outcome) == "WRONG"
    assert outcome.wrong_rounds >= outcome.rounds // 2
    assert outcome.first


def test_every_kernel_is_used():
    assert {name for case in CASES for name in case.kernels} == set(all_kernels())


def test_names_and_numbers_select_cases():
    assert set(runner.select("15")) >= {"spin-tile.device-maps", "trips-product.host-maps"}
    assert set(runner.select("^cluster")) == {"cluster.host-maps"}


def test_reports_of_the_sanitizer_belong_to_cases(capsys: pytest.CaptureFixture[str]):
    result = json.dumps({"name": "one", "state": "ok", "rounds": 1})
    output = (
        f"@start one\n========= Invalid __global__ write of size 4 bytes\n@result {result}\n"
        "========= ERROR SUMMARY: 1 error\n"
    )
    assert runner.summarize(["one", "two"], output) == 1
    text = capsys.readouterr().out
    assert re.search(r"one +ok +1 reports; \['Invalid __global__ write of size 4 bytes'\]", text)
    assert re.search(r"two +not run +0 reports", text)
    hazards = "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
    assert runner.summarize(["one"], f"@start one\n@result {result}\n========= {hazards}\n") == 0
    hazard = "========= Error: Race reported between Write access at a and Read access at b"
    assert runner.summarize(["one"], f"@start one\n{hazard}\n@result {result}\n") == 1


WORKER = """
import json, sys, time
for name in sys.argv[3].split(","):
    print("@start", name, flush=True)
    kind = name.split("-")[0]
    if kind == "publish":
        print("@first round 7: a block", flush=True)
        time.sleep(60)
    if kind == "reload":
        sys.exit("lost")
    state = "WRONG" if kind == "huge" else "ok"
    print("@result", json.dumps({"name": name, "state": state, "rounds": 1}), flush=True)
"""


def test_cases_that_hang_or_end_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    monkeypatch.setattr(runner, "SCRIPT", script)
    chosen = select(("publish-f16", "reload-f16", "empty", "huge-32", "bounds-gdc"))
    monkeypatch.setattr(runner, "CASES", [replace(case, limit=0.5) for case in chosen])
    monkeypatch.setenv("OUT", str(tmp_path))
    folder = tmp_path / "before"
    folder.mkdir()
    (folder / "index.json").write_text('{"bounds-gdc.host-maps": {"refused": "no"}}')
    assert runner.run(folder, "device-maps|bounds", 3) == 1
    reports = json.loads((tmp_path / "provoke-before-run.json").read_text())
    assert {name: report["state"] for name, report in reports.items()} == {
        "publish-f16.device-maps": "hung",
        "reload-f16.device-maps": "failed",
        "bounds-gdc.device-maps": "ok",
        "bounds-gdc.host-maps": "refused",
        "empty.device-maps": "ok",
        "huge-32.device-maps": "WRONG",
    }
    assert reports["reload-f16.device-maps"]["first"] == "lost "
    text = capsys.readouterr().out
    assert re.search(r"1 publish-f16 +device-maps +hung .*no end after 0 s; round 7: a block", text)
    assert "3 of 6 are not wrong" in text
    assert runner.run(folder, "empty.device-maps", 3) == 0


def test_the_sanitizer_is_ended_with_what_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    script, tool = tmp_path / "worker.py", tmp_path / "compute-sanitizer"
    script.write_text(WORKER)
    tool.write_text('#!/bin/sh\nshift 2\n"$@"\n')
    tool.chmod(0o755)
    monkeypatch.setattr(runner, "SCRIPT", script)
    monkeypatch.setattr(runner, "CASES", select(("empty", "publish-f16"))[::-1])
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("OUT", str(tmp_path))
    (tmp_path / "index.json").write_text("{}")
    start = time.monotonic()
    assert runner.check(tmp_path, "racecheck", "device-maps", 1, 3) == 1
    assert time.monotonic() - start < 30
    text = capsys.readouterr().out
    assert "@timeout after 3 s" in text
    assert "1 of 2 cases ran" in text
    assert "@start publish-f16" in (tmp_path / f"provoke-{tmp_path.name}-racecheck.log").read_text()
