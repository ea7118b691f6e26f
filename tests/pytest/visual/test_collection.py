"""The pictures of a whole compilation, shared memory, and the pictures of the guide."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl as tx
from tileiras_xdsl.analysis.linear_layout import blocked
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.inspection.visual import (
    Picture,
    collect,
    layout_picture,
    shared_memory_over_time,
)
from tileiras_xdsl.inspection.visual.collection import SOURCES
from tileiras_xdsl.pipeline import PIPELINE, PipelinePass
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from ..strategies.hopper_kernels import attention, gemm
from .svg import tips, tree_of

DOCS = Path(__file__).parents[3] / "docs"
LAST = "tileas-materialize-convert-layout"


@cache
def modules(text: str) -> dict[str, ModuleOp]:
    """A program after every pass, by the name of the pass."""
    found: dict[str, ModuleOp] = {}

    def keep(step: PipelinePass | None, module: ModuleOp) -> None:
        found["read" if step is None else step.name] = module.clone()

    Compilation(Program.of(text), Options("sm_90"), after_pass=keep).lower("nvvm")
    return found


@cache
def pictures(text: str) -> dict[str, list[Picture]]:
    """The pictures of every pass."""
    return {
        name: collect(name, module, marks_of=lambda op: (len(op.name),))
        for name, module in modules(text).items()
    }


@pytest.mark.every(2)
@pytest.mark.parametrize("text", [gemm(), attention()], ids=["gemm", "attention"])
def test_all_pictures_of_a_compilation(text: str):
    found = pictures(text)
    kinds = {picture.kind for each in found.values() for picture in each}
    assert kinds == {"layout", "shared", "tokens", "schedule", "memory", "control-flow"}
    for name, each in found.items():
        assert len(each) <= 6
        again = collect(name, modules(text)[name])
        assert [picture.text for picture in again] == [picture.text for picture in each]
        for picture, other in zip(each, again, strict=True):
            tree_of(picture)
            assert picture.marks
            assert re.sub(r' data-marks="[\d ]*"', "", picture.svg) == other.svg


def test_passes_with_pictures_are_passes():
    assert set(SOURCES) <= {"read", *(step.name for step in PIPELINE)}


def test_layouts_of_a_product():
    chosen, *_ = pictures(gemm())["tileas-assign-dot-layouts"]
    assert chosen.title == "Layout of 128x256 tiles: dot"
    layouts = pictures(gemm())["tileas-remove-layout-conversions"]
    assert layouts[0].title.startswith("Layout of 128x256 tiles: dot")
    assert 2 <= len({picture.svg for picture in layouts}) == len(layouts) <= 4
    shared = [p for p in pictures(gemm())["tileas-materialize-schedule"] if p.kind == "shared"]
    assert [picture.title for picture in shared] == [
        "tile 64x256 of 2 bytes each, in shared memory",
        "tile 128x64 of 2 bytes each, in shared memory",
    ]


def ranges(picture: Picture) -> list[tuple[str, int, int]]:
    """What lies where, by the tooltips."""
    found = (re.match(r"^(.*?): bytes (\d+) to (\d+), for ", tip) for tip in tips(picture))
    return [(match[1], int(match[2]), int(match[3])) for match in found if match]


@pytest.mark.every(2, first=1)
@pytest.mark.parametrize("text", [gemm(), attention()], ids=["gemm", "attention"])
def test_shared_memory_is_given_out_once(text: str):
    module = modules(text)[LAST]
    before = str(module)
    picture = shared_memory_over_time(module)
    assert str(module) == before
    kept = sorted(each[1:] for each in ranges(picture) if each[0] != "scratch")
    assert all(last < first for (_, last), (first, _) in pairwise(kept))
    total = re.findall(r": (\d+) of (\d+) bytes", str(picture))
    ((needed, limit),) = total
    assert max(last for _, _, last in ranges(picture)) == int(needed) - 1
    assert int(needed) <= int(limit)
    assert f"array<{needed} x i8>" in str(modules(text)["convert-tileas-to-nvgpu"])
    stages = [size for what, *size in ranges(picture) if what == "stages"]
    assert len(stages) == {"gemm": 1, "attention": 3}[next(kernels(module)).sym_name.data]


def test_shared_memory_of_one_kernel():
    module = modules(gemm())[LAST]
    (kernel,) = kernels(module)
    assert shared_memory_over_time(kernel).svg == shared_memory_over_time(module).svg
    with pytest.raises(ValueError, match="in no module"):
        shared_memory_over_time(kernel.clone())


def test_a_kernel_without_shared_memory():
    text = """
cuda_tile.module @kernels {
  entry @nothing() {
    return
  }
}"""
    picture = shared_memory_over_time(modules(text)[LAST])
    tree_of(picture)
    assert str(picture).splitlines()[1:] == ["nothing: 0 of 232448 bytes"]


def test_scratch_memory_is_used_again():
    path = Path(tx.__file__).parent / "driver" / "demos" / "softmax.tileirbc"
    found: list[ModuleOp] = []

    def keep(step: PipelinePass | None, module: ModuleOp) -> None:
        if step is not None and step.name == LAST:
            found.append(module.clone())

    Compilation(Program.of(path), Options("sm_90"), after_pass=keep).lower("tileas")
    used = {what for what, *_ in ranges(shared_memory_over_time(found[0]))}
    assert used == {"buffer", "scratch"}, "of a loop over pieces, and within it"


# The guide


@pytest.fixture(scope="module")
def drawings() -> dict[str, Callable[[], Picture]]:
    generator: dict[str, Any] = runpy.run_path(str(DOCS / "generate_pictures.py"))
    return generator["PICTURES"]


def test_the_pictures_of_the_guide(drawings: dict[str, Callable[[], Picture]]):
    for name, draw in drawings.items():
        picture = draw()
        tree_of(picture)
        drawn = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == picture.svg, "run python docs/generate_pictures.py"


def test_the_guide_shows_all_pictures(drawings: dict[str, Callable[[], Picture]]):
    text = (DOCS / "pictures.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\(images/(\w+)\.svg\)", text)) == sorted(drawings)
    for draw in (lambda: layout_picture(blocked((4, 4), 1)), drawings["tokens"]):
        assert f"```text\n{draw()}\n```" in text


def test_saved_and_shown(tmp_path: Path):
    (picture,) = pictures(gemm())[LAST]
    picture.save(tmp_path / "memory.svg")
    assert (tmp_path / "memory.svg").read_text(encoding="utf-8") == picture._repr_svg_()  # pyright: ignore[reportPrivateUsage]
