"""Remarks of passes that a test runs by itself."""

from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.tileiras import REMARKS, RemarkAttr, ask_for_remarks
from tileiras_xdsl.driver.compiler.remarks import Remark


def asked(module: ModuleOp, *, explain: bool = False) -> ModuleOp:
    """The module, which passes add their remarks to."""
    ask_for_remarks(module, explain=explain)
    return module


def told(op: Operation, **wanted: str) -> list[Remark]:
    """The remarks in the module around an op that have the wanted fields."""
    module = op.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    listed = module.attributes[REMARKS]
    assert isinstance(listed, ArrayAttr)
    remarks = [Remark.of(each) for each in listed.data if isinstance(each, RemarkAttr)]
    return [each for each in remarks if all(getattr(each, key) == wanted[key] for key in wanted)]


def messages(op: Operation, **wanted: str) -> list[str]:
    """What these say, without reasons."""
    return [each.message for each in told(op, **wanted)]
