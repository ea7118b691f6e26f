"""
Draws the pictures of docs/pictures.md into docs/images.

    python docs/generate_pictures.py            # writes them anew
    python docs/generate_pictures.py --check    # writes nothing, fails if one differs
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.analysis.matrix_layouts import mma_a, swizzled, wgmma_accumulator
from tileiras_xdsl.cost.model import estimate_module
from tileiras_xdsl.inspection.exploration.exploration import Exploration, explore
from tileiras_xdsl.inspection.exploration.steps import READ
from tileiras_xdsl.inspection.profiling.profile import Profile
from tileiras_xdsl.inspection.visual import (
    Picture,
    control_flow,
    layout_picture,
    roofline,
    shared_memory_over_time,
    shared_picture,
    tensor_memory_picture,
    token_graph,
)
from tileiras_xdsl.inspection.visual.timeline import module_timelines
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL

FOLDER = Path(__file__).parent / "images"


@cache
def explored(kernel: str, opt: int = DEFAULT_OPT_LEVEL) -> Exploration:
    """A kernel of the folder after every pass, by the name of the pass."""
    return explore(FOLDER / f"{kernel}.mlir", gpu="sm_90", opt=opt)


def layout(found: LinearLayout | None, title: str) -> Picture:
    """The picture of a layout that there is."""
    assert found is not None
    return layout_picture(found, title)


def schedule(kernel: str) -> Picture:
    """The timeline of a kernel."""
    (timeline,) = module_timelines(explored(kernel)["tileas-generate-schedule"])
    return timeline.to_picture()


def profile(name: str, start: int, clocks: int) -> Picture:
    """What warps did on a GPU, from a saved profile."""
    path = Path(__file__).parent / "notebooks" / "profiles" / f"{name}.json"
    return Profile.load(path).picture(start=start, clocks=clocks)


PICTURES: dict[str, Callable[[], Picture]] = {
    "layout": lambda: layout(blocked((8, 16), 2, vector=2), "pairs of elements, then lanes"),
    "layout_wgmma": lambda: layout(
        wgmma_accumulator((128, 64), 2), "the sum of products of two warpgroups"
    ),
    "layout_copies": lambda: layout(mma_a((16, 16), 1, 2, 16), "a left factor, for two warps"),
    "shared": lambda: shared_picture(swizzled((64, 64), 1, 2), 2),
    "shared_rows": lambda: shared_picture(
        LinearLayout.shared((16, 32), (1 << b for b in range(9))), 4
    ),
    "tensor_memory": lambda: tensor_memory_picture("F", 128),
    "tensor_memory_pair": lambda: tensor_memory_picture("B", 256),
    "tokens": lambda: token_graph(explored("order")[READ]),
    "schedule": lambda: schedule("attention"),
    "profile": lambda: profile("attention_d128", 9730, 9730),
    "memory": lambda: shared_memory_over_time(
        explored("attention")["tileas-materialize-convert-layout"]
    ),
    "roofline": lambda: roofline(*estimate_module(explored("gemm")["tileas"])),
    "control_flow": lambda: control_flow(explored("gemm")["tileas-materialize-schedule"]),
    "blocks": lambda: control_flow(explored("order", opt=1)["convert-scf-while-to-cf"]),
}
"""By the names of their files."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws the pictures of docs/pictures.md.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if one differs")
    is_check: bool = parser.parse_args().check
    is_right = True
    for name, draw in PICTURES.items():
        path, svg = FOLDER / f"{name}.svg", draw().svg
        if not is_check:
            path.write_text(svg, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != svg:
            print(f"{path.name} is not up to date")
            is_right = False
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
