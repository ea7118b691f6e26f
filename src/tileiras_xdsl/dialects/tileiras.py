"""
Remarks: what passes decide about a kernel, and why, for people to read.

    builtin.module attributes {tileiras.explain, tileiras.remarks = [
      #tileiras.remark<"Passed", "Memory", "TmaLoad", "gemm", "TMA load of 128x64xf16",
                       "pipeline 0 of 4 stages", loc("gemm.py":14:12)>]} { … }

Whoever decides something calls `remark`, or `explain` if it is of interest to those only who want
to know everything. The list is an attribute of the module, so it does not
matter what becomes of the op that a remark is about: its place and its function are written down.
Without a list, nothing is: a module that nobody reads the remarks of has none, and neither has an
op outside of a module, such as a copy of a kernel that a pass tries something with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from xdsl.dialects.builtin import (
    ArrayAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Dialect, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition

from tileiras_xdsl.xdsl_extras.diagnostics import source_location
from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

RemarkKind = Literal["Passed", "Missed", "Failure", "Analysis"]
"""Done, not done though it may pay off, failed, or just information."""

HINTS: Final = "Hints"
"""The category of remarks that users are warned by, whether they ask or not."""

REMARKS: Final = "tileiras.remarks"
"""The attribute of a module that has its remarks; passes add to it if it is there."""
EXPLAIN: Final = "tileiras.explain"
"""The attribute of a module that asks passes for remarks on all decisions, not on a few."""

DETERMINISTIC: Final = DiscardableAttribute(
    "tileiras.deterministic",
    UnitAttr,
    "The kernel gives the same bits whatever the grid, the GPU and what else runs.",
    written_by=("require-determinism",),
)


@irdl_attr_definition
class RemarkAttr(ParametrizedAttribute):
    """
    A remark: its kind, category, and subject within that, the function it is about, what was
    decided, why, and where. The subject and the reason may be empty.
    """

    name = "tileiras.remark"

    kind: StringAttr
    category: StringAttr
    subject: StringAttr
    function: StringAttr
    message: StringAttr
    reason: StringAttr
    place: LocationAttr


def make_remark(
    op: Operation,
    kind: RemarkKind,
    category: str,
    message: str,
    *,
    name: str = "",
    reason: str = "",
) -> RemarkAttr:
    """A remark at the location of an op, about the function that it is in."""
    place = source_location(op)
    if isinstance(op.location, NameLoc):
        # Explorations keep track of ops by such names.
        place = NameLoc(op.location.desc, place or NoneAttr())
    return RemarkAttr(
        StringAttr(kind),
        StringAttr(category),
        StringAttr(name),
        StringAttr(_function_of(op)),
        StringAttr(message),
        StringAttr(reason),
        place or UnknownLoc(),
    )


def remark(
    op: Operation,
    kind: RemarkKind,
    category: str,
    message: str,
    *,
    name: str = "",
    reason: str = "",
) -> None:
    """Adds a remark about an op to the list of its module, if that has one, but none twice."""
    module = op.get_toplevel_object()
    if not isinstance(module, ModuleOp):
        return
    listed = module.attributes.get(REMARKS)
    if not isinstance(listed, ArrayAttr):
        return
    made = make_remark(op, kind, category, message, name=name, reason=reason)
    if made not in listed.data:
        module.attributes[REMARKS] = ArrayAttr((*listed.data, made))


def explain(
    op: Operation,
    kind: RemarkKind,
    category: str,
    message: str,
    *,
    name: str = "",
    reason: str = "",
) -> None:
    """The same, if remarks on all decisions are wanted."""
    if explains(op):
        remark(op, kind, category, message, name=name, reason=reason)


def explains(op: Operation) -> bool:
    """Whether remarks on all decisions are wanted in the module of an op."""
    module = op.get_toplevel_object()
    return isinstance(module, ModuleOp) and EXPLAIN in module.attributes


def ask_for_remarks(module: ModuleOp, *, explain: bool) -> None:
    """Has passes write down remarks, with `explain` on all decisions."""
    module.attributes[REMARKS] = ArrayAttr[RemarkAttr](())
    if explain:
        module.attributes[EXPLAIN] = UnitAttr()


def take_remarks(module: ModuleOp) -> Sequence[RemarkAttr]:
    """The remarks of a module, which does not have them any more, and is asked for none."""
    module.attributes.pop(EXPLAIN, None)
    listed = module.attributes.pop(REMARKS, None)
    if not isinstance(listed, ArrayAttr):
        return ()
    return [each for each in listed.data if isinstance(each, RemarkAttr)]


def _function_of(op: Operation) -> str:
    """The name of the function that an op is, or is in; of the module if it is in none."""
    enclosing: Operation | None = op
    while enclosing is not None:
        if isinstance(name := enclosing.get_attr_or_prop("sym_name"), StringAttr) and name.data:
            return name.data
        enclosing = enclosing.parent_op()
    return ""


Tileiras = Dialect("tileiras", [], [RemarkAttr])
