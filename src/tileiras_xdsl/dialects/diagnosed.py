"""Ops whose errors name what is wrong."""

from __future__ import annotations

from typing_extensions import TypeVar
from xdsl.irdl import IRDLOperation, OptPropertyDef, VerificationContext, irdl_op_definition
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.xdsl_extras.discardable_attributes import verify_attributes_of

OpT = TypeVar("OpT", bound=IRDLOperation)


def diagnosed_op(op_class: type[OpT]) -> type[OpT]:
    """
    `irdl_op_definition` with better reports of what xDSL finds: wrong types while it parses a
    format are parse errors that name the op, and an attribute that is wrong or missing is named,
    too. Discardable attributes that dialects declare are verified.
    """
    op_class = irdl_op_definition(op_class)
    parse = op_class.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]
    verify = op_class.verify_

    @classmethod
    def parse_and_name_op(cls: type[OpT], parser: Parser) -> OpT:
        position = parser.pos
        try:
            return parse(cls, parser)
        except VerifyException as error:
            parser.raise_error(f"'{cls.name}' op {error}", position)

    def verify_and_name_property(self: OpT) -> None:
        try:
            verify(self)
        except VerifyException:
            _verify_properties(self)
            raise
        if self.attributes:
            verify_attributes_of(self)

    op_class.parse = parse_and_name_op  # pyright: ignore[reportAttributeAccessIssue]
    op_class.verify_ = verify_and_name_property  # pyright: ignore[reportAttributeAccessIssue]
    return op_class


def _verify_properties(op: IRDLOperation) -> None:
    """Raises if it is a property that is wrong with an op."""
    for name, definition in op.get_irdl_definition().properties.items():
        attribute = op.properties.get(name)
        if attribute is None:
            if isinstance(definition, OptPropertyDef):
                continue
            raise VerifyException(f"requires attribute '{name}'")
        try:
            definition.constr.verify(attribute, VerificationContext())
        except VerifyException as error:
            text = str(error)
            raise VerifyException(
                text if name in text else f"wrong attribute '{name}': {text}"
            ) from error
