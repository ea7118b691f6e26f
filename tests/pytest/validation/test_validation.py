"""Translation validation: planted bugs are named, right compilations pass, and replays repeat."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, f16, f32, i1, i32, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

import tileiras_xdsl as tx
from tileiras_xdsl.analysis.axis_info import AxisInfo, get_element, is_pointer
from tileiras_xdsl.analysis.axis_info_analysis import Analysis
from tileiras_xdsl.checking.validation import inputs, runner, validator
from tileiras_xdsl.checking.validation.inputs import (
    ArrayRecipe,
    Inputs,
    name_element,
    named_element,
)
from tileiras_xdsl.checking.validation.kernel_facts import find_facts
from tileiras_xdsl.checking.validation.runner import Bounds, find_difference
from tileiras_xdsl.checking.validation.search import PLANS, InputFinder
from tileiras_xdsl.checking.validation.validate import Validation
from tileiras_xdsl.dialects.gpu import PrintfOp
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import VARIABLE as MODE_VARIABLE
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.driver.compiler.reproducer import VARIABLE
from tileiras_xdsl.driver.demos.examples import flatten_arrays
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.interpreter.memory import copy_arrays, first_byte
from tileiras_xdsl.interpreter.run import entries_of

from ..harness.commands import Directory
from ..tools.conftest import directory as directory
from .programs import (
    HALVES,
    HALVES_ALIGNED,
    NEVER,
    STEPS,
    SUMS,
    WAITS,
    confuse_far_blocks,
    matmul,
    plant,
    static_matmul,
    static_scale,
    static_tiles,
    subtract_less,
    without,
)

BYTECODE = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
CORPUS = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
QUICK_KERNELS = ("vector_add", "row_gather", "transpose")
"""Of the benchmarks, those whose tiles are small."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reproducers go."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "reproducers"))
    return tmp_path / "reproducers"


