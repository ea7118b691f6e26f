"""
Attacks on how programs for a CPU access memory: offsets that wrap around, atomics of all kinds from
several threads, dots that accumulate in memory that others read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx

from .test_cpu_lower_tiles import assert_same

WRAPPING = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %start: tile<i32>) {
    %i = iota : tile<32xi32>
    %s1 = reshape %start : tile<i32> -> tile<1xi32>
    %s2 = broadcast %s1 : tile<1xi32> -> tile<32xi32>
    %j = addi %i, %s2 : tile<32xi32>
    %o = exti %j unsigned : tile<32xi32> -> tile<32xi64>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p2 = broadcast %p1 : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %from = offset %p2, %o : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
    %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %q2 = broadcast %q1 : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %to = offset %q2, %i : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %low = constant <i32: 0> : tile<32xi32>
    %high = constant <i32: 100> : tile<32xi32>
    %in = cmpi less_than %j, %high, unsigned : tile<32xi32> -> tile<32xi1>
    %x, %t = load_ptr_tko weak %from, %in, %low : tile<32xptr<i32>>, tile<32xi1>, tile<32xi32> -> tile<32xi32>, token
    %t2 = store_ptr_tko weak %to, %x token = %t : tile<32xptr<i32>>, tile<32xi32> -> token
    return
  }
}"""  # noqa: E501


@pytest.mark.parametrize("start", [0, 80, -5, -16, -17, -(2**31), 2**31 - 9])
def test_offsets_that_wrap_around_in_a_vector(start: int):
    """
    Neighbours in a tile are not neighbours in memory where 32 bits wrap around: after 2^32 - 1
    comes 0, which is in the array.
    """
    assert_same(WRAPPING, [np.arange(100, dtype=np.int32), np.zeros(32, np.int32), start])


