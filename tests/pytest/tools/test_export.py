"""
Exported kernels: built by the system's compiler, and launched from C and from Python on a driver
that writes down what it is asked for. Our launcher asks it for the same.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter, Quantity, TensorMapRecord
from tileiras_xdsl.driver.compiler import export as exporting
from tileiras_xdsl.driver.compiler.export import (
    Argument,
    Fact,
    Function,
    Library,
    write_header,
    write_module,
    write_source,
)
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.driver.tools.tileiras_xdsl import main

from ..harness.commands import Directory

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parents[2] / "examples" / "cpp"
FLAGS = ("-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror")

LAUNCH_BY_US = """
import json, sys
from dataclasses import replace
from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.launch_record import LaunchRecord

records, grid, arguments = json.load(open(sys.argv[1]))
record = replace(LaunchRecord.from_dict(records), programmatic=False)
cuda.load(b"cubin", record).launch(grid, arguments, stream=0x30)
"""

ARRAYS = '''
import ctypes, json, sys

sys.path.insert(0, sys.argv[1])
import kernels

types = ("data", "device_type", "device_id", "ndim", "code", "bits", "lanes", "shape", "strides")
pointer, number, byte = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint8
sizes = pointer, *[number] * 3, byte, byte, ctypes.c_uint16, pointer, pointer

class Tensor(ctypes.Structure):
    _fields_ = (*zip(types, sizes), ("byte_offset", ctypes.c_uint64))

class Array:
    """An array on the GPU, for those who know DLPack."""
    def __init__(self, address, shape, strides, code=2, bits=32, device=2):
        numbers = (ctypes.c_int64 * 8)(*shape, *strides)
        at = ctypes.addressof(numbers)
        then = at + 8 * len(shape) if strides else 0
        self.tensor = Tensor(address, device, 0, len(shape), code, bits, 1, at, then)
        self.numbers = numbers
    def __dlpack__(self, stream):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (pointer, ctypes.c_char_p, pointer)
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

for arrays, numbers in json.loads(sys.argv[2]):
    try:
        values = *[Array(*each) for each in arrays], *numbers
        getattr(kernels, sys.argv[3])([2, 3], *values, stream=0x30)
    except kernels.LaunchError as error:
        print(error.code, error)
    except (OverflowError, TypeError) as error:
        print(type(error).__name__, error)
assert not {"xdsl", "numpy", "llvmlite", "tileiras_xdsl"} & set(sys.modules)
'''


@dataclass(frozen=True)
class Machine:
    """A folder with the driver."""

    folder: Path
    compiler: str

    def build(self, *arguments: str | Path, standard: str = "c11") -> None:
        command = [self.compiler, f"-std={standard}", *FLAGS, *arguments, "-ldl"]
        subprocess.run(command, cwd=self.folder, check=True)

    def run(
        self, *command: str | Path, arch: str, sizes: str = "8", **more: str
    ) -> tuple[list[str], list[str]]:
        """What a program prints, and what the driver has seen."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        environment: Mapping[str, str] = {
            **os.environ,
            "LD_LIBRARY_PATH": str(self.folder),
            "FAKE_LOG": str(log),
            "FAKE_ARCH": arch,
            "FAKE_SIZES": sizes,
            **more,
        }
        found = subprocess.run(
            command, cwd=self.folder, env=environment, check=False, capture_output=True, text=True
        )
        assert found.returncode == 0, found.stderr
        return found.stdout.splitlines(), log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    compiler = shutil.which("cc")
    if compiler is None:
        assert not os.environ.get("CI"), "there is no C compiler"
        pytest.skip("there is no C compiler")
    made = Machine(tmp_path, compiler)
    fake = FOLDER / "fake_libcuda.c"
    made.build("-D_GNU_SOURCE", "-shared", "-fPIC", fake, "-o", "libcuda.so.1")
    return made


