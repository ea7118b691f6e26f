"""A command that defines ops late and takes code from a cache compiles to the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ..harness.commands import python

KERNELS = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
FEW_NAMES = ("softmax", "histogram", "matmul_128x128x64")
NAMES = (
    "vector_add",
    "softmax",
    "cumsum",
    "histogram",
    "row_gather",
    "matmul_128x128x64",
    "matmul_split_128x128x64",
    "attention_causal_d64",
)

CODE = """
import sys
from tileiras_xdsl.tools.tileiras_xdsl import main

how, *commands = sys.argv[1:]
for command in commands:
    print(f"=== {command}", flush=True)
    print(f"=== {command}", file=sys.stderr)
    print(main(command.split(), owns_process=how == "cold"), file=sys.stderr)
import xdsl.irdl
assert (xdsl.irdl.irdl_op_definition.__name__ == "define_when_used") == (how == "cold")
"""


def run_both(*commands: str, cwd: Path | None = None) -> tuple[str, str]:
    """Output and errors of commands, in a process for each way; they must not differ."""
    warm, cold = (python("-c", CODE, how, *commands, cwd=cwd) for how in ("warm", "cold"))
    for ours, theirs in ((cold.out, warm.out), (cold.err, warm.err)):
        for line, expected in zip(ours.splitlines(), theirs.splitlines(), strict=True):
            assert line == expected
    return cold.out, cold.err


@pytest.mark.parametrize(
    ("gpu", "names"),
    [
        ("sm_90", FEW_NAMES),
        pytest.param("sm_90", NAMES, marks=pytest.mark.long),
        pytest.param("sm_80", NAMES, marks=pytest.mark.long),
    ],
)
def test_ptx_is_the_same(gpu: str, names: Sequence[str]):
    options = f"--gpu-name {gpu} --no-cache --emit ptx -o -"
    out, _ = run_both(*(f"{KERNELS / name}.tileirbc {options}" for name in names))
    assert out.count(".visible .entry") >= len(names)


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("softmax", ("tileas", "nvvm")),
        pytest.param("softmax", ("cuda-tile", "tileaa", "nvgpu", "nvvm"), marks=pytest.mark.long),
        pytest.param("matmul_128x128x64", ("tileas", "nvgpu", "nvvm"), marks=pytest.mark.long),
    ],
)
def test_ir_is_printed_and_parsed_the_same(name: str, stages: Sequence[str], tmp_path: Path):
    kernel = KERNELS / f"{name}.tileirbc"
    out, _ = run_both(
        *(f"{kernel} --gpu-name sm_90 --emit {stage} -o {stage}.mlir" for stage in stages),
        *(f"{stage}.mlir --gpu-name sm_90 --emit {stage} --verify-each -o -" for stage in stages),
        cwd=tmp_path,
    )
    assert "nvvm." in out


WRONG = {
    "operand": "%1 = addf %c, %c : tile<i32>",
    "attribute": '%1 = "cuda_tile.addi"(%c, %c) {overflow = 3} : (!cuda_tile.tile<i32>, '
    "!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>",
    "result": '%1 = "cuda_tile.addi"(%c, %c) <{overflow = #cuda_tile.overflow<none>}> : '
    "(!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>",
    "count": '%1 = "cuda_tile.addi"(%c) <{overflow = #cuda_tile.overflow<none>}> : '
    "(!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>",
    "unknown": "cuda_tile.nonsense",
}


def test_errors_are_the_same(tmp_path: Path):
    for name, line in WRONG.items():
        (tmp_path / f"{name}.mlir").write_text(
            "cuda_tile.module @m {\n  entry @k() {\n"
            f"    %c = constant <i32: 1> : tile<i32>\n    {line}\n    return\n  }}\n}}\n"
        )
    _, err = run_both(*(f"{name}.mlir --gpu-name sm_90" for name in WRONG), cwd=tmp_path)
    assert err.count("error: ") == len(WRONG)


DATACLASSES = """
import sys
if sys.argv[1:] == ["plain"]:
    from tileiras_xdsl.compiler import cold_start
    cold_start.leave_out_signatures()
    cold_start.use_plain_functions()
import typing
from dataclasses import KW_ONLY, InitVar, dataclass, field, fields
from typing import ClassVar

@dataclass
class Loose:
    first: int
    second: "list[object]" = field(default_factory=list)
    hidden: int = field(default=3, repr=False)
    shared: "ClassVar[int]" = 4
    other: "typing.ClassVar[int]" = 5
    given: "InitVar[int]" = 6
    _: "KW_ONLY" = None
    named: "str" = "x"

@dataclass(frozen=True)
class Fixed:
    first: int
    name: str = "n"

@dataclass(frozen=True)
class Derived(Fixed):
    more: float = 1.5

class Plain(Derived):
    pass

loose = Loose(1, named="y")
loose.second.append(loose)
print(loose, [each.name for each in fields(Loose)], Loose.__repr__.__qualname__)
for value in (Fixed(1), Derived(2), Plain(3)):
    print(value, value == type(value)(value.first), len({value, type(value)(value.first)}))
    for change in (
        lambda: setattr(value, "first", 5),
        lambda: setattr(value, "free", 5),
        lambda: delattr(value, "more"),
        lambda: delattr(value, "free"),
    ):
        try:
            change()
            print("done")
        except Exception as error:
            print(type(error).__name__, error)
"""


def test_dataclasses_are_the_same():
    usual, plain = (python("-c", DATACLASSES, *mode).out for mode in ((), ("plain",)))
    assert "cannot assign to field 'first'" in usual
    assert plain == usual