@pytest.fixture
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those inputs that show most."""
    monkeypatch.setattr(validator, "PLANS", PLANS[:3])


def check(program: Any, **options: Any) -> Validation:
    options.setdefault("mode", "quick")
    return tx.validate(program, seconds=30.0, **options)


# Right compilations


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    "name",
    [
        *QUICK_KERNELS,
        *(
            pytest.param(path.stem, marks=pytest.mark.long)
            for path in sorted(BYTECODE.glob("*.tileirbc"))
            if path.stem not in QUICK_KERNELS
        ),
    ],
)
def test_benchmark_kernels_are_validated(name: str):
    found = tx.validate(BYTECODE / f"{name}.tileirbc", mode="quick")
    assert found.ok, found
    (kernel,) = found.kernels
    assert len(kernel.checked) == 5
    assert len(kernel.cases) >= 4


@pytest.mark.long
def test_kinds_of_inputs():
    found = check(SUMS)
    assert found.ok
    (kernel,) = found.kernels
    cases = {case.inputs.name: case.inputs for case in kernel.cases}
    # 8 x 64 elements are a tile.
    assert cases["partial tiles"].arguments[1:4] == (11, 95, 96)
    assert cases["partial tiles"].grid == (2, 1, 1)
    assert cases["one tile"].arguments[1:4] == (8, 64, 64)
    assert cases["no iterations"].arguments[2] == 0
    assert cases["many iterations"].arguments[2] == 64 * 13 + 31
    assert "race" in kernel.rejected["in place"]
    assert str(found).startswith("@sums is validated after 5 passes, within 2e-05, in 45 of 45 ")


@pytest.mark.part("kernels")
def test_flags_are_set_by_another_cta():
    found = tx.validate(WAITS, mode="quick", seconds=4.0)
    assert found.ok
    assert ((0, 1),) in {case.inputs.flags for case in found.kernels[0].cases}


@pytest.mark.usefixtures("few_inputs")
def test_code_for_this_cpu_is_asked(monkeypatch: pytest.MonkeyPatch):
    """What it does otherwise than the interpreter is reported, before any pass."""
    kind = runner.KernelRunner
    right = kind.run_compiled

    def wrong(self: Any, case: Any) -> Any:
        arguments = right(self, case) or ()
        if case.inputs.name == PLANS[2].name:
            next(each for each in arguments if isinstance(each, np.ndarray))[:1] += 1
        return arguments

    monkeypatch.setattr(kind, "run_compiled", wrong)
    found = tx.validate(SUMS)
    assert found.finding is not None
    assert str(found).startswith("code for this CPU does not do with @sums what the interpreter ")
    (kernel,) = found.kernels
    assert kernel.agreed == 1
    assert "; code for this CPU agrees in 1" in str(kernel)


def test_code_for_this_cpu_is_asked_about_large_arrays(monkeypatch: pytest.MonkeyPatch):
    """It runs the same tile blocks, on what of the arrays the interpreter has touched."""
    monkeypatch.setattr(validator, "PLANS", PLANS[1:2])
    right = runner.KernelRunner.run_compiled

    def wrong(self: Any, case: Any) -> Any:
        arguments = right(self, case) or []
        arguments[1].data[8] ^= 1
        return arguments

    monkeypatch.setattr(runner.KernelRunner, "run_compiled", wrong)
    message = str(tx.validate(static_scale(1 << 31)))
    assert message.startswith("code for this CPU does not do with @scale what the interpreter ")
    assert "'y' differs in 1 of 2147483648 elements" in message


@pytest.mark.part("kernels")
def test_invalid_inputs_are_drawn_again():
    """A number that is the step of a loop is not 0, which the plan without iterations has."""
    found = check(STEPS)
    assert found.ok, found
    (kernel,) = found.kernels
    case = next(case for case in kernel.cases if case.inputs.name == "no iterations")
    assert case.inputs.arguments[-1] == 1
    assert "the step of a loop must be positive, but is 0" in kernel.redrawn["no iterations"]
    assert "kinds, 1 of them drawn again (partial tiles, " in str(found)


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("%w = assume bounded<7, 7>, %v : tile<i32>", "is not true: "),
        ('assert %never, "never" : tile<i1>', "failed: never"),
    ],
)
def test_no_inputs_are_valid(condition: str, reason: str):
    """That is said, and is no failure."""
    found = check(NEVER.replace("CONDITION", condition))
    assert found.finding is None
    assert not found.ok
    assert str(found).startswith("@never is not validated: no valid inputs were found: ")
    assert reason in str(found)


def test_inputs_that_show_nothing():
    """A kernel that does nothing is not called right."""
    found = check("cuda_tile.module @m { entry @idle(%x: tile<ptr<f32>>) { return } }")
    assert not found.ok
    assert str(found) == (
        "@idle is not validated: it writes nothing with any of the inputs that were found"
    )


def test_lanes_that_write_to_one_place():
    """Which value remains is undefined, and not held against the pass that makes threads."""
    found = check(CORPUS / "middle_scatter_view.tileirbc")
    assert found.ok, found
    assert "in a race with another lane" in found.kernels[0].rejected["partial tiles"]


# Planted bugs


PRINTING = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %n = iota : tile<8xi32>
    %b = reshape %i : tile<i32> -> tile<1xi32>
    %c = broadcast %b : tile<1xi32> -> tile<8xi32>
    %s = addi %n, %c : tile<8xi32>
    print "%d\\n", %s : tile<8xi32>
    return
  }
}
"""


def print_more(module: ModuleOp) -> None:
    """Threads print something else."""
    for op in module.walk():
        if isinstance(op, PrintfOp):
            op.format = StringAttr(f"{op.format.data} ")
            return


