"""Each check reports what it is for, with op, location, CTA and lane, and nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import examples, load, run
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.interpreter import ExecutionError, Uninitialized
from tileiras_xdsl.interpreter.arguments import name_parameters
from tileiras_xdsl.interpreter.checks import CHECKS, OutsideWarning
from tileiras_xdsl.interpreter.memory import FIRST_ADDRESS, RED_ZONE, Memory, first_byte
from tileiras_xdsl.interpreter.races import Race, RaceDetector
from tileiras_xdsl.interpreter.tokens import START, AccessOrdering, Event, Token

from ..harness.cases import every
from .launching import (
    add_of,
    is_clean,
    kernel,
    levels_of,
    load_of,
    moved,
    outcome,
    report,
    store_of,
    use_of,
)

I32 = np.int32


def ints(count: int) -> np.ndarray:
    return np.zeros(count, I32)


# Names of checks


def test_unknown_check() -> None:
    with pytest.raises(ExecutionError) as caught:
        run(kernel(""), grid=1, args=[ints(4)], check=["bound"])
    assert str(caught.value) == (
        "there is no check 'bound', but bounds, uninitialized, races, division, assumptions, "
        "outside"
    )


@pytest.mark.parametrize("check", [(), False, True, "races", ["bounds", "division"], set(CHECKS)])
def test_names_of_checks(check: Any) -> None:
    text = kernel(load_of("v", "%t0") + store_of("s", "%v_t"))
    assert is_clean(load(text), [ints(4)], check)


# Outside

PARTITION = "partition_view<tile=(4), tensor_view<10xi32, strides=[1]>>"
SCATTER = "gather_scatter_view<tile=(4), tensor_view<10xi32, strides=[1]>, sparse_dim=0>"
STORES = {
    "store": (PARTITION, "store_view_tko weak %tile, %view[%x] : tile<4xi32>, {}, tile<i32>"),
    "atomic": (
        PARTITION,
        "atomic_red_view_tko relaxed device %view[%x], add, %tile token = %t0 : "
        "tile<4xi32>, {}, tile<i32>",
    ),
    "scatter": (
        SCATTER,
        "store_view_tko weak %tile, %view[%indices] : tile<4xi32>, {}, tile<4xi32>",
    ),
    "masked": (
        PARTITION,
        "store_view_tko weak %view[%x], %tile, %mask : {}, tile<4xi32>, tile<4xi1>, tile<i32>",
    ),
}


def storing(name: str) -> str:
    """CTA x stores tile x of `%out`, which has ten elements; `masked` only those before CTA 4."""
    view, op = STORES[name]
    return f"""
    entry @k(%out: tile<ptr<i32>>) {{
      %x, %y, %z = get_tile_block_id : tile<i32>
      %row = reshape %x : tile<i32> -> tile<1xi32>
      %tile = broadcast %row : tile<1xi32> -> tile<4xi32>
      %four = constant <i32: 4> : tile<4xi32>
      %mask = cmpi less_than %tile, %four, signed : tile<4xi32> -> tile<4xi1>
      %lanes = iota : tile<4xi32>
      %first = muli %tile, %four : tile<4xi32>
      %indices = addi %first, %lanes : tile<4xi32>
      %t0 = make_token : token
      %tensor = make_tensor_view %out, shape = [10], strides = [1] :
        tensor_view<10xi32, strides=[1]>
      %view = make_{view.partition("<")[0]} %tensor : {view}
      %t = {op.format(view)} -> token loc("k.py":7:1)
      return
    }}
    """


def warnings_of(program: str | ModuleOp, grid: int, **options: Any) -> list[str]:
    array = np.zeros(10, I32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(program, grid, [array], **options)
    assert array.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    assert all(each.category is OutsideWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("name", "outside"), [("store", 2), ("atomic", 2), ("scatter", 2), ("masked", 1)]
)
def test_tiles_stored_outside(name: str, outside: int) -> None:
    """Those that are partly outside, or masked out, do not count, and the program is legal."""
    text, total = storing(name), 4 if name == "masked" else 5
    tiles = f"{outside} of {total} tiles outside the array"
    assert warnings_of(text, 5, check=True) == [f"k.py:7:1: store to 'out': {tiles}"]
    assert warnings_of(text, 5, check=True, seed=3) == [f"k.py:7:1: store to 'out': {tiles}"]
    assert warnings_of(text, 3, check=True) == []


def test_tiles_stored_outside_are_reported_if_asked_for() -> None:
    text = storing("store")
    found = ["k.py:7:1: store to 'out': 37 of 40 tiles outside the array"]
    assert warnings_of(text, 40, check="outside", processes=3) == found
    assert warnings_of(text, 40, check=["bounds", "races"]) == warnings_of(text, 40) == []
    # Later passes cut tiles, whose parts are no sign of a wrong grid.
    assert warnings_of(levels_of(text)[1], 40, check=True) == []


def test_tiles_loaded_outside() -> None:
    """Those of a view that has padding are meant to be."""
    first = f"""%read, %t1 = load_view_tko weak %view[%x] : {PARTITION}, tile<i32> ->
        tile<4xi32>, token loc("k.py":6:1)
      %t = store_view_tko weak %tile, %view[%x] token = %t1"""
    text = storing("store").replace("%t = store_view_tko weak %tile, %view[%x]", first)
    load = "k.py:6:1: load of 'out': 2 of 5 tiles outside the array"
    store = "k.py:7:1: store to 'out': 2 of 5 tiles outside the array"
    assert warnings_of(text, 5, check=True) == [f"{load}; {store}"]
    assert warnings_of(text, 5, check="outside") == [f"{load}; {store}"]
    padded = text.replace("tile=(4), tensor", "tile=(4), padding_value = zero, tensor")
    assert warnings_of(padded, 5, check=True) == [store]
    assert warnings_of(text, 3, check=True) == []


# Bounds


def test_pointer_past_the_end() -> None:
    for module in levels_of(kernel(load_of("v", "%t0", line=7))):
        array = ints(3)
        error = report(module, [array], ["bounds"])
        assert error.op is not None
        assert error.op.name in (
            "cuda_tile.load_ptr_tko",
            "nv_tileaa.load",
        )
        assert error.cta == (0, 0, 0)
        assert error.lane == (3,)
        assert str(error) == (
            f"k.py:7:1: '{error.op.name}' op is out of bounds: 4 bytes at address "
            f"{FIRST_ADDRESS + first_byte(array) % 256 + 12:#x} reach 4 bytes past the end of 'a' "
            "(12 bytes), at a[3] of an array of shape (3,) (CTA (0, 0, 0), lane (3))"
        )


def test_pointer_before_the_start() -> None:
    body = (
        "%m = constant <i32: -2> : tile<i32>\n"
        + moved("q", "%m")
        + store_of("s", "%t0", pointers="%q")
    )
    for module in levels_of(kernel(body)):
        error = report(module, [ints(9)], ["bounds"], grid=(1, 2))
        assert "begin 8 bytes before 'a' (36 bytes)" in str(error)
        assert error.lane == (0,)


def test_pointer_across_the_end() -> None:
    data = np.zeros(15, np.uint8)
    error = report(load(kernel(load_of("v", "%t0"))), [data], ["bounds"])
    assert "reach 1 byte past the end of 'a' (15 bytes)" in str(error)
    assert error.lane == (3,)


def test_cta_of_the_report() -> None:
    body = moved("q", "%x") + add_of("r", "%t0", "%q")
    for module in levels_of(kernel(body)):
        error = report(module, [ints(6)], ["bounds"], grid=4)
        assert error.cta == (3, 0, 0)
        assert error.lane == (3,)


MASKED = """
  %limit = constant <i32: 2> : tile<4xi32>
  %m = cmpi less_than %lanes, %limit, signed : tile<4xi32> -> tile<4xi1>
  %v, %t1 = load_ptr_tko weak %p, %m token=%t0 : tile<4xptr<i32>>, tile<4xi1> -> tile<4xi32>, token
  %t2 = store_ptr_tko weak %p, %v, %m token=%t1 : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
  %o, %t3 = atomic_rmw_tko relaxed device %p, add, %ones, %m token=%t2
    : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> tile<4xi32>, token
