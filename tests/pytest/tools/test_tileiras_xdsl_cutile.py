"""cuTile, unchanged, compiles with our command where it expects NVIDIA's."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tileiras_xdsl.tools.tileiras_xdsl import install_as_tileiras

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
from tileiras_xdsl.demos.kernels import KERNELS
assert _compile._find_compiler_bin().path == sys.argv[1]
"""
EXPORT = """
for kernel, (arrays, sizes) in KERNELS.items():
    name = kernel._pyfunc.__name__
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
        assert error.loc.line == 3 and error.loc.filename == file.name, vars(error)
        assert "error" not in error.message
    else:
        raise AssertionError("compiled")
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
        python("-c", HEAD + code, command, *arguments, environment=environment)

    return run


def test_errors_are_understood(run_with_cutile: Callable[..., None]):
    run_with_cutile(FAILURE)


def test_probes(run_with_cutile: Callable[..., None]):
    run_with_cutile(PROBE)


def test_kernels(run_with_cutile: Callable[..., None]):
    run_with_cutile(EXPORT, "vector_add", "matmul")
