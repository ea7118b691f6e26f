"""
The bytecode of real kernels: cuTile programs exported by NVIDIA's front end at every version
(see tests/corpus/README.md).

`TILEIRAS_ALL_KERNELS=1` compiles all of them with NVIDIA's compiler, not only some.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.frontend.bytecode import BytecodeError, read, write

from ..harness.modules import print_public
from .support import CORPUS, VERSIONS, Disassembler, assert_same

KERNELS = sorted({path.stem for path in (CORPUS / "bytecode").glob("*/*.tileirbc")})
DEBUG_FILES = sorted((CORPUS / "bytecode_debug").glob("*/*.tileirbc"))
REJECTED_FILES = sorted((CORPUS / "rejected").glob("*/*.tileirbc"))

COMPILED = {
    "sm_90": (
        "all_entry_hints",
        "array_choice",
        "assertions",
        "atomic_brain",
        "atomic_half",
        "axpy",
        "bit_operations_u32",
        "bool_logic",
        "collatz",
        "constant_tables",
        "dependent_launch",
        "early_return",
        "embedding_lookup",
        "flush_to_zero",
        "fp8_conversions_e4m3",
        "gather_1d",
        "hints_by_target",
        "insertions",
        "int_arithmetic_i64",
        "large_tables",
        "long_prefix_sum",
        "nan_propagation",
        "rounding_modes",
        "running_maximum",
        "simple_for",
        "skipping_view",
        "tf32_residual",
        "transpose_2d",
        "tuple_carried",
        "unchecked_views",
        "vector_add",
        "xorshift",
    ),
    "sm_100": (
        "apply_block_scale",
        "fp4_and_e8m0_constants",
        "pack_tiles",
        "unpack_fp4",
    ),
    "sm_107": ("e5m3_scales",),
}
"""The kernels that NVIDIA's compiler compiles in every run, by target."""

OTHER_TARGETS = {
    **dict.fromkeys(COMPILED["sm_100"], "sm_100"),
    "matmul_fp4_mxfp4": "sm_100",
    "matmul_fp4_nvfp4": "sm_100",
    "matmul_mxfp8": "sm_100",
    "quantize_mxfp8": "sm_100",
    "e5m3_scales": "sm_107",
    "matmul_fp4_e5m3": "sm_107",
}
"""The kernels that `sm_90` cannot run."""


def files(kernel: str) -> list[Path]:
    """The files of a kernel, at the versions that have it."""
    paths = (CORPUS / "bytecode" / version / f"{kernel}.tileirbc" for version in VERSIONS)
    return [path for path in paths if path.exists()]


def version_of(path: Path) -> str:
    return path.parent.name


def file_id(path: Path) -> str:
    return f"{version_of(path)}-{path.stem}"


def file_cases() -> Iterator[Any]:
    """Each kernel at its newest version and at an older one in turn; others are `long`."""
    for number, kernel in enumerate(KERNELS):
        *older, newest = files(kernel)
        yield newest
        for place, path in enumerate(older):
            is_taken = place == number % len(older)
            yield path if is_taken else pytest.param(path, marks=pytest.mark.long)


FILES = tuple(file_cases())


def test_corpus_is_large_enough():
    """The acceptance asks for at least 60 kernels, at every version."""
    for version in VERSIONS:
        assert len(list((CORPUS / "bytecode" / version).glob("*.tileirbc"))) >= 60
    assert len({kernel for kernels in COMPILED.values() for kernel in kernels}) >= 15


@pytest.mark.every(37)
@pytest.mark.parametrize("path", FILES, ids=file_id)
def test_what_is_written_reads_back(path: Path, corpus_text: Callable[[Path], str]):
    """It is what NVIDIA's disassembler prints, and a second round changes no byte."""
    module = read(path.read_bytes())
    assert print_public(module) == corpus_text(path)
    written = write(module, version_of(path))
    again = read(written, verify=False)
    assert_same(again, module)
    assert write(again, version_of(path)) == written


@pytest.mark.every(9, first=1)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_newest_version_holds_what_the_oldest_does(kernel: str):
    module = read(files(kernel)[0].read_bytes(), verify=False)
    assert_same(read(write(module), verify=False), module)


