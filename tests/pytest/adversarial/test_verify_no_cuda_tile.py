"""Attacks on `verify-no-cuda-tile`: types that are left in attributes, arguments and regions."""

import pytest
from xdsl.dialects.builtin import Builtin
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.dialects import cuda_tile

from ..harness.modules import context_of, parse_unverified
from ..harness.passes import applied
from .attacks import make

LEFT = {
    "result": '"test.op"() : () -> !cuda_tile.tile<i32>',
    "argument": '"test.op"() ({\n^bb0(%x: !cuda_tile.token):\n}) : () -> ()',
    "attribute": '"test.op"() <{a = !cuda_tile.tile<4xf32>}> : () -> ()',
    "nested": '"test.op"() <{a = [i32, [!cuda_tile.ptr<f32>]]}> : () -> ()',
    "function": '"test.op"() <{a = (i32) -> !cuda_tile.tile<i32>}> : () -> ()',
    "op": '"test.op"() ({\n cuda_tile.module @m {\n}\n}) : () -> ()',
}


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str):
    ctx = context_of(Builtin, cuda_tile.CudaTile, allow_unregistered=True)
    module = parse_unverified(LEFT[name], ctx=ctx)
    with pytest.raises(DiagnosticException):
        applied(module, make("verify-no-cuda-tile"), check="never")


def test_none():
    ctx = context_of(Builtin, allow_unregistered=True)
    module = parse_unverified('%x = "test.op"() {a = [i32, (i32) -> f32]} : () -> i32', ctx=ctx)
    after = applied(module, make("verify-no-cuda-tile"), check="never")
    assert after.is_structurally_equivalent(module)
