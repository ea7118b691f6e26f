"""
The pipeline that `--print-pipeline` prints is the one that runs: `tileiras-opt` makes the same of a
program with it, byte for byte, whatever the options. All kernels with hints are compared with half
of the choices of options, `--long` with the others, and each choice with its share of the other
kernels.
"""

import subprocess
import sys
from collections.abc import Sequence
from itertools import product as combinations
from pathlib import Path

import pytest

from tileiras_xdsl.driver.tools import tileiras_opt, tileiras_xdsl

from ..transforms.test_tileas_dynamic_persistent import IN_PLACE, PAIRS, product
from .test_tileaa import BYTECODE, KERNELS

HINTS = (b"num_cta_in_cga", b"occupancy", b"num_worker_warps_per_cta")
GPU_BYTECODE = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"

HINTED = [
    name
    for name in KERNELS
    if any(hint in (BYTECODE / f"{name}.tileirbc").read_bytes() for hint in HINTS)
]
OTHERS = [name for name in KERNELS if name not in HINTED]
MATMULS = {
    "pairs": product(PAIRS),
    "pairs that read what they write": product(PAIRS, store=IN_PLACE),
    "fours": product(PAIRS.replace("2}", "4}")),
    "occupancy": product(PAIRS.replace("num_cta_in_cga", "occupancy")),
}
"""Programs that could be persistent, or have clusters, by their hints."""

CHOICES = [
    (f"--abi={abi}", f"-O{level}", f"--gpu-name={gpu}")
    for abi, (level, gpu) in combinations(
        ("device-maps", "host-maps"),
        ((3, "sm_90"), (2, "sm_90"), (0, "sm_80")),
    )
]
SHARE = 12 * len(CHOICES)
"""Of the other kernels, one in so many is compared with each choice."""


def assert_same(source: Path, options: Sequence[str], capture: pytest.CaptureFixture[str]) -> None:
    """Compares what both tools write for a program."""
    ours, theirs = source.parent / "ours.mlir", source.parent / "theirs.mlir"
    assert tileiras_xdsl.main(["--print-pipeline", "--emit=nvvm", *options]) == 0
    passes = capture.readouterr().out.strip()
    command = [str(source), "--emit=nvvm", *options, "-o", str(ours)]
    assert tileiras_xdsl.main(command) == 0, capture.readouterr().err
    command = [str(source), "-p", passes, "--disable-verify", "-o", str(theirs)]
    assert tileiras_opt.main(command) == 0, capture.readouterr().err
    # xDSL ends its output with an empty line.
    assert ours.read_bytes() + b"\n" == theirs.read_bytes(), (source.name, options)


def assert_same_kernel(
    name: str, options: Sequence[str], folder: Path, capture: pytest.CaptureFixture[str]
) -> None:
    """Compares what both tools write for a kernel of the corpus."""
    source = folder / f"{name}.tileirbc"
    source.write_bytes((BYTECODE / source.name).read_bytes())
    assert_same(source, options, capture)


@pytest.mark.long
@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_other_hints(
    options: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for name in HINTED[(CHOICES.index(options) + 1) % 2 :: 2]:
        assert_same_kernel(name, options, tmp_path, capsys)


@pytest.mark.part("sweeps")
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(choice, marks=() if number == 5 else pytest.mark.long)
        for number, choice in enumerate(CHOICES)
    ],
    ids=" ".join,
)
def test_the_printed_pipeline_is_the_pipeline(
    options: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    number = CHOICES.index(options)
    for name in (*HINTED[number % 2 :: 2], *OTHERS[number::SHARE]):
        assert_same_kernel(name, options, tmp_path, capsys)
    if "-O3" in options:
        for name, text in MATMULS.items():
            source = tmp_path / f"{name}.mlir"
            source.write_text(f"cuda_tile.module @m {{{text}}}")
            assert_same(source, options, capsys)


@pytest.mark.part("kernels")
def test_what_passes_leave_to_be_told_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The driver takes remarks from modules after each pass, `tileiras-opt` leaves them there."""
    source, asking = GPU_BYTECODE / "attention_causal_single_d64.tileirbc", tmp_path / "asking.mlir"
    assert tileiras_opt.main([str(source), "-o", str(asking)]) == 0
    head, attributes = "builtin.module {", "{tileiras.explain, tileiras.remarks = []}"
    text = asking.read_text()
    assert text.startswith(head)
    asking.write_text(text.replace(head, f"builtin.module attributes {attributes} {{", 1))
    options = ["--emit=nvvm", "--gpu-name=sm_90"]
    assert tileiras_xdsl.main(["--print-pipeline", *options]) == 0
    passes, made = capsys.readouterr().out.strip(), tmp_path / "made.mlir"
    assert "guard-masks" in passes
    command = [str(asking), "-p", passes, "-o", str(made)]
    assert tileiras_opt.main(command) == 0, capsys.readouterr().err
    remarks = made.read_text().splitlines()[0]
    for text in ("mask only where it differs", "TMA load of ", "persistent kernel"):
        assert remarks.count(text) >= 1, text


def test_kernels_with_hints_are_among_them():
    assert {"all_entry_hints", "hints_by_target", "matmul_bias_relu", "persistent_matmul"} <= {
        *HINTED
    }


@pytest.mark.long
def test_as_commands(tmp_path: Path):
    source = tmp_path / "pairs.mlir"
    source.write_text(f"cuda_tile.module @m {{{MATMULS['pairs']}}}")
    options = ["--abi=host-maps", "--gpu-name=sm_90", "--emit=nvvm"]

    def run(tool: str, *arguments: str) -> str:
        command = [sys.executable, "-m", f"tileiras_xdsl.driver.tools.{tool}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    passes = run("tileiras_xdsl", "--print-pipeline", *options).strip()
    expected = run("tileiras_xdsl", str(source), *options, "-o", "-")
    assert "nvvm.cluster_dim = array<i32: 2, 1, 1>" in expected
    assert run("tileiras_opt", str(source), "-p", passes) == f"{expected}\n"
