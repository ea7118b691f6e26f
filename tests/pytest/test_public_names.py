"""What people meet first: names, signatures, GPUs by their names, examples."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.compiler.compiled import UnassembledError
from tileiras_xdsl.compiler.options import OptionError, Options
from tileiras_xdsl.exploration.exploration import ExplorationError
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.targets.gpu_names import PRODUCTS, gpu_name
from tileiras_xdsl.targets.target import all_targets
from tileiras_xdsl.xdsl_extras.public import public

FUNCTIONS = (
    "array",
    "compare",
    "compile",
    "compile_many",
    "explore",
    "load",
    "profile",
    "run",
    "tune",
    "validate",
)


def test_dir_has_all_names():
    assert set(tx.__all__) <= set(dir(tx))
    assert all(hasattr(tx, name) for name in tx.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_take(name: str):
    function = getattr(tx, name)
    assert inspect.isfunction(function)
    assert function.__name__ == name
    assert len(pydoc.render_doc(function).splitlines()) >= 5
    assert "arguments" not in inspect.signature(function).parameters


def test_importing_the_package_leaves_functions_in_place():
    import tileiras_xdsl.exploration.exploration as module

    assert tx.explore is module.explore


def test_old_names_of_parameters():
    @public(arguments="args")
    def function(first: int, *, args: int = 0) -> tuple[int, int]:
        return first, args

    assert function(1, args=2) == function(1, **{"arguments": 2}) == (1, 2)
    with pytest.raises(TypeError, match=r"function\(\) got 'args' twice, as 'arguments' and as"):
        function(1, args=2, **{"arguments": 3})


def test_hints_for_wrong_calls(monkeypatch: pytest.MonkeyPatch):
    softmax: Any = tx.examples["softmax"]
    wrong: dict[str, Any] = {"arg": []}
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'arg', did you mean 'args'"):
        tx.compile(softmax, 90, **wrong)
    run: Any = tx.run
    with pytest.raises(TypeError, match=r"were given; pass grid=… and args=… by name"):
        run(softmax, 1, [])

    @public()
    def function(number: Any) -> None:
        number(1)

    with pytest.raises(TypeError) as found:
        function(lambda: None)
    assert "did you mean" not in str(found.value)


def test_mistakes_of_callers_have_short_tracebacks(monkeypatch: pytest.MonkeyPatch):
    def frames() -> int:
        with pytest.raises(OptionError, match="there is no stage or pass 'lcim'") as found:
            tx.explore(tx.examples["softmax"], insert={"after:lcim": "cse"})
        return len(found.traceback)

    short = frames()
    assert short <= 4
    monkeypatch.setenv("TILEIRAS_DEBUG", "1")
    assert frames() > short


@pytest.mark.parametrize("program", ["softmax.tileirbc", b"softmax"])
def test_one_program_is_not_many(program: Any):
    with pytest.raises(OptionError, match=r"give a list: \[program\]"):
        tx.compile_many(program, gpu=90)


def test_old_name_of_arguments_of_variants():
    old: dict[str, Any] = {"arguments": [1]}
    assert tx.Variant("", **old) == tx.Variant("", [1]) == tx.Variant("", args=[1])
    assert replace(tx.Variant("", **old), opt=0).args == [1]
    with pytest.raises(TypeError, match=r"Variant.__init__\(\) got 'args' twice"):
        tx.Variant("", args=[1], **old)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (90, "sm_90"),
        ("90", "sm_90"),
        ("90a", "sm_90a"),
        ("9.0", "sm_90"),
        ("sm_90a", "sm_90a"),
        ("sm90", "sm_90"),
        ("SM_100a", "sm_100a"),
        ("h100", "sm_90"),
        ("H200", "sm_90"),
        ("NVIDIA H100 PCIe", "sm_90"),
        ("a100-sxm4", "sm_80"),
        ("NVIDIA H100 80GB HBM3", "sm_90"),
        ("NVIDIA A100-SXM4-80GB", "sm_80"),
        ("NVIDIA H100 NVL", "sm_90"),
        ("rtx 4090", "sm_89"),
        ("GeForce RTX 5070 Ti", "sm_120"),
        ("b200", "sm_100"),
        ("GB300", "sm_103"),
        ("H300", "H300"),
        ("sm_1", "sm_1"),
    ],
)
def test_names_of_gpus(given: str | int, expected: str):
    assert gpu_name(given) == expected


def test_products_are_of_known_targets():
    assert set(PRODUCTS) <= set(all_targets())
    assert Options("H200").gpu == "sm_90"
    with pytest.raises(OptionError, match=r"unsupported GPU target 'H300' \(expected one of sm_80"):
        tx.compile(tx.examples["softmax"].path, "H300")


@pytest.mark.parametrize("name", list(tx.examples))
def test_examples_run(name: str):
    example = tx.examples[name]
    args = example.make_args()
    with pytest.raises(AssertionError, match="from what it should be"):
        example.check(args)
    tx.run(example, grid=example.grid, args=args)
    example.check(args)
    assert f"def {example.function or name}(" in example.source.read_text()
    assert example.program == example.path.read_bytes()


def test_examples_are_listed():
    lines = repr(tx.examples).splitlines()
    assert [line.split()[0] for line in lines] == list(tx.examples)
    with pytest.raises(KeyError, match="there is no example 'gem', did you mean 'gemm'"):
        tx.examples["gem"]


def test_ptx_needs_no_ptxas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TILEIRAS_XDSL_PTXAS", str(tmp_path / "none"))
    compiled = tx.compile(tx.examples["softmax"].path, 90)
    assert ".entry softmax" in compiled.ptx
    for missing in (
        lambda: compiled.cubin,
        lambda: compiled.launch_record,
        lambda: compiled.launch(1, []),
    ):
        with pytest.raises(
            MissingToolError, match=r"TILEIRAS_XDSL_PTXAS is .*, which is not a fil"
        ):
            missing()


def test_missing_tools_go_to_other_processes():
    import tileiras_xdsl.compiler.cache as disk

    error = UnassembledError(MissingToolError("no ptxas"), disk.CacheEntry(b"", "", ""))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is MissingToolError
    assert copy.args == ("no ptxas",)


def test_names_that_are_nearly_right():
    explored = tx.explore(tx.examples["vector_add"].path)
    with pytest.raises(ExplorationError, match="'tilas', did you mean 'tileas' or 'tileaa'"):
        explored["tilas"]
    with pytest.raises(ExplorationError, match="did you mean 'tileas-assign-dot-layouts'"):
        explored.after("tileas-asign-dot-layouts")
    with pytest.raises(ExplorationError, match="there is no 'xyz' among the stages cuda-tile, "):
        explored.diff("xyz")


@pytest.mark.parametrize("stage", ["cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm"])
def test_wrong_arrays_at_every_stage(stage: str):
    example = tx.examples["vector_add"]
    explored = tx.explore(example.path)
    args = example.make_args()
    with pytest.raises(ExecutionError, match=r"argument 0 points to f32, .*, but got one of int16"):
        explored.run(stage, 2, [np.zeros(131072, np.int16), *args[1:]])
    args[-3].flags.writeable = False
    with pytest.raises(ExecutionError, match="read-only"):
        explored.run(stage, 2, args)
    assert np.isnan(args[-3]).all()


def test_threads_show_progress(capfd: pytest.CaptureFixture[str]):
    example = tx.examples["softmax"]
    explored = tx.explore(example.path)
    args = example.make_args()
    explored.run("nvgpu", example.grid, args, progress=True)
    example.check(args)
    assert "2/2 CTAs" in capfd.readouterr().err


def test_what_notebooks_show():
    example = tx.examples["gemm"]
    compiled = tx.compile(example.path, 90, explain=True)
    shown = {
        "resources": compiled._repr_html_(),  # pyright: ignore[reportPrivateUsage]
        "stages": compiled.stages._repr_html_(),  # pyright: ignore[reportPrivateUsage]
        "remarks": compiled.remarks._repr_html_(),  # pyright: ignore[reportPrivateUsage]
    }
    assert "<td>gemm</td>" in shown["resources"]
    assert f"<td>{compiled.launch_record.registers}</td>" in shown["resources"]
    assert "<summary>tileas: " in shown["stages"]
    assert "TMA load of 128x64xf16" in shown["remarks"]
    assert repr(compiled.stages).startswith("cuda-tile")
    missed = compiled.remarks.select("Missed")
    assert compiled.remarks.select("missed") == missed
    assert all(each.kind == "Missed" for each in missed)
    assert "TMA load" in compiled.remarks
    assert compiled.remarks[0] in compiled.remarks
    assert compiled.remarks.yaml.startswith("--- !")
    explored = compiled.explore()
    pictures = explored.pictures("tileas-generate-schedule")
    assert "<svg" in pictures._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "producer" in repr(pictures)
    none = explored.pictures("licm")
    assert not none
    assert repr(none).startswith("no pictures; there are some after read, ")
    assert "tileas-generate-schedule" in none.elsewhere