@pytest.fixture
def tools(oracle_program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIRAS_XDSL_PTXAS", str(oracle_program("ptxas")))
    oracle_program("fatbinary")


def sizes_of(record: LaunchRecord) -> str:
    sizes = [each.size for each in record.parameters]
    sizes += [4] * 3 if record.persistent else []
    return ",".join(map(str, [*sizes, *[128] * len(record.tensor_maps)]))


def launch_by_us(
    machine: Machine, record: LaunchRecord, grid: tuple[int, ...], arguments: list[Any]
) -> list[str]:
    """What the driver sees if our launcher launches."""
    path = machine.folder / "launch.json"
    path.write_text(json.dumps([record.to_dict(), grid, arguments]))
    arch = record.entry[record.entry.rindex("sm_") :]
    sizes = sizes_of(record)
    _, seen = machine.run(sys.executable, "-c", LAUNCH_BY_US, path, arch=arch, sizes=sizes)
    return seen


def spied(monkeypatch: pytest.MonkeyPatch) -> list[Library]:
    """What is exported from now on."""
    seen: list[Library] = []

    def write(library: Library) -> str:
        seen.append(library)
        return write_source(library)

    monkeypatch.setattr(exporting, "write_source", write)
    return seen


MAIN = """
#include "gemm.h"
#include <stdio.h>

int main(void) {
    uint32_t grid[3] = {5, 7, 1};
    void *s = (void *)0x30, *a = (void *)0x1000, *b = (void *)0x2000, *c = (void *)0x3000;
    for (int i = 0; i < 2; i++) puts(gemm_error_text(gemm_launch(grid, s, a, b, c, 640, 896, 320)));
    gemm_load();
    puts(gemm_error_text(gemm_launch(grid, s, a, b, c, 640, 0, 320)));
    grid[1] = 1 << 16;
    puts(gemm_error_text(gemm_launch(grid, s, a, b, c, 640, 896, 320)));
    puts(gemm_error_text(gemm_unload()));
    return 0;
}
"""


@pytest.mark.usefixtures("tools")
def test_from_c(machine: Machine, monkeypatch: pytest.MonkeyPatch, directory: Directory):
    """Tensor maps, a persistent grid and parameters, byte for byte."""
    seen = spied(monkeypatch)
    command = [str(EXAMPLES / "gemm.tilebc"), "--export", str(machine.folder / "gemm")]
    result = directory.run(main, [*command, "--gpu-name=sm_90"])
    assert (result.code, result.err) == (0, "")
    assert [Path(line).name for line in result.out.splitlines()] == [
        *("gemm.c", "gemm.h", "gemm.py", "gemm.fatbin")
    ]
    Path(machine.folder, "main.c").write_text(MAIN)
    machine.build("main.c", "gemm.c", "-o", "main")

    (library,) = seen
    for image in library.images:
        record = image[0]
        arch = record.entry.removeprefix("gemm_")
        lines, log = machine.run(machine.folder / "main", arch=arch, sizes=sizes_of(record))
        empty = "an array that is copied by TMA has no elements" if arch == "sm_90" else "no error"
        assert lines[:3] == ["no error", "no error", empty]
        assert lines[3:] == [
            "the grid is empty, too large, or no multiple of the cluster",
            "no error",
        ]
        assert (log[0], log[-1]) == ("load", "unload")
        launches = [line for line in log if line.startswith("launch")]
        maps = [line for line in log if line.startswith("map")]
        expected = launch_by_us(machine, record, (5, 7), [0x1000, 0x2000, 0x3000, 640, 896, 320])
        assert launches[0] == expected[-1]
        assert maps[: len(record.tensor_maps)] == [e for e in expected if e.startswith("map")]
        # Shared memory is asked for once.
        attributes = [line for line in log if line.startswith("attribute")]
        assert attributes == [line for line in expected if line.startswith("attribute")]
    assert len(library.images[0][0].tensor_maps) == 3
    assert library.images[0][0].persistent
    # The driver has no image for this GPU, and none at all is current.
    lines, _ = machine.run(machine.folder / "main", arch="sm_80")
    assert lines[0] == "there is no code for this GPU"
    lines, _ = machine.run(machine.folder / "main", arch="sm_90", FAKE_NO_CONTEXT="1")
    assert lines[0] == "invalid device context"


@pytest.mark.usefixtures("tools")
def test_versions_from_python(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    oracle_module: Callable[[str], Any],
):
    """A version for aligned arrays and one for others, launched by Python that has nothing else."""
    oracle_module("cuda.tile")
    kernel: Any = importlib.import_module("tests.pytest.cutile_kernels").scale_and_add
    seen = spied(monkeypatch)
    aligned, any_array = (
        [tx.array("f32", 1, divisor=d, alignment=max(d, 4))] * 3 + [0.5, 128] for d in (16, 1)
    )
    path = machine.folder / "kernels"
    tx.export(kernel, [aligned, any_array], gpus=["sm_90"], out=path, opt=1, ptx=None)
    machine.build("-shared", "-fPIC", "kernels.c", "-o", "libkernels.so")

    (library,) = seen
    far = [1 << 20, [1024], [1]]
    odd = [1 << 20 | 4, [1000], []]
    calls = [
        [[far] * 3, [0.5]],
        [[far, odd, far], [0.5]],
        [[far, far, [1 << 20, [1024], [2]]], [0.5]],
        [[far, far, [1 << 20, [1 << 40], [1]]], [0.5]],
        [[far, far, [*far, 0, 32]], [0.5]],
        [[far, far, [*far, 2, 32, 1]], [0.5]],
        [[far, far], [0.5]],
    ]
    (records,) = library.images
    python = [sys.executable, "-I", "-S", "-c", ARRAYS, machine.folder]
    lines, log = machine.run(
        *python, json.dumps(calls), "scale_and_add", arch="sm_90", sizes=sizes_of(records[0])
    )
    assert lines == [
        *["-7 scale_and_add: no version was exported for these sizes, strides and addresses"] * 2,
        "-5 scale_and_add: an array has another element type or rank than the kernel was exported "
        "for",
        "-6 scale_and_add: an array is not in the memory of a GPU",
        "TypeError scale_and_add takes 4 arguments, not 3",
    ]
    launches = [line for line in log if line.startswith("launch")]
    values = [[1 << 20, 1024, 1] * 3 + [0.5], [1 << 20, 1024, 1, 1 << 20 | 4, 1000, 1]]
    values[1] += [*values[0][:3], 0.5]
    assert launches == [
        launch_by_us(machine, record, (2, 3), each)[-1]
        for record, each in zip(records, values, strict=True)
    ]
    assert [record.entry for record in records] == ["scale_and_add_sm_90", "scale_and_add_1_sm_90"]


def record_with(*types: str, **fields: Any) -> LaunchRecord:
    return LaunchRecord("k_sm_90", "sm_90a", tuple(map(Parameter, types)), (32, 1, 1), **fields)


def test_parameters_of_all_types(machine: Machine):
    """Records that no compilation here makes: all types, maps of rank 1 and 5, clusters."""
    types = ("ptr", "i1", "i8", "i16", "i32", "i64", "f32", "f64", "f16", "bf16", "f8E5M2", "tf32")
    sizes = tuple(Quantity(2, i) for i in (1, 2, 3, 4, 13))
    maps = (
        TensorMapRecord("f8E4M3FN", 0, (Quantity(7),), (), (16,)),
        TensorMapRecord(
            *("bf16", 0, sizes, (*(Quantity(16 * i) for i in range(1, 4)), Quantity(16, 12))),
            *((8, 2, 2, 2, 1), (1, 2, 1, 1, 1), "64", "256", True),
        ),
    )
    record = record_with(
        *types, shared=1 << 16, cluster=(2, 1, 1), persistent=2, abi="host-maps", tensor_maps=maps
    )
    arguments = tuple(Argument("int" if i < 2 else f"a{i}", each) for i, each in enumerate(types))
    function = Function("k", arguments, ((Fact(),) * len(types),))
    library = Library("kernels", (function,), ((record,),), b"\x50\xed\x55\xba")
    for suffix, write in ((".c", write_source), (".h", write_header), (".py", write_module)):
        (machine.folder / f"kernels{suffix}").write_text(write(library))
    machine.build("-shared", "-fPIC", "kernels.c", "-o", "libkernels.so")
    machine.build("-fsyntax-only", "-x", "c++", "kernels.h", standard="c++17")

    numbers = [0x1000, True, 5, 1 << 14, 99, 1 << 33, -0.1, 1e300, 0x3C00, 0xBF80, 0x7B, 0.3]
    calls = [[[], numbers], [[], [0x1000, 1, 256, *numbers[3:]]]]
    lines, log = machine.run(
        *(sys.executable, "-I", "-S", "-c", ARRAYS, machine.folder, json.dumps(calls), "k"),
        arch="sm_90",
        sizes=sizes_of(record),
    )
    assert lines == ["OverflowError 256 is no i8"]
    # What C takes as bits, Python takes as numbers.
    numbers[8:11] = [1.0, -1.0, 57344.0]
    expected = launch_by_us(machine, record, (2, 3), numbers)
    assert log[1:] == expected


def test_refusals(tmp_path: Path):
    source = EXAMPLES / "vector_add.tilebc"
    for out, gpus, ptx, message in (
        ("a-b", ["sm_90"], None, "'a-b' is no name in C"),
        ("a", [], None, "say which GPUs to compile for"),
        ("a", ["sm_91"], None, "unsupported GPU target 'sm_91'"),
        ("a", [], "sm_90", "PTX for sm_90a runs on no later GPU"),
    ):
        with pytest.raises(OptionError, match=message):
            tx.export(source, gpus=gpus, out=tmp_path / out, ptx=ptx)
    for record in (record_with(heap=4096), record_with("tensor-map"), record_with(shared=None)):
        with pytest.raises(BackendError, match="the kernel k_sm_90"):
            exporting.check_record(record)
    with pytest.raises(OptionError, match=r"has no cuda_tile\.entry"):
        tx.export("builtin.module {\n}", gpus=["sm_90"], out=tmp_path / "a")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "a"], "error: say what to export for: --gpu-name=sm_90,sm_100"),
        (["--export", "a", "--gpu-name=sm_90", "-o", "b"], "error: --output-file is not for"),
        (["--export", "a", "--gpu-name=sm_90", "--emit=ptx"], "error: --export writes a launcher"),
    ],
)
def test_mistakes(arguments: list[str], message: str, directory: Directory):
    result = directory.run(main, [str(EXAMPLES / "vector_add.tilebc"), *arguments])
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith(message)