@pytest.mark.usefixtures("few_inputs")
def test_what_threads_print(monkeypatch: pytest.MonkeyPatch):
    """The only effect of a kernel, of several CTAs in any order."""
    assert check(PRINTING, grid=3, args=[np.zeros(1, np.int32)]).ok
    with monkeypatch.context() as patched:
        plant(patched, "convert-tileas-to-nvgpu", print_more)
        found = check(PRINTING, grid=3, args=[np.zeros(1, np.int32)])
    assert "it prints" in str(found)
    assert "convert-tileas-to-nvgpu" in str(found)


def test_threads_validate_at_once(capsys: pytest.CaptureFixture[str]):
    """What a kernel prints goes to the validation that runs it, and to nobody else."""
    runs = [lambda: check(PRINTING, grid=2, args=[np.zeros(1, np.int32)]).ok] * 3
    with ThreadPoolExecutor(3) as executor:
        assert all(future.result() for future in [executor.submit(run) for run in runs])
    assert capsys.readouterr().out == ""


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.usefixtures("few_inputs")
@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("loop-split", "quick"),
        ("convert-cuda-tile-to-tileaa", "quick"),
        ("canonicalize-tileaa", "full"),
        ("licm", "quick"),
        ("tileas-assign-load-store-layouts", "quick"),
        ("tileas-insert-barriers", "full"),
        ("convert-tileas-to-nvgpu", "quick"),
        ("convert-gpu-to-nvvm", "quick"),
        ("convert-to-llvm", "quick"),
    ],
)
def test_wrong_arithmetic(name: str, mode: str, monkeypatch: pytest.MonkeyPatch):
    plant(monkeypatch, name, subtract_less)
    found = check(SUMS, mode=mode)
    assert found.finding is not None
    assert found.finding.step.name == name
    assert re.search(
        r"'y' differs in \d+ of 1055 elements, the first is element \d+: \S+, not \S+, "
        r"which 'cuda_tile.store_view_tko' of CTA \(\d, 0, 0\) writes; with inputs 'partial tiles' "
        r"\(grid 2x1x1, arguments \[1055\], 11, 95, 96, \[1055\], 96\)",
        str(found),
    ), found


@pytest.mark.part("kernels")
@pytest.mark.every(5, first=3)
@pytest.mark.usefixtures("few_inputs")
@pytest.mark.parametrize(
    ("program", "name", "lost", "what"),
    [
        (SUMS, "tileas-insert-barriers", "nv_tileas.barrier", "missing"),
        (SUMS, "convert-tileas-to-nvgpu", "gpu.barrier", "race"),
        (
            matmul(),
            "tileas-materialize-schedule",
            "nv_tileas.async.pipeline.consumer_release",
            "nobody empties",
        ),
        (matmul(), "tileas-insert-barriers", "nv_tileas.wait_copies", "still be reading"),
        (matmul(), "convert-tileas-to-nvgpu", "nvvm.cp.async.bulk.wait_group", "read"),
    ],
)
def test_lost_order(program: str, name: str, lost: str, what: str, monkeypatch: pytest.MonkeyPatch):
    plant(monkeypatch, name, without(lost))
    found = check(program)
    assert found.finding is not None
    assert found.finding.step.name == name
    assert re.search(what, found.finding.what), found


# Alignment


def trust_pointers(patched: pytest.MonkeyPatch) -> None:
    """Takes all pointers of kernels for aligned to 16 bytes, whatever is assumed."""
    right = Analysis.top

    def top(self: Analysis, ty: Attribute) -> AxisInfo:
        found = right(self, ty)
        is_address = is_pointer(get_element(ty)) and not found.shape
        return found._replace(divisor=16) if is_address else found

    patched.setattr(Analysis, "top", top)


@pytest.mark.usefixtures("few_inputs")
def test_alignment_that_nobody_has_promised(monkeypatch: pytest.MonkeyPatch):
    """Accesses that are wider than what is assumed are seen, and those that are not are right."""
    assert check(HALVES).ok
    assert check(HALVES_ALIGNED).ok
    trust_pointers(monkeypatch)
    assert check(HALVES_ALIGNED).ok
    found = check(HALVES)
    assert found.finding is not None
    assert found.finding.step.name == "convert-tileas-to-nvgpu"
    assert "which is not aligned to 4 bytes" in found.finding.what


