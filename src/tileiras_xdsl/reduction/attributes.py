"""Takes away attributes, hints and locations, and sets enums to their first cases."""

from __future__ import annotations

from functools import partial

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptPropertyDef

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.reduction.edits import Edit, Strategy
from tileiras_xdsl.xdsl_extras.walking import walk

KEPT = ("operandSegmentSizes", "resultSegmentSizes", "sym_name", "function_type")


def _optional(op: Operation) -> list[str]:
    """The properties that an op can do without."""
    if not isinstance(op, IRDLOperation):
        return []
    definitions = type(op).get_irdl_definition().properties
    return [
        name
        for name in op.properties
        if name not in KEPT and isinstance(definitions.get(name), OptPropertyDef)
    ]


def _drop_attribute(op: Operation, name: str) -> None:
    op.attributes.pop(name, None)


def _drop_property(op: Operation, name: str) -> None:
    op.properties.pop(name, None)


def find_attributes(module: ModuleOp) -> list[Edit]:
    """Attributes and optional properties, one by one."""
    edits: list[Edit] = []
    for op in walk(module):
        edits += [partial(_drop_attribute, op, name) for name in op.attributes if name not in KEPT]
        edits += [partial(_drop_property, op, name) for name in _optional(op)]
    return edits


def _simpler(attribute: Attribute) -> list[Attribute]:
    """What an attribute may be set to; simpler ones first."""
    match attribute:
        case CodedEnumAttr():
            kind = type(attribute.data)
            cases = list(kind)
            return [type(attribute)(case) for case in cases[: cases.index(attribute.data)]]
        case ct.OptimizationHintsAttr():
            return _fewer_hints(attribute)
        case _:
            return []


def _fewer_hints(hints: ct.OptimizationHintsAttr) -> list[Attribute]:
    """Without one architecture, or one of its hints."""
    entries = hints.value.data
    fewer: list[dict[str, Attribute]] = []
    for arch, entry in entries.items():
        fewer.append({name: entries[name] for name in entries if name != arch})
        assert isinstance(entry, DictionaryAttr)
        for left_out in entry.data:
            kept = {key: value for key, value in entry.data.items() if key != left_out}
            fewer.append({**entries, arch: DictionaryAttr(kept)})
    return [ct.OptimizationHintsAttr(DictionaryAttr(one)) for one in fewer]


def attribute_size(attribute: Attribute) -> int:
    """How much there is to say about an enum or about hints."""
    match attribute:
        case CodedEnumAttr():
            return list(type(attribute.data)).index(attribute.data)
        case ct.OptimizationHintsAttr():
            entries = attribute.value.data.values()
            return sum(1 + len(one.data) for one in entries if isinstance(one, DictionaryAttr))
        case _:
            return 0


def _set(op: Operation, name: str, value: Attribute) -> None:
    op.properties[name] = value


def find_simpler(module: ModuleOp) -> list[Edit]:
    """Enums set to an earlier case, and one hint less."""
    return [
        partial(_set, op, name, value)
        for op in walk(module)
        for name, attribute in op.properties.items()
        for value in _simpler(attribute)
    ]


def find_locations(module: ModuleOp) -> list[Edit]:
    """All places in files at once."""

    def forget() -> None:
        for op in walk(module):
            op.location = UnknownLoc()

    known = any(not isinstance(op.location, UnknownLoc) for op in walk(module))
    return [forget] if known else []


ATTRIBUTES = Strategy("attributes", find_attributes)
SIMPLER = Strategy("enums and hints", find_simpler)
LOCATIONS = Strategy("locations", find_locations)