"""


def test_masked_lanes_are_not_checked() -> None:
    for module in levels_of(kernel(MASKED)):
        assert is_clean(module, [ints(2)])
        error = report(module, [ints(1)])
        assert error.lane == (1,)


def test_masked_lanes_keep_their_numbers() -> None:
    body = MASKED.replace("less_than", "greater_than_or_equal")
    for module in levels_of(kernel(body)):
        assert report(module, [ints(3)]).lane == (3,)


VIEW = """
  %tv = make_tensor_view %a, shape = [%n, 4], strides = [4, 1]
    : tile<i32> -> tensor_view<?x4xi32, strides=[4,1]>
  %pv = make_partition_view %tv
    : partition_view<tile=(2x4), padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>>
  %i = constant <i32: {index}> : tile<i32>
  %v, %t1 = load_view_tko weak %pv[%i, %zero] token = %t0 {promise}
    : partition_view<tile=(2x4), padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>>,
      tile<i32> -> tile<2x4xi32>, token
  %t2 = store_view_tko weak %v, %pv[%i, %zero] token = %t1 {promise}
    : tile<2x4xi32>,
      partition_view<tile=(2x4), padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>>,
      tile<i32> -> token
"""


def view(index: int, promise: str = "") -> list[ModuleOp]:
    text = VIEW.format(index=index, promise=promise)
    return levels_of(kernel(text, "%a: tile<ptr<i32>>, %n: tile<i32>"))


@pytest.mark.filterwarnings("ignore::tileiras_xdsl.interpreter.checks.OutsideWarning")
def test_view_that_says_more_than_the_allocation_has() -> None:
    for module in view(1):
        assert is_clean(module, [ints(12), 3])
        assert is_clean(module, [ints(4), 1])
        error = report(module, [ints(14), 4], ["bounds"])
        assert error.lane == (1, 2)
        assert "reach 4 bytes past the end of 'a' (56 bytes)" in str(error)


@pytest.mark.filterwarnings("ignore::tileiras_xdsl.interpreter.checks.OutsideWarning")
def test_padding_is_not_checked() -> None:
    for index in (-1, 1, 2, 1 << 30):
        for module in view(index):
            assert is_clean(module, [ints(4), 1])


def test_broken_promise() -> None:
    for module in view(1, "inbounds = [true, false]"):
        assert is_clean(module, [ints(16), 4])
        error = report(module, [ints(16), 3], ["bounds"])
        assert error.lane == (1, 0)
        assert error.message == (
            "is in bounds of dimension 0 by promise, but reaches from 2 to 4 of 3"
        )
        assert is_clean(module, [ints(16), 3], ["races", "uninitialized", "division"])


def test_bytecode_has_no_names_of_parameters() -> None:
    """Nor has its debug info: messages say which of the arrays it is."""
    softmax = examples["softmax"]
    args = softmax.make_args()
    args[5] = args[5][:1]
    with pytest.raises(ExecutionError, match=r"past the end of 'argument 5 \(array 2 of 2\)' \("):
        run(softmax, 1, args, check="bounds")
    module = load(softmax.path)
    parameters = next(op for op in module.walk() if isinstance(op, ct.EntryOp)).body.block.args
    names = name_parameters(parameters)
    assert names[:2] == ["argument 0 (array 1 of 2)", "argument 1"]
    parameters[0].name_hint = "x"
    assert name_parameters(parameters) == ["x", *names[1:]]


def test_view_into_another_allocation() -> None:
    """A stride as large as the red zone leads into the next array."""
    text = f"""
    entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>) {{
      %zero = constant <i32: 0> : tile<i32>
      %tv = make_tensor_view %a, shape = [2], strides = [{RED_ZONE + 8192}]
        : tensor_view<2xi8, strides=[{RED_ZONE + 8192}]>
      %pv = make_partition_view %tv
        : partition_view<tile=(2), tensor_view<2xi8, strides=[{RED_ZONE + 8192}]>>
      %v, %t1 = load_view_tko weak %pv[%zero]
        : partition_view<tile=(2), tensor_view<2xi8, strides=[{RED_ZONE + 8192}]>>,
          tile<i32> -> tile<2xi8>, token
      return
    }}
    """
    memory = np.zeros(1 << 14, np.uint8)
    for module in levels_of(text):
        error = report(module, [memory[:4096].copy(), memory.copy()], ["bounds"])
        assert "a view of 'a' (4096 bytes) reaches 1 byte at address" in str(error)
        assert "which is in 'b'" in str(error)
        assert error.lane == (1,)


OFFSETS = [1, 512, 1024, 1279, 1535, 4096, 1 << 20, (1 << 31) - 600, -1, -512, -1024, -(1 << 31)]


@pytest.mark.every(5)
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("parameter", ["a", "b", "c"])
def test_offset_that_leaves_its_own_array(offset: int, parameter: str) -> None:
    """It is found, and blamed on that array, whatever lies around it."""
    body = (
        f"%m = constant <i32: {offset if offset < 0 else 508 + offset}> : tile<i32>\n"
        f"%base = offset %{parameter}, %m : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        "%r = reshape %base : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
        "%w = broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
        "%q = offset %w, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
        + store_of("s", "%t0", pointers="%q")
    )
    parameters = ", ".join(f"%{name}: tile<ptr<i32>>" for name in "abc")
    lane = 0 if offset < 0 or offset > 3 else 4 - offset
    index = (offset if offset < 0 else 508 + offset) + lane
    for module in levels_of(kernel(body, parameters)):
        error = report(module, [ints(512), ints(512), ints(512)], ["bounds"])
        assert error.lane == (lane,)
        assert f"'{parameter}' (2048 bytes), at {parameter}[{index}] of an array" in str(error)


def test_bytes_between_the_elements_of_an_array() -> None:
    for module in levels_of(kernel(load_of("v", "%t0"))):
        rows = np.zeros((4, 8), I32)
        assert is_clean(module, [rows[:, :4]])
        error = report(module, [rows[:, :3]], ["bounds"])
        assert error.lane == (3,)
        assert "lie between the elements of 'a' (108 bytes), after a[0, 3]" in str(error)


def test_gathered_rows() -> None:
    view_type = "gather_scatter_view<tile=(4x2), tensor_view<3x2xi32, strides=[2,1]>, sparse_dim=0>"
    body = f"""
      %tv = make_tensor_view %a, shape = [3, 2], strides = [2, 1]
        : tensor_view<3x2xi32, strides=[2,1]>
      %gv = make_gather_scatter_view %tv : {view_type}
      %v, %t1 = load_view_tko weak %gv[%lanes, %zero] {{promise}}
        : {view_type}, tile<4xi32>, tile<i32> -> tile<4x2xi32>, token
      %t2 = store_view_tko weak %v, %gv[%lanes, %zero] token = %t1
        : tile<4x2xi32>, {view_type}, tile<4xi32>, tile<i32> -> token
    """
    for module in levels_of(kernel(body.replace("{promise}", ""))):
        assert is_clean(module, [ints(6)])
        error = report(module, [ints(5)])
        assert error.lane == (2, 1)
    for module in levels_of(kernel(body.replace("{promise}", "inbounds = [true, false]"))):
        error = report(module, [ints(6)])
        assert error.message == "is in bounds of dimension 0 by promise, but accesses 3 of 3"
        assert error.lane == (3, 0)


def test_packed_elements() -> None:
    """Two lanes share a byte; the tile begins three elements before the tensor."""
    tensor = "tensor_view<12xf4E2M1FN, strides=[1]>"
    view_type = f"strided_view<tile=(8), traversal_strides=[3], {tensor}>"
    text = f"""
    entry @k(%a: tile<ptr<f4E2M1FN>>) {{
      %before = constant <i32: -1> : tile<i32>
      %v = constant <f4E2M1FN: 1.0> : tile<8xf4E2M1FN>
      %tv = make_tensor_view %a, shape = [12], strides = [1] : {tensor}
      %sv = make_strided_view %tv : {view_type}
      %t1 = store_view_tko weak %v, %sv[%before] : tile<8xf4E2M1FN>, {view_type}, tile<i32> -> token
      return
    }}
    """
    for module in levels_of(text):
        data = np.zeros(6, np.uint8)
        assert is_clean(module, [data])
        assert data.tolist() == [0x22, 0x22, 0x02, 0, 0, 0]
        assert report(module, [data[:2]]).lane == (7,)
        assert report(module, [data[:1]]).lane == (5,)


def test_extract_and_insert() -> None:
    body = """
      %e = extract %lanes[%n] : tile<4xi32> -> tile<2xi32>
    """
    for module in levels_of(kernel(body, "%a: tile<ptr<i32>>, %n: tile<i32>")):
        assert is_clean(module, [ints(4), 1])
        for index in (2, -1):
            error = report(module, [ints(4), index], ["bounds"])
            assert error.message == (
                f"is out of bounds: index {index} of dimension 0, which has 2 parts"
            )
            assert is_clean(module, [ints(4), index], ["division"])


def test_constant_memory() -> None:
    data = ints(4)
    data.flags.writeable = False
    for module in levels_of(kernel(store_of("s", "%t0"))):
        error = report(module, [data])
        assert "writes to 'a', which is read-only" in str(error)
        with pytest.raises(ExecutionError, match="writes to 'a', which is read-only"):
            run(module, grid=1, args=[data])
        assert not data.any()


# Uninitialised memory


ALLOCA = """
  %m = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
  %mr = reshape %m : tile<ptr<i32>> -> tile<1xptr<i32>>
  %mb = broadcast %mr : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %q = offset %mb, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