def test_places_of_arrays():
    """They are multiples of what is assumed and of an element, and of no more in the first plan."""
    for program, unit in ((HALVES, 2), (HALVES_ALIGNED, 16), (SUMS, 4), (matmul(), 16)):
        (kernel,) = entries_of(tx.load(program)).values()
        made: list[Inputs] = []
        finder = InputFinder(find_facts(kernel), lambda inputs: made.append(inputs), most_ctas=4)
        for plan in PLANS:
            finder.find(plan)
        places = [
            [each.place for each in inputs.arguments if isinstance(each, ArrayRecipe)]
            for inputs in made
        ]
        assert all(place % unit == 0 for every in places for place in every)
        assert all(place % (2 * unit) for place in places[0])
        assert len({tuple(every) for every in places}) > 4


def test_given_arrays_keep_their_place(monkeypatch: pytest.MonkeyPatch):
    """Where they begin, modulo 256 bytes, is where the kernel finds them."""
    memory = np.zeros(512, np.uint8)
    start = -first_byte(memory) % 256
    x = memory[start + 2 : start + 258].view(np.float16)
    x[:] = np.arange(128)
    assert first_byte(x) % 256 == 2
    assert first_byte(copy_arrays([x])[0]) % 256 == 2
    assert check(HALVES, args=[x], grid=1).ok
    trust_pointers(monkeypatch)
    assert "which is not aligned to 4 bytes" in str(check(HALVES, args=[x], grid=1))
    assert (
        check(HALVES, args=[memory[start : start + 256].view(np.float16)], grid=1).finding is None
    )
    assert np.array_equal(x, np.arange(128))
    found = tx.validate(HALVES_ALIGNED, args=[x], grid=1, mode="quick")
    assert "'cuda_tile.assume' op is not true" in str(found)
    assert found.finding is None


# Static shapes of any size


@pytest.mark.part("kernels")
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
def test_a_product_of_large_matrices(abi: str, monkeypatch: pytest.MonkeyPatch):
    """CTAs of a persistent kernel do the same tile blocks, of many."""
    monkeypatch.setattr(validator, "PLANS", PLANS[1:2])
    monkeypatch.setitem(validator.MOST_CTAS, "quick", 2)
    found = check(static_matmul(8192, 2048, 64), abi=abi)
    assert found.ok, found
    (case,) = found.kernels[0].cases
    assert case.inputs.grid == (128, 32, 1)
    assert case.inputs.blocks == ((127, 31, 0), (0, 0, 0))
    assert [each.elements for each in case.inputs.arguments if isinstance(each, ArrayRecipe)] == [
        *(8192 * 64, 64 * 2048, 8192 * 2048)
    ]
    assert found.kernels[0].runs == 5


@pytest.mark.part("kernels")
def test_more_elements_than_fit_in_memory(monkeypatch: pytest.MonkeyPatch):
    program = static_scale(1 << 31)
    found = check(program)
    assert found.ok, found
    assert "far tile blocks" in str(found)
    plant(monkeypatch, "licm", confuse_far_blocks)
    found = check(program)
    assert found.finding is not None
    assert found.finding.step.name == "licm"
    assert found.finding.inputs.name == "far tile blocks"
    assert re.search(
        r"'y' differs in \d+ of 2147483648 elements, the first is element 2048000\d\d\d: \S+, not "
        r"\S+, which is not to be written; with inputs 'far tile blocks' \(grid 2097152x1x1, tile "
        r"blocks \(2097151, 0, 0\), \(0, 0, 0\), ",
        str(found),
    ), found


