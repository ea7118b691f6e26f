"""What `tileiras_xdsl.run` takes: modules, entries, grids, arrays and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.frontend import bytecode
from tileiras_xdsl.interpreter.errors import ExecutionError

from .kernels import Array, lowered, module_text

POINTERS = {"x": "tile<ptr<i32>>", "y": "tile<ptr<i32>>"}
COPY = """
%n = iota : tile<4xi32>
%x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
%y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
%x4 = broadcast %x1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
%y4 = broadcast %y1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
%p = offset %x4, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
%q = offset %y4, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
%v, %t0 = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token
%t1 = store_ptr_tko weak %q, %v token=%t0 : tile<4xptr<i32>>, tile<4xi32> -> token
"""
COPY_TEXT = module_text(COPY, POINTERS)

levels = pytest.mark.parametrize("level", [0, 1])


@cache
def copy_module(level: int) -> Any:
    """Copies four integers from `%x` to `%y`."""
    module = tx.load(COPY_TEXT)
    return lowered(module) if level else module


@cache
def strided_copy(level: int) -> Any:
    """Copies a matrix of 3 × 4 by sizes and strides, as cuTile passes arrays."""
    tensor = "tensor_view<?x?xi32, strides=[?,?]>"
    view = f"partition_view<tile=(4x4), {tensor}>"
    body = "%zero = constant <i32: 0> : tile<i32>\n"
    parameters: dict[str, str] = {}
    for name in "xy":
        parameters |= {name: "tile<ptr<i32>>"}
        parameters |= {f"{name}{part}": "tile<i64>" for part in ("m", "n", "s", "t")}
        body += (
            f"%{name}_tensor = make_tensor_view %{name}, shape = [%{name}m, %{name}n], "
            f"strides = [%{name}s, %{name}t] : tile<i64> -> {tensor}\n"
            f"%{name}_view = make_partition_view %{name}_tensor : {view}\n"
        )
    body += (
        f"%v, %t0 = load_view_tko weak %x_view[%zero, %zero] : {view}, tile<i32> "
        "-> tile<4x4xi32>, token\n"
        f"%t1 = store_view_tko weak %v, %y_view[%zero, %zero] token = %t0 : "
        f"tile<4x4xi32>, {view}, tile<i32> -> token"
    )
    module = tx.load(module_text(body, parameters))
    return lowered(module) if level else module


def described(array: Array) -> list[Any]:
    """An array, its sizes and its strides in elements."""
    return [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]


# Arrays

LAYOUTS: dict[str, Callable[[], Array]] = {
    "contiguous": lambda: np.zeros((3, 4), np.int32),
    "fortran": lambda: np.zeros((3, 4), np.int32, order="F"),
    "transposed": lambda: np.zeros((4, 3), np.int32).T,
    "every-second": lambda: np.zeros((6, 8), np.int32)[::2, ::2],
    "backwards": lambda: np.zeros((3, 4), np.int32)[::-1, ::-1],
    "backwards-rows": lambda: np.zeros((6, 4), np.int32)[4::-2],
    "part": lambda: np.zeros((8, 8), np.int32)[2:5, 3:7],
}


@levels
@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("target", LAYOUTS)
def test_layouts(level: int, source: str, target: str):
    """Arrays may lie in memory in any way."""
    module = strided_copy(level)
    x, y = LAYOUTS[source](), LAYOUTS[target]()
    x[...] = np.arange(1, 13).reshape(3, 4)
    tx.run(module, grid=1, args=[*described(x), *described(y)], engine="interpreter")
    assert np.array_equal(x, y)
    assert np.array_equal(x, np.arange(1, 13).reshape(3, 4))
    whole = y if y.base is None else y.base
    assert np.count_nonzero(whole) == 12


@levels
def test_arrays_that_share_memory(level: int):
    """Arguments alias as their arrays do."""
    data = np.arange(8, dtype=np.int32)
    tx.run(copy_module(level), grid=1, args=[data[:4], data[2:6]], engine="interpreter")
    assert data.tolist() == [0, 1, 0, 1, 2, 3, 6, 7]
    tx.run(copy_module(level), grid=1, args=[data, data], engine="interpreter")
    assert data.tolist() == [0, 1, 0, 1, 2, 3, 6, 7]


@levels
def test_read_only_arrays_are_read(level: int):
    """To write to an array that must not be written to is an error."""
    x, y = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    x.flags.writeable = False
    tx.run(copy_module(level), grid=1, args=[x, y], engine="interpreter")
    assert y.tolist() == [0, 1, 2, 3]
    with pytest.raises(ExecutionError, match="writes to 'y', which is read-only"):
        tx.run(copy_module(level), grid=1, args=[np.ones(4, np.int32), x], engine="interpreter")
    assert x.tolist() == [0, 1, 2, 3]
    # Another array may write to the same memory.
    data = np.arange(6, dtype=np.int32)
    view = data[:4]
    view.flags.writeable = False
    tx.run(copy_module(level), grid=1, args=[view, data[2:]], engine="interpreter")
    assert data.tolist() == [0, 1, 0, 1, 2, 3]


class Interface:
    """Only `__array_interface__`."""

    def __init__(self, array: Array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Versioned:
    """Only DLPack, as it is now."""

    def __init__(self, array: Array):
        self.array = array

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class Unversioned(Versioned):
    """Only DLPack, as it was."""

    def __dlpack__(self, **options: Any) -> object:
        if options.keys() - {"stream"}:
            raise TypeError(f"no such options: {options}")
        return self.array.__dlpack__()


class OnDevice(Versioned):
    """On a GPU."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


