"""
What becomes of `cuda_tile` types:

    tile<8x64xf32>          tensor<8x64xf32>
    tile<f32>               f32
    tile<8xptr<f32>>        tensor<8x!llvm.ptr<1>>
    token                   !nv_tileaa.mem_token
    tensor_view<…>          !nv_tileaa.memref<…>
    partition_view<…>       !nv_tileaa.tiled_view<…>, as the other views
    string                  nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
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
from tileiras_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    StringType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
)
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    BoundedAttr,
    DivByAttr,
    KernelSpecAttr,
    SameElementsAttr,
)
from tileiras_xdsl.dialects.nv_tileaa.types import (
    GLOBAL_SPACE,
    MEM_TOKEN,
    MemRefType,
    TiledViewType,
)
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
    TypeConversions,
)

POINTER = LLVMPointerType(IntAttr(GLOBAL_SPACE))


def convert_element(element: Attribute) -> Attribute:
    """The element of a tensor: numbers stay, pointers lose their pointee."""
    return POINTER if isinstance(element, PtrType) else element


def convert_tile(ty: TileType) -> Attribute:
    """A tensor, or a scalar for rank 0."""
    element = convert_element(ty.element_type)
    return TensorType(element, ty.get_shape()) if ty.rank else element


def convert_tensor_view(ty: TensorViewType) -> MemRefType:
    """Where a tensor lies."""
    return MemRefType(ty.element_type, ty.shape.data, ty.strides.data)


def convert_tile_view(ty: TileViewType) -> TiledViewType:
    """How a tensor is cut."""
    steps, sparse_dim = None, None
    if isinstance(ty, StridedViewType):
        steps = ty.get_traversal_strides()
    elif isinstance(ty, GatherScatterViewType):
        # Where rows are given one by one, the other indices count elements too.
        steps, sparse_dim = (1,) * ty.rank, ty.sparse_dim
    return TiledViewType(
        ty.get_tile_shape(),
        convert_tensor_view(ty.tensor_view),
        ty.get_dim_map(),
        steps,
        None if ty.padding is None else ty.padding.value,
        sparse_dim,
    )


CONVERSIONS: Final[TypeConversions] = {
    TileType: convert_tile,
    PtrType: lambda _: POINTER,
    TokenType: lambda _: MEM_TOKEN,
    TensorViewType: convert_tensor_view,
    PartitionViewType: convert_tile_view,
    StridedViewType: convert_tile_view,
    GatherScatterViewType: convert_tile_view,
    StringType: lambda _: None,
}
"""What becomes of all types of the dialect."""


def get_pointee(ty: Attribute) -> Attribute:
    """The pointee of a tile of pointers."""
    assert isinstance(ty, TileType)
    assert isinstance(ty.element_type, PtrType)
    return ty.element_type.pointee


# What becomes of `cuda_tile` attributes. Modes become plain words, and those that say what
# holds anyway are left out; nothing else is dropped.

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
        return name, convert_hints(attribute.value)
    return name, attribute


def convert_hints(values: DictionaryAttr) -> DictionaryAttr:
    """
    Hints as a dictionary, `{sm_90 = {latency = 3 : i64}}`: sorted, and with i64 for the numbers
    whose type no public text shows.
    """
    converted: dict[str, Attribute] = {}
    for key, value in sorted(values.data.items()):
        if isinstance(value, DictionaryAttr):
            value = convert_hints(value)
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


# The default shape of a rewrite: the same op under another name, with converted types.

OWN: Final = "cuda_tile."
"""What the names of attributes begin with that only ops of `cuda_tile` can have."""


def carry_attributes(source: Operation, target: Operation) -> None:
    """
    Copies the discardable attributes, `fastmath` among them, but not those that `cuda_tile` has
    for its own ops (`dialects/cuda_tile/decisions.py`).
    """
    for name, attribute in source.attributes.items():
        if not name.startswith(OWN):
            target.attributes[name] = attribute


@dataclass(frozen=True)
class OneToOne(ConversionPattern[Operation]):
    """
    %r = cuda_tile.addi %a, %b overflow<no_signed_wrap> : tile<8xi32>
    →
    %r = nv_tileaa.addi %a, %b {overflow = "no_signed_wrap"} : tensor<8xi32>
    """

    op_class: type[Operation]

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, self.build(op, rewriter))

    def build(self, op: Operation, rewriter: ConversionRewriter) -> Operation:
        """The new op."""
        return self.op_class.create(
            operands=rewriter.values(op.operands),
            result_types=rewriter.types(op.result_types),
            properties=convert_properties(op),
            attributes=dict(op.attributes),
        )


@dataclass(frozen=True)
class ByFunction(ConversionPattern[Operation]):
    """What a function makes of an op: another one, which keeps the attributes, or a value."""

    build: Callable[..., Operation | SSAValue]

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = self.build(op, rewriter)
        if isinstance(new, Operation):
            carry_attributes(op, new)
        rewriter.replace(op, new)


def add_same_names(patterns: PatternSet, ops: Iterable[type[Operation]]) -> None:
    """Adds patterns for ops that keep their name in the other dialect."""
    new = {op.name.partition(".")[2]: op for op in NvTileaa.operations}
    for op in ops:
        patterns.add(op, OneToOne(new[op.name.partition(".")[2]]))
