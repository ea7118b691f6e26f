"""`tileiras_xdsl.run` with compiled code: same results and messages, or the interpreter instead."""

from __future__ import annotations

import signal
import threading
import warnings
from _thread import interrupt_main
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend import host
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.driver.compiler import engine
from tileiras_xdsl.driver.compiler.cpu import CompiledForCpu, LongWaitWarning
from tileiras_xdsl.driver.compiler.engine import InterpretedWarning
from tileiras_xdsl.interpreter.errors import ExecutionError, JitLaunchError, WaitingError
from tileiras_xdsl.interpreter.memory import PagedArray, SparseArray

COUNT = """cuda_tile.module @m {{
  entry @count(%p: tile<ptr<i32>>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %n = {op} %x, %one : tile<i32>
    %at = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %at, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }}
}}"""


@pytest.mark.parametrize("name", ["vector_add", "softmax"])
def test_examples(name: str):
    example = tx.examples[name]
    args = example.make_args()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tx.run(example, example.grid, args, engine="jit")
    example.check(args)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What ran each program, in order."""
    used: list[str] = []

    def launch(*args: Any, **options: Any) -> None:
        compiled(*args, **options)
        used.append("jit")

    def interpret(*args: Any, **options: Any) -> None:
        interpreted(*args, **options)
        used.append("interpreter")

    compiled, interpreted = CompiledForCpu.launch, engine.interpret
    monkeypatch.setattr(CompiledForCpu, "launch", launch)
    monkeypatch.setattr(engine, "interpret", interpret)
    return used


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, "jit"),
        ({"entry": "count", "check": (), "processes": 1}, "jit"),
        ({"blocks": [(2, 0, 0), (0, 0, 0), (1, 0, 0)]}, "jit"),
        ({"check": True}, "interpreter"),
        ({"seed": 0}, "interpreter"),
        ({"engine": "interpreter"}, "interpreter"),
    ],
)
def test_which_engine_runs_a_program(options: dict[str, Any], wanted: str, engines: list[str]):
    found = np.zeros(3, np.int32)
    tx.run(COUNT.format(op="addi"), 3, [found], **options)
    assert found.tolist() == [1, 2, 3]
    assert engines == [wanted]


@pytest.mark.filterwarnings("error")
def test_what_is_interpreted_by_default(engines: list[str], monkeypatch: pytest.MonkeyPatch):
    """Without a warning; a log says why, unless the reason is what was given."""
    module, found = tx.load(COUNT.format(op="addi")), np.zeros(3, np.int32)
    logged: list[str] = []

    def log(form: str, *args: object) -> None:
        logged.append(form % args)

    monkeypatch.setattr(engine.LOG, "info", log)
    tx.run(tx.explore(module)["tileas"], 3, [found])
    tx.run(module, 3, [PagedArray(np.int32, 1 << 20, np.zeros_like)])
    assert not logged
    tx.run(WAIT, 300, [found, 299])
    assert engines == ["interpreter"] * 3
    assert "tile blocks may wait for each other" in logged[0]


@pytest.mark.parametrize("which", engine.ENGINES)
def test_some_tile_blocks(which: Any):
    found = np.zeros(6, np.int32)
    tx.run(COUNT.format(op="addi"), (6, 2), [found], blocks=[(4, 1, 0), (1, 0, 0)], engine=which)
    assert found.tolist() == [0, 2, 0, 0, 5, 0]
    with pytest.raises(ExecutionError, match="are in a grid of"):
        tx.run(COUNT.format(op="addi"), 6, [found], blocks=[(6, 0, 0)], engine=which)


@pytest.mark.filterwarnings("error")
def test_sparse_arrays():
    """Their parts are read and written, by either engine."""
    module = tx.load(COUNT.format(op="muli"))
    for which in engine.ENGINES:
        part = np.full(2, 7, np.int32)
        sparse = SparseArray(np.int32, 1 << 40, {1: part, 1 << 39: part.copy()})
        tx.run(module, 2, [sparse], engine=which)
        assert part.tolist() == [1, 7]
        part.flags.writeable = False
        with pytest.raises(ExecutionError, match="read-only"):
            tx.run(module, 2, [sparse], engine=which)
    with pytest.warns(InterpretedWarning, match="argument 0 'p' cannot be in memory"):
        tx.run(module, 1, [SparseArray(np.int32, 1 << 60, {})], engine="jit")


POINTERS = """cuda_tile.module @m {
  entry @move(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %start: tile<i32>) {
    %i = iota : tile<32xi32>
    %s1 = reshape %start : tile<i32> -> tile<1xi32>
    %s2 = broadcast %s1 : tile<1xi32> -> tile<32xi32>
    %j = addi %i, %s2 : tile<32xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p2 = broadcast %p1 : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %from = offset %p2, %j : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %q2 = broadcast %q1 : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %to = offset %q2, %j : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %limit = constant <i32: 27> : tile<32xi32>
    %few = cmpi less_than %i, %limit, signed : tile<32xi32> -> tile<32xi1>
    %x, %t = load_ptr_tko weak %from : tile<32xptr<i32>> -> tile<32xi32>, token
    ACCESS
    return
  }
}"""
ACCESSES = [
    "%u = store_ptr_tko weak %to, %x, %few token=%t : "
    "tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> token",
    "%u = store_ptr_tko weak %to, %x token=%t : tile<32xptr<i32>>, tile<32xi32> -> token",
    "%old, %u = atomic_rmw_tko relaxed device %to, add, %i token=%t : "
    "tile<32xptr<i32>>, tile<32xi32> -> tile<32xi32>, token",
    "%old, %u = atomic_cas_tko relaxed device %to, %x, %i, %few token=%t : tile<32xptr<i32>>, "
    "tile<32xi32>, tile<32xi1> -> tile<32xi32>, token",
]


@pytest.mark.filterwarnings(f"error::{InterpretedWarning.__module__}.InterpretedWarning")
@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("step", [1, -1])
def test_pointers_that_leave_their_array(access: str, step: int):
    """As with the interpreter, nothing happens there: memory beside an array stays as it is."""
    text = POINTERS.replace("ACCESS", access)
    for start in (-20, 0, 20) if step > 0 else (-60, -40, -20):
        memory = [np.arange(200, dtype=np.int32) for _ in range(2)]
        for each, which in zip(memory, engine.ENGINES, strict=True):
            read, written = each[50:90][::step], each[110:150][::step]
            tx.run(text, 1, [read, written, start], engine=which)
        assert memory[0].tolist() == memory[1].tolist()
        kept = np.delete(memory[0], np.s_[110:150])
        assert kept.tolist() == np.delete(np.arange(200), np.s_[110:150]).tolist()


def test_code_that_cannot_be_linked(engines: list[str], monkeypatch: pytest.MonkeyPatch):
    """As where the C library lacks a function."""

    def link(code: bytes, name: str) -> None:
        raise BackendError("object code cannot be linked: no symbol")

    monkeypatch.setattr(host, "Linked", link)
    found = np.zeros(3, np.int32)
    with pytest.warns(InterpretedWarning, match="cannot be linked: no symbol"):
        tx.run(COUNT.format(op="subi"), 3, [found], engine="jit")
    assert (found.tolist(), engines) == ([-1, 0, 1], ["interpreter"])


def test_a_module_that_was_changed_is_compiled_again(engines: list[str]):
    module, found = tx.load(COUNT.format(op="addi")), np.zeros(3, np.int32)
    tx.run(module, 3, [found])
    (constant,) = (op for op in module.walk() if isinstance(op, ct.ConstantOp))
    constant.properties["value"] = ct.DenseElementsAttr.from_values(constant.elements.type, [2])
    tx.run(module, 3, [found])
    assert found.tolist() == [2, 3, 4]
    assert engines == ["jit"] * 2


VIEW = """cuda_tile.module @m {
  entry @fill(%p: tile<ptr<i32>>, %n: tile<i32>, %step: tile<i32>) {
    %q = assume div_by<16>, %p : tile<ptr<i32>>
    %m = assume bounded<0, ?>, %n : tile<i32>
    %v = make_tensor_view %q, shape = [%m], strides = [%step]
      : tile<i32> -> tensor_view<?xi32, strides=[?]>
    %t = make_partition_view %v : partition_view<tile=(8), tensor_view<?xi32, strides=[?]>>
    %zero = constant <i32: 0> : tile<i32>
    %x = constant <i32: 7> : tile<8xi32>
    %done = store_view_tko weak %x, %t[%zero]
      : tile<8xi32>, partition_view<tile=(8), tensor_view<?xi32, strides=[?]>>, tile<i32> -> token
    return
  }
}"""


@pytest.mark.parametrize(
    ("place", "size", "step", "fault"),
    [
        (slice(0, 8), 8, 1, ""),
        (slice(7, None, -1), 8, -1, r"7 breaks 'div_by'"),
        (slice(0, 8), 9, 1, "is a view of bytes 0 to 36 of an array that has 0 to 32"),
        (slice(0, 8), 5, 2, "is a view of bytes 0 to 36"),
        (slice(0, 8, 2), 4, 2, ""),
        (slice(0, 8), 2, -1, "is a view of bytes -4 to 4"),
        (slice(1, 8), 7, 1, "breaks 'div_by'"),
        (slice(0, 8), -1, 1, "-1 breaks 'bounded'"),
        (slice(0, 8), 0, 1, ""),
    ],
)
def test_arrays_that_are_not_what_a_kernel_believes(
    place: slice, size: int, step: int, fault: str, engines: list[str]
):
    """Compiled code does not run on them; the interpreter does."""
    memory = np.zeros(16, np.int32)
    start = -memory.ctypes.data // memory.itemsize % 4
    array = memory[start : start + 8][place]
    kernel = tx.compile(VIEW, "cpu")
    if not fault:
        kernel.launch(1, [array, size, step])
    else:
        with pytest.raises(JitLaunchError, match=fault.replace("7 breaks", "breaks")):
            kernel.launch(1, [array, size, step])
        assert not memory.any()
        tx.run(VIEW, 1, [array, size, step])
    assert engines[-1:] == (["interpreter"] if fault else ["jit"])
    if size == len(array):
        assert (array == 7).all()
    assert memory.sum() == array.sum()


def test_variables_begin_with_their_values_at_each_launch():
    text = """cuda_tile.module @m {
      global @g alignment = 16 <i32: [7, 8]> : tile<2xi32>
      entry @k(%p: tile<ptr<i32>>) {
        %one = constant <i32: 1> : tile<i32>
        %g = get_global @g : tile<ptr<i32>>
        %x, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
        %s = store_ptr_tko weak %p, %x token=%t : tile<ptr<i32>>, tile<i32> -> token
        %y = addi %x, %one : tile<i32>
        %u = store_ptr_tko weak %g, %y token=%s : tile<ptr<i32>>, tile<i32> -> token
        return
      }
    }"""
    kernel, found = tx.compile(text, "cpu"), np.zeros(1, np.int32)
    for _ in range(2):
        kernel.launch(1, [found])
        assert found[0] == 7


def test_what_tile_blocks_print_is_in_order(capsys: pytest.CaptureFixture[str]):
    text = COUNT.format(op="addi").replace("return", 'print "%d\\n", %x : tile<i32>\nreturn')
    tx.run(text, 50, [np.zeros(50, np.int32)], engine="jit")
    assert capsys.readouterr().out.split() == list(map(str, range(50)))


def test_the_same_program_is_compiled_once(monkeypatch: pytest.MonkeyPatch):
    text = COUNT.format(op="addi")
    found = np.zeros(5, np.int32)
    tx.run(text, 5, [found], engine="jit", entry="count", progress=False)
    assert found.tolist() == [1, 2, 3, 4, 5]
    monkeypatch.setattr("tileiras_xdsl.driver.compiler.compiled.compile_on_cpu", None)
    tx.run(text, 2, [found[3:]], engine="jit")
    assert found.tolist() == [1, 2, 3, 1, 2]


def test_what_cannot_be_compiled_is_interpreted():
    found = np.zeros(5, np.int32)
    module = tx.explore(COUNT.format(op="addi"), gpu="sm_90")["tileas"]
    with pytest.warns(InterpretedWarning, match="the program is interpreted: ") as caught:
        tx.run(module, 5, [found], engine="jit")
    assert found.tolist() == [1, 2, 3, 4, 5]
    assert caught[0].filename == __file__
    assert "\n" not in str(caught[0].message)


WAIT = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %last: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t0 = make_token : token
    %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %first {
      %out = loop iter_values(%t = %t0) : token -> token {
        %v, %seen = load_ptr_tko acquire device %p token=%t : tile<ptr<i32>> -> tile<i32>, token
        %is_set = cmpi not_equal %v, %zero, signed : tile<i32> -> tile<i1>
        if %is_set { break %seen : token }
        continue %seen : token
      }
      %at = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %u = store_ptr_tko weak %at, %one token=%out : tile<ptr<i32>>, tile<i32> -> token
    }
    %is_last = cmpi equal %x, %last, signed : tile<i32> -> tile<i1>
    if %is_last {
      %w = store_ptr_tko release device %p, %one token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}"""