class Broken(Versioned):
    """That cannot be exported."""

    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("not now")


@levels
@pytest.mark.parametrize("wrap", [Interface, Versioned, Unversioned])
def test_objects_with_memory(level: int, wrap: Callable[[Array], object]):
    """Other objects share their memory, also backwards."""
    x, y = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    tx.run(copy_module(level), grid=1, args=[wrap(x), wrap(y)], engine="interpreter")
    assert y.tolist() == [0, 1, 2, 3]


@levels
def test_read_only_dlpack(level: int):
    """An object that says so is not written to."""
    x, y = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    y.flags.writeable = False
    with pytest.raises(ExecutionError, match="writes to 'y', which is read-only"):
        tx.run(copy_module(level), grid=1, args=[x, Versioned(y)], engine="interpreter")
    assert y.tolist() == [0, 0, 0, 0]


HOLDERS: list[tuple[str, Any, bool]] = [
    ("i1", np.bool_, True),
    ("i1", np.uint8, True),
    ("i1", np.int32, False),
    ("i8", np.int8, True),
    ("i8", np.bool_, False),
    ("i32", np.int32, True),
    ("i32", np.uint32, True),
    ("i32", np.uint8, True),
    ("i32", np.float32, False),
    ("i32", np.int64, False),
    ("f32", np.float32, True),
    ("f32", np.uint32, True),
    ("f32", np.float64, False),
    ("f32", np.complex64, False),
    ("tf32", np.float32, True),
    ("f16", np.float16, True),
    ("f16", ml_dtypes.bfloat16, False),
    ("bf16", ml_dtypes.bfloat16, True),
    ("bf16", np.uint16, True),
    ("bf16", np.float16, False),
    ("f8E4M3FN", ml_dtypes.float8_e4m3fn, True),
    ("f8E4M3FN", ml_dtypes.float8_e5m2, False),
    ("f4E2M1FN", np.uint8, True),
    ("f4E2M1FN", ml_dtypes.float4_e2m1fn, False),
    ("fnv8E5M3FNU", np.uint8, True),
]


@pytest.mark.parametrize(("element", "dtype", "fits"), HOLDERS)
def test_types_of_arrays(element: str, dtype: Any, fits: bool):
    """Elements of the pointer's type, integers of their bits, or bytes."""
    text = module_text("", {"x": f"tile<ptr<{element}>>"})
    if fits:
        tx.run(text, grid=1, args=[np.zeros(4, dtype)], engine="interpreter")
        return
    with pytest.raises(
        ExecutionError, match=f"argument 0 'x' points to {element}, which an array of"
    ):
        tx.run(text, grid=1, args=[np.zeros(4, dtype)], engine="interpreter")


WRONG_ARRAYS: list[tuple[Any, str]] = [
    ([1, 2, 3, 4], "argument 1 'y' is a pointer and takes an array, but got list"),
    (3, "argument 1 'y' is a pointer and takes an array, but got int"),
    (np.int32(3), "argument 1 'y' is a pointer and takes an array, but got int32"),
    (None, "argument 1 'y' is a pointer and takes an array, but got NoneType"),
    (np.zeros(4, object), "argument 1 'y' is an array of object, not numbers"),
    (np.zeros(4, "U4"), "argument 1 'y' is an array of <U4, not numbers"),
    (np.zeros(4, "M8[s]"), "argument 1 'y' is an array of datetime64[s], not numbers"),
    (np.zeros(4, ">i4"), "argument 1 'y' has its bytes in the wrong order"),
    (OnDevice(np.zeros(4, np.int32)), "argument 1 'y' is not in the memory of the CPU"),
    (Broken(np.zeros(4, np.int32)), "argument 1 'y' cannot be used: not now"),
]


@levels
@pytest.mark.parametrize(("argument", "message"), WRONG_ARRAYS)
def test_wrong_arrays(level: int, argument: Any, message: str):
    """What is no array in memory of the CPU is refused by number."""
    with pytest.raises(ExecutionError, match=re.escape(message)):
        tx.run(
            copy_module(level), grid=1, args=[np.zeros(4, np.int32), argument], engine="interpreter"
        )


# Numbers