@pytest.mark.part("kernels")
@pytest.mark.parametrize(
    ("program", "grid"),
    [
        (static_tiles(1000, 1024, (1, 1024), is_row=False), (1, 1000, 1)),
        (static_tiles(4096, 2048, (64, 64), is_row=True), (2048, 1, 1)),
    ],
    ids=["rows", "grid in a row"],
)
def test_all_tile_blocks_of_a_grid_count(
    program: str, grid: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
):
    """Those of tiles of one row, and those that are in one dimension of the grid."""
    monkeypatch.setattr(validator, "PLANS", PLANS[:2])
    found = check(program)
    assert found.ok, found
    assert found.kernels[0].cases[1].inputs.grid == grid
    plant(monkeypatch, "licm", partial(confuse_far_blocks, most=100))
    assert check(program).finding is not None


@pytest.mark.parametrize(
    ("folder", "name", "grid"),
    [
        (BYTECODE, "matmul_128x128x64", (4, 1, 1)),  # two tiles a side, and a grid in a row
        (CORPUS, "arg_reductions", (2, 1, 1)),  # tiles of several sizes, two of each array
    ],
)
def test_grids_have_all_tiles(folder: Path, name: str, grid: tuple[int, int, int]):
    (kernel,) = entries_of(tx.load(folder / f"{name}.tileirbc")).values()
    found = InputFinder(find_facts(kernel), lambda _: None, most_ctas=4).find(PLANS[0])
    assert found is not None
    assert found.grid == grid


