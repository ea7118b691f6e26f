"""
Tensors that are defined inside of loops, from numbers that are loaded: TMA loads their tiles, by
means of tensor maps that are built again when the tensor is another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nvgpu import TmaEncodeDescriptorOp
from tileiras_xdsl.dialects.nvvm import BulkTensorLoadOp, BulkTensorStoreOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage, select_steps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import tensor_maps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.cases import covering
from ..harness.passes import lower_through, run_steps
from .test_tileas_dynamic_persistent import product

Tile = tuple[int, int, int]
SMALL: Tile = (64, 32, 64)
LARGE: Tile = (128, 128, 64)
"""For two warpgroups."""
FACTOR = "tensor_view<?x?xf16, strides=[?,1]>"
RESULT = "tensor_view<?x?xf32, strides=[?,1]>"
GROUPS = "tensor_view<?x6xi32, strides=[6,1]>"
GROUP = f"partition_view<tile=(1x8), {GROUPS}>"
NAMES = ("at_a", "at_b", "at_c", "m0", "n0", "k0")
"""What the array of groups has for each group: where its matrices begin, and their sizes."""


def grouped(tile: Tile = SMALL) -> str:
    """
    A program that multiplies pairs of matrices of different sizes. CTAs take tiles of all results
    by turns.
    """
    rows, columns, depth = tile
    views = {
        "a": f"partition_view<tile=({rows}x{depth}), {FACTOR}>",
        "b": f"partition_view<tile=({depth}x{columns}), {FACTOR}>",
        "c": f"partition_view<tile=({rows}x{columns}), {RESULT}>",
    }
    total = f"tile<{rows}x{columns}xf32>"
    numbers = "\n".join(
        f"""%e_{name} = extract %group[%zero, %i{number}] : tile<1x8xi32> -> tile<1x1xi32>
          %{name} = reshape %e_{name} : tile<1x1xi32> -> tile<i32>"""
        for number, name in enumerate(NAMES)
    )
    constants = "\n".join(
        f"%i{number} = constant <i32: {number}> : tile<i32>" for number in range(len(NAMES))
    )
    tensors = ""
    for name, ty, element, sizes in (
        ("a", FACTOR, "f16", ("%m", "%k")),
        ("b", FACTOR, "f16", ("%k", "%n")),
        ("c", RESULT, "f32", ("%m", "%n")),
    ):
        pointer = f"tile<ptr<{element}>>"
        tensors += f"""
          %p_{name} = offset %{name}, %at_{name} : {pointer}, tile<i32> -> {pointer}
          %q_{name} = assume div_by<16>, %p_{name} : {pointer}
          %tensor_{name} = make_tensor_view %q_{name}, shape = [{", ".join(sizes)}],
              strides = [{sizes[1]}, 1] : tile<i32> -> {ty}
          %view_{name} = make_partition_view %tensor_{name} : {views[name]}"""
    operands = [f"tile<{rows}x{depth}xf16>", f"tile<{depth}x{columns}xf16>"]
    loads = [
        f"%tile_{name}, %token_{name} = load_view_tko weak %view_{name}[{place}] : "
        f"{views[name]}, tile<i32> -> {ty}, token"
        for name, place, ty in zip("ab", ("%row, %i", "%i, %column"), operands, strict=True)
    ]
    return f"""
    entry @grouped(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>,
                   %groups: tile<ptr<i32>>, %count: tile<i32>) {{
      %all = make_tensor_view %groups, shape = [%count, 6], strides = [6, 1] : tile<i32> -> {GROUPS}
      %each = make_partition_view %all : {GROUP}
      %x, %y, %z = get_tile_block_id : tile<i32>
      %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      {constants}
      %start = constant <f32: 0.0> : {total}
      %end, %last = for %g in (%zero to %count, step %one) : tile<i32>
          iter_values(%before = %zero, %first = %x) -> (tile<i32>, tile<i32>) {{
        %group, %t0 = load_view_tko weak %each[%g, %zero] : {GROUP}, tile<i32>
            -> tile<1x8xi32>, token
        {numbers}
        %m = assume bounded<0, ?>, %m0 : tile<i32>
        %n1 = assume bounded<0, ?>, %n0 : tile<i32>
        %k1 = assume bounded<0, ?>, %k0 : tile<i32>
        %n = assume div_by<8>, %n1 : tile<i32>
        %k = assume div_by<8>, %k1 : tile<i32>
        {tensors}
        %grid:2 = get_index_space_shape %view_c : {views["c"]} -> tile<i32>
        %steps:2 = get_index_space_shape %view_a : {views["a"]} -> tile<i32>
        %tiles = muli %grid#0, %grid#1 : tile<i32>
        %behind = addi %before, %tiles : tile<i32>
        %next = loop iter_values(%at = %first) : tile<i32> -> tile<i32> {{
          %is_here = cmpi less_than %at, %behind, signed : tile<i32> -> tile<i1>
          if %is_here {{
            yield
          }} else {{
            break %at : tile<i32>
          }}
          %number = subi %at, %before : tile<i32>
          %row = divi %number, %grid#1 signed : tile<i32>
          %column = remi %number, %grid#1 signed : tile<i32>
          %sum = for %i in (%zero to %steps#1, step %one) : tile<i32>
              iter_values(%partial = %start) -> ({total}) {{
            {loads[0]}
            {loads[1]}
            %more = mmaf %tile_a, %tile_b, %partial : {", ".join(operands)}, {total}
            continue %more : {total}
          }}
          %done = store_view_tko weak %sum, %view_c[%row, %column] : {total}, {views["c"]},
              tile<i32> -> token
          %further = addi %at, %gx : tile<i32>
          continue %further : tile<i32>
        }}
        continue %behind, %next : tile<i32>, tile<i32>
      }}
      return
    }}"""


def compiled(stage: Any, tile: Tile = SMALL) -> ModuleOp:
    module = load(grouped(tile))
    run_steps(module, select_steps(to=stage), "sm_90a", "device-maps")
    module.verify()
    return module


@pytest.fixture(scope="module")
def stages() -> dict[ModuleStage, ModuleOp]:
    """The program at all stages."""
    module = load(grouped(SMALL))
    return lower_through(module, *MODULE_STAGES, arch="sm_90a", abi="device-maps")


SHAPES = {
    "one": [(64, 32, 64)],
    "different": [(130, 72, 136), (64, 32, 8), (100, 40, 200)],
    "empty": [(64, 64, 64), (0, 32, 64), (64, 32, 0), (70, 8, 72)],
    "many": [(64 * (1 + i % 2), 32, 8 * (1 + i)) for i in range(12)],
}


def matrices(shapes: list[tuple[int, int, int]]) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Arguments, and the products, one behind the other."""
    generator = np.random.default_rng(len(shapes))
    factors: dict[str, list[Any]] = {"a": [], "b": []}
    exact: list[Any] = []
    table: list[tuple[int, ...]] = []
    starts = [0, 0, 0]
    for m, n, k in shapes:
        a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
        table.append((*starts, m, n, k))
        parts = (a, b, (a.astype(np.float32) @ b.astype(np.float32)))
        for number, (part, into) in enumerate(zip(parts, (*factors.values(), exact), strict=True)):
            flat = np.zeros(-(-part.size // 8) * 8, part.dtype)
            flat[: part.size] = part.reshape(-1)
            into.append(flat)
            starts[number] += flat.size
    a, b, c = (np.concatenate(parts) for parts in (*factors.values(), exact))
    groups = np.array(table, np.int32)
    return [a, b, np.zeros_like(c), groups, len(shapes)], c


@pytest.mark.part("kernels")
@pytest.mark.every(40, first=34)
@pytest.mark.parametrize("stage", MODULE_STAGES)
@pytest.mark.parametrize("ctas", [1, 3])
@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_numbers(stages: dict[ModuleStage, ModuleOp], stage: ModuleStage, ctas: int, shapes: Any):
    arguments, exact = matrices(shapes)
    run(stages[stage], grid=ctas, args=arguments)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.part("kernels")
def test_numbers_of_two_warpgroups():
    """Each has a map of the result."""
    module = compiled("nvgpu", LARGE)
    arguments, exact = matrices([(130, 136, 72), (64, 128, 8), (128, 8, 64)])
    run(module, grid=2, args=arguments)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("shapes", ["different", "many"])
def test_slots_in_use(shapes: str, monkeypatch: pytest.MonkeyPatch):
    """With a single slot, a map is overwritten while loads are in flight."""

    def one_slot(builder: ThreadBuilder) -> int:
        return 1

    monkeypatch.setattr(tensor_maps, "count_turns", one_slot)
    module = compiled("nvgpu")
    arguments, _ = matrices(SHAPES[shapes])
    with pytest.raises(ExecutionError, match="a tensor map that was written while the copy was in"):
        run(module, grid=1, args=arguments)


def of_batches(text: str) -> str:
    """The program `product` for matrices A and results of a batch, by which CTA z takes its own."""
    for name, element, size in (("a", "f16", "%k"), ("c", "f32", "%n")):
        text = text.replace(
            f"%tensor_{name} = make_tensor_view %{name},",
            f"""%x_{name}, %y_{name}, %z_{name} = get_tile_block_id : tile<i32>
      %size_{name} = muli %m, {size} : tile<i32>
      %far_{name} = muli %z_{name}, %size_{name} : tile<i32>
      %offset_{name} = assume div_by<8>, %far_{name} : tile<i32>
      %moved_{name} = offset %{name}, %offset_{name} : tile<ptr<{element}>>, tile<i32>
          -> tile<ptr<{element}>>
      %tensor_{name} = make_tensor_view %moved_{name},""",
        )
    return text


STEPS = """%depth = constant <i32: 64> : tile<i32>
      %trips = divi %k, %depth signed rounding<positive_inf> : tile<i32>"""


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("stage", "abi"), covering(["tileas", "nvgpu", "nvvm"], ["device-maps", "host-maps"])
)
def test_persistent_kernels(stage: Any, abi: str):
    """Tensors of a tile block are defined in the loop over tile blocks."""
    module = load(of_batches(product(before=STEPS, end="%trips")))
    run_steps(module, select_steps(to=stage), "sm_90a", abi)
    if stage == "nvgpu":
        assert len(find_all(module, TmaEncodeDescriptorOp)) == (2 if abi == "host-maps" else 3)
    generator = np.random.default_rng(1)
    a, b = (generator.integers(-4, 5, s).astype(np.float16) for s in ((3, 128, 72), (72, 64)))
    c = np.full((3, 128, 64), np.nan, np.float32)
    run(module, grid=(2, 2, 3), args=[a, b, c, 128, 64, 72], sm_count=2)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.part("kernels")
def test_wgmma_and_tma(stages: dict[ModuleStage, ModuleOp]):
    text = str(stages["tileas"])
    assert "mma.sm90" in text
    assert text.count("tma_load") == 2
    # Maps of the factors, which the one thread that loads encodes, and one of the result.
    assert len(find_all(stages["nvgpu"], TmaEncodeDescriptorOp)) == 3
    assert find_all(stages["nvgpu"], BulkTensorLoadOp)
    assert find_all(stages["nvgpu"], BulkTensorStoreOp)
