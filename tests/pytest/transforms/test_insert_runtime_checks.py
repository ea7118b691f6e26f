"""Checks at run time fail exactly where the checks of the interpreter report an error."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import compile as compile_program
from tileiras_xdsl import load
from tileiras_xdsl.backend import ptxas as backend_ptxas
from tileiras_xdsl.backend.arguments import UNKNOWN, get_extents
from tileiras_xdsl.backend.ptxas import Ptxas, PtxasRun
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.cuda_tile.control_flow import AssertOp
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.cuda_tile.insert_runtime_checks import InsertRuntimeChecksPass

from ..harness.cases import covering
from ..harness.passes import applied

I32 = np.int32


def kernel(body: str, parameters: str = "%a: tile<ptr<i32>>, %n: tile<i32>") -> str:
    return f"""
    entry @k({parameters}) {{
      %zero = constant <i32: 0> : tile<i32>
      %lanes = iota : tile<4xi32>
      %r = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
      %w = broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %nr = reshape %n : tile<i32> -> tile<1xi32>
      %nw = broadcast %nr : tile<1xi32> -> tile<4xi32>
      %o = addi %lanes, %nw : tile<4xi32>
      %p = offset %w, %o : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
      {body}
      return
    }}
    """


LOAD = "%v, %t = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token"
STORE = "%t = store_ptr_tko weak %p, %lanes : tile<4xptr<i32>>, tile<4xi32> -> token"
MASKED = """
  %two = constant <i32: 2> : tile<4xi32>
  %m = cmpi less_than %lanes, %two, signed : tile<4xi32> -> tile<4xi1>
  %t = store_ptr_tko weak %p, %lanes, %m : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
"""
ATOMIC = """
  %v, %t = atomic_rmw_tko relaxed device %p, add, %lanes
    : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
"""
LOOP = """
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %last = for %i in (%zero to %three, step %one) : tile<i32>
    iter_values(%q = %p) -> (tile<4xptr<i32>>) {
    %v, %t = load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
    %next = offset %q, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    continue %next : tile<4xptr<i32>>
  }
"""
DIVIDES = "%d = divi %lanes, %o signed : tile<4xi32>"
OVERFLOWS = """
  %low = constant <i32: -2147483648> : tile<4xi32>
  %d = divi %low, %nw signed : tile<4xi32>
"""


def view(kind: str, rest: str = "") -> str:
    """A view of five rows of four in an array, whatever that has."""
    ty = f"{kind}_view<tile=(2x4), {rest}tensor_view<5x4xi32, strides=[4,1]>>"
    return f"""
      %tv = make_tensor_view %a, shape = [5, 4], strides = [4, 1]
        : tensor_view<5x4xi32, strides=[4,1]>
      %pv = make_{kind}_view %tv : {ty}
      %v, %t = load_view_tko weak %pv[%n, %zero] : {ty}, tile<i32> -> tile<2x4xi32>, token
    """


GATHER_TYPE = "gather_scatter_view<tile=(4x4), tensor_view<5x4xi32, strides=[4,1]>, sparse_dim=0>"
GATHER = f"""
  %tv = make_tensor_view %a, shape = [5, 4], strides = [4, 1]
    : tensor_view<5x4xi32, strides=[4,1]>
  %gv = make_gather_scatter_view %tv : {GATHER_TYPE}
  %v, %t = load_view_tko weak %gv[%o, %zero]
    : {GATHER_TYPE}, tile<4xi32>, tile<i32> -> tile<4x4xi32>, token
"""
PROMISE_TYPE = "partition_view<tile=(2x4), tensor_view<5x4xi32, strides=[4,1]>>"
PROMISE = f"""
  %tv = make_tensor_view %a, shape = [5, 4], strides = [4, 1]
    : tensor_view<5x4xi32, strides=[4,1]>
  %pv = make_partition_view %tv : {PROMISE_TYPE}
  %v, %t = load_view_tko weak %pv[%n, %zero] inbounds = [true, false]
    : {PROMISE_TYPE}, tile<i32> -> tile<2x4xi32>, token
"""
MASKED_VIEW = f"""
  %tv = make_tensor_view %a, shape = [5, 4], strides = [4, 1]
    : tensor_view<5x4xi32, strides=[4,1]>
  %pv = make_partition_view %tv : {PROMISE_TYPE}
  %x = constant <i32: 7> : tile<2x4xi32>
  %mr = reshape %lanes : tile<4xi32> -> tile<1x4xi32>
  %mw = broadcast %mr : tile<1x4xi32> -> tile<2x4xi32>
  %two = constant <i32: 2> : tile<2x4xi32>
  %m = cmpi less_than %mw, %two, signed : tile<2x4xi32> -> tile<2x4xi1>
  %t = store_view_tko weak %pv[%n, %zero], %x, %m
    : {PROMISE_TYPE}, tile<2x4xi32>, tile<2x4xi1> -> token
"""
REDUCED_VIEW = f"""
  %tv = make_tensor_view %a, shape = [5, 4], strides = [4, 1]
    : tensor_view<5x4xi32, strides=[4,1]>
  %pv = make_partition_view %tv : {PROMISE_TYPE}
  %x = constant <i32: 7> : tile<2x4xi32>
  %t = atomic_red_view_tko relaxed device %pv[%n, %zero], add, %x
    : tile<2x4xi32>, {PROMISE_TYPE} -> token
