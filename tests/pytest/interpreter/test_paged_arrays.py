"""Arrays of any size that are made page by page, and runs of some tile blocks of a grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import DenseArrayBase, i32

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError, PagedArray
from tileiras_xdsl.interpreter import memory as memory_module
from tileiras_xdsl.interpreter.arguments import ChosenBlocks
from tileiras_xdsl.interpreter.errors import TileBlocksError
from tileiras_xdsl.interpreter.memory import PAGE
from tileiras_xdsl.interpreter.run import entries_of, run
from tileiras_xdsl.pipeline import ModuleStage, select_steps

from ..harness.passes import run_steps

I32 = np.int32
TILE = 256

COPY = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{
  %i, %j, %z = get_tile_block_id : tile<i32>
  %size = constant <i32: {TILE}> : tile<i32>
  %first = muli %i, %size : tile<i32>
  %r = reshape %first : tile<i32> -> tile<1xi32>
  %b = broadcast %r : tile<1xi32> -> tile<{TILE}xi32>
  %n = iota : tile<{TILE}xi32>
  %at = addi %b, %n : tile<{TILE}xi32>
  %xr = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
  %xb = broadcast %xr : tile<1xptr<i32>> -> tile<{TILE}xptr<i32>>
  %p = offset %xb, %at : tile<{TILE}xptr<i32>>, tile<{TILE}xi32> -> tile<{TILE}xptr<i32>>
  %yr = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
  %yb = broadcast %yr : tile<1xptr<i32>> -> tile<{TILE}xptr<i32>>
  %q = offset %yb, %at : tile<{TILE}xptr<i32>>, tile<{TILE}xi32> -> tile<{TILE}xptr<i32>>
  %v, %t = load_ptr_tko weak %p : tile<{TILE}xptr<i32>> -> tile<{TILE}xi32>, token
  %s = store_ptr_tko weak %q, %v token=%t
    : tile<{TILE}xptr<i32>>, tile<{TILE}xi32> -> token
  return
}}
"""
"""A tile of `x` to `y`."""