"""


def test_alloca_is_read_before_it_is_written() -> None:
    for module in levels_of(kernel(ALLOCA + load_of("v", "%t0", "%q", line=3) + use_of("v"))):
        error = report(module, [ints(4)], ["uninitialized"], grid=2)
        assert "k.py:3:1: " in str(error)
        assert "alloca', which has not been written" in str(error)
        assert error.lane == (0,)
        assert error.cta == (0, 0, 0)
        assert is_clean(module, [ints(4)], ["bounds", "races"])


def test_alloca_is_written_first() -> None:
    body = ALLOCA + store_of("s", "%t0", pointers="%q") + load_of("v", "%s_t", "%q")
    for module in levels_of(kernel(body)):
        assert is_clean(module, [ints(4)], grid=3)


def test_each_cta_has_its_own_alloca() -> None:
    body = (
        ALLOCA
        + f"""
      %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      %t1 = if %first -> (token) {{
        {store_of("s", "%t0", pointers="%q")}
        yield %s_t : token
      }} else {{
        yield %t0 : token
      }}
    """
        + load_of("v", "%t1", "%q")
        + use_of("v")
    )
    for module in levels_of(kernel(body)):
        assert report(module, [ints(4)], grid=2).cta == (1, 0, 0)


def test_uninitialized_argument() -> None:
    body = moved("q", "%one") + store_of("s", "%t0", pointers="%q") + load_of("v", "%s_t")
    for module in levels_of(kernel(body)):
        assert is_clean(module, [Uninitialized(ints(5))], ["uninitialized"])
    body += use_of("v")
    for module in levels_of(kernel(body)):
        assert is_clean(module, [ints(5)])
        error = report(module, [Uninitialized(ints(5))], ["uninitialized"])
        assert error.message == "reads 'a[0]', which has not been written"
    for module in levels_of(kernel(store_of("s", "%t0") + load_of("v", "%s_t"))):
        assert is_clean(module, [Uninitialized(ints(4))])
    # Only every other element is marked.
    for module in levels_of(kernel(moved("q", "%one") + load_of("v", "%t0", "%q") + use_of("v"))):
        error = report(module, [Uninitialized(ints(8)[::2])], ["uninitialized"])
        assert error.message == "reads 'a[1]', which has not been written"
        assert error.lane == (1,)
    module = load(kernel(load_of("v", "%t0") + use_of("v")))
    assert report(module, [Uninitialized(ints(9)[1::2])], ["uninitialized"]).message.startswith(
        "reads 'a[0]'"
    )


def copied(rows: str, columns: str) -> str:
    """`%x1` is a tile of four elements of `%a`."""
    tensor = f"tensor_view<{rows}x{columns}xi32, strides=[{columns},1]>"
    view = f"partition_view<tile=({rows}x{columns}), {tensor}>"
    return f"""
      %va = make_tensor_view %a, shape = [{rows}, {columns}], strides = [{columns}, 1]
        : {tensor}
      %pa = make_partition_view %va : {view}
      %x0, %t1 = load_view_tko weak %pa[%zero, %zero] token = %t0
        : {view}, tile<i32> -> tile<{rows}x{columns}xi32>, token
      %x1 = reshape %x0 : tile<{rows}x{columns}xi32> -> tile<4xi32>
    """


def test_unwritten_elements_are_copied() -> None:
    """A copy of what was not written is no error, and counts as not written."""
    copy = copied("2", "2") + store_of("s", "%t1", value="%x1", pointers="%q")
    pointers = """
      %br = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>>
      %bb = broadcast %br : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %q = offset %bb, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    """
    again = load_of("v", "%s_t", pointers="%q", line=5) + use_of("v")
    parameters = "%a: tile<ptr<i32>>, %b: tile<ptr<i32>>"
    for module in levels_of(kernel(pointers + copy, parameters)):
        assert is_clean(module, [Uninitialized(ints(4)), ints(4)])
    for module in levels_of(kernel(pointers + copy + again, parameters)):
        assert is_clean(module, [ints(4), Uninitialized(ints(4))])
        error = report(module, [Uninitialized(ints(4)), ints(4)])
        assert error.message == "reads 'b[0]', which has not been written"
        assert "k.py:5:1: " in str(error)


def test_update_of_uninitialized_memory() -> None:
    for module in levels_of(kernel(add_of("r", "%t0"))):
        assert "has not been written" in str(report(module, [Uninitialized(ints(4))]))


# Assumptions


@pytest.mark.parametrize(
    ("predicate", "right", "wrong", "place"),
    [
        ("bounded<-1, 5>", [-1, 0, 5, 2], [-1, 0, 6, 2], 2),
        ("bounded<?, 5>", [-9, 0, 5, 2], [0, 8, 6, 2], 1),
        ("div_by<4>", [0, 4, -8, 12], [0, 4, -6, 12], 2),
        ("div_by<4, every 2 along 0>", [0, 1, 8, 9], [0, 1, 8, 8], 3),
        ("div_by<4, every 2 along 0>", [-4, -3, 4, 5], [0, 1, 2, 3], 2),
        ("same_elements<[2]>", [7, 7, 3, 3], [7, 7, 3, 4], 3),
    ],
)
def test_assumptions(predicate: str, right: list[int], wrong: list[int], place: int) -> None:
    """Of the program as it was written; later ones may have them where they are not needed."""
    body = load_of("v", "%t0") + f'%q = assume {predicate}, %v : tile<4xi32> loc("k.py":9:2)'
    module, later = levels_of(kernel(body))
    assert is_clean(module, [np.array(right, I32)])
    error = report(module, [np.array(wrong, I32)], ["assumptions"])
    assert str(error) == (
        f"k.py:9:2: 'cuda_tile.assume' op is not true: {wrong[place]} breaks "
        f"'{predicate.partition('<')[0]}' (CTA (0, 0, 0), lane ({place}))"
    )
    run(module, grid=1, args=[np.array(wrong, I32)])
    assert is_clean(later, [np.array(wrong, I32)])


@pytest.mark.parametrize("unsigned", ["", "unsigned "])
def test_steps_of_loops(unsigned: str) -> None:
    """They are positive, also of loops without an iteration."""
    text = kernel(
        f"for {unsigned}%i in (%one to %zero, step %n) : tile<i32> {{ continue }}",
        "%a: tile<ptr<i32>>, %n: tile<i32>",
    )
    assert is_clean(load(text), [ints(4), 3])
    error = report(load(text), [ints(4), 0])
    assert "'cuda_tile.for' op the step of a loop must be positive, but is 0" in str(error)
    if unsigned:
        assert is_clean(load(text), [ints(4), -1])
    else:
        assert "but is -1" in str(report(load(text), [ints(4), -1]))


# Division


@pytest.mark.parametrize("op", ["divi", "remi"])
@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_division(op: str, signedness: str) -> None:
    body = load_of("v", "%t0") + f'%q = {op} %ones, %v {signedness} : tile<4xi32> loc("k.py":9:2)'
    for module in levels_of(kernel(body)):
        assert is_clean(module, [np.array([1, 2, -1, 4], I32)])
        error = report(module, [np.array([1, 2, 0, 4], I32)], ["division"])
        assert error.op is not None
        assert error.op.name.endswith(op)
        assert str(error) == (
            f"k.py:9:2: '{error.op.name}' op divides by zero (CTA (0, 0, 0), lane (2))"
        )
        run(module, grid=1, args=[ints(4)])


def test_smallest_number_divided_by_minus_one() -> None:
    body = (
        load_of("v", "%t0")
        + """
      %m = constant <i32: -1> : tile<4xi32>
      %q = divi %v, %m signed : tile<4xi32>
      %u = divi %v, %m unsigned : tile<4xi32>
      %r = remi %v, %m signed : tile<4xi32>
    """
    )
    for module in levels_of(kernel(body)):
        assert is_clean(module, [np.array([1, -1, 2**31 - 1, -(2**31) + 1], I32)])
        error = report(module, [np.array([1, -(2**31), 2, 3], I32)])
        assert error.message == "divides -2147483648, the smallest i32, by -1"
        assert error.lane == (1,)


def test_assert_is_always_checked() -> None:
    body = (
        load_of("v", "%t0")
        + """
      %c = cmpi less_than %v, %ones, signed : tile<4xi32> -> tile<4xi1>
      assert %c, "small" : tile<4xi1> loc("k.py":5:1)
    """
    )
    for module in levels_of(kernel(body)):
        assert is_clean(module, [ints(4)])
        error = report(module, [np.array([0, 0, 0, 1], I32)], ())
        assert str(error).startswith("k.py:5:1: ")
        assert error.lane == (3,)
        assert "failed: small (CTA (0, 0, 0), lane (3))" in str(error)


# Races


def races(body: str, grid: int = 1, size: int = 16) -> str | None:
    """What is said of the first race, the same at both levels; `None` if there is none."""
    errors = [
        outcome(module, [ints(size)], grid=grid, check=["races"])
        for module in levels_of(kernel(body))
    ]
    first, second = ((error and (error.cta, error.lane)) for error in errors)
    assert first == second
    return errors[0] and str(errors[0])


def test_race_of_unordered_accesses() -> None:
    assert races(store_of("s", "%t0", line=3) + load_of("v", "%t0", line=4)) == (
        "k.py:4:1: 'cuda_tile.load_ptr_tko' op reads 'a[0]' in a race with "
        "k.py:3:1: 'cuda_tile.store_ptr_tko' of CTA (0, 0, 0) (CTA (0, 0, 0), lane (0))"
    )


def test_race_names_the_first_lane() -> None:
    body = moved("q", "%one") + store_of("s", "%t0", pointers="%q") + store_of("u", "%t0")
    found = races(body)
    assert found is not None
    assert "writes 'a[1]'" in found
    assert "lane (1))" in found


ORDERED = {
    "store, load": store_of("s", "%t0") + load_of("v", "%s_t"),
    "load, store": load_of("v", "%t0") + store_of("s", "%v_t"),
    "two loads": load_of("v", "%t0") + load_of("w", "%t0"),
    "join": load_of("v", "%t0")
    + load_of("w", "%t0")
    + "%j = join_tokens %v_t, %w_t : token\n"
    + store_of("s", "%j"),
    "chain": store_of("s", "%t0") + store_of("u", "%s_t") + store_of("w", "%u_t"),
    "atomics": add_of("r", "%t0") + add_of("q", "%t0"),
    "atomics of a CTA": add_of("r", "%t0", how="relaxed tl_blk") + add_of("q", "%t0"),
    "relaxed": store_of("s", "%t0", how="relaxed device")
    + load_of("v", "%t0", how="relaxed device"),
    "elsewhere": "%four = constant <i32: 4> : tile<i32>\n"
    + moved("q", "%four")
    + store_of("s", "%t0")
    + store_of("u", "%t0", pointers="%q"),
}
UNORDERED = {
    "load, store": load_of("v", "%t0") + store_of("s", "%t0"),
    "data dependence": load_of("v", "%t0") + store_of("s", "%t0", value="%v"),
    "half of a join": load_of("v", "%t0") + load_of("w", "%t0") + store_of("s", "%w_t"),
    "two stores": store_of("s", "%t0") + store_of("u", "%t0"),
    "weak and atomic": load_of("v", "%t0") + add_of("r", "%t0"),
    "atomic and weak": add_of("r", "%t0") + load_of("v", "%t0"),
    "weak and relaxed": store_of("s", "%t0") + load_of("v", "%t0", how="relaxed device"),
}


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_accesses_do_not_race(name: str) -> None:
    assert races(ORDERED[name]) is None


@pytest.mark.parametrize("name", UNORDERED)
def test_unordered_accesses_race(name: str) -> None:
    assert races(UNORDERED[name]) is not None


def test_masked_lanes_do_not_race() -> None:
    body = """
      %limit = constant <i32: 2> : tile<4xi32>
      %low = cmpi less_than %lanes, %limit, signed : tile<4xi32> -> tile<4xi1>
      %high = cmpi greater_than_or_equal %lanes, %limit, signed : tile<4xi32> -> tile<4xi1>
      %t1 = store_ptr_tko weak %p, %lanes, %low token=%t0
        : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
      %t2 = store_ptr_tko weak %p, %lanes, %high token=%t0
        : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
    """
    assert races(body) is None
    found = races(body.replace("greater_than_or_equal", "less_than_or_equal"))
    assert found is not None
    assert "lane (0))" in found


def test_lanes_race_if_they_write_different_values() -> None:
    found = races(store_of("s", "%t0", pointers="%all", line=3))
    assert found == (
        "k.py:3:1: 'cuda_tile.store_ptr_tko' op writes 'a[0]' in a race with another lane, "
        "which writes another value (CTA (0, 0, 0), lane (0))"
    )
    assert races(store_of("s", "%t0", value="%ones", pointers="%all")) is None
    assert races(store_of("s", "%t0", pointers="%all", how="relaxed device")) is None


@pytest.mark.part("kernels")
def test_races_of_ctas() -> None:
    found = races(store_of("s", "%t0"), grid=2)
    assert found is not None
    assert "of CTA (0, 0, 0) (CTA (1, 0, 0), lane (0))" in found
    assert races(load_of("v", "%t0"), grid=4) is None
    assert races(add_of("r", "%t0"), grid=4) is None
    assert races(add_of("r", "%t0", how="relaxed tl_blk"), grid=2) is not None
    disjoint = "%x4 = muli %x, %four : tile<i32>\n" + moved("q", "%x4")
    four = "%four = constant <i32: 4> : tile<i32>\n"
    assert races(four + disjoint + store_of("s", "%t0", pointers="%q"), grid=4) is None
    overlapping = moved("q", "%x") + store_of("s", "%t0", pointers="%q")
    found = races(overlapping, grid=4)
    assert found is not None
    assert "'a[1]'" in found


def test_ctas_whose_own_memory_has_one_address() -> None:
    assert races(ALLOCA + store_of("s", "%t0", pointers="%q"), grid=3) is None


def hand_over(release: str, acquire: str, before: str = "%s_t", after: str = "%g_t") -> str:
    """The first CTA writes and raises a flag; the second sees the flag and reads."""
    return f"""
      %eight = constant <i32: 8> : tile<i32>
      {moved("f", "%eight")}
      %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      if %first {{
        {store_of("s", "%t0")}
        %f_t = store_ptr_tko {release} %f, %ones token={before}
          : tile<4xptr<i32>>, tile<4xi32> -> token
      }} else {{
        %g, %g_t = load_ptr_tko {acquire} %f token=%t0 : tile<4xptr<i32>> -> tile<4xi32>, token
        {load_of("v", after)}
      }}
    """


def test_release_and_acquire() -> None:
    release, acquire = "release device", "acquire device"
    assert races(hand_over(release, acquire), grid=2) is None
    assert races(hand_over("release sys", acquire), grid=2) is None
    for body in (
        hand_over("relaxed device", acquire),
        hand_over(release, "relaxed device"),
        hand_over("release tl_blk", "acquire device"),
        hand_over(release, "acquire tl_blk"),
        hand_over(release, acquire, before="%t0"),
        hand_over(release, acquire, after="%t0"),
        hand_over("weak", acquire),
    ):
        assert races(body, grid=2) is not None


def test_counter_hands_over_to_the_last_cta() -> None:
    """Every CTA writes its part and counts; what a CTA reads then, others have counted."""
    body = f"""
      %four = constant <i32: 4> : tile<i32>
      %x4 = muli %x, %four : tile<i32>
      %twelve = constant <i32: 12> : tile<i32>
      {moved("c", "%twelve")}
      {moved("mine", "%x4")}
      {store_of("s", "%t0", pointers="%mine")}
      {add_of("n", "%s_t", "%c", how="acq_rel device")}
      {load_of("v", "%n_t")}
    """
    assert races(body, grid=3) is None
    assert races(body.replace("acq_rel", "release"), grid=3) is not None
    assert races(body.replace("acq_rel", "acquire"), grid=3) is not None


def test_scope_of_an_access_does_not_grow_by_another_one_of_its_cta() -> None:
    """The second CTA counts after the first, and then without order in its own scope only."""
    body = f"""
      {add_of("h", "%t0", how="acq_rel device")}
      %second = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
      if %second {{
        {add_of("n", "%t0", how="relaxed tl_blk")}
      }}
    """
    found = races(body, grid=2)
    assert found is not None
    assert "of CTA (0, 0, 0) (CTA (1, 0, 0)" in found
    assert races(body.replace("tl_blk", "device"), grid=2) is None


# Random programs, and races by their definition


@dataclass(frozen=True)
class Step:
    """An access of a random program: to some lanes of an array, after some earlier ones."""

    kind: str
    ordering: str
    scope: str
    start: int
    by_cta: int
    after: tuple[int, ...]

    @property
    def how(self) -> str:
        return self.ordering if self.ordering == "weak" else f"{self.ordering} {self.scope}"


ORDERINGS = {
    "load": ("weak", "weak", "relaxed", "acquire"),
    "store": ("weak", "weak", "relaxed", "release"),
    "add": ("relaxed", "acquire", "release", "acq_rel"),
}


def random_steps(random: Random) -> list[Step]:
    steps: list[Step] = []
    for number in range(random.randint(2, 7)):
        kind = random.choice(list(ORDERINGS))
        after = tuple(random.sample(range(number), min(number, random.choice((0, 1, 1, 1, 2)))))
        steps.append(
            Step(
                kind,
                random.choice(ORDERINGS[kind]),
                random.choice(("device", "device", "sys", "tl_blk")),
                random.choice((0, 0, 2, 4, 6, 8)),
                random.choice((0, 4, 4)),
                after,
            )
        )
    return steps


def text_of(steps: Sequence[Step]) -> str:
    lines: list[str] = []
    for number, step in enumerate(steps):
        lines.append(
            f"%b{number} = constant <i32: {step.by_cta}> : tile<i32>\n"
            f"%s{number} = constant <i32: {step.start}> : tile<i32>\n"
            f"%m{number} = muli %x, %b{number} : tile<i32>\n"
            f"%o{number} = addi %m{number}, %s{number} : tile<i32>\n"
            + moved(f"p{number}", f"%o{number}")
        )
        token = "%t0"
        if step.after:
            token = f"%n{step.after[0]}_t"
        if len(step.after) == 2:
            lines.append(f"%j{number} = join_tokens {token}, %n{step.after[1]}_t : token\n")
            token = f"%j{number}"
        name, pointers = f"n{number}", f"%p{number}"
        match step.kind:
            case "load":
                lines.append(load_of(name, token, pointers, step.how))
            case "store":
                lines.append(store_of(name, token, "%lanes", pointers, step.how))
            case _:
                lines.append(add_of(name, token, pointers, step.how))
    return kernel("".join(lines))


def races_by_definition(steps: Sequence[Step], ctas: int) -> tuple[int, int] | None:
    """
    The first access, as CTA and step, that races: all accesses are compared in pairs, with
    the sets of all that come before each.
    """
    events: list[tuple[int, int]] = []
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    released: dict[int, list[tuple[int, int]]] = {}

    def places(event: tuple[int, int]) -> set[int]:
        start = steps[event[1]].start + event[0] * steps[event[1]].by_cta
        return set(range(start, start + 4))

    def meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
        wide = all(steps[event[1]].scope != "tl_blk" for event in (one, other))
        return one[0] == other[0] or wide

    def conflict(one: tuple[int, int], other: tuple[int, int]) -> bool:
        first, second = steps[one[1]], steps[other[1]]
        if first.kind == second.kind == "load" or not places(one) & places(other):
            return False
        return "weak" in (first.ordering, second.ordering) or not meet(one, other)

    for cta in range(ctas):
        for number, step in enumerate(steps):
            event = (cta, number)
            sources = [(cta, earlier) for earlier in step.after]
            if step.ordering in ("acquire", "acq_rel"):
                for place in places(event):
                    sources += [one for one in released.get(place, ()) if meet(one, event)]
            before[event] = set(sources).union(*(before[source] for source in sources))
            if any(conflict(one, event) and one not in before[event] for one in events):
                return event
            events.append(event)
            own = [event] if step.ordering in ("release", "acq_rel") else []
            for place in places(event) if step.kind != "load" else ():
                kept = released.get(place, []) if step.kind == "add" else []
                released[place] = kept + own
    return None


@pytest.mark.long
@pytest.mark.parametrize("count", every(2, [66, 240]))
def test_random_programs_race_by_definition(count: int) -> None:
    random = Random(5)
    found = {True: 0, False: 0}
    for number in range(count):
        steps, ctas = random_steps(random), random.randint(1, 3)
        expected = races_by_definition(steps, ctas)
        modules = levels_of(text_of(steps)) if number % 5 == 0 else [load(text_of(steps))]
        for module in modules:
            error = outcome(module, [ints(64)], grid=ctas, check=["races"])
            actual = None
            if error is not None and error.op is not None and error.cta is not None:
                names = (".load", ".store", ".atomic")
                accesses = [op for op in module.walk() if any(name in op.name for name in names)]
                actual = (error.cta[0], accesses.index(error.op))
            assert actual == expected, text_of(steps)
        found[expected is not None] += 1
    assert min(found.values()) > count // 6


@pytest.mark.part("kernels")
def test_verdict_does_not_depend_on_the_seed() -> None:
    random = Random(6)
    for _ in range(25):
        steps = [step for step in random_steps(random) if step.ordering in ("weak", "relaxed")]
        kept = [
            Step(s.kind, s.ordering, s.scope, s.start, s.by_cta, tuple(a for a in s.after if a < n))
            for n, s in enumerate(steps)
        ]
        expected = races_by_definition(kept, 2) is not None
        module = load(text_of(kept))
        for seed in range(4):
            error = outcome(module, [ints(64)], grid=2, check=["races"], seed=seed)
            assert (error is not None) == expected


# The detector alone, on longer histories of fewer bytes


def random_access(random: Random, cta: int, number: int) -> tuple[Event, str]:
    kind = random.choice(("load", "store", "add"))
    word = random.choice(ORDERINGS[kind])
    ordering = AccessOrdering(
        strong=word != "weak",
        wide=word != "weak" and random.random() < 0.85,
        acquires=word in ("acquire", "acq_rel"),
        releases=word in ("release", "acq_rel"),
    )
    return Event(ct.MakeTokenOp.create(), ordering, (cta, 0, 0), cta, number), kind


def meets(one: Event, other: Event) -> bool:
    return one.cta == other.cta or (one.ordering.wide and other.ordering.wide)


def conflicts(one: tuple[Event, str, set[int]], other: tuple[Event, str, set[int]]) -> bool:
    if one[1] == other[1] == "load" or not one[2] & other[2]:
        return False
    both_strong = one[0].ordering.strong and other[0].ordering.strong
    return not (both_strong and meets(one[0], other[0]))


@pytest.mark.part("kernels")
def test_detector_agrees_with_the_definition() -> None:
    random = Random(7)
    raced = 0
    for _ in range(3000):
        memory = Memory()
        allocation = memory.allocate(np.zeros(2, np.uint8), "m")
        detector = RaceDetector(memory)
        history: list[tuple[Event, str, set[int]]] = []
        before: dict[Event, set[Event]] = {}
        released: dict[int, list[Event]] = {}
        for cta in range(random.randint(1, 4)):
            tokens: list[tuple[Token, set[Event]]] = []
            for number in range(random.randint(2, 4)):
                event, kind = random_access(random, cta, number)
                unordered = not tokens or random.random() < 0.15
                token, earlier = (START, set[Event]()) if unordered else tokens[-1]
                # Most often weak accesses go to one byte and others to another, as to a flag.
                usual = int(event.ordering.strong)
                places = np.array([usual]) if random.random() < 0.85 else np.arange(2)
                reads, writes = kind != "store", kind != "load"
                found = detector.touch(event, token, allocation, places, reads=reads, writes=writes)
                touched = {int(place) for place in places}
                sources = set(earlier)
                if reads and event.ordering.acquires:
                    for place in touched:
                        seen = [one for one in released.get(place, ()) if meets(one, event)]
                        sources = sources.union(seen, *(before[one] for one in seen))
                before[event] = sources
                access = (event, kind, touched)
                racing = {
                    one[0] for one in history if conflicts(one, access) and one[0] not in sources
                }
                if isinstance(found, Race):
                    assert found.event in racing
                    break
                assert not racing
                history.append(access)
                tokens.append((found.after(event), sources | {event}))
                for place in touched if writes else ():
                    kept = released.get(place, []) if reads else []
                    released[place] = [*kept, *([event] if event.ordering.releases else [])]
            else:
                continue
            raced += 1
            break
    assert 600 < raced < 2400


def test_states_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over many states of bytes; old ones go, the verdict stays."""
    monkeypatch.setattr(RaceDetector, "COMPACT_AT", 8)
    body = f"""
      %end = constant <i32: 40> : tile<i32>
      %last = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {{
        {load_of("v", "%t")}
        {store_of("s", "%v_t")}
        continue %s_t : token
      }}
    """
    assert races(body) is None
    assert races(body + load_of("w", "%last")) is None
    assert races(body + load_of("w", "%t0")) is not None


