"""cuTile, unchanged, compiles with our command where it expects NVIDIA's."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tileiras_xdsl.driver.tools.tileiras_xdsl import install_as_tileiras

from ..harness.commands import python

# cuTile looks on the PATH where the package with NVIDIA's compiler is not installed.
HEAD = """
import importlib.metadata, io, sys

version = importlib.metadata.version

def without_tileiras(name):
    if name == "nvidia-cuda-tileiras":
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

importlib.metadata.version = without_tileiras
from cuda.tile import _compile
from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel
from tileiras_xdsl.driver.demos.kernels import KERNELS
assert _compile._find_compiler_bin().path == sys.argv[1]
"""
EXPORT = """
for name, (kernel, arrays, sizes) in KERNELS.items():
    if name in sys.argv[2:]:
        signature = KernelSignature((*arrays, *sizes), CallingConvention.cutile_python_v2(), name)
        output = io.BytesIO()
        export_kernel(kernel, [signature], output, gpu_code="sm_90", output_format="cubin")
        assert output.getvalue().startswith(b"\\x7fELF")
        assert name.encode() in output.getvalue()
"""
PROBE = """
import tempfile
newest = _compile._get_max_supported_bytecode_version(tempfile.mkdtemp())
assert newest.as_string() == "13.4", newest
assert "tileiras-xdsl" in _compile._get_compiler_version_string()
"""
FAILURE = """
import tempfile
from cuda.tile._exception import TileCompilerExecutionError
with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
    file.write(b"cuda_tile.module @m {\\n  entry @k(%n: tile<i32>) {\\n"
               b"    %x = addi %n, %n : tile<i64>\\n    return\\n  }\\n}\\n")
    file.flush()
    try:
        _compile._find_compiler_bin().run([file.name, "-o", file.name + "o"],
                                          ["--gpu-name", "sm_90", "-O3", "--lineinfo"])
    except TileCompilerExecutionError as error:
        first, message, _ = str(error).split("\\n", 2)
        assert first == "Return code 3", str(error)
        assert message.startswith(f"{file.name}:3:15: error: operand is used "), str(error)
    else:
        raise AssertionError("compiled")
"""

# A configuration is compiled where a GPU would run it; the tile of one is more than threads can
# hold from one iteration to the next.
TUNER = """
import cuda.tile as ct
from cuda.tile.tune import _tune
from tileiras_xdsl.driver.demos.kernels import array

@ct.kernel
def sums(x, out, rows: ct.Constant[int], columns: ct.Constant[int]):
    tile = ct.load(x, (0, 0), (rows, columns))
    ct.printf("%f", tile)
    ct.store(out, (0, 0), tile)

def benchmark(stream, grid, kernel, arguments, flush_l2):
    signature = KernelSignature(arguments, CallingConvention.cutile_python_v2(), "sums")
    export_kernel(kernel, [signature], io.BytesIO(), gpu_code="sm_90", output_format="cubin")
    return 1.0

_tune._benchmark = benchmark
arrays = (array(ct.float32, 2), array(ct.float32, 2))
def search(sizes):
    return ct.tune.exhaustive_search(
        sizes, None, lambda size: (1,), sums, lambda size: (*arrays, *size))
result = search([(8, 8), (4096, 4096)])
assert result.best.config == (8, 8)
((size, kind, message),) = result.failures
assert (size, kind.__name__) == ((4096, 4096), "CompilerExecutionError"), kind
assert message.startswith(f"Return code 5\\n{__file__}:"), message
assert ": error: '" in message.splitlines()[1], message
assert "1 succeeded, 1 failed" in str(result)
try:
    search([(4096, 4096)])
except ValueError as error:
    assert message in str(error), error
else:
    raise AssertionError("compiled")
"""

# Every helper is a call in the location of what is inlined from it.
HELPERS = """
import cuda.tile as ct
from tileiras_xdsl.driver.demos.kernels import array

def helper_0(x):
    return x + 1

$helpers

@ct.kernel
def chain(a, size: ct.Constant[int]):
    block = ct.bid(0)
    ct.store(a, block, helper_$last(ct.load(a, block, (size,))))

signature = KernelSignature(
    (array(ct.int32, 1), 64), CallingConvention.cutile_python_v2(), "chain")
output = io.BytesIO()
export_kernel(chain, [signature], output, gpu_code="sm_90", output_format="cubin")
assert output.getvalue().startswith(b"\\x7fELF")
assert b".debug_line" in output.getvalue()
"""
HELPER = """
def helper_{0}(x):
    return helper_{1}(x) * 2 - x
"""


@pytest.fixture
def run_with_cutile(
    tmp_path: Path, oracle_module: Callable[[str], ModuleType]
) -> Callable[..., None]:
    """Runs code in which cuTile finds our command."""
    oracle_module("cuda.tile")
    command = install_as_tileiras(tmp_path / "bin")

    def run(code: str, *arguments: str) -> None:
        environment = {
            "PATH": os.pathsep.join((str(command.parent), os.environ["PATH"])),
            "CUDA_TILE_CACHE_DIR": str(tmp_path / "cache"),
            "CUDA_TILE_TEMP_DIR": str(tmp_path),
        }
        # cuTile reads kernels from their source file.
        script = tmp_path / "program.py"
        script.write_text(HEAD + code)
        python(script, command, *arguments, environment=environment)

    return run


def test_errors_are_understood(run_with_cutile: Callable[..., None]):
    run_with_cutile(FAILURE)


@pytest.mark.long
def test_tuner_reports_what_cannot_be_compiled(run_with_cutile: Callable[..., None]):
    run_with_cutile(TUNER)


@pytest.mark.long
def test_long_chains_of_helpers(run_with_cutile: Callable[..., None]):
    last = 120
    helpers = "".join(HELPER.format(number, number - 1) for number in range(1, last + 1))
    run_with_cutile(HELPERS.replace("$helpers", helpers).replace("$last", str(last)))


def test_probes(run_with_cutile: Callable[..., None]):
    run_with_cutile(PROBE)


def test_kernels(run_with_cutile: Callable[..., None]):
    run_with_cutile(EXPORT, "vector_add", "matmul")
