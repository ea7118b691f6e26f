"""Layout assignment, which the passes that assign layouts share."""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Region

from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all

from .broadcast_loads import anchor_broadcast_loads, anchor_loads_beside_mmas
from .early_renaming import rename_before_narrowing
from .inference import Inference
from .rewriting import LayoutRewriter
from .scanned_loads import anchor_scanned_loads


def apply_layouts(function: FuncOp, *, is_lazy: bool) -> None:
    """Rewrites a kernel with a layout on every tensor."""
    _rewrite(function, is_lazy=is_lazy)
    if not is_lazy:
        return
    if find_all(function, DotOp, ScaledDotOp):
        is_changed = anchor_loads_beside_mmas(function)
    else:
        is_changed = any([anchor_scanned_loads(function), anchor_broadcast_loads(function)])
    if is_changed:
        _rewrite(function, is_lazy=is_lazy)
    rename_before_narrowing(function)


def _rewrite(function: FuncOp, *, is_lazy: bool) -> None:
    block = function.body.block
    inference = Inference(get_warps(function), is_lazy=is_lazy)
    inference.run(block)
    new = LayoutRewriter(inference).rewrite(block)
    function.detach_region(function.body)
    function.add_region(Region(new))
