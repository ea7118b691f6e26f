"""What functions and divisions expand to, and what L2 keeps of arrays."""

import pytest
from xdsl.ir import Operation

from tileiras_xdsl.cost.model import Launch, count_kept, count_traffic
from tileiras_xdsl.cost.work import find_expansion
from tileiras_xdsl.xdsl_extras.walking import walk

from ..harness.modules import parse

PROGRAM = """
builtin.module {{
  %x = "test.op"() : () -> tensor<128x{element}>
  %two = arith.constant dense<2.0> : tensor<128x{element}>
  %three = arith.constant dense<3.0> : tensor<128x{element}>
  %y = {op} : tensor<128x{element}>
}}
"""


def last(op: str, element: str = "f32") -> Operation:
    """The last op of a program."""
    return [*walk(parse(PROGRAM.format(op=op, element=element)))][-1]


@pytest.mark.parametrize(
    ("op", "element", "issued"),
    [
        ("nv_tileaa.divf %x, %x", "f32", 15),
        ('nv_tileaa.divf %x, %x {rounding_mode = "approx", flush_to_zero}', "f32", 2),
        ("nv_tileaa.divf %x, %x", "bf16", 8),
        ("nv_tileaa.exp2 %x {flush_to_zero}", "f32", 1),
        ("nv_tileaa.exp2 %x", "f32", 4),
        ("nv_tileaa.tanh %x", "f32", 15),
    ],
)
def test_functions_are_several_instructions(op: str, element: str, issued: int):
    found = find_expansion(last(op, element))
    assert found is not None
    assert found.issued == issued


def test_other_ops_are_one():
    assert find_expansion(last("nv_tileaa.addf %x, %x")) is None


LAUNCH = Launch((64, 1, 1), [], 300.0, {0: 100.0, 1: 200.0})


def test_arrays_that_are_updated_are_kept_once():
    moved: dict[tuple[int | None, bool], float] = {
        (0, False): 50.0,
        (0, True): 50.0,
        (1, False): 50.0,
    }
    assert count_kept(LAUNCH, moved, 2) == 100
    assert count_traffic(LAUNCH, moved, 2, lambda _: True) == 150


@pytest.mark.parametrize(("is_kept", "bytes_of_array"), [(True, 50), (False, 100)])
def test_arrays_that_l2_does_not_keep_are_loaded_again(is_kept: bool, bytes_of_array: int):
    moved: dict[tuple[int | None, bool], float] = {(0, False): 105.0}
    assert count_traffic(LAUNCH, moved, 2, lambda _: is_kept) == bytes_of_array