def numbered(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return 3 * numbers + 1


def make(count: int, place: int = 0) -> PagedArray:
    """An array whose elements follow from their numbers."""
    return PagedArray(I32, count, numbered, place)


def values(array: PagedArray, first: int, count: int) -> list[int]:
    return [int(array.element(first + number)) for number in range(count)]


@pytest.mark.parametrize("place", [0, 4, 252])
@pytest.mark.parametrize("stage", ["cuda-tile", "nvgpu"])
def test_some_tile_blocks_of_a_large_grid(stage: ModuleStage, place: int):
    """They touch their own pages, wherever the array begins."""
    module = run_steps(load(COPY), select_steps(to=stage))
    blocks = [(0, 0, 0), (1 << 22, 0, 0)]
    x, y = make(1 << 31, place), PagedArray(I32, 1 << 31, np.zeros_like, place)
    run(module, grid=(1 << 23, 1, 1), args=[x, y], check=True, blocks=blocks)
    for block, _, _ in blocks:
        first = block * TILE
        expected = list(numbered(first + np.arange(TILE)).astype(I32))
        assert values(y, first, TILE) == expected
        assert values(y, first + TILE, 2) == [0, 0]
    pages = [(first * TILE * 4 + place) // PAGE for first, _, _ in blocks]
    whole = 2 if place == 0 else 3
    assert y.pages.tolist() == [page + n for page in pages for n in range(whole)]
    assert x.pages.tolist() == y.pages.tolist()
    # What was read is as it was.
    assert (x.read(x.pages) == x.initial(x.pages)).all()
    assert (y.read(y.pages) != y.initial(y.pages)).sum() == 2 * TILE


def test_pages_are_held_as_they_are_touched(monkeypatch: pytest.MonkeyPatch):
    """More of them move to a larger buffer, with what is known of their bytes."""
    module = load(COPY)
    x, y = make(1 << 20), make(1 << 20)
    run(module, grid=256, args=[x, y], check=True)
    assert len(y.pages) == 256 * TILE * 4 // PAGE > memory_module.FIRST_PAGES
    assert values(y, 0, 3) == [1, 4, 7]
    assert int(y.element(256 * TILE - 1)) == 3 * (256 * TILE - 1) + 1
    monkeypatch.setattr(memory_module, "MOST_HELD", 64 * PAGE)
    with pytest.raises(ExecutionError, match="more than 32768 bytes of an array are accessed"):
        run(module, grid=256, args=[make(1 << 20), make(1 << 20)])


def test_places_in_messages():
    """Bytes are those of the array, not of the pages that are held."""
    module, size = load(COPY), (1 << 31) - 10
    last = ((1 << 23) - 1, 0, 0)
    with pytest.raises(ExecutionError) as caught:
        run(module, grid=1 << 23, args=[make(size), make(size)], check=True, blocks=[last])
    assert f"past the end of 'x' ({4 * size} bytes), at x[{size}] of an array" in str(caught.value)
    shared = make(1 << 31)
    text = COPY.replace("%first = muli %i, %size", "%first = muli %size, %size")
    with pytest.raises(ExecutionError) as caught:
        run(load(text), grid=2, args=[make(1 << 31), shared], check=True)
    assert f"writes 'y[{TILE * TILE}]' in a race" in str(caught.value)


def test_one_array_as_two_arguments():
    both = make(1 << 30)
    run(load(COPY), grid=1, args=[both, both], check=True)
    assert values(both, 0, 3) == [1, 4, 7]


def test_tile_blocks_without_ctas_of_their_own():
    module = load(COPY)
    (kernel,) = entries_of(module).values()
    with pytest.raises(ExecutionError, match="not all tile blocks"):
        ChosenBlocks(kernel, 4, [(4, 0, 0)])
    chosen = ChosenBlocks(kernel, (4, 2, 1), [(2, 1, 0), (3, 1, 0)])
    options = {"is_persistent": True, "are_clusters": False}
    assert chosen.find_ctas((8, 1, 1), (1, 1, 1), **options) == [(6, 0, 0), (7, 0, 0)]
    assert chosen.find_ctas((8, 1, 1), (2, 1, 1), **options) == [(6, 0, 0), (7, 0, 0)]
    with pytest.raises(TileBlocksError, match="no CTAs of their own"):
        chosen.find_ctas((4, 1, 1), (1, 1, 1), **options)
    with pytest.raises(TileBlocksError, match="clusters of 4 CTAs do other tile blocks, too"):
        chosen.find_ctas((8, 1, 1), (4, 1, 1), **options)
    options = {"is_persistent": False, "are_clusters": True}
    found = chosen.find_ctas((8, 2, 1), (2, 1, 1), **options)
    assert found == [(4, 1, 0), (5, 1, 0), (6, 1, 0), (7, 1, 0)]
    kernel.attributes["gpu.known_cluster_size"] = DenseArrayBase.from_list(i32, [2, 1, 1])
    with pytest.raises(TileBlocksError, match="clusters of 2"):
        run(module, grid=4, args=[make(4 * TILE), make(4 * TILE)], blocks=[(2, 0, 0)])


@pytest.mark.parametrize("place", [0, 16])
def test_pages_as_parts(place: int):
    """They share the memory of the array, and the first and last page are cut."""
    array = make(300, place)
    sparse = array.as_sparse(np.array([0, 2]))
    assert [*sparse.parts] == [0, 256 - place // 4]
    assert [len(each) for each in sparse.parts.values()] == [128 - place // 4, 44 + place // 4]
    for number, part in sparse.parts.items():
        assert part.tolist() == values(make(300, place), number, len(part))
    sparse.parts[0][5] = -1
    assert values(array, 4, 3)[1] == -1
