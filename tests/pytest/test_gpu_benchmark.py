"""
The scripts of `benchmarks/gpu` without a GPU: what they compile, and the table that they write.

Torch is not needed: there is one case, and what a GPU would find is told.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import create_autospec

import pytest

from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

SCRIPTS = Path(__file__).parents[2] / "benchmarks" / "gpu"
KERNEL = "vector_add"

ARRAY = SimpleNamespace(shape=(8192,), stride=lambda: (1,), itemsize=4)


def make_inputs(device: str) -> SimpleNamespace:
    return SimpleNamespace(grid=(8,), arrays=[ARRAY] * 3)


CASE = SimpleNamespace(
    name="memory_add",
    kernel=KERNEL,
    group="memory",
    unit="GB/s",
    work=1.0,
    bar=None,
    make=make_inputs,
)

FOUND: dict[str, Any] = {
    "errors": {},
    "checks": {"host-maps": {"right": True, "error": 0.0, "problems": []}},
    "times": {},
    "rates": {"host-maps": 4283.0, "device-maps": 95.25, "torch": math.nan},
}

BUNDLE: dict[str, Any] = {
    "kernels": {
        KERNEL: {
            "code": {"device-maps": {"milliseconds": 90.0}, "tileiras": {"milliseconds": 120.0}},
            "errors": {},
        }
    }
}

TABLE = """\
a GPU

| case | host maps | device maps | tileiras | torch | unit | needed | met |
| --- | --- | --- | --- | --- | --- | --- | --- |
| memory add | 4283 | 95.2 | - | - | GB/s |  | - |