@pytest.mark.part("kernels")
def test_findings_in_large_arrays_are_repeated(
    directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    Path("scale.mlir").write_text(static_scale(1 << 31))
    plant(monkeypatch, "licm", confuse_far_blocks)
    command = ["--gpu-name=sm_90", "scale.mlir", "-o", "k.cubin", "--validate"]
    wrong = directory.run(main, command)
    (path,) = folder.iterdir()
    replayed = directory.run(main, ["--replay", str(path)])
    assert replayed.code == 1
    assert replayed.err.startswith(wrong.err.partition(", which")[0])


@pytest.mark.part("kernels")
def test_atomics_of_some_tile_blocks():
    """The same CTAs are counted before and after."""
    found = check(static_scale(1 << 24, counts=True))
    assert found.ok, found
    assert "far tile blocks" in str(found)


def test_tile_blocks_that_may_be_reordered(monkeypatch: pytest.MonkeyPatch):
    """What CTA does which one is not known then."""
    monkeypatch.setattr(validator, "PLANS", PLANS[:2])
    (kernel,) = check(static_scale(1 << 24, uneven=True)).kernels
    assert "may be done by CTAs in another order" in kernel.rejected["far tile blocks"]
    assert [case.inputs.name for case in kernel.cases] == ["partial tiles"]


@pytest.mark.part("kernels")
@pytest.mark.usefixtures("few_inputs")
@pytest.mark.parametrize("program", [SUMS, matmul(), HALVES], ids=["sums", "matmul", "halves"])
def test_pages_are_as_good_as_arrays(program: str, monkeypatch: pytest.MonkeyPatch):
    """All that is found with arrays is found if they are made page by page."""
    monkeypatch.setattr(inputs, "DENSE_BYTES", 0)
    assert check(program).ok


@pytest.mark.part("kernels")
@pytest.mark.usefixtures("few_inputs")
def test_races_in_pages(monkeypatch: pytest.MonkeyPatch):
    messages: list[str] = []
    for limit in (inputs.DENSE_BYTES, 0):
        with monkeypatch.context() as patched:
            patched.setattr(inputs, "DENSE_BYTES", limit)
            plant(patched, "convert-tileas-to-nvgpu", without("gpu.barrier"))
            messages.append(str(check(SUMS)))
            plant(patched, "licm", subtract_less)
            messages.append(str(check(SUMS)))
    assert "race" in messages[0]
    assert "'y' differs" in messages[1]
    assert messages[:2] == messages[2:]


# From the command line and from Python


@pytest.mark.part("kernels")
@pytest.mark.usefixtures("few_inputs")
def test_findings_are_repeated(directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch):
    Path("sums.mlir").write_text(SUMS)
    command = ["--gpu-name=sm_90", "sums.mlir", "-o", "k.cubin", "--validate"]
    with monkeypatch.context() as patched:
        plant(patched, "licm", subtract_less)
        wrong = directory.run(main, command)
        (path,) = folder.iterdir()
        assert wrong.code == 1
        assert not Path("k.cubin").exists()
        begin = "error: pass 'licm' of stage tileaa changes what @sums computes: 'y' differs"
        assert wrong.err.startswith(begin)
        assert wrong.err.endswith(f" (reproducer: {path})\n")
        replayed = directory.run(main, ["--replay", str(path)])
        assert replayed.code == 1
        message = wrong.err.partition(", which")[0]
        assert replayed.err.startswith(message)
        assert "which 'nv_tileaa.tiled_store' of CTA" in replayed.err
    configuration = path.read_text().splitlines()[1]
    inputs = json.loads(configuration.partition(": ")[2])["validation"]["inputs"]
    assert Inputs.from_json(inputs).grid == (2, 1, 1)
    replayed = directory.run(main, ["--replay", str(path)])
    assert (replayed.code, replayed.out) == (0, f"{path}: 'licm' does not fail\n")
    right = directory.run(main, command)
    assert right.code == 0
    assert right.err.startswith("remark: @sums is validated after 5 passes")
    assert Path("k.cubin").exists()


def test_what_cannot_be_run(directory: Directory):
    """By default that is a remark; who asks for everything gets an error."""
    Path("k.mlir").write_text(SUMS)
    assert directory.run(main, ["--gpu-name=sm_90", "k.mlir", "--emit=nvgpu", "-o", "n"]).code == 0
    quick = directory.run(main, ["--gpu-name=sm_90", "n", "--emit=nvvm", "--validate=quick"])
    reason = "@sums is not validated: inputs are made for programs of stage cuda-tile only"
    assert (quick.code, quick.err) == (0, f"remark: {reason}\n")
    # What follows is the input.
    bare = directory.run(main, ["--gpu-name=sm_90", "--emit=nvvm", "--validate", "n"])
    assert (bare.code, bare.out, bare.err) == (quick.code, quick.out, quick.err)
    bare = directory.run(main, ["--gpu-name=sm_90", "--emit=nvvm", "-validate", "./full"])
    assert (bare.code, bare.err) == (
        1,
        "error: unable to read input file './full': No such file or directory\n",
    )
    # Unless it is a mode.
    mode = directory.run(main, ["--gpu-name=sm_90", "--emit=nvvm", "--validate", "quick", "n"])
    assert (mode.code, mode.out, mode.err) == (quick.code, quick.out, quick.err)
    full = directory.run(main, ["--gpu-name=sm_90", "n", "--emit=nvvm", "--validate=full"])
    assert (full.code, full.out, full.err) == (1, "", f"error: {reason}\n")


@pytest.mark.usefixtures("few_inputs")
def test_the_environment_asks_for_it(monkeypatch: pytest.MonkeyPatch):
    plant(monkeypatch, "licm", subtract_less)
    tx.compile(SUMS, gpu="sm_90")
    with pytest.raises(CompileError, match="pass 'licm' of stage tileaa changes what @sums"):
        tx.compile(SUMS, gpu="sm_90", validate="quick")
    monkeypatch.setenv(MODE_VARIABLE, "quick")
    with pytest.raises(CompileError, match="pass 'licm' of stage tileaa changes what @sums"):
        tx.compile(SUMS, gpu="sm_90")
    monkeypatch.setenv(MODE_VARIABLE, "slow")
    with pytest.raises(Exception, match=r"there is no validation 'slow' \(expected quick or full"):
        tx.compile(SUMS, gpu="sm_90")


def test_arguments_that_are_given(folder: Path, monkeypatch: pytest.MonkeyPatch):
    x = np.full((8, 64), 7.25, np.float32)
    y = np.zeros_like(x)
    arguments = [x, 8, 64, 64, y, 64]
    assert check(SUMS, args=arguments, grid=1).ok
    assert not y.any()
    plant(monkeypatch, "licm", subtract_less)
    found = check(SUMS, args=arguments, grid=1)
    assert found.finding is not None
    assert str(found.finding).endswith("with the given arguments (grid 1x1x1)")
    # What the user computes with is not written to files.
    (path,) = folder.iterdir()
    assert '"like those given"' in path.read_text()
    assert "7.25" not in path.read_text()


@pytest.mark.part("kernels")
def test_arguments_of_an_earlier_run(monkeypatch: pytest.MonkeyPatch):
    """Outputs hold the results already: they are compared with other numbers in them."""
    softmax = tx.examples["softmax"]
    args = softmax.make_args()
    tx.run(softmax, softmax.grid, args)
    before = [np.copy(each) for each in args]
    found = tx.validate(softmax, softmax.grid, args, mode="quick")
    assert found.ok, found
    assert "(the given arguments, with other numbers in argument 5 (array 2 of 2))" in str(found)
    for one, other in zip(before, args, strict=True):
        np.testing.assert_array_equal(one, other)

    given = [np.ones((8, 64), np.float32), 8, 64, 64, np.zeros((8, 64), np.float32), 64]
    tx.run(SUMS, 1, given)
    plant(monkeypatch, "licm", subtract_less)
    wrong = check(SUMS, args=given, grid=1)
    assert wrong.finding is not None
    assert "the given arguments, with other numbers in y (grid 1x1x1)" in str(wrong.finding)


class SubtractNumber(ModulePass):
    """Subtracts something that is no tile of the same shape."""

    name = "subtract-number"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        subtraction = next(each for each in op.walk() if each.name == "cuda_tile.subf")
        number = next(each for each in op.walk() if each.name == "cuda_tile.constant")
        subtraction.operands[1] = number.results[0]


def test_a_pass_that_leaves_invalid_ir():
    arguments = [np.ones((8, 64), np.float32), 8, 64, 64, np.zeros((8, 64), np.float32), 64]
    insert = {"after:canonicalize": SubtractNumber()}
    with pytest.raises(CompileError, match=r"subf.* \[after pass 'subtract-number'\]"):
        check(SUMS, args=arguments, grid=1, mode="full", insert=insert)


def test_arguments_that_do_not_fit():
    found = check(SUMS, args=[np.zeros(3, np.float32), 8, 64, 64, np.zeros(3, np.float32), 64])
    assert not found.ok
    assert "cannot be run as it was written" in str(found)


# Inputs and comparisons


def test_facts():
    (kernel,) = entries_of(tx.load(matmul())).values()
    facts = find_facts(kernel)
    a, b, c = facts.tensors
    assert a.dims[1].of is b.dims[0].of
    assert a.dims[0].of is c.dims[0].of
    assert b.dims[1].of is c.dims[1].of
    assert (a.dims[1].of.tile, a.dims[1].of.is_counted, a.dims[1].of.divisor) == (32, True, 16)
    assert [sorted(dim.of.axes) for dim in c.dims] == [[0], [1]]
    assert (facts.has_freedom, facts.precision, facts.additions) == (True, 24, 64)


@pytest.mark.parametrize("element", [f16, f32, i1, i32, i64])
def test_recipes(element: Attribute):
    assert named_element(name_element(element)) == element
    for fill in ("whole", "fraction", "special"):
        recipe = ArrayRecipe(1000, fill, seed=3)
        made = recipe.make(element)
        assert made.tobytes() == recipe.make(element).tobytes()
        assert made.tobytes() != ArrayRecipe(1000, fill, seed=4).make(element).tobytes()
    special = ArrayRecipe(1000, "special").make(f32)
    assert np.isnan(special).any()
    assert np.isinf(special).any()
    assert ((special != 0) & (abs(special) < 1e-38)).any()


def test_recipes_travel():
    inputs = Inputs("x", (2, 1, 1), (ArrayRecipe(4), 5, 0.5), ((0, 1),), 7)
    assert Inputs.from_json(json.loads(json.dumps(inputs.to_json()))) == inputs


def test_comparisons():
    def differ(x: list[float], y: list[float], relative: float = 0.0) -> int | None:
        pair = [np.array(each, np.float32) for each in (x, y)]
        found = find_difference([pair[0]], [pair[1]], [f32], Bounds(relative))
        return None if found is None else found.place

    nan = float("nan")
    assert differ([1, nan], [1, -nan]) is None
    assert differ([0.0], [-0.0]) == 0
    assert differ([0.0], [-0.0], 1e-3) is None
    assert differ([1, 1], [1, 1.0005]) == 1
    assert differ([1, 1], [1, 1.0005], 1e-3) is None
    assert differ([1, 1], [1, nan], 1e-3) == 1
    assert differ([1, float("inf")], [1, 2], 1e-3) == 1
    # Few large numbers, and what nobody wrote, do not make up for zeros.
    assert differ([1e-3] * 9 + [2.0], [0.0] * 9 + [2.0], 2**-6) == 0
    arrays = ([3.0] * 8, [1e-3] * 2 + [3.0] * 6, [0.0] * 2 + [3.0] * 6)
    initial, before, after = (np.array(each, np.float32) for each in arrays)
    found = find_difference([before], [after], [f32], Bounds(2**-6), initial=[initial])
    assert found is not None


def test_differences_name_the_parameter():
    expected, found = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    found[1, 2] = 5
    difference = find_difference([expected], [found], [f32], Bounds(), names=["out"])
    assert str(difference).startswith(
        "'out' differs in 1 of 6 elements, the first is element [1, 2]"
    )


def test_copies_are_to_each_other_as_arrays_are():
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    given = [whole[:, ::2], whole[1:, 1::2], whole[::-1], whole[:2].view(np.int32)]
    other = np.ones(3, ml_dtypes.bfloat16)
    copies = copy_arrays([*given, other, other])
    for one, copied in zip((*given, other, other), copies, strict=True):
        assert (one.dtype, one.shape, one.strides) == (copied.dtype, copied.shape, copied.strides)
        assert one.tobytes() == copied.tobytes()
        assert not np.shares_memory(one, copied)
    for (i, one), (j, two) in combinations(enumerate(given), 2):
        assert np.shares_memory(one, two) == np.shares_memory(copies[i], copies[j])
    copies[2][-1, 0] = 100
    assert copies[0][0, 0] == 100
    assert whole[0, 0] == 0
    copies[4][0] = 2
    assert copies[5][0] == 2
    assert copy_arrays([whole[:0]])[0].shape == (0, 6)


@pytest.mark.part("kernels")
def test_strided_arrays_are_validated():
    example = tx.examples["matmul"]
    a, b, c = (each for each in example.make_args() if isinstance(each, np.ndarray))
    wide = [np.repeat(each, 2, axis=0)[::2] for each in (a, b, c)]
    before = wide[2].copy()
    flat = flatten_arrays(wide)
    assert check(example, args=flat, grid=example.grid, mode="quick").ok
    assert wide[2].tobytes() == before.tobytes()


def test_nothing_is_validated_without_an_effect():
    program, empty = BYTECODE / "vector_add.tileirbc", np.zeros(0, np.float32)
    found = check(program, args=[empty, 0, 1, empty, 0, 1, empty, 0, 1], grid=1)
    assert not found.ok
    assert "it changes nothing: with the arguments that were given, and with other" in str(found)
    with pytest.raises(OptionError, match="there is no kernel @nosuch"):
        check(program, entry="nosuch")
    found = check("cuda_tile.module @m {}")
    assert not found.ok
    assert str(found) == "there is no kernel to validate"
    with pytest.raises(OptionError, match="give check or validate"):
        tx.compile(program, gpu="sm_90", check=True, validate="quick")
