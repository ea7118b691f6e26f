"""Modules that explorations give out: they know where they are, and show themselves."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.frontend import make_context, parse_bytes, print_bytes
from tileiras_xdsl.pipeline import PipelinePass
from tileiras_xdsl.xdsl_extras.aliases import print_ir
from tileiras_xdsl.xdsl_extras.reading import Reading

from .steps import Listing


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
    gpu: str
    """The architecture that the passes so far were run for."""

    @staticmethod
    def of(
        module: ModuleOp, after: PipelinePass | None, original: ModuleOp, gpu: str
    ) -> ModuleView:
        """A copy of a module."""
        view = module.clone()
        view.__class__ = ModuleView
        assert isinstance(view, ModuleView)
        view.after, view.original, view.gpu = after, original, gpu
        return view

    def clone(self, *args: Any, **options: Any) -> ModuleOp:
        """
        A copy, whose class is that of any module, as conversions look at classes. `compile` and
        the others know what is left to do for it, too.
        """
        copy = super().clone(*args, **options)
        copy.__class__ = ModuleOp  # pyright: ignore[reportAttributeAccessIssue]
        vars(copy).update(after=self.after, original=self.original, gpu=self.gpu)
        return copy

    def __reduce__(self):
        """As text: to follow uses from op to op takes a call for each."""
        texts = print_bytes(self), print_bytes(self.original)
        return _restore, (*texts, self.after, self.gpu)

    def show(
        self,
        what: str | Operation | None = None,
        *,
        lines: int | None = None,
        types: bool = False,
        assumes: bool = False,
        aliases: bool = False,
        wrap: bool = True,
    ) -> Reading:
        """
        The IR for somebody to read: all of it, an op, or the first op with a text on its line
        (`module.show("scf.for")`).

        - lines: how many lines, if not all;
        - types: with types of operands and results;
        - assumes, aliases: with assumptions in a row and definitions of aliases, which are folded
          otherwise;
        - wrap: lines are broken.
        """
        listing = Listing.of(self)
        shown = listing.unwrapped
        if what is not None:
            place = listing.find(what)
            if place is None:
                name = repr(what) if isinstance(what, str) else what.name
                raise KeyError(f"there is no {name} in the module")
            indent = len(shown[place.start]) - len(shown[place.start].lstrip())
            shown = tuple(shown[n][indent:] for n in place)
        return Reading(shown, types, assumes, aliases, wrap, lines, listing.definitions)

    def __str__(self) -> str:
        """All of it in a short form, which can be parsed."""
        return print_ir(self, short=True)

    def __repr__(self) -> str:
        return str(self.show())

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()  # pyright: ignore[reportPrivateUsage]


def _restore(text: bytes, original: bytes, after: PipelinePass | None, gpu: str) -> ModuleView:
    """A view that was pickled."""
    module, whole = (parse_bytes(make_context(), each, "<pickle>") for each in (text, original))
    return ModuleView.of(module, after, whole, gpu)