"""
BODIES = {
    "load": LOAD,
    "store": STORE,
    "masked": MASKED,
    "atomic": ATOMIC,
    "loop": LOOP,
    "divides": DIVIDES,
    "overflows": OVERFLOWS,
    "partition": view("partition"),
    "strided": view("strided", "traversal_strides=[1,4], "),
    "gather": GATHER,
    "promise": PROMISE,
    "masked view": MASKED_VIEW,
    "reduced view": REDUCED_VIEW,
}


def checked(text: str) -> ModuleOp:
    module = load(text)
    InsertRuntimeChecksPass().apply(make_context(), module)
    module.verify()
    return module


def lowered(module: ModuleOp, to: str) -> ModuleOp:
    """The module of a stage, at the default level of optimization."""
    for step in select_steps(arch="sm_90a"):
        if step.stage == "nvgpu" and to == "tileas":
            break
        module = applied(module, make_pass(step, "sm_90a"))
    return module


def outcome(module: ModuleOp, args: list[Any], **options: Any) -> tuple[bool, str]:
    """Whether a program ends without an error, and what it prints and says."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            run(module, grid=2, args=args, **options)
    except ExecutionError as error:
        return False, f"{output.getvalue()}{error}"
    return True, output.getvalue()


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize("name", BODIES)
def test_fails_where_the_interpreter_does(name: str) -> None:
    text, random = kernel(BODIES[name]), Random(name)
    plain, instrumented = load(text), checked(text)
    verdicts: set[bool] = set()
    for _ in range(60):
        size, start = random.randrange(1, 24), random.randrange(-6, 10)
        if name == "overflows":
            start = random.choice([-1, 0, 1, 2])
        data = np.ones(size, I32)
        expected, _ = outcome(plain, [data, start], check=["bounds", "division"])
        found, said = outcome(instrumented, [data, start, *get_extents(data)])
        assert found == expected, (size, start, said)
        verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.every(6, first=3)
@pytest.mark.parametrize(
    ("name", "stage"), covering(["load", "masked", "gather", "divides"], ["tileas", "nvvm"])
)
def test_after_lowering(name: str, stage: str) -> None:
    text = kernel(BODIES[name])
    plain, module = load(text), lowered(checked(text), stage)
    for size, start in ((4, 0), (20, 0), (20, -1), (3, 0), (20, 16), (20, 3)):
        data = np.ones(size, I32)
        expected, _ = outcome(plain, [data, start], check=["bounds", "division"])
        found, _ = outcome(module, [data, start, *get_extents(data)])
        assert found == expected, (size, start)


def test_what_is_said() -> None:
    data = np.ones((3, 4), I32)[1:]
    text = kernel(LOAD.replace("token", 'token loc("k.py":7:1)'))
    found, said = outcome(checked(text), [data, 6, *get_extents(data)])
    assert not found
    assert said.startswith(
        "k.py:7:1: 'cuda_tile.load_ptr_tko' op is out of bounds: byte 32 of 'a', which has 0 bytes "
        "before it and 32 after (CTA (0, 0, 0))\n"
    )
    assert "'cuda_tile.load_ptr_tko' op is out of bounds of 'a'" in said.splitlines()[1]


def test_names_of_files() -> None:
    """A file may be called what looks like a conversion, and its folder is nobody's business."""
    data = np.ones(4, I32)
    text = kernel(LOAD.replace("token", 'token loc("/home/me/50%d%.py":7:1)'))
    module = checked(text)
    assert [op.message.data for op in module.walk() if isinstance(op, AssertOp)] == [
        "50%d%.py:7:1: 'cuda_tile.load_ptr_tko' op is out of bounds of 'a'"
    ]
    for each in (module, lowered(checked(text), "nvvm")):
        found, said = outcome(each, [data, 6, *get_extents(data)])
        assert not found
        assert said.startswith(
            "50%d%.py:7:1: 'cuda_tile.load_ptr_tko' op is out of bounds: byte 24"
        )


def test_extents() -> None:
    rows = np.zeros((4, 6), np.float32)
    assert get_extents(rows) == (0, 96)
    assert get_extents(rows[:, :2]) == (0, 80)
    assert get_extents(rows[::-1]) == (72, 24)
    assert get_extents(rows[:0]) == (0, 0)
    assert get_extents(0x7000) == (UNKNOWN, UNKNOWN)


def test_accesses_that_are_not_checked() -> None:
    """A pointer that is loaded may lead anywhere."""
    text = """
    entry @k(%a: tile<ptr<i64>>) {
      %n, %t = load_ptr_tko weak %a : tile<ptr<i64>> -> tile<i64>, token
      %p = int_to_ptr %n : tile<i64> -> tile<ptr<i32>>
      %v, %u = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
      return
    }
    """
    result = compile_program(text, gpu="sm_90", check=True)
    assert "is not checked at run time" in result.remarks
    assert [each.type for each in result.launch_record.parameters] == ["ptr", "i64", "i64"]


@pytest.mark.parametrize(("gpu", "checks"), [("sm_90", False), ("sm_100", True)])
def test_ptxas_checks_tensor_memory(gpu: str, checks: bool, monkeypatch: pytest.MonkeyPatch):
    given: list[str] = []

    class Run(PtxasRun):
        def __init__(self, ptxas: Ptxas, target: NvptxTarget, level: int, options: Sequence[str]):
            given.extend(options)
            super().__init__(ptxas, target, level, options)

    monkeypatch.setattr(backend_ptxas, "PtxasRun", Run)
    text = "entry @k(%a: tile<ptr<i32>>) {\n  return\n}\n"
    compile_program(text, gpu=gpu, check=True)
    assert ("-g-tmem-access-check" in given) == checks
