"""Programs with queues compute what they say once they are pipelines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

import tileiras_xdsl as tx
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.kernels import POINTER, gpu_kernel, gpu_module
from ..harness.modules import context, parse
from ..harness.passes import apply

NEEDS = (
    "max_registers = 40 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, "
    "tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []"
)
QUEUE = "!nv_tileaa.queue<i32>"


def kernel(body: str) -> ModuleOp:
    """A kernel in which `%x` is the number at `%a`, and `%y` is stored there."""
    text = f"""
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %x = nv_tileaa.load %a : !llvm.ptr<1> -> i32
    {body}
    nv_tileaa.store %a, %y : !llvm.ptr<1>, i32
    """
    return parse(gpu_module(gpu_kernel(text, [f"%a: {POINTER}"])))


def run(body: str, number: int) -> int:
    """What `%y` is, once the program is converted."""
    module = apply(kernel(body), ConvertTileaaToTileasPass("sm_90"))
    array: npt.NDArray[np.int32] = np.array([number], np.int32)
    tx.run(module, grid=1, args=[array])
    return int(array[0])


def put(queue: str, value: str) -> str:
    return f"nv_tileaa.queue.put {queue}, {value} : {QUEUE}, i32\n"


def get(result: str, queue: str, attributes: str = "") -> str:
    return f"""
    {result} = "nv_tileaa.queue.get"({queue}) ({{
    ^bb0(%entry: i32):
      nv_tileaa.queue.yield %entry : i32
    }}) {attributes} : ({QUEUE}) -> i32
    """


def loop(body: str, carried: str = "", results: str = "") -> str:
    return f"{results}scf.for %i = %zero to %five step %one {carried} : i32 {{\n{body}\n}}\n"


def execute(*agents: str) -> str:
    regions = "\n}, {\n".join(agents)
    return f'%y = "nv_tileaa.execute"() <{{{NEEDS}}}> ({{\n{regions}\n}}) : () -> i32\n'


def create(*names: str) -> str:
    return "".join(f"%{name} = nv_tileaa.create_queue : {QUEUE}\n" for name in names)


SUM = (
    loop(
        get("%e", "%q") + "%d = arith.addi %acc, %e : i32\nscf.yield %d : i32",
        "iter_args(%acc = %zero) -> (i32)",
        "%s = ",
    )
    + "nv_tileaa.yield %s : i32"
)
"""An agent that sums five entries."""


@pytest.mark.requirement("F-15")
def test_entries_arrive_in_order():
    """The producer sends x + i, and only then the consumer can add them up."""
    producer = loop("%v = arith.addi %x, %i : i32\n" + put("%q", "%v")) + "nv_tileaa.yield"
    assert run(create("q") + execute(producer, SUM), 7) == 5 * 7 + 10
    assert run(create("q") + execute(SUM, producer), 7) == 5 * 7 + 10


@pytest.mark.requirement("F-15")
def test_branches_carry_iterators():
    """Each iteration puts in one of two branches; each branch in another way."""
    body = f"""
    %odd = arith.andi %i, %one : i32
    %c = arith.cmpi eq, %odd, %one : i32
    scf.if %c {{
      {put("%q", "%i")}
    }} else {{
      %v = arith.addi %x, %i : i32
      {put("%q", "%v")}
    }}
    """
    producer = loop(body) + "nv_tileaa.yield"
    assert run(create("q") + execute(producer, SUM), 100) == 310


@pytest.mark.requirement("F-15")
def test_two_queues_carry_requests_and_answers():
    """A request and an answer for each iteration, through two queues."""
    asker = (
        loop(
            put("%q", "%i") + get("%b", "%r") + "%d = arith.addi %acc, %b : i32\n"
            "scf.yield %d : i32",
            "iter_args(%acc = %zero) -> (i32)",
            "%s = ",
        )
        + "nv_tileaa.yield %s : i32"
    )
    answerer = loop(get("%e", "%q") + "%v = arith.muli %e, %x : i32\n" + put("%r", "%v"))
    assert run(create("q", "r") + execute(asker, answerer + "nv_tileaa.yield"), 3) == 30


@pytest.mark.requirement("F-15")
def test_every_consumer_takes_every_entry():
    first = loop(get("%e", "%q", "{consumer_idx = 0 : i32}") + put("%r", "%e"))
    second = (
        loop(
            get("%e", "%q", "{consumer_idx = 1 : i32}")
            + get("%f", "%r")
            + "%p = arith.muli %e, %f : i32\n%d = arith.addi %acc, %p : i32\nscf.yield %d : i32",
            "iter_args(%acc = %zero) -> (i32)",
            "%s = ",
        )
        + "nv_tileaa.yield %s : i32"
    )
    producer = loop(put("%q", "%i")) + "nv_tileaa.yield"
    agents = execute(producer, first + "nv_tileaa.yield", second)
    assert run(create("q", "r") + agents, 0) == 30


@pytest.mark.requirement("F-16")
def test_a_stage_that_is_never_filled_is_noticed():
    """The conversion cannot know it; the interpreter does not wait for ever."""
    producer = put("%q", "%x") + "nv_tileaa.yield"
    with pytest.raises(ExecutionError, match="waits for a stage that nobody fills"):
        run(create("q") + execute(producer, SUM), 1)


@pytest.mark.requirement("F-16")
def test_a_failure_leaves_the_module():
    module = kernel(create("q") + get("%y", "%q"))
    before = module.clone()
    with pytest.raises(PassFailedException, match="maps to no pipeline slot"):
        ConvertTileaaToTileasPass("sm_90").apply(context(), module)
    assert module.is_structurally_equivalent(before)