# Undefined without checks, but no crash


HOSTILE = {
    "wild pointers": """
      %far = constant <i64: [0, -1, 9223372036854775807, -9223372036854775808]> : tile<4xi64>
      %q = int_to_ptr %far : tile<4xi64> -> tile<4xptr<i32>>
      %v, %t1 = load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
      %t2 = store_ptr_tko weak %q, %v : tile<4xptr<i32>>, tile<4xi32> -> token
      %o, %t3 = atomic_rmw_tko relaxed device %q, add, %v
        : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
      %c, %t4 = atomic_cas_tko relaxed device %q, %v, %v
        : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    """,
    "far offsets": """
      %far = constant <i64: [4611686018427387904, -4611686018427387904, 9223372036854775807, 1]>
        : tile<4xi64>
      %q = offset %all, %far : tile<4xptr<i32>>, tile<4xi64> -> tile<4xptr<i32>>
      %v, %t1 = load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
      %t2 = store_ptr_tko weak %q, %v : tile<4xptr<i32>>, tile<4xi32> -> token
    """,
    "misaligned": """
      %far = ptr_to_int %p : tile<4xptr<i32>> -> tile<4xi64>
      %c1 = constant <i64: 1> : tile<4xi64>
      %odd = addi %far, %c1 : tile<4xi64>
      %q = int_to_ptr %odd : tile<4xi64> -> tile<4xptr<i32>>
      %v, %t1 = load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
      %t2 = store_ptr_tko weak %q, %v token=%t1 : tile<4xptr<i32>>, tile<4xi32> -> token
      %o, %t3 = atomic_rmw_tko relaxed device %q, add, %v token=%t2
        : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    """,
    "huge alloca": """
      %m = alloca num_elem = 4611686018427387904, alignment = 16 : tile<ptr<i64>>
    """,
    "division": """
      %none = constant <i32: 0> : tile<4xi32>
      %d = divi %lanes, %none signed : tile<4xi32>
      %r = remi %lanes, %none unsigned : tile<4xi32>
      %e = extract %lanes[%n32] : tile<4xi32> -> tile<2xi32>
    """,
    "loops": """
      %s = for %i in (%zero to %one, step %zero)
        : tile<i32> iter_values(%c = %zero) -> (tile<i32>) {
        continue %i : tile<i32>
      }
      %u = for %i in (%one to %n32, step %n32) : tile<i32> iter_values(%c = %zero) -> (tile<i32>) {
        continue %i : tile<i32>
      }
    """,
}

