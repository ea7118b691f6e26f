"""Timelines of schedules: their texts, and pictures that browsers can read."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.inspection.visual.timeline import Timeline, module_timelines
from tileiras_xdsl.pipeline import SCHEDULING, PipelinePass

from ..strategies.hopper_kernels import attention, gemm

GEMM = """\
gemm: loop of 3 stages; 1 producer warp, 8 consumer warps
cycles    0                   768                 1536                2304                3072
producer  |0 p0               |1 p0               |2 p0               |
tensor                        |0 dot                     |1 dot                    |2 dot                     |
cuda
prologue to 768, steady state to 2304, drain to 3840"""  # noqa: E501

BENCHMARKS = Path(__file__).parents[3] / "benchmarks/gpu/bytecode"
ATTENTION = """\
attention: loop of 4 and 4 stages; 4 producer warps, 8 consumer warps
cycles    0                   1152                2304                3456                4608
producer  |0 p|1 p1|0 p|2 p1|1 p|2 p2|
tensor        |0 dot1  |                   |1 dot1  |0 dot2  |          |2 dot1  |1 dot2  |          |2 dot2  |
cuda                   |0 exp2 fp_to_fp    |        |1 exp2 fp_to_fp    |        |2 exp2 fp_to_fp    |
prologue to 1920, steady state to 5248, drain to 5760
dot1      %s = 128x64 · 64x128 → 128x128, 512 cycles, <text>:31
dot2      %next = 128x128 · 128x64 → 128x64, 512 cycles, <text>:35"""  # noqa: E501


def draw(text: str | bytes) -> Timeline:
    """The timeline of the kernel of a program."""
    found: list[Timeline] = []

    def watch(step: PipelinePass | None, module: ModuleOp) -> None:
        if step is not None and step.name == SCHEDULING:
            found.extend(module_timelines(module))

    Compilation(Program.of(text), Options("sm_90"), after_pass=watch).lower("tileas")
    (timeline,) = found
    return timeline


def test_texts():
    assert str(draw(gemm())) == GEMM
    assert str(draw(attention())) == ATTENTION


def test_products_of_two_iterations_follow_each_other():
    (loop,) = draw(attention()).loops
    dots = [box for box in loop.activities if box.row == "tensor"]
    assert [box.iteration for box in dots] == [0, 1, 0, 2, 1, 2]
    assert dots[1].end == dots[2].start
    assert len([box for box in loop.activities if box.row == "producer"]) == 6


def test_reductions_wait_for_products():
    (loop,) = draw((BENCHMARKS / "attention_d128.tileirbc").read_bytes()).loops
    tensor = [box for box in loop.activities if box.row == "tensor"]
    reductions = [box for box in loop.activities if box.row == "cuda" and "reduce" in box.label]
    assert [box.iteration for box in reductions] == [0, 1, 2]
    assert reductions[1].start == tensor[2].end


def test_what_needs_something_comes_after_it():
    for text in (gemm((128, 128, 64)), attention()):
        (loop,) = draw(text).loops
        for row in ("producer", "tensor", "cuda"):
            boxes = [box for box in loop.activities if box.row == row]
            assert all(a.end <= b.start for a, b in pairwise(boxes))
        first = next(box for box in loop.activities if box.row == "tensor")
        assert first.start >= next(box for box in loop.activities if box.row == "producer").end


def test_a_ring_holds_no_more_than_its_stages():
    (loop,) = draw(gemm(load_hints="default = {latency = 1}")).loops
    fills = [box for box in loop.activities if box.row == "producer"]
    dots = [box for box in loop.activities if box.row == "tensor"]
    assert fills[2].start == dots[0].end


def test_a_kernel_without_a_schedule():
    timeline = draw(gemm(divisor=1, padding="neg_inf"))
    assert timeline.loops == []
    assert str(timeline) == "gemm: no loop has a schedule"
    ElementTree.fromstring(timeline.to_svg())


def test_pictures(tmp_path: Path):
    timeline = draw(attention())
    root = ElementTree.fromstring(timeline.to_svg())
    space = "{http://www.w3.org/2000/svg}"
    paths = root.findall(f"{space}g/{space}path")
    boxes = [box.attrib["d"] for box in paths if box.attrib["class"].startswith("c ")]
    (loop,) = timeline.loops
    assert len(boxes) == len(loop.activities)
    rights = [sum(map(float, re.findall(r"^M([\d.]+) .*?h([\d.]+)", box)[0])) for box in boxes]
    assert max(rights) <= float(root.attrib["width"])
    # Labels are whole, and in their boxes.
    texts = [text.text or "" for text in root.iter(f"{space}text")]
    assert {"prologue", "steady state", "drain", "0 p1"} <= set(texts)
    assert not any("…" in text for text in texts)
    style = root.find(f"{space}style")
    assert style is not None
    assert "prefers-color-scheme: dark" in (style.text or "")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, picture = tmp_path / "gemm.mlir", tmp_path / "gemm.svg"
    path.write_text(gemm())
    options = [str(path), "--gpu-name=sm_90", "--emit=schedule", "-o"]
    assert main([*options, "-"]) == 0
    assert capsys.readouterr().out == f"{GEMM}\n"
    assert main([*options, str(picture)]) == 0
    drawn = picture.read_text().replace("gemm.mlir", "&lt;text&gt;")
    assert drawn == draw(gemm()).to_svg()


def test_phases_and_labels():
    (loop,) = draw(attention()).loops
    prologue, steady, drain = loop.phases
    assert prologue.end == steady.start < steady.end == drain.start < drain.end == loop.end
    labels = {box.label for box in loop.activities if box.row == "tensor"}
    assert labels == {"dot1", "dot2"} <= set(loop.legend)
    assert {"p1", "p2"} <= set(loop.legend)


def test_parts_have_marks_and_windows():
    timeline = draw(attention())
    whole = timeline.to_picture(lambda op: [len(op.operands)])
    assert 'data-marks="4"' in whole.svg
    part = timeline.to_picture(window=(0, 300))
    assert part.svg.count("<g>") < whole.svg.count("<g")
    assert ">300<" in part.svg
