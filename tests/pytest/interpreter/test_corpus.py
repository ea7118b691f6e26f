"""The kernels of the corpus give the same results at all levels, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import PtrType, TileType
from tileiras_xdsl.frontend.bytecode import read
from tileiras_xdsl.interpreter.elements import (
    bit_width,
    from_bits,
    round_to,
    storage_dtype,
    to_bytes,
)

from ..harness.running import Argument, Array
from .differential import differences

CORPUS = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
KERNELS = sorted(path.stem for path in CORPUS.glob("*.tileirbc"))
GRID = (1, 2, 1)
SIZE = 32768
SIZES = (16, 32, 64)
"""What scalar integers are: sizes and strides, most of them."""
LAST_STAGE = "tileas"
OTHER_STAGES = (
    *("convert-cuda-tile-to-tileaa", "canonicalize-tileaa"),
    *("convert-tileaa-to-tileas", "discharge-mem-tokens, convert-tileaa-to-tileas"),
)
"""What the last one is made by: each kernel is run at one of them, with `--long` at all."""


def numbers(generator: np.random.Generator, element: Attribute) -> Array:
    """An array of numbers that are good for most: small integers, floats around one."""
    if isinstance(element, IntegerType):
        values = from_bits(generator.integers(1, 9, SIZE).astype(np.uint64), element)
    else:
        values = round_to(generator.random(SIZE) + 0.25, element, "nearest_even")
    width = bit_width(element)
    return to_bytes(values, element).view(storage_dtype(element) if width >= 4 else np.uint8)


def arguments(block: Block, seed: int) -> list[Argument]:
    """Arguments for a kernel of which nothing is known but its parameters."""
    generator = np.random.default_rng(seed)
    found: list[Argument] = []
    for parameter in block.args:
        assert isinstance(parameter.type, TileType)
        element = parameter.type.element_type
        if isinstance(element, PtrType):
            found.append(numbers(generator, element.pointee))
        elif isinstance(element, IntegerType):
            size = int(generator.choice(SIZES))
            found.append(size if element.width.data > 1 else size == SIZES[-1])
        else:
            found.append(float(np.round(generator.random() + 0.5, 2)))
    return found


def check(name: str, stages: Sequence[str]) -> None:
    """A kernel gives the same results at some stages."""
    module = read((CORPUS / f"{name}.tileirbc").read_bytes())
    kernels: Sequence[ct.EntryOp] = [op for op in module.walk() if isinstance(op, ct.EntryOp)]
    for number, entry in enumerate(kernels):
        seed = crc32(name.encode()) + number

        def make(entry: ct.EntryOp = entry, seed: int = seed) -> list[Argument]:
            return arguments(entry.body.block, seed)

        found = differences(module, make, GRID, entry.symbol, stages, verify=False)
        assert not list(found)


@pytest.mark.every(21)
@pytest.mark.parametrize(("number", "name"), list(enumerate(KERNELS)), ids=KERNELS)
def test_levels_agree(number: int, name: str) -> None:
    check(name, (OTHER_STAGES[number % len(OTHER_STAGES)], LAST_STAGE))


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_all_levels_agree(name: str) -> None:
    check(name, OTHER_STAGES)


def test_all_kernels_are_there() -> None:
    assert len(KERNELS) >= 200
