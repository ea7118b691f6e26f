"""Ops that are defined late mean the same."""

import json
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import StringAttr, i1, i32
from xdsl.ir import Operation, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    OpDef,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import (
    PyRDLAttrDefinitionError,
    PyRDLOpDefinitionError,
    VerifyException,
)
from xdsl.utils.test_value import create_ssa_value

from tileiras_xdsl.xdsl_extras.lazy_definitions import (
    PendingDefinition,
    define_attribute_when_used,
    define_op,
    define_when_used,
)

from ..harness.commands import python


class Copied(IRDLOperation):
    name = "test.copied"
    source = operand_def(i32)
    result = result_def(i32)
    label = opt_prop_def(StringAttr)
    traits = traits_def(Pure())
    assembly_format = "$source (`label` $label^)? attr-dict"


def is_pending(op: type[IRDLOperation]) -> bool:
    return any(isinstance(value, PendingDefinition) for value in vars(op).values())


def new_op() -> type[Copied]:
    @define_when_used
    class Late(Copied):
        name = "test.late"

    assert is_pending(Late)
    return Late


def wrong(op: type[Operation]) -> Operation:
    """An op with an operand of the wrong type."""
    return op.create(operands=[create_ssa_value(i1)], result_types=[i32])


def test_an_op_that_is_created_is_verified():
    made = wrong(new_op())
    with pytest.raises(VerifyException, match="operand 'source' at position 0"):
        made.verify()


def test_an_op_that_is_created_has_its_accessors():
    value = create_ssa_value(i32)
    label = StringAttr("here")
    made = new_op().create(operands=[value], result_types=[i32], properties={"label": label})
    assert isinstance(made, Copied)
    assert made.source is value
    assert made.result.type == i32
    assert made.label == label


def test_defaults_are_filled_in():
    @define_when_used
    class Labelled(IRDLOperation):
        name = "test.labelled"
        label = prop_def(StringAttr, default_value=StringAttr("none"))

    assert Labelled.create().properties == {"label": StringAttr("none")}


@pytest.mark.parametrize("name", ["get_irdl_definition", "traits", "verify_", "parse", "print"])
def test_what_the_class_is_asked_for_defines_the_op(name: str):
    late = new_op()
    assert getattr(late, name) is not None
    assert not is_pending(late)


def test_traits_are_there():
    assert new_op().has_trait(Pure)


def test_nothing_else_defines_the_op():
    late = new_op()
    assert issubclass(late, Copied)
    assert late.name == "test.late"
    assert late.__doc__ is None
    assert is_pending(late)


class CheckedError(VerifyException):
    """That of a verifier below."""


def test_own_verifier_runs_after_that_of_the_definition():
    @define_when_used
    class Checked(Copied):
        name = "test.checked"

        def verify_(self) -> None:
            raise CheckedError

    with pytest.raises(VerifyException, match="operand 'source'"):
        wrong(Checked).verify()
    with pytest.raises(CheckedError):
        Checked.create(operands=[create_ssa_value(i32)], result_types=[i32]).verify_()


def test_a_derived_class_can_call_what_is_pending():
    late = new_op()
    calls: list[type] = []

    class Derived(late):
        @classmethod
        def get_irdl_definition(cls) -> OpDef:
            calls.append(cls)
            return super().get_irdl_definition()

    assert Derived.get_irdl_definition().name == "test.late"
    assert calls == [Derived]


@pytest.mark.parametrize("define", [define_when_used, irdl_op_definition])
def test_an_op_derived_from_one_that_is_defined_already(
    define: Callable[[type[IRDLOperation]], type[IRDLOperation]],
):
    class Base(Copied):
        name = "test.base"

        def verify_(self) -> None:
            raise CheckedError

    define(Base)

    class Derived(Base):
        name = "test.derived"
        source = operand_def(i1)
        result = result_def(i32)
        label = opt_prop_def(StringAttr)
        assembly_format = None

    define(Derived)
    assert wrong(Derived).name == "test.derived"
    assert not is_pending(Base)
    assert Base.get_irdl_definition().name == "test.base"
    # The verifier of an op that one is derived from checks the definition of that op, too.
    with pytest.raises(VerifyException, match="operand 'source'"):
        wrong(Derived).verify_()