ATOMIC = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<TYPE>>, %v: tile<ptr<TYPE>>, %q: tile<ptr<TYPE>>) {
    %i = iota : tile<16xi32>
    %eight = constant <i32: 7> : tile<16xi32>
    %j = andi %i, %eight : tile<16xi32>
    %p1 = reshape %p : tile<ptr<TYPE>> -> tile<1xptr<TYPE>>
    %p2 = broadcast %p1 : tile<1xptr<TYPE>> -> tile<16xptr<TYPE>>
    %to = offset %p2, %j : tile<16xptr<TYPE>>, tile<16xi32> -> tile<16xptr<TYPE>>
    %v1 = reshape %v : tile<ptr<TYPE>> -> tile<1xptr<TYPE>>
    %v2 = broadcast %v1 : tile<1xptr<TYPE>> -> tile<16xptr<TYPE>>
    %from = offset %v2, %i : tile<16xptr<TYPE>>, tile<16xi32> -> tile<16xptr<TYPE>>
    %q1 = reshape %q : tile<ptr<TYPE>> -> tile<1xptr<TYPE>>
    %q2 = broadcast %q1 : tile<1xptr<TYPE>> -> tile<16xptr<TYPE>>
    %kept = offset %q2, %i : tile<16xptr<TYPE>>, tile<16xi32> -> tile<16xptr<TYPE>>
    %x, %t = load_ptr_tko weak %from : tile<16xptr<TYPE>> -> tile<16xTYPE>, token
    OP
    %t3 = store_ptr_tko weak %kept, %old token = %t2 : tile<16xptr<TYPE>>, tile<16xTYPE> -> token
    return
  }
}"""
DTYPES: dict[str, Any] = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f16": np.float16}


@pytest.mark.parametrize(
    ("mode", "element"),
    [
        *((mode, ty) for ty in ("i32", "i64") for mode in ("add", "and", "xor", "max", "umin")),
        *(("addf", ty) for ty in ("f32", "f16")),
        *(("xchg", ty) for ty in ("i32", "f32")),
    ],
)
def test_atomics_on_elements_that_meet(mode: str, element: str):
    """Two lanes meet at each element: the later one finds what the earlier one left."""
    op = (
        f"%old, %t2 = atomic_rmw_tko acq_rel device %to, {mode}, %x token = %t "
        f": tile<16xptr<{element}>>, tile<16x{element}> -> tile<16x{element}>, token"
    )
    rng = np.random.default_rng(0)
    memory, values = (rng.integers(-40, 40, n).astype(DTYPES[element]) for n in (8, 16))
    text = ATOMIC.replace("OP", op).replace("TYPE", element)
    assert_same(text, [memory, values, np.zeros(16, DTYPES[element])])


def test_compare_and_swap():
    op = (
        "%new = constant <i32: 99> : tile<16xi32>\n"
        "%old, %t2 = atomic_cas_tko release sys %to, %x, %new token = %t "
        ": tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token"
    )
    text = ATOMIC.replace("OP", op).replace("TYPE", "i32")
    memory, values = np.arange(8, dtype=np.int32), np.arange(16, dtype=np.int32) % 9
    assert_same(text, [memory, values, np.zeros(16, np.int32)])


def test_no_update_of_two_threads_is_lost():
    op = (
        "%old, %t2 = atomic_rmw_tko relaxed device %to, addf, %x token = %t "
        ": tile<16xptr<f32>>, tile<16xf32> -> tile<16xf32>, token"
    )
    text = ATOMIC.replace("OP", op).replace("TYPE", "f32")
    memory, kept = np.zeros(8, np.float32), np.zeros(16, np.float32)
    tx.compile(text, "cpu", cache=False).launch(5000, [memory, np.ones(16, np.float32), kept])
    assert (memory == 10000).all()


DOT = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %m = make_tensor_view %p, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
    %v = make_partition_view %m : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %n = make_tensor_view %q, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]>
    %w = make_partition_view %n : partition_view<tile=(16x16), tensor_view<32x16xf32, strides=[16,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %x, %t = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> tile<16x16xf32>, token
    %a = mmaf %x, %x, %x : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %twos = constant <f32: 2.0> : tile<8x8xf32>
    %rows = reshape %x : tile<16x16xf32> -> tile<8x32xf32>
    %start = reshape %a : tile<16x16xf32> -> tile<8x32xf32>
    %b = mmaf %twos, %rows, %start : tile<8x8xf32>, tile<8x32xf32>, tile<8x32xf32>
    %c = reshape %b : tile<8x32xf32> -> tile<16x16xf32>
    %t1 = store_view_tko weak %a, %w[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<32x16xf32, strides=[16,1]>>, tile<i32> -> token
    %t2 = store_view_tko weak %c, %w[%one, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<32x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}"""  # noqa: E501


def test_a_dot_accumulates_in_no_memory_that_others_read():
    """The accumulator of the second dot is a view of the result of the first."""
    x = np.random.default_rng(1).integers(-3, 4, (16, 16)).astype(np.float32)
    assert_same(DOT, [x, np.zeros((32, 16), np.float32)])


SIZES = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>, %step: tile<i32>) {
    %v = make_tensor_view %p, shape = [16, %n], strides = [%step, 1]
      : tile<i32> -> tensor_view<16x?xi32, strides=[?,1]>
    %t = make_partition_view %v
      : partition_view<tile=(16x16), tensor_view<16x?xi32, strides=[?,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x = constant <i32: 5> : tile<16x16xi32>
    %done = store_view_tko weak %x, %t[%zero, %zero] : tile<16x16xi32>,
      partition_view<tile=(16x16), tensor_view<16x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}"""


@pytest.mark.parametrize(("size", "step"), [(-16, -16), (-16, 16), (0, 16), (7, 16), (16, 16)])
def test_arrays_of_negative_sizes_have_no_elements(size: int, step: int):
    assert_same(SIZES, [np.zeros(256, np.int32), size, step])
