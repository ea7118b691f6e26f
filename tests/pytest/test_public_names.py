"""What people meet first: names, signatures, GPUs by their names, examples."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.driver.compiler.compiled import Compiled, UnassembledError
from tileiras_xdsl.driver.compiler.cpu import CompiledForCpu
from tileiras_xdsl.driver.compiler.options import CompileKeywords, OptionError, Options
from tileiras_xdsl.driver.tuning.tune import TuneKeywords
from tileiras_xdsl.frontend.cutile_kernels import KernelError
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.threads.run import ThreadKeywords, ThreadOptions, run_threads
from tileiras_xdsl.targets.machine import PRODUCTS, gpu_name
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
    import tileiras_xdsl.inspection.exploration.exploration as module

    assert tx.explore is module.explore


KNOWS_ITS_PROGRAM = (
    Compiled.explore,
    Compiled.launch,
    CompiledForCpu.launch,
    Exploration.check,
    Exploration.cost,
    Exploration.predict,
    Exploration.resources,
    Exploration.roofline,
    Exploration.run,
)


def in_order(function: Callable[..., Any]) -> list[str]:
    """The parameters that may be given by position."""
    return [
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]


def test_calls_have_one_shape():
    for function in (tx.run, tx.validate, tx.explore, tx.profile, run_threads):
        assert in_order(function) == ["program", "grid", "args"]
    assert in_order(tx.tune) == ["program", "grid", "args", "space"]
    assert in_order(tx.compile) == ["program", "gpu"]
    for function in KNOWS_ITS_PROGRAM:
        assert in_order(function) == ["self", "grid", "args"]


@pytest.mark.part("explorer")
def test_explorations_run_on_what_they_were_made_for():
    example = tx.examples["vector_add"]
    args = example.make_args()
    explored = tx.explore(example, example.grid, args)
    assert explored.check().ok
    assert str(explored.predict()) == str(tx.explore(example).predict(example.grid, args))
    explored.run(step="tileas")
    example.check(args)
    with pytest.raises(ExplorationError, match=r"say how many CTAs run: grid="):
        tx.explore(example).run(args=args, step="tileas")


A = np.zeros((512, 512), np.float32)
TX: Any = tx
EXPLORED: Any = Mock()
"""Of which no call gets anywhere."""
EXPLORED.run = partial(Exploration.run, EXPLORED)
EXPLORED.check = partial(Exploration.check, EXPLORED)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TX.run("k", [A, A], 8), "run(): grid and args are swapped: it is run(program, "),
        (lambda: TX.run("k", [A, A]), "run(): grid is one to three sizes, not a list of 2 "),
        (lambda: TX.run("k", args=[A]), "run(): 'grid' is missing: it is run(program, grid, args)"),
        (lambda: TX.run("k", 8), "run(): 'args' is missing: it is run(program, grid, args)"),
        (
            lambda: TX.run("k", 8, A),
            "args is a sequence of all arguments, not an array of shape (5",
        ),
        (lambda: TX.run("k", A, A), "grid is one to three sizes, not an array of shape (512, 512)"),
        (lambda: TX.run("k", 8, [A], "k"), "too many positional arguments, others go by name: it "),
        (lambda: TX.run("k", 8, [A], entri="k"), "there is no 'entri' (did you mean 'entry'?): it"),
        (lambda: TX.validate("k", "H200"), "not 'H200' (did you mean gpu='H200'?): it is validate"),
        (lambda: TX.validate("k", [A], 8), "validate(): grid and args are swapped: it is valid"),
        (
            lambda: TX.compile("k", [A, A]),
            "not a list of 2 arguments: it is compile(program, gpu, ",
        ),
        (lambda: TX.compile("k", 90, arg=[A]), "there is no 'arg' (did you mean 'args'?): it is "),
        (lambda: TX.compile("k", 90, arguments=[A]), "there is no 'arguments' (did you mean 'arg"),
        (lambda: TX.profile("k", [A, A], 8), "profile(): grid and args are swapped: it is profile"),
        (
            lambda: TX.tune("k", {"a": (1,)}, [A], 1),
            "tune(): grid is one to three sizes, not of ty",
        ),
        (lambda: EXPLORED.run("tileas", 8, [A]), "it is run(grid, args, step=…)"),
        (lambda: EXPLORED.run(8, [A]), "run(): 'step' is missing: it is run(grid, args, step=…)"),
        (lambda: EXPLORED.check([A], 8), "check(): grid and args are swapped: it is check(grid, "),
    ],
)
def test_wrong_calls_get_the_right_one(call: Any, message: str):
    with pytest.raises(TypeError) as found:
        call()
    text = str(found.value)
    assert message in text
    assert "\n" not in text
    assert len(text) < 160


def test_a_grid_may_be_an_iterator():
    example = tx.examples["vector_add"]
    args = example.make_args()
    TX.run(example, iter(example.grid), args)
    example.check(args)


def test_errors_within_a_function_stay_as_they_are():
    @public
    def function(number: Any) -> None:
        number(1)

    with pytest.raises(TypeError, match=r"takes 0 positional arguments but 1 was given$"):
        function(lambda: None)


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (tx.CompileOptions, CompileKeywords),
        (tx.TuneOptions, TuneKeywords),
        (ThreadOptions, ThreadKeywords),
    ],
)
def test_options_are_keywords(options: Any, keywords: Any):
    assert [each.name for each in fields(options)] == list(keywords.__annotations__)


def test_options_are_given_once():
    softmax = tx.examples["softmax"]
    given = tx.CompileOptions(opt=1, abi="host-maps")
    found = tx.compile(softmax, 90, options=given)
    assert found.ptx == tx.compile(softmax, 90, opt=1, abi="host-maps").ptx
    assert (found.options.opt, found.options.abi) == (1, "host-maps")
    with pytest.raises(
        TypeError, match=r"twice, as opt=… and as options=…: give options=dataclass"
    ):
        tx.compile(softmax, 90, options=given, opt=0)
    wrong: Any = tx.TuneOptions()
    with pytest.raises(TypeError, match="options is of type CompileOptions, not TuneOptions"):
        tx.compile(softmax, 90, options=wrong)
    assert "explain" in inspect.signature(tx.compile).parameters


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


@pytest.mark.parametrize(
    ("given", "close"), [("H2000", "H200"), ("GB2000", "GB200"), ("RTX 509", "RTX 50")]
)
def test_a_mistyped_gpu_is_compared_with_products(given: str, close: str):
    with pytest.raises(OptionError) as caught:
        Options(given)
    assert str(caught.value).endswith(
        f", sm_121, or a GPU such as H200 or RTX 5090), did you mean '{close}'?"
    )


def test_a_gpu_like_none_is_compared_with_none():
    with pytest.raises(OptionError, match=r"or a GPU such as H200 or RTX 5090\)$"):
        Options("Voodoo 2")


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


def test_types_of_arrays_have_names():
    assert tx.array("bfloat16", 2).dtype == "bfloat16"
    with pytest.raises(KernelError, match=r"there is no type 'flot16' \(did you mean 'float16'"):
        tx.array("flot16", 2)


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
    import tileiras_xdsl.driver.compiler.cache as disk

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
        explored.run(2, [np.zeros(131072, np.int16), *args[1:]], step=stage)
    args[-3].flags.writeable = False
    with pytest.raises(ExecutionError, match="read-only"):
        explored.run(2, args, step=stage)
    assert np.isnan(args[-3]).all()


@pytest.mark.part("explorer")
def test_threads_show_progress(capfd: pytest.CaptureFixture[str]):
    example = tx.examples["softmax"]
    explored = tx.explore(example.path)
    args = example.make_args()
    explored.run(example.grid, args, step="nvgpu", progress=True)
    example.check(args)
    assert "2/2 CTAs" in capfd.readouterr().err


@pytest.mark.part("explorer")
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
    assert not compiled.remarks.select(category="hints")
    with pytest.raises(OptionError, match="no kind 'Mised', but Failure, Missed, Passed, Analysis"):
        compiled.remarks.select("Mised")
    with pytest.raises(OptionError, match="no category 'Tensor', but Memory, TensorCore, "):
        compiled.remarks.select(category="Tensor")
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
