"""Kernels of several ops, whose results are stored one by one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ...harness.running import assert_same_bits, run_both

Array = npt.NDArray[Any]

DTYPES: dict[str, npt.DTypeLike] = {
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "i1": np.bool_,
    "bf16": ml_dtypes.bfloat16,
}


def tile(shape: Sequence[int], element: str) -> str:
    """The type of a tile."""
    return f"tile<{'x'.join([*map(str, shape), element])}>"


class Kernel:
    """A kernel that is written op by op, with the arrays it is called with."""

    def __init__(self, seed: int = 0):
        self.arrays: list[Array] = []
        self._lines = ["%token = make_token : token", "%zero = constant <i32: 0> : tile<i32>"]
        self._parameters: list[str] = []
        self._rng = np.random.default_rng(seed)
        self._count = 0

    def add(self, text: str) -> str:
        """Adds an op with one result, and returns its name."""
        self._count += 1
        self._lines.append(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def add_all(self, text: str, count: int) -> list[str]:
        """Adds an op with several results."""
        names = [f"%v{self._count + 1 + number}" for number in range(count)]
        self._count += count
        self._lines.append(f"{', '.join(names)} = {text}")
        return names

    def values(self, shape: Sequence[int], element: str, values: Array | None = None) -> str:
        """A tile of values from memory, of small integers if none are given."""
        if values is None:
            values = self._rng.integers(0, 2 if element == "i1" else 50, prod(shape))
        view = self._view(np.asarray(values).astype(DTYPES[element]), element)
        flat = tile([prod(shape)], element)
        (value, _) = self.add_all(
            f"load_view_tko weak {view[0]}[%zero] token=%token : {view[1]}, tile<i32> -> "
            f"{flat}, token",
            2,
        )
        return self.add(f"reshape {value} : {flat} -> {tile(shape, element)}")

    def store(self, value: str, shape: Sequence[int], element: str) -> None:
        """Stores a tile to an array of its own."""
        flat = tile([prod(shape)], element)
        value = self.add(f"reshape {value} : {tile(shape, element)} -> {flat}")
        view = self._view(np.zeros(prod(shape), DTYPES[element]), element)
        self.add(
            f"store_view_tko weak {value}, {view[0]}[%zero] token=%token : {flat}, {view[1]}, "
            "tile<i32> -> token"
        )

    def _view(self, array: Array, element: str) -> tuple[str, str]:
        pointer = f"%p{len(self.arrays)}"
        self.arrays.append(array)
        self._parameters.append(f"{pointer}: tile<ptr<{element}>>")
        ty = f"tensor_view<{array.size}x{element}, strides=[1]>"
        view = self.add(f"make_tensor_view {pointer}, shape = [{array.size}], strides = [1] : {ty}")
        partition = f"partition_view<tile=({array.size}), {ty}>"
        return self.add(f"make_partition_view {view} : {partition}"), partition

    def text(self) -> str:
        """The program."""
        lines = "\n  ".join([*self._lines, "return"])
        return f"entry @k({', '.join(self._parameters)}) {{\n  {lines}\n}}"

    def check(self, opt: int = 3) -> list[Array]:
        """Compares level 3 with level 0 bit for bit, and returns the arrays."""
        expected, found = run_both(self.text(), self.arrays, opt=opt)
        assert_same_bits(expected, found)
        return found
