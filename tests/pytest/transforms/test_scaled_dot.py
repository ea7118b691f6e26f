"""Block-scaled dots by `mma.sync`: from Tile IR to threads they compute the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load
from tileiras_xdsl.analysis import mma_instructions
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.backend.arguments import get_extents
from tileiras_xdsl.dialects.nv_tileas.matmul import ScaledDotOp
from tileiras_xdsl.dialects.nvvm import FragmentScaledMmaOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.cuda_tile.insert_runtime_checks import InsertRuntimeChecksPass
from tileiras_xdsl.transforms.tileas.tileas_assign_dot_layouts import TileasAssignDotLayoutsPass
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context
from ..harness.passes import verified_steps

ARCH = "sm_120a"
DTYPES: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
SCALES: dict[str, Any] = {
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


@dataclass(frozen=True)
class Format:
    """Elements, and scales of blocks of them."""

    element: str
    scale: str = "f8E8M0FNU"
    block: int = 32


E4M3, E5M2 = Format("f8E4M3FN"), Format("f8E5M2")
MXF4, NVF4 = Format("f4E2M1FN"), Format("f4E2M1FN", "f8E4M3FN", 16)


def kernel(tile: tuple[int, int, int], form: Format, batch: int = 0, warps: int = 4) -> str:
    """A kernel of one CTA that adds up scaled products along K."""
    m, n, k = tile
    groups = k // form.block
    lead, start = (f"{batch}x", "%zero, ") if batch else ("", "")
    shapes = {
        "a": (m, k, form.element, "%x", 1),
        "b": (k, n, form.element, "%x", 0),
        "s": (m, groups, form.scale, "%x", 1),
        "t": (groups, n, form.scale, "%x", 0),
        "c": (m, n, "f32", "", -1),
    }
    lines: list[str] = []
    types: dict[str, tuple[str, str]] = {}
    for name, (rows, columns, kind, _, along) in shapes.items():
        sizes = [rows, columns]
        if along >= 0:
            sizes[along] *= 8
        strides = f"{sizes[1]},1"
        tensor = f"{sizes[0]}x{sizes[1]}"
        if batch:
            strides = f"{sizes[0] * sizes[1]},{strides}"
            tensor = f"{batch}x{tensor}"
        view = f"tensor_view<{tensor}x{kind}, strides=[{strides}]>"
        part = f"partition_view<tile=({lead}{rows}x{columns}), {view}>"
        types[name] = part, f"tile<{lead}{rows}x{columns}x{kind}>"
        lines.append(f"""
    %q{name} = assume div_by<16>, %p{name} : tile<ptr<{kind}>>
    %v{name} = make_tensor_view %q{name}, shape = [{tensor.replace("x", ", ")}],
        strides = [{strides}] : {view}
    %w{name} = make_partition_view %v{name} : {part}""")
    loads: list[str] = []
    for name, (_, _, _, index, along) in shapes.items():
        if along >= 0:
            where = f"%zero, {index}" if along else f"{index}, %zero"
            loads.append(
                f"%{name}, %k{name} = load_view_tko weak %w{name}[{start}{where}] "
                f": {types[name][0]}, tile<i32> -> {types[name][1]}, token"
            )
    parameters = ", ".join(
        f"%p{name}: tile<ptr<{kind}>>" for name, (_, _, kind, _, _) in shapes.items()
    )
    total = types["c"][1]
    operands = ", ".join(types[name][1] for name in "abcst")
    inside = "\n      ".join(loads)
    hints = f"optimization_hints=<sm_120 = {{num_worker_warps_per_cta = {warps}}}>"
    return f"""
