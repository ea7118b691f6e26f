"""All that is verified in a module, whoever made it."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from .discardable_attributes import verify_discardable_attributes
from .dominance import verify_dominance


def verify_module(module: ModuleOp) -> None:
    """Fails at the first op that is wrong, uses a value too early, or has a wrong attribute."""
    try:
        module.verify()
    except Exception as error:
        # What `scf.while` of xDSL 0.74 raises for block arguments of other types.
        if type(error) is not Exception:
            raise
        _fail_at_op(module)
        raise
    verify_dominance(module)
    verify_discardable_attributes(module)


def _fail_at_op(module: ModuleOp) -> None:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except Exception as error:
            reason = VerifyException(str(error))
            op.emit_error(f"Operation does not verify: {error}", reason)
