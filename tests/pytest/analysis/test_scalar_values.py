"""The integers that a launch decides are those that the ops define, or are not known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tileiras_xdsl.analysis.scalar_values import ScalarValues

from ..harness.modules import parse

Compute = Callable[[int, int], int | None]


def truncate(a: int, b: int) -> int | None:
    return int(a / b) if b else None


OPS: dict[str, Compute] = {
    "addi %a, %b : tile<i32>": lambda a, b: a + b,
    "subi %a, %b : tile<i32>": lambda a, b: a - b,
    "muli %a, %b : tile<i32>": lambda a, b: a * b,
    "andi %a, %b : tile<i32>": lambda a, b: a & b,
    "ori %a, %b : tile<i32>": lambda a, b: a | b,
    "xori %a, %b : tile<i32>": lambda a, b: a ^ b,
    "maxi %a, %b signed : tile<i32>": max,
    "mini %a, %b signed : tile<i32>": min,
    "divi %a, %b signed : tile<i32>": truncate,
    "divi %a, %b signed rounding<negative_inf> : tile<i32>": lambda a, b: a // b if b else None,
    "divi %a, %b signed rounding<positive_inf> : tile<i32>": lambda a, b: -(-a // b) if b else None,
    "remi %a, %b signed : tile<i32>": lambda a, b: a - b * int(a / b) if b else None,
    "shli %a, %b : tile<i32>": lambda a, b: a << b if 0 <= b < 64 else None,
    "shri %a, %b signed : tile<i32>": lambda a, b: a >> b if 0 <= b < 64 else None,
    "cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>": lambda a, b: a < b,
    "cmpi greater_than_or_equal %a, %b, signed : tile<i32> -> tile<i1>": lambda a, b: a >= b,
    "cmpi not_equal %a, %b, signed : tile<i32> -> tile<i1>": lambda a, b: a != b,
}


@pytest.mark.parametrize("text", OPS)
def test_two_integers(text: str):
    """With zeros and both signs; nothing is known of a result if nothing is of an operand."""
    body = f"%c = {text}\nreturn"
    module = parse(f"cuda_tile.module @m {{ entry @f(%a: tile<i32>, %b: tile<i32>) {{ {body} }} }}")
    op = next(op for op in module.walk() if len(op.operands) == 2)
    numbers = (-7, -4, -1, 0, 1, 2, 3, 8, 63, 64)
    for a in numbers:
        for b in numbers:
            assert ScalarValues().evaluate(op, [a, b]) == (OPS[text](a, b),)
    for known in ([None, None], [7, None], [None, 2]):
        assert ScalarValues().evaluate(op, known) == (None,)


def test_one_block():
    """Counts of tiles round up; a size that an argument gives is known if the argument is."""
    module = parse("""
        cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>, %n: tile<i32>, %c: tile<i1>) {
          %x, %y, %z = get_tile_block_id : tile<i32>
          %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
          %v = make_tensor_view %p, shape = [%n, 65], strides = [65, 1]
              : tile<i32> -> tensor_view<?x65xf32, strides=[65,1]>
          %w = make_partition_view %v
              : partition_view<tile=(16x32), tensor_view<?x65xf32, strides=[65,1]>>
          %i, %j = get_index_space_shape %w
              : partition_view<tile=(16x32), tensor_view<?x65xf32, strides=[65,1]>> -> tile<i32>
          %k = negi %x : tile<i32>
          %l = absi %k : tile<i32>
          %m = select %c, %i, %k : tile<i1>, tile<i32>
          return
        } }""")
    ops = {op.name.partition(".")[2]: op for op in module.walk()}
    entry = ops["entry"].regions[0].block

    def numbers(**given: int) -> list[list[int | None]]:
        scalars = ScalarValues(block=(5, 6, 7), grid=(8, 9, 10), tiles=4)
        scalars.values.update(zip(entry.args[1:], given.values(), strict=False))
        for op in entry.ops:
            scalars.visit(op)
        return [
            [scalars.values.get(result) for result in op.results]
            for op in entry.ops
            if op.results and "view" not in op.name
        ]

    assert numbers(n=33, c=1) == [[5, 6, 7], [8, 9, 10], [3, 3], [-5], [5], [3]]
    assert numbers(n=32, c=0) == [[5, 6, 7], [8, 9, 10], [2, 3], [-5], [5], [-5]]
    assert numbers() == [[5, 6, 7], [8, 9, 10], [4, 3], [-5], [5], [None]]