HOSTILE_VIEW = """
  %tv = make_tensor_view %a, shape = [%n, %n], strides = [%s, %s]
    : tile<i64> -> tensor_view<?x?xi32, strides=[?,?]>
  %pv = make_partition_view %tv : partition_view<tile=(2x4), tensor_view<?x?xi32, strides=[?,?]>>
  %sv = make_strided_view %tv
    : strided_view<tile=(2x4), traversal_strides=[1,3], tensor_view<?x?xi32, strides=[?,?]>>
  %gv = make_gather_scatter_view %tv
    : gather_scatter_view<tile=(4x2), tensor_view<?x?xi32, strides=[?,?]>, sparse_dim=0>
  %v, %t1 = load_view_tko weak %pv[%i, %i]
    : partition_view<tile=(2x4), tensor_view<?x?xi32, strides=[?,?]>>, tile<i64>
    -> tile<2x4xi32>, token
  %t2 = store_view_tko weak %v, %pv[%i, %i]
    : tile<2x4xi32>, partition_view<tile=(2x4), tensor_view<?x?xi32, strides=[?,?]>>, tile<i64>
    -> token
  %t3 = atomic_red_view_tko relaxed device %pv[%i, %i], add, %v
    : tile<2x4xi32>, partition_view<tile=(2x4), tensor_view<?x?xi32, strides=[?,?]>>, tile<i64>
    -> token
  %w, %t4 = load_view_tko weak %sv[%i, %i]
    : strided_view<tile=(2x4), traversal_strides=[1,3], tensor_view<?x?xi32, strides=[?,?]>>,
      tile<i64>
    -> tile<2x4xi32>, token
  %many = constant <i64: [0, -1, 9223372036854775807, 1]> : tile<4xi64>
  %g, %t5 = load_view_tko weak %gv[%many, %i]
    : gather_scatter_view<tile=(4x2), tensor_view<?x?xi32, strides=[?,?]>, sparse_dim=0>,
      tile<4xi64>, tile<i64>
    -> tile<4x2xi32>, token
  %t6 = store_view_tko weak %g, %gv[%many, %i]
    : tile<4x2xi32>, gather_scatter_view<tile=(4x2),
      tensor_view<?x?xi32, strides=[?,?]>, sparse_dim=0>,
      tile<4xi64>, tile<i64>
    -> token
  %h0, %h1 = get_tensor_shape %tv : tensor_view<?x?xi32, strides=[?,?]> -> tile<i32>
  %k0, %k1 = get_index_space_shape %pv
    : partition_view<tile=(2x4), tensor_view<?x?xi32, strides=[?,?]>> -> tile<i32>
"""