| kernel | compiled, ms | tileiras, ms | ratio |
| --- | --- | --- | --- |
| vector_add | 90 | 120 | 0.75 |
"""


@dataclass
class Scripts:
    run: ModuleType
    make: ModuleType
    table: ModuleType


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripts]:
    """The scripts, which import each other as they do when they are run."""
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    cases = ModuleType("cases")
    vars(cases)["CASES"] = [CASE]
    monkeypatch.setitem(sys.modules, "cases", cases)
    names = ("run", "make", "table")
    for name in (*names, "predict"):
        # Other tests may have imported them beside other cases.
        sys.modules.pop(name, None)
    scripts = Scripts(*map(importlib.import_module, names))

    def measure(overseer: Any) -> None:
        overseer.greet("a GPU")
        while overseer.pending:
            overseer.add(FOUND)

    monkeypatch.setattr(scripts.run.Overseer, "run", measure)
    yield scripts
    for name in (*names, "predict"):
        del sys.modules[name]


def call(monkeypatch: pytest.MonkeyPatch, script: ModuleType, *arguments: object) -> int:
    """The exit code of a script."""
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    try:
        script.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def write_bundle(folder: Path) -> None:
    folder.mkdir()
    (folder / "bundle.json").write_text(json.dumps(BUNDLE))


def forbid_compilation(monkeypatch: pytest.MonkeyPatch, scripts: Scripts) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(scripts.make, "Maker", fail)


def test_the_table_of_a_folder(
    scripts: Scripts,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    folder, file = tmp_path / "folder", tmp_path / "table.md"
    write_bundle(folder)
    forbid_compilation(monkeypatch, scripts)
    assert call(monkeypatch, scripts.run, folder, "--markdown", file) == 0
    assert file.read_text() == TABLE
    capsys.readouterr()
    assert call(monkeypatch, scripts.table, folder / "results.json") == 0
    assert capsys.readouterr().out == TABLE


@pytest.mark.parametrize(("predicted", "code"), [(110.0, 0), (130.0, 1)])
def test_predictions_beside_measurements(
    predicted: float,
    code: int,
    scripts: Scripts,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    """One that is off by more than 15 % is a failure."""
    made = {"microseconds": predicted, "limits": {"memory": 80.0, "L2": 20.0}, "limit": "memory"}
    made |= {"bound": "memory", "gpu": "GPU", "grid": [64]}
    record = {"threads": [128, 1, 1], "registers": 32, "static_shared": 0, "shared": 0}
    built = {"predictions": {CASE.name: made}, "sha256": "0", "record": record, "milliseconds": 9.0}
    bundle = {"kernels": {KERNEL: {"code": {"host-maps": built}, "errors": {}}}}
    folder, file, kept = tmp_path, tmp_path / "table.md", tmp_path / "measured.json"
    (folder / "bundle.json").write_text(json.dumps(bundle))
    monkeypatch.setitem(FOUND, "times", {"host-maps": [0.1, 0.09, 0.12]})
    monkeypatch.setitem(FOUND, "blocks", 64)
    options = ("--markdown", file, "--measured", kept)
    assert call(monkeypatch, scripts.run, folder, *options) == code
    off = f"{predicted / 100 - 1:+.0%}"
    cells = f"{predicted:.4g} | 100 | {off} | memory | memory 80 µs, 25% above |"
    assert f"| memory add | host-maps | {cells}" in file.read_text()
    output = capsys.readouterr().out
    assert "memory 80 µs, 25% above" in output
    assert ("predicted with an error of more than 15%" in output) == bool(code)
    data = json.loads(kept.read_text())
    assert data["microseconds"] == {CASE.name: {"host-maps": 100.0}}
    assert data["kernels"][KERNEL]["host-maps"]["registers"] == 32
    # Other grids, and other GPUs, were not predicted.
    monkeypatch.setitem(FOUND, "blocks", 80)
    assert call(monkeypatch, scripts.run, folder) == 0
    made["gpu"] = "another"
    (folder / "bundle.json").write_text(json.dumps(bundle))
    monkeypatch.setitem(FOUND, "blocks", 64)
    assert call(monkeypatch, scripts.run, folder) == 0


def test_the_last_result_of_a_case_counts(scripts: Scripts):
    def results(device: str, verdict: str) -> dict[str, Any]:
        row = {"name": "x", "kernel": "k", "unit": "GB/s", "bar": "2", "needed": 2.0}
        return {
            "device": device,
            "rows": [{**row, "rates": {}, "compile_ms": {}, "verdict": verdict}],
        }

    text = scripts.table.to_markdown([results("one", "NO"), results("two", "yes")])
    assert text.startswith("one; two\n")
    assert "| x | - | - | - | - | GB/s | 2 (2) | yes |" in text
    assert "NO" not in text


@pytest.mark.part("processes")
def test_a_missing_folder_is_made(
    scripts: Scripts,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    oracle_program: Callable[[str], Path],
):
    """One command compiles, measures and writes the table."""
    oracle_program("ptxas")
    kernel = [SCRIPTS / "bytecode" / f"{KERNEL}.tileirbc"]
    assert kernel[0] in scripts.make.find_kernels()
    monkeypatch.setattr(scripts.make, "find_kernels", lambda: kernel)
    monkeypatch.setattr(scripts.make, "find_tileiras", lambda: None)
    monkeypatch.setattr(scripts.run, "COMPILATIONS", 1)
    folder, file = tmp_path / "new" / "folder", tmp_path / "table.md"
    assert call(monkeypatch, scripts.run, folder, "--markdown", file) == 0
    bundle = json.loads((folder / "bundle.json").read_text())
    codes = bundle["kernels"][KERNEL]["code"]
    assert set(codes) == {"device-maps", "host-maps"}
    assert codes["host-maps"]["predictions"][CASE.name]["bound"] == "latency"
    assert (folder / f"{KERNEL}.host-maps.cubin").exists()
    assert "| memory add | 4283 |" in file.read_text()


def test_complaints_of_compiling_are_failures(
    scripts: Scripts,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    def make(folder: Path) -> list[str]:
        write_bundle(folder)
        return ["it was slow to compile"]

    monkeypatch.setattr(scripts.run, "make_folder", make)
    assert call(monkeypatch, scripts.run, tmp_path / "folder") == 1
    assert "it was slow to compile" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["xdsl", "ptxas"])
def test_no_folder_and_no_compiler(
    missing: str,
    scripts: Scripts,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    def is_missing(package: str) -> bool:
        return package == "xdsl"

    def find() -> None:
        raise MissingToolError("there is no ptxas")

    folder = tmp_path / "folder"
    if missing == "xdsl":
        forbid_compilation(monkeypatch, scripts)
        monkeypatch.setattr(scripts.run, "is_missing", is_missing)
        reason = "xdsl not installed"
    else:
        monkeypatch.setattr(scripts.make.Ptxas, "find", find)
        reason = "there is no ptxas"
    assert call(monkeypatch, scripts.run, folder) == 2
    captured = capsys.readouterr()
    assert captured.err == f"{folder} has no kernels, and none can be compiled here: {reason}\n"
    assert captured.out == ""
    assert not folder.exists()


def test_code_is_launched(scripts: Scripts, monkeypatch: pytest.MonkeyPatch):
    """Up to the driver, with what our launcher takes today."""
    record = LaunchRecord(KERNEL, "sm_90a", (Parameter("ptr"), Parameter("i32")) * 2, (128, 1, 1))
    kernel: Any = create_autospec(cuda.Kernel, instance=True)
    kernel.record, kernel.device = record, SimpleNamespace(driver=None)
    monkeypatch.setattr(cuda, "load", create_autospec(cuda.load, return_value=kernel))
    stream = SimpleNamespace(cuda_stream=7)
    torch = SimpleNamespace(cuda=SimpleNamespace(current_stream=lambda: stream))
    monkeypatch.setitem(sys.modules, "torch", torch)
    array = SimpleNamespace(data_ptr=lambda: 4096, shape=(8,), stride=lambda: ())
    launch = scripts.run.Launcher(b"", record, (8,), scripts.run.flatten([array] * 2))
    launch()
    (grid, addresses, where), options = kernel.launch_packed.call_args
    assert (grid, len(addresses), where) == ((8, 1, 1), 4, 7)
    assert options == {"programmatic": False}
