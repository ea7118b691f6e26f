"""Takes ops away; what uses their results uses something simpler."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from tileiras_xdsl.reduction.edits import Edit, Strategy, is_attached
from tileiras_xdsl.reduction.values import is_zero_maker, substitute
from tileiras_xdsl.xdsl_extras.walking import walk


def removable(module: ModuleOp) -> list[Operation]:
    """All ops that may be left out as such, from the last one to the first."""
    return [
        op for op in reversed(walk(module)) if op is not module and not op.has_trait(IsTerminator)
    ]


def find_symbols(module: ModuleOp) -> list[Edit]:
    """Whole functions, variables and modules in modules."""

    def erase(op: Operation) -> None:
        if is_attached(op, module):
            op.detach()
            op.erase()

    return [partial(erase, op) for op in removable(module) if "sym_name" in op.properties]


def find_unused(module: ModuleOp) -> list[Edit]:
    """Ops whose results nothing uses, with what only they have used."""

    def erase(op: Operation) -> None:
        if is_attached(op, module) and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()

    return [partial(erase, op) for op in removable(module) if "sym_name" not in op.properties]


def _replace(op: Operation, module: ModuleOp, order: Sequence[str]) -> None:
    if not is_attached(op, module):
        return
    for result in op.results:
        if result.first_use is None:
            continue
        found = substitute(result, op, order, op.operands)
        if found is None:
            return
        result.replace_all_uses_with(found)
    op.detach()
    op.erase()


def find_replaced(module: ModuleOp, order: Sequence[str]) -> list[Edit]:
    """Ops of which each used result becomes something else, the first that there is of `order`."""
    return [
        partial(_replace, op, module, order)
        for op in removable(module)
        if op.results and not (order[0] == "zero" and is_zero_maker(op))
    ]


SYMBOLS = Strategy("functions", find_symbols)
UNUSED = Strategy("unused ops", find_unused)
TO_OPERANDS = Strategy(
    "ops to operands", partial(find_replaced, order=("operand", "zero", "earlier"))
)
TO_ZEROS = Strategy("ops to zeros", partial(find_replaced, order=("zero", "operand", "earlier")))
TO_EARLIER = Strategy(
    "ops to earlier values", partial(find_replaced, order=("earlier", "operand", "zero"))
)
