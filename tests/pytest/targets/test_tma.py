"""
What tensor maps can have, against the documents, and that all who encode or decode them agree.

The numbers of the driver and of PTX are written here once more, from `cuda.h` and the PTX ISA, so
that the table is not only compared with itself.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tileiras_xdsl.analysis import tma_tiles
from tileiras_xdsl.backend.arguments import tensor_map_arguments
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import Quantity, TensorMapRecord
from tileiras_xdsl.interpreter.threads.tensor_maps import STORAGE
from tileiras_xdsl.targets import tma

DRIVER = {
    **{"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7},
    **{"f64": 8, "bf16": 9, "f32.ftz": 10, "tf32": 11, "tf32.ftz": 12},
}
"""`CUtensorMapDataType`."""
DEVICE = {
    **{"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7},
    **{"f32.ftz": 8, "f64": 9, "bf16": 10, "tf32": 11, "tf32.ftz": 12},
}
"""`tensormap.replace.elemtype`."""
HEADER = {
    **{"UINT8": "u8", "UINT16": "u16", "UINT32": "u32", "INT32": "s32", "UINT64": "u64"},
    **{"INT64": "s64", "FLOAT16": "f16", "FLOAT32": "f32", "FLOAT64": "f64", "BFLOAT16": "bf16"},
    **{"FLOAT32_FTZ": "f32.ftz", "TFLOAT32": "tf32", "TFLOAT32_FTZ": "tf32.ftz"},
}
"""What `cuda.h` calls them."""

RECORD = TensorMapRecord("f32", 0, (Quantity(64), Quantity(8)), (Quantity(256),), (32, 8))


def test_numbers():
    assert {each.name: each.driver for each in tma.MAP_ELEMENTS} == DRIVER
    assert {each.name: each.device for each in tma.MAP_ELEMENTS} == DEVICE


@pytest.mark.oracle
def test_numbers_are_those_of_the_header(oracle_program: Callable[[str], Path]):
    path = oracle_program("ptxas").parents[1] / "include" / "cuda.h"
    if not path.is_file():
        pytest.skip(f"there is no {path}")
    text = path.read_text()
    body = re.search(r"typedef enum CUtensorMapDataType_enum \{(.*?)\}", text, re.DOTALL)
    assert body is not None
    words = re.findall(r"CU_TENSOR_MAP_DATA_TYPE_(\w+)", body[1])
    found = {HEADER[word]: number for number, word in enumerate(words) if word in HEADER}
    assert found == DRIVER


def test_reductions():
    """
    Those that an H200 does: 64-bit integers with a sign are only compared, f32 is only added; the
    others are illegal instructions.
    """
    kinds = {each.name: each.reductions for each in tma.MAP_ELEMENTS if each.reductions}
    both, bits = {"min", "max"}, {"and", "or", "xor"}
    assert kinds == {
        "u32": {"add", "inc", "dec"} | both | bits,
        "s32": {"add"} | both | bits,
        "u64": {"add"} | both | bits,
        "s64": both,
        "f16": {"add"} | both,
        "bf16": {"add"} | both,
        "f32": {"add"},
    }


@pytest.mark.parametrize("ty", tma.TYPES)
def test_launcher_and_kernel_encode_the_same_element(ty: str):
    width = tma.map_element(ty).bytes
    record = replace(RECORD, element=ty, box=(64 // width, 8))
    arguments = tensor_map_arguments(record, 0x1000, [64, 8], [512])
    assert tma.map_element(ty).driver == arguments.data_type
    assert tma.by_device_number(tma.map_element(ty).device) == tma.map_element(ty)
    assert tma.map_element(ty).storage in STORAGE


@pytest.mark.parametrize("ty", ["i32", "i64"])
def test_integers_are_unsigned(ty: str):
    """Reductions without a sign are the only ones that kernels ask for."""
    assert not tma.map_element(ty).is_signed


@pytest.mark.parametrize(
    ("sizes", "strides", "message"),
    [
        ([1 << 32, 8], [256], None),
        ([(1 << 32) + 1, 8], [256], "size 0 is 4294967297"),
        ([64, 8], [(1 << 40) - 16], None),
        ([64, 8], [1 << 40], "stride 0 is 1099511627776"),
    ],
)
def test_limits(sizes: list[int], strides: list[int], message: str | None):
    if message is None:
        assert tensor_map_arguments(RECORD, 0x1000, sizes, strides).sizes == sizes
    else:
        with pytest.raises(BackendError, match=message):
            tensor_map_arguments(RECORD, 0x1000, sizes, strides)


def test_tma_tiles_are_aligned_for_every_swizzle():
    assert tma_tiles.PIECE_BYTES == 16
    assert max(tma.SWIZZLES) * tma.SWIZZLE_ATOM_ROWS == 1024