@pytest.mark.every(37, first=1)
@pytest.mark.parametrize("path", FILES, ids=file_id)
def test_nvidia_disassembles_what_is_written(
    path: Path, disassemble: Disassembler, corpus_text: Callable[[Path], str]
):
    data = write(read(path.read_bytes(), verify=False), version_of(path))
    assert disassemble.text(data) == corpus_text(path)


@pytest.mark.parametrize("path", DEBUG_FILES, ids=file_id)
def test_locations_are_the_disassemblers(path: Path, corpus_text: Callable[[Path], str]):
    module = read(path.read_bytes())
    assert print_public(module, debuginfo=True) == corpus_text(path)


@pytest.mark.parametrize("path", DEBUG_FILES, ids=file_id)
def test_locations_are_written(
    path: Path, disassemble: Disassembler, corpus_text: Callable[[Path], str]
):
    module = read(path.read_bytes())
    data = write(module, version_of(path))
    assert_same(read(data), module)
    assert disassemble.text(data, "--print-debug-info") == corpus_text(path)


@pytest.mark.parametrize("path", REJECTED_FILES, ids=file_id)
def test_what_nvidia_rejects_is_rejected(path: Path):
    """Files of the front end that break a rule of a type or an op."""
    diagnostic = path.with_suffix(".stderr").read_text().splitlines()[0]
    reason = re.fullmatch(r"error: (?:error at offset \d+: |'\S+' op )(.+)", diagnostic)
    assert reason is not None
    with pytest.raises(BytecodeError) as info:
        read(path.read_bytes())
    assert reason[1] in str(info.value)


# NVIDIA's compiler


def compile_to_cubin(program: Path, folder: Path, data: bytes, target: str, *flags: str) -> bytes:
    """The file NVIDIA's compiler makes; named alike in every folder, as it may hold its name."""
    folder.mkdir()
    (folder / "kernel.tileirbc").write_bytes(data)
    subprocess.run(
        [program, "kernel.tileirbc", "-o", "kernel.cubin", "--gpu-name", target, "-O3", *flags],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return (folder / "kernel.cubin").read_bytes()


def compiled_kernels() -> list[tuple[str, Path]]:
    """Targets and files to compile: one version of a kernel, another for each."""
    if os.environ.get("TILEIRAS_ALL_KERNELS"):
        return [
            (OTHER_TARGETS.get(kernel, "sm_90"), path)
            for kernel in KERNELS
            for path in files(kernel)
        ]
    return [
        (target, files(kernel)[index % len(files(kernel))])
        for target, kernels in COMPILED.items()
        for index, kernel in enumerate(kernels)
    ]


@pytest.mark.part("kernels")
@pytest.mark.every(19)
@pytest.mark.parametrize(
    ("target", "path"),
    compiled_kernels(),
    ids=[f"{target}-{file_id(path)}" for target, path in compiled_kernels()],
)
def test_nvidia_compiles_what_is_written_to_the_same_code(
    target: str, path: Path, oracle_program: Callable[[str], Path], tmp_path: Path
):
    program = oracle_program("tileiras")
    original = path.read_bytes()
    ours = write(read(original, verify=False), version_of(path))
    assert ours != original, "the front end orders its tables in another way"
    assert compile_to_cubin(program, tmp_path / "ours", ours, target) == compile_to_cubin(
        program, tmp_path / "original", original, target
    )


@pytest.mark.part("sweeps")
@pytest.mark.every(2)
@pytest.mark.parametrize(
    "path", [path for path in DEBUG_FILES if path.stem == "helper_functions"], ids=file_id
)
def test_nvidia_compiles_debug_information_to_the_same_code(
    path: Path, oracle_program: Callable[[str], Path], tmp_path: Path
):
    program = oracle_program("tileiras")
    original = path.read_bytes()
    ours = write(read(original), version_of(path))
    assert compile_to_cubin(
        program, tmp_path / "ours", ours, "sm_90", "--lineinfo"
    ) == compile_to_cubin(program, tmp_path / "original", original, "sm_90", "--lineinfo")