WRONG_SCALARS: list[tuple[str, Any, str]] = [
    ("i32", np.zeros(4, np.int32), "argument 0 'x' is a scalar, but got ndarray"),
    ("i32", "3", "argument 0 'x' is a scalar, but got str"),
    ("i32", np.str_("3"), "argument 0 'x' is a scalar, but got str_"),
    ("i32", None, "argument 0 'x' is a scalar, but got NoneType"),
    ("i32", 1j, "argument 0 'x' is a scalar, but got complex"),
    ("f32", [1.0], "argument 0 'x' is a scalar, but got list"),
    ("i32", 3.5, "argument 0 'x' is an integer of 32 bits, but got 3.5"),
    ("i32", float("nan"), "argument 0 'x' is an integer of 32 bits, but got nan"),
    ("i32", float("inf"), "argument 0 'x' is an integer of 32 bits, but got inf"),
    ("i32", 1 << 32, "argument 0 'x' is an integer of 32 bits, but got 4294967296"),
    ("i8", -129, "argument 0 'x' is an integer of 8 bits, but got -129"),
    ("i1", 2, "argument 0 'x' is an integer of 1 bits, but got 2"),
]


@levels
@pytest.mark.parametrize(("element", "argument", "message"), WRONG_SCALARS)
def test_wrong_scalars(level: int, element: str, argument: Any, message: str):
    """Numbers that are none, or not of the type."""
    module = tx.load(module_text("", {"x": f"tile<{element}>"}))
    with pytest.raises(ExecutionError, match=re.escape(message)):
        tx.run(lowered(module) if level else module, grid=1, args=[argument], engine="interpreter")


@levels
@pytest.mark.parametrize("count", [0, 1, 3])
def test_number_of_arguments(level: int, count: int):
    """One for each parameter; nothing is expanded."""
    with pytest.raises(ExecutionError, match=f"takes 2 arguments, but got {count}"):
        tx.run(
            copy_module(level), grid=1, args=[np.zeros(4, np.int32)] * count, engine="interpreter"
        )


# Grids, entries, modules

WRONG_GRIDS: list[Any] = [0, -1, (), (1, 2, 3, 4), (1, 0), None, 1 << 24]


@pytest.mark.parametrize("grid", WRONG_GRIDS)
def test_wrong_grids(grid: Any):
    """A grid has one to three positive sizes."""
    with pytest.raises(ExecutionError, match="a grid has"):
        tx.run(module_text("", {}), grid=grid, args=[], engine="interpreter")


@pytest.mark.parametrize("grid", [2.0, "12", (1, None)])
def test_what_is_no_grid(grid: Any):
    with pytest.raises(TypeError, match="grid is one to three sizes, not"):
        tx.run(module_text("", {}), grid=grid, args=[], engine="interpreter")


@pytest.mark.parametrize("grid", [2, (2,), [2, 1], np.int64(2), np.array([1, 2, 1])])
def test_grids(grid: Any, capsys: pytest.CaptureFixture[str]):
    """Anything that counts, and anything that has one to three of them."""
    tx.run(module_text('%t = print_tko "x" -> token', {}), grid=grid, args=[], engine="interpreter")
    assert capsys.readouterr().out == "xx"


TWO_ENTRIES = """cuda_tile.module @m {
entry @first() { %t = print_tko "1" -> token return }
entry @second() { %t = print_tko "2" -> token return }
}"""


@levels
def test_choice_of_entry(level: int, capsys: pytest.CaptureFixture[str]):
    """By name; without one if there is only one."""
    module = tx.load(TWO_ENTRIES)
    module = lowered(module) if level else module
    tx.run(module, entry="second", grid=1, args=[], engine="interpreter")
    tx.run(module, entry="first", grid=1, args=[], engine="interpreter")
    assert capsys.readouterr().out == "21"
    with pytest.raises(ExecutionError, match="there is no kernel @third, but @first, @second"):
        tx.run(module, entry="third", grid=1, args=[], engine="interpreter")
    with pytest.raises(ExecutionError, match="expected one kernel, or a name, but found @first, @"):
        tx.run(module, grid=1, args=[], engine="interpreter")
    with pytest.raises(ExecutionError, match="expected one kernel, or a name, but found no kernel"):
        tx.run("cuda_tile.module @m { }", grid=1, args=[], engine="interpreter")


def test_kinds_of_modules(tmp_path: Path):
    """A module, text, bytecode, and files of either."""
    module = tx.load(COPY_TEXT)
    data = bytecode.write(module)
    (tmp_path / "text.mlir").write_text(COPY_TEXT)
    (tmp_path / "code.tileirbc").write_bytes(data)
    (tmp_path / "tileaa.mlir").write_text(str(lowered(tx.load(COPY_TEXT))))
    kinds = [module, COPY_TEXT, data, str(lowered(tx.load(COPY_TEXT)))]
    kinds += [tmp_path / name for name in ("text.mlir", "code.tileirbc", "tileaa.mlir")]
    kinds.append(str(tmp_path / "code.tileirbc"))
    for kind in kinds:
        y = np.zeros(4, np.int32)
        tx.run(kind, grid=1, args=[np.arange(4, dtype=np.int32), y], engine="interpreter")
        assert y.tolist() == [0, 1, 2, 3]