OPTIONS: Sequence[dict[str, Any]] = (
    {},
    {"check": True},
    {"seed": 1},
    {"check": ["races"], "seed": 2},
)


def survives(module: ModuleOp, args: Sequence[Any]) -> None:
    """A run ends, well or with a report."""
    for options in OPTIONS:
        error = outcome(module, [np.array(arg) for arg in args], grid=2, **options)
        assert error is None or str(error)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_do_not_crash(name: str) -> None:
    text = kernel(HOSTILE[name], "%a: tile<ptr<i32>>, %n32: tile<i32>")
    for module in levels_of(text):
        for number in (0, -1, 2**31 - 1):
            survives(module, [ints(4), I32(number)])
            survives(module, [ints(0), I32(number)])


@pytest.mark.part("kernels")
@pytest.mark.filterwarnings("ignore::tileiras_xdsl.interpreter.checks.OutsideWarning")
def test_hostile_views_do_not_crash() -> None:
    parameters = "%a: tile<ptr<i32>>, %n: tile<i64>, %s: tile<i64>, %i: tile<i64>"
    numbers = [0, 1, -1, 5, -3, 2**62, -(2**62), 2**63 - 1, -(2**63)]
    random = Random(1)
    modules = levels_of(kernel(HOSTILE_VIEW, parameters))
    for _ in range(60):
        scalars = [np.int64(random.choice(numbers)) for _ in range(3)]
        for module in modules:
            survives(module, [ints(random.choice((0, 4, 50))), *scalars])
