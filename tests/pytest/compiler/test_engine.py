"""`tileiras_xdsl.run` with compiled code: same results and messages, or the interpreter instead."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler.engine import InterpretedWarning
from tileiras_xdsl.interpreter.errors import ExecutionError

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
