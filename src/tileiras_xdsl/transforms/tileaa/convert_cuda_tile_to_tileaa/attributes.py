"""
What becomes of `cuda_tile` attributes. Modes become plain words, and those that say what
holds anyway are left out; nothing else is dropped.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from tileiras_xdsl.dialects.cuda_tile import attributes as cuda_tile
from tileiras_xdsl.dialects.cuda_tile.enums import (
    AtomicMode,
    CodedEnumAttr,
    MemoryOrdering,
    MemoryScope,
    NamedInt,
    Rounding,
    RoundingAttr,
)
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    BoundedAttr,
    DivByAttr,
    KernelSpecAttr,
    SameElementsAttr,
)
from tileiras_xdsl.targets.capability import ComputeCapability
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError

NAMED_INTS: dict[str, tuple[str, type[NamedInt]]] = {
    "memory_ordering_semantics": ("mem_semantic", MemoryOrdering),
    "memory_scope": ("mem_scope", MemoryScope),
    "mode": ("rmw_mode", AtomicMode),
}
"""Attributes that are numbers there and words here, with their new names."""

RENAMED = {"inbounds": "in_bounds", "symbol_visibility": "sym_visibility"}

DEFAULT_ROUNDING = RoundingAttr(Rounding.NEAREST_EVEN)


def convert_properties(op: Operation) -> dict[str, Attribute]:
    """
    The properties of an op under their new names, without those that are defaults. They are in
    the order of their definitions, so that text and bytecode give the same.
    """
    definitions = cast("type[IRDLOperation]", type(op)).get_irdl_definition().properties
    converted: dict[str, Attribute] = {}
    for name, definition in definitions.items():
        attribute = op.properties.get(name)
        default: Attribute | None = getattr(definition, "default_value", None)
        if name == "rounding_mode" and default is None:
            default = DEFAULT_ROUNDING
        if attribute is None or attribute == default:
            continue
        new_name, new = convert_property(name, attribute)
        if new is not None:
            converted[new_name] = new
    return converted


def convert_property(name: str, attribute: Attribute) -> tuple[str, Attribute | None]:
    """The new name and value of a property; `None` for a weak memory order."""
    if name in NAMED_INTS:
        new_name, names = NAMED_INTS[name]
        assert isinstance(attribute, IntegerAttr)
        word = names(attribute.value.data).keyword
        return new_name, None if word == "weak" else StringAttr(word)
    name = RENAMED.get(name, name)
    if isinstance(attribute, CodedEnumAttr):
        return name, StringAttr(attribute.data.value)
    if isinstance(attribute, cuda_tile.OptimizationHintsAttr):
        return name, convert_hints(attribute)
    return name, attribute


def convert_hints(hints: cuda_tile.OptimizationHintsAttr) -> DictionaryAttr:
    """
    Hints as a dictionary, `{sm_90 = {latency = 3 : i64}}`: sorted, and with i64 for the numbers
    whose type no public text shows.
    """
    return _convert_hint_values(hints.value)


def _convert_hint_values(values: DictionaryAttr) -> DictionaryAttr:
    converted: dict[str, Attribute] = {}
    for key, value in sorted(values.data.items()):
        if isinstance(value, DictionaryAttr):
            value = _convert_hint_values(value)
        elif isinstance(value, IntegerAttr) and value.type != i1:
            value = IntegerAttr(value.value.data, i64)
        converted[key] = value
    return DictionaryAttr(converted)


def convert_predicate(predicate: Attribute) -> Attribute:
    """The predicate of an `assume`."""
    match predicate:
        case cuda_tile.DivByAttr():
            return DivByAttr(predicate.data)
        case cuda_tile.BoundedAttr():
            return BoundedAttr(predicate.data)
        case cuda_tile.SameElementsAttr():
            return SameElementsAttr(predicate.data)
        case _:
            raise ConversionError(f"has an unknown predicate {predicate}")


def make_kernel_spec(hints: Attribute | None, capability: ComputeCapability) -> KernelSpecAttr:
    """What the hints of an entry say for an architecture."""
    if not isinstance(hints, cuda_tile.OptimizationHintsAttr):
        return KernelSpecAttr()

    def lookup(key: str) -> int | None:
        value = hints.lookup(capability.base_name, key)
        return value.value.data if isinstance(value, IntegerAttr) else None

    return KernelSpecAttr(
        lookup("num_cta_in_cga"), lookup("occupancy"), lookup("num_worker_warps_per_cta")
    )