def test_a_decorator_that_changes_what_is_defined():
    calls: list[str] = []

    def finish(op: type[IRDLOperation]) -> None:
        calls.append(op.get_irdl_definition().name)
        op.verify_ = lambda self: calls.append("verified")

    class Late(Copied):
        name = "test.late"

    define_when_used(Late, finish)
    assert calls == []
    wrong(Late).verify_()
    assert calls == ["test.late", "verified"]

    class Early(Copied):
        name = "test.early"

    define_op(Early, finish)
    assert calls == ["test.late", "verified", "test.early"]


def test_what_is_put_there_before_the_op_is_used_stays():
    late = new_op()
    late.verify_ = lambda self: None
    made = wrong(late)
    assert not is_pending(late)
    made.verify_()


def test_a_wrong_definition_is_wrong_every_time():
    @define_when_used
    class Wrong(IRDLOperation):
        name = "test.wrong"
        field = 3

    for _ in range(2):
        with pytest.raises(PyRDLOpDefinitionError, match=r"Wrong\.field is neither"):
            Wrong.create()


DUMP = """
import json, re, sys
if sys.argv[1] == "lazy":
    from tileiras_xdsl.compiler import cold_start
    cold_start.prepare()
from xdsl.irdl import IRDLOperation
from tileiras_xdsl.universe import DIALECTS, REPLACED_DIALECTS, TILEIRAS_UNIVERSE
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import VerifyException

pending, ops = 0, {}
for name in (*DIALECTS, *REPLACED_DIALECTS, "builtin", "cf", "func", "math", "memref", "scf"):
    universe = TILEIRAS_UNIVERSE if name in DIALECTS else XDSL_UNIVERSE
    for op in universe.all_dialects[name]().operations:
        if not issubclass(op, IRDLOperation) or op.name == "builtin.unregistered":
            continue
        pending += "__pending_definition__" in vars(op)
        made = op.create()
        try:
            made.verify_()
            found = "verifies"
        except Exception as error:
            found = f"{type(error).__name__} {error}"
        definition = op.get_irdl_definition()
        parts = ("operands", "results", "properties", "attributes", "regions", "successors",
                 "options", "accessor_names")
        ops[f"{name} {op.name}"] = (
            [re.sub(" at 0x[0-9a-f]+", "", repr(getattr(definition, part))) for part in parts],
            sorted(trait.__class__.__name__ for trait in op.traits),
            sorted(set(vars(op)) - {"__static_attributes__", "__firstlineno__"}),
            op.parse.__func__.__qualname__,
            op.print.__qualname__,
            op.verify_.__qualname__,
            found,
        )
print(json.dumps([pending, ops]))
"""


def test_all_ops_are_the_same():
    _, eager = json.loads(python("-c", DUMP, "eager").out)
    pending, lazy = json.loads(python("-c", DUMP, "lazy").out)
    assert len(eager) > 700
    assert pending > 0.9 * len(eager)
    assert lazy.keys() == eager.keys()
    for name, expected in eager.items():
        assert lazy[name] == expected, name


ATTRIBUTES = """
import json, re, sys
if sys.argv[1] == "lazy":
    from tileiras_xdsl.compiler import cold_start
    cold_start.prepare()
from xdsl.ir import ParametrizedAttribute, TypedAttribute
from tileiras_xdsl.universe import DIALECTS, REPLACED_DIALECTS, TILEIRAS_UNIVERSE
from xdsl.universe import XDSL_UNIVERSE

found = {}
for name in (*DIALECTS, *REPLACED_DIALECTS, "builtin", "func", "memref"):
    universe = TILEIRAS_UNIVERSE if name in DIALECTS else XDSL_UNIVERSE
    for attribute in universe.all_dialects[name]().attributes:
        if issubclass(attribute, ParametrizedAttribute):
            found[f"{name} {attribute.name}"] = (
                re.sub(" at 0x[0-9a-f]+", "", repr(attribute.get_irdl_definition())),
                attribute.get_type_index() if issubclass(attribute, TypedAttribute) else None,
                sorted(set(vars(attribute)) - {"__static_attributes__", "__firstlineno__"}),
                attribute.__match_args__,
            )
print(json.dumps(found))
"""


@pytest.mark.long
def test_all_attributes_are_the_same():
    eager, lazy = (json.loads(python("-c", ATTRIBUTES, mode).out) for mode in ("eager", "lazy"))
    assert len(eager) > 60
    assert lazy == eager


def test_a_wrong_attribute_is_wrong_every_time():
    @define_attribute_when_used
    class WrongAttr(ParametrizedAttribute):
        name = "test.wrong"
        field: int

    for _ in range(2):
        with pytest.raises(PyRDLAttrDefinitionError, match="Invalid field type"):
            WrongAttr(StringAttr("x"))
