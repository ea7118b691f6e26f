"""Modules that explorations give out: they know where they are, and show themselves."""

from __future__ import annotations

from html import escape
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.pipeline import PipelinePass

from .listing import Listing


class ModuleView(ModuleOp):
    """
    The module after a pass, to work on. It is a module like any other; besides, it shows itself as
    IR in notebooks, `compile` and `explore` run exactly the passes on it that are left, and `run`
    checks the types of arrays, of which pointers say nothing any more.
    """

    after: PipelinePass | None
    """The pass that made it; none if it is what was read."""
    original: ModuleOp
    """What was read."""

    @staticmethod
    def of(module: ModuleOp, after: PipelinePass | None, original: ModuleOp) -> ModuleView:
        """A copy of a module."""
        view = module.clone()
        view.__class__ = ModuleView
        assert isinstance(view, ModuleView)
        view.after, view.original = after, original
        return view

    def clone(self, *args: Any, **options: Any) -> ModuleOp:
        """
        A copy, whose class is that of any module, as conversions look at classes. `compile` and
        the others know what is left to do for it, too.
        """
        copy = super().clone(*args, **options)
        copy.__class__ = ModuleOp  # pyright: ignore[reportAttributeAccessIssue]
        vars(copy).update(after=self.after, original=self.original)
        return copy

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        text = escape(Listing.of(self).text)
        style = "line-height:1.35;overflow-x:auto;white-space:pre;max-height:40em"
        return f'<pre style="{style}">{text}</pre>'
