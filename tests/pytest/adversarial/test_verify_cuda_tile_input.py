"""Attacks on `verify-cuda-tile-input`: ops that are not public, wherever they hide."""

import pytest
from xdsl.utils.exceptions import DiagnosticException

from ..harness.modules import parse_unverified
from ..harness.passes import applied
from .attacks import make

HIDDEN = {
    "top": '"test.op"() : () -> ()',
    "in a loop": """
  entry @k() {
    %a = constant <i32: 1> : tile<i32>
    for %i in (%a to %a, step %a) : tile<i32> {
      "test.op"() : () -> ()
    }
    return
  }""",
    "in a reduction": """
  entry @k() {
    %a = constant <i32: 1> : tile<4xi32>
    %r = reduce %a dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
      (%x: tile<i32>, %y: tile<i32>) {
        %z = "test.op"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        yield %z : tile<i32>
      }
    return
  }""",
    "behind a return": 'entry @k() {\n "llvm.unreachable"() : () -> ()\n return\n }',
    "a test": "testing$func @f() {\n return\n }",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden(name: str):
    text = f"cuda_tile.module @m {{\n {HIDDEN[name]}\n}}"
    if name == "top":
        text = HIDDEN[name]
    module = parse_unverified(text)
    with pytest.raises(DiagnosticException, match="is not public Tile IR"):
        applied(module, make("verify-cuda-tile-input"), check="never")


def test_public():
    text = "cuda_tile.module @m {\n entry @k() {\n return\n }\n}\nfunc.func private @f(i32)"
    module = parse_unverified(text)
    assert applied(module, make("verify-cuda-tile-input")).is_structurally_equivalent(module)
