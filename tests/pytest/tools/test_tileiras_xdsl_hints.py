"""
Optimization hints that the public verifier refuses: on request we refuse the same, and by default
neither does.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tileiras_xdsl.dialects.cuda_tile.attributes import ARCHITECTURES, NO_CLUSTERS
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.frontend.bytecode import write

from ..harness.cases import every
from ..harness.commands import Directory
from ..harness.modules import parse

FAILED = "Optimization hints verification failed"
REFUSE = ("--Wunsupported-hints", "--Werr-hints")

ENTRY = """\
cuda_tile.module @m {{
  entry @k() optimization_hints=<{0}> {{
    return
  }}
}}
"""
POINTERS = """\
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>) {{
    %x, %t = load_ptr_tko weak %p optimization_hints = <{0}> : tile<ptr<f32>> -> tile<f32>, token
    %u = store_ptr_tko weak %p, %x token=%t optimization_hints = <{1}>
      : tile<ptr<f32>>, tile<f32> -> token
    return
  }}
}}
"""
TENSOR = "tensor_view<64xf32, strides=[1]>"
PARTITION = f"partition_view<tile=(64), {TENSOR}>"
VIEWS = f"""\
cuda_tile.module @m {{{{
  entry @k(%p: tile<ptr<f32>>) {{{{
    %i = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %p, shape = [64], strides = [1] : {TENSOR}
    %w = make_partition_view %v : {PARTITION}
    %x, %t = load_view_tko weak %w[%i] optimization_hints = <{{0}}>
      : {PARTITION}, tile<i32> -> tile<64xf32>, token
    %u = store_view_tko weak %x, %w[%i] token = %t optimization_hints = <{{1}}>
      : tile<64xf32>, {PARTITION}, tile<i32> -> token
    return
  }}}}
}}}}
"""
PLACES = {
    "entry": (ENTRY, 0),
    "load_ptr_tko": (POINTERS, 0),
    "store_ptr_tko": (POINTERS, 1),
    "load_view_tko": (VIEWS, 0),
    "store_view_tko": (VIEWS, 1),
}
"""The ops that have hints: a program, and which of its hints are theirs."""


@dataclass(frozen=True)
class Case:
    """Hints of an op, and what is wrong with them, if anything."""

    op: str
    hints: str
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.op} {self.hints}"

    @property
    def text(self) -> str:
        program, index = PLACES[self.op]
        hints = ["", ""]
        hints[index] = self.hints
        return program.format(*hints)


def number_cases(
    op: str, key: str, valid: tuple[int, ...], faults: dict[int, str]
) -> Iterator[Case]:
    for value in valid:
        yield Case(op, f"sm_90 = {{{key} = {value}}}")
    for value, fault in faults.items():
        yield Case(op, f"sm_90 = {{{key} = {value}}}", fault)
    for value in ('"a"', "1.0", "[1]", "{}", "true", "false"):
        yield Case(op, f"sm_90 = {{{key} = {value}}}", f"integer value expected for sm_90.{key}")


def power_of_two_faults(key: str, outside: tuple[int, ...], bounds: str) -> dict[int, str]:
    faults = {
        number: f"power-of-2 expected for sm_90.{key}" for number in (0, 3, -1, -2, -(2**63), 5, 33)
    }
    return faults | {
        number: f"value {number} for sm_90.{key} is not in {bounds}" for number in outside
    }


def range_faults(key: str, outside: tuple[int, ...], bounds: str) -> dict[int, str]:
    return {number: f"value {number} for sm_90.{key} is not in {bounds}" for number in outside}


def cases() -> Iterator[Case]:
    for arch in ARCHITECTURES:
        yield Case("entry", f"{arch} = {{num_cta_in_cga = 1}}")
        is_wrong = arch in NO_CLUSTERS
        fault = f"value 2 for {arch}.num_cta_in_cga is not in [1, 1]" if is_wrong else ""
        yield Case("entry", f"{arch} = {{num_cta_in_cga = 2}}", fault)
    for arch in ("sm_75", "sm_90a", "SM_90", "x"):
        for hints in ("{}", "{num_cta_in_cga = 2}"):
            yield Case("entry", f"{arch} = {hints}", f"unknown hint key {arch}")
    key = "num_cta_in_cga"
    yield from number_cases(
        "entry", key, (1, 2, 4, 8, 16), power_of_two_faults(key, (32, 64), "[1, 16]")
    )
    key = "num_worker_warps_per_cta"
    yield from number_cases(
        "entry", key, (4, 8), power_of_two_faults(key, (1, 2, 16, 32, 64), "[4, 8]")
    )
    key = "occupancy"
    yield from number_cases("entry", key, (1, 5, 32), range_faults(key, (0, -1, 33), "[1, 32]"))
    for op in PLACES.keys() - {"entry"}:
        key = "latency"
        yield from number_cases(op, key, (1, 10), range_faults(key, (0, -1, 11), "[1, 10]"))
        yield Case(op, "sm_90 = {latency = 2 : i32}")
    for op in ("load_view_tko", "store_view_tko"):
        for value in ("true", "false"):
            yield Case(op, f"sm_90 = {{allow_tma = {value}}}")
        for value in ("1", "0", '"a"', "1.0"):
            fault = "boolean value expected for sm_90.allow_tma"
            yield Case(op, f"sm_90 = {{allow_tma = {value}}}", fault)
    unknown = {
        "entry": ("latency", "allow_tma", "nonsense"),
        "load_ptr_tko": ("allow_tma", "occupancy", "nonsense"),
        "store_ptr_tko": ("allow_tma", "num_cta_in_cga"),
        "load_view_tko": ("num_worker_warps_per_cta", "occupancy"),
        "store_view_tko": ("num_cta_in_cga", "nonsense"),
    }
    for op, keys in unknown.items():
        for key in keys:
            fault = f"{key} is not known hint for current Operation"
            yield Case(op, f"sm_90 = {{{key} = 1}}", fault)
    yield Case("entry", "")
    yield Case(
        "entry",
        "sm_90 = {occupancy = 40, num_cta_in_cga = 3}",
        "power-of-2 expected for sm_90.num_cta_in_cga; "
        "value 40 for sm_90.occupancy is not in [1, 32]",
    )


CASES = sorted(cases(), key=str)


@pytest.mark.every(7)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_refused_on_request(directory: Directory, case: Case):
    Path("in.mlir").write_text(case.text)
    arguments = ("in.mlir", "--gpu-name=sm_90", "--emit=cuda-tile")
    assert directory.run(main, arguments).err == ""
    warned = directory.run(main, (*arguments, "--Wunsupported-hints"))
    assert warned.code == 0
    assert len(warned.err.splitlines()) == len(case.fault.split("; ")) * bool(case.fault)
    assert all(": warning: " in line for line in warned.err.splitlines())
    assert directory.run(main, (*arguments, "--Werr-hints")).err == ""
    refused = directory.run(main, (*arguments, *REFUSE))
    if not case.fault:
        assert (refused.code, refused.err) == (0, "")
        return
    assert refused.code == 1
    line = next(number for number, text in enumerate(case.text.splitlines(), 1) if case.op in text)
    place, _, message = refused.err.partition(": error: ")
    assert place.startswith(f"in.mlir:{line}:")
    assert message == f"'cuda_tile.{case.op}' op {FAILED}: {case.fault}\n"


@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=str)
def test_bytecode(directory: Directory, case: Case):
    Path("in.tileirbc").write_bytes(write(parse(case.text)))
    result = directory.run(main, ("in.tileirbc", "--gpu-name=sm_90", "--emit=ptx", *REFUSE))
    assert result.code == bool(case.fault)
    assert result.err.count(f"'cuda_tile.{case.op}' op {FAILED}") == bool(case.fault)


@pytest.mark.oracle
@pytest.mark.parametrize("first", every(3, range(3)))
def test_tileiras_refuses_the_same(
    first: int, oracle_program: Callable[[str], Path], tmp_path: Path
):
    tileiras = oracle_program("tileiras")
    numbers = range(first, len(CASES), 3)

    def judge(number: int, options: Sequence[str] = ()) -> str:
        """What `tileiras` says; nothing if it accepts a program."""
        program = tmp_path / f"{number}.tileirbc"
        program.write_bytes(write(parse(CASES[number].text)))
        command = [tileiras, program, "--gpu-name=sm_90", "-o", tmp_path / f"{number}.cubin"]
        result = subprocess.run(
            [*command, *options], capture_output=True, text=True, check=False, timeout=120
        )
        return result.stderr if result.returncode else ""

    with ThreadPoolExecutor(4) as pool:
        refused = list(pool.map(partial(judge, options=REFUSE), numbers))
    for case, message in zip(CASES[first::3], refused, strict=True):
        expected = f"'cuda_tile.{case.op}' op {FAILED}"
        assert bool(message) == bool(case.fault), case
        assert not case.fault or expected in message, case
    # By default nothing of it is refused.
    for number in numbers[::20]:
        assert judge(number) == ""