"""The first tile block waits for the last one."""


@pytest.mark.filterwarnings(f"error::{InterpretedWarning.__module__}.InterpretedWarning")
def test_tile_blocks_that_wait_for_each_other():
    found = np.zeros(2, np.int32)
    tx.run(WAIT, 200, [found, 199], engine="jit")
    assert found.tolist() == [1, 1]


@pytest.fixture
def keys() -> Generator[None]:
    """Keys interrupt, also in a process that a shell started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keys")
def test_a_key_ends_tile_blocks_that_wait_for_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tileiras_xdsl.driver.compiler.cpu.PATIENCE_SECONDS", 0.1)
    kernel = tx.compile(WAIT, "cpu")
    ended = threading.Event()

    def press() -> None:
        # Python ignores what is raised while it frees an object, so one key may be lost.
        while not ended.wait(0.5):
            interrupt_main()

    timer = threading.Thread(target=press, daemon=True)
    with pytest.warns(LongWaitWarning, match="k has tile blocks that may wait"):  # noqa: PT031
        timer.start()
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            try:
                kernel.launch(2, [np.zeros(2, np.int32), 2])
            finally:
                ended.set()


def test_an_error_ends_tile_blocks_that_wait_for_ever():
    never = 'assert %is_last, "not the last" : tile<i1>\n    return'
    kernel = tx.compile(WAIT.replace("return", never), "cpu")
    with pytest.raises(ExecutionError, match="not the last"):
        kernel.launch(2, [np.zeros(2, np.int32), 2])


def test_more_tile_blocks_wait_than_run_at_once():
    found = np.zeros(2, np.int32)
    with pytest.raises(WaitingError, match="at most 256 run at once, and the grid has 300"):
        tx.compile(WAIT, "cpu").launch(300, [found, 299])
    with pytest.warns(InterpretedWarning, match="tile blocks may wait for each other"):
        tx.run(WAIT, 300, [found, 299], engine="jit")
    assert found.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "gpu"}, "expected engine='jit' or 'interpreter', not 'gpu'"),
        ({"engine": "jit", "check": True}, "only the interpreter takes check=…"),
        ({"engine": "jit", "seed": 1}, "only the interpreter takes seed=…"),
        ({"engine": "jit", "entry": "other"}, "there is no kernel @other, but @count"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str):
    with pytest.raises(ExecutionError, match=message):
        tx.run(COUNT.format(op="addi"), 1, [np.zeros(1, np.int32)], **options)


def test_a_wrong_program_is_an_error():
    with (
        pytest.warns(InterpretedWarning),
        pytest.raises(Exception, match="what is not registered"),
    ):
        tx.run("cuda_tile.module @m { what }", 1, [], engine="jit")