cuda_tile.module @kernels {{
  entry @kernel({parameters}, %n: tile<i32>) {hints} {{{"".join(lines)}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %first = constant <f32: 0.0> : {total}
    %sum = for %x in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %first) -> ({total}) {{
      {inside}
      %next = mmaf_scaled %a, %b, %acc, %s, %t : {operands}
      continue %next : {total}
    }}
    %done = store_view_tko weak %sum, %wc[{start}%zero, %zero]
        : {total}, {types["c"][0]}, tile<i32> -> token
    return
  }}
}}
"""


def arguments(tile: tuple[int, int, int], form: Format, batch: int, trips: int) -> list[Any]:
    """Small whole numbers with scales that are powers of two: sums are exact."""
    m, n, k = tile
    groups = 8 * k // form.block
    generator = np.random.default_rng(m + n + k)
    lead = (batch,) if batch else ()

    def numbers(*shape: int) -> Any:
        return generator.integers(-3, 4, (*lead, *shape)).astype(DTYPES[form.element])

    def scales(*shape: int) -> Any:
        powers = 2.0 ** generator.integers(-2, 3, (*lead, *shape))
        return powers.astype(SCALES[form.scale])

    arrays = [numbers(m, 8 * k), numbers(8 * k, n), scales(m, groups), scales(groups, n)]
    return [*arrays, np.zeros((*lead, m, n), np.float32), trips]


def in_memory(value: Any) -> Any:
    """A copy of an argument; elements of 4 bits are two to a byte."""
    array = np.array(value)
    if array.dtype != ml_dtypes.float4_e2m1fn:
        return array
    nibbles = array.view(np.uint8) & 15
    return nibbles[..., ::2] | nibbles[..., 1::2] << 4


def product(values: list[Any], form: Format, depth: int) -> Any:
    """What the kernel computes."""
    a, b, s, t = (np.asarray(value, np.float64) for value in values[:4])
    left = (a * np.repeat(s, form.block, -1))[..., :depth]
    right = (b * np.repeat(t, form.block, -2))[..., :depth, :]
    return np.matmul(left, right).astype(np.float32)


def lower(text: str, last: str) -> ModuleOp:
    """A kernel after a pass."""
    module = load(text)
    for step in select_steps(to="nvvm", arch=ARCH):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == last:
            break
    return module


@pytest.mark.every(7, first=4)
@pytest.mark.parametrize(
    ("tile", "form", "batch", "warps", "trips"),
    [
        ((16, 8, 32), E4M3, 0, 1, 1),
        ((32, 32, 64), E5M2, 0, 4, 3),
        ((64, 16, 128), E4M3, 0, 4, 2),
        ((32, 64, 32), E4M3, 0, 8, 5),
        ((16, 16, 64), E5M2, 2, 4, 2),
        ((32, 16, 128), MXF4, 0, 4, 2),
        ((16, 32, 64), NVF4, 0, 2, 3),
    ],
)
def test_all_levels_compute_the_same(
    tile: tuple[int, int, int], form: Format, batch: int, warps: int, trips: int
):
    module = load(kernel(tile, form, batch, warps))
    values = arguments(tile, form, batch, trips)
    expected = product(values, form, tile[2] * trips)
    seen = 0
    for step in verified_steps(module, select_steps(to="nvvm", arch=ARCH), ARCH):
        if step.name in ("tileas-insert-barriers", "convert-tileas-to-nvgpu", "convert-to-llvm"):
            copies = [in_memory(value) for value in values]
            run(module, grid=1, args=copies, check=True)
            np.testing.assert_array_equal(copies[4], expected, step.name)
            seen += bool(find_all(module, ScaledDotOp, FragmentScaledMmaOp))
    assert seen == 3


def test_scales_without_a_sign():
    """The instruction does not read the sign of scales of f8E4M3FN."""
    tile = 16, 8, 64
    module = lower(kernel(tile, NVF4, warps=1), "convert-tileas-to-nvgpu")
    values = [in_memory(value) for value in arguments(tile, NVF4, 0, 1)]
    values[2] = -values[2]
    with pytest.raises(ExecutionError, match="a scale is negative, but ue4m3 has no sign"):
        run(module, grid=1, args=values)
    # Zeros may have one.
    values[2] = np.zeros_like(values[2])
    values[2].view(np.uint8)[:] = 0x80
    run(module, grid=1, args=values)
    assert not values[4].any()


def test_scales_of_other_lanes(monkeypatch: pytest.MonkeyPatch):
    """The layout of scales is what the instruction reads: with another, results differ."""
    right = mma_instructions.mma_scale_a

    def wrong(*sizes: Any, **options: Any) -> LinearLayout | None:
        layout = right(*sizes, **options)
        assert layout is not None
        first, second, *others = layout.lane
        return layout.replaced(lane=[second, first, *others])

    monkeypatch.setattr(mma_instructions, "mma_scale_a", wrong)
    tile = 32, 32, 64
    module = lower(kernel(tile, E4M3), "convert-tileas-to-nvgpu")
    values = arguments(tile, E4M3, 0, 1)
    expected = product(values, E4M3, 64)
    run(module, grid=1, args=values, check=True)
    assert (values[4] != expected).any()


@pytest.mark.parametrize(
    ("arch", "tile"),
    [("sm_90a", (32, 32, 64)), ("sm_100a", (32, 32, 64)), ("sm_120", (32, 32, 64))],
)
def test_emulated_elsewhere(arch: str, tile: tuple[int, int, int]):
    module = load(kernel(tile, E4M3))
    for step in select_steps(to="tileas", arch=arch):
        make_pass(step, arch).apply(context(), module)
    assert not find_all(module, ScaledDotOp)


def test_targets_without_the_instruction():
    module = lower(kernel((32, 32, 64), E4M3), "convert-tileaa-to-tileas")
    assign = TileasAssignDotLayoutsPass(compute_capability="sm_90a")
    with pytest.raises(DiagnosticException, match=r"sm_90a has no mma\.sync with block_scale"):
        assign.apply(context(), module)


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["cuda_tile", "nvgpu"])
def test_negative_scales_fail_an_assertion(stage: str):
    """The CPU reads the sign of scales as tiles have them, so a check says that GPUs do not."""
    tile = 16, 8, 64
    module = load(kernel(tile, NVF4, warps=1))
    InsertRuntimeChecksPass().apply(context(), module)
    if stage != "cuda_tile":
        for step in select_steps(to="nvgpu", arch=ARCH):
            make_pass(step, ARCH).apply(context(), module)
    for sign in (1, -1):
        values = [in_memory(value) for value in arguments(tile, NVF4, 0, 1)]
        values[2][0, 1] *= sign
        extents = [each for value in values[:5] for each in get_extents(value)]
        if sign > 0:
            run(module, grid=1, args=[*values, *extents])
            continue
        with pytest.raises(ExecutionError, match="negative"):
            run(module, grid=1, args=[*values, *extents])
