"""`tileiras_xdsl.run` with compiled code: same results and messages, or the interpreter instead."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler.engine import InterpretedWarning
from tileiras_xdsl.interpreter.errors import ExecutionError, WaitingError

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


def test_the_same_program_is_compiled_once(monkeypatch: pytest.MonkeyPatch):
    text = COUNT.format(op="addi")
    found = np.zeros(5, np.int32)
    tx.run(text, 5, [found], engine="jit", entry="count", progress=False)
    assert found.tolist() == [1, 2, 3, 4, 5]
    monkeypatch.setattr("tileiras_xdsl.driver.compiler.engine._compile_for_cpu", None)
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
        ({"engine": "gpu"}, "expected engine='interpreter' or 'jit', not 'gpu'"),
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
