"""Layout assignment, which the passes that assign layouts share."""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Region

from tileiras_xdsl.transforms.common.kernel_spec import get_warps

from .inference import Inference
from .rewriting import LayoutRewriter


def apply_layouts(function: FuncOp, *, is_lazy: bool) -> None:
    """Rewrites a kernel with a layout on every tensor."""
    block = function.body.block
    inference = Inference(get_warps(function), is_lazy=is_lazy)
    inference.run(block)
    new = LayoutRewriter(inference).rewrite(block)
    function.detach_region(function.body)
    function.add_region(Region(new))
