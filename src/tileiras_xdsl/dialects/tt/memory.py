"""Ops of `tt` that access memory: through pointers, by atomics, and through descriptors."""

from __future__ import annotations

from abc import ABC
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    BaseAttr,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import (
    SEMANTICS,
    AccessOrder,
    Effect,
    Reads,
    Updates,
    Writes,
)

from .base import IN_DICT, TritonOperation, ViewLike
from .types import (
    PtrType,
    TensorDescType,
    block_of,
    element_of,
    is_integer,
    mask_of,
    pointee_of,
    shape_of,
)
from .words import (
    AdvanceTypes,
    BlockTypes,
    CacheModifier,
    CachePolicyAttr,
    DescriptorReduceKind,
    EvictionPolicy,
    LoadTypes,
    MemSemantic,
    MemSyncScope,
    PaddingOption,
    RMWOp,
    ShortTypes,
    StoreTypes,
    WordCache,
    WordEvict,
    WordKind,
    WordRMWOp,
    WordScope,
    WordSem,
    find_word,
    make_word,
)

SEGMENTS = AttrSizedOperandSegments(as_property=True)


@diagnosed_op
class AddPtrOp(TritonOperation):
    """Pointers, moved by signed numbers of pointees."""

    name = "tt.addptr"

    T: ClassVar = VarConstraint("T", AnyAttr())
    ptr = operand_def(T)
    offset = operand_def()
    result = result_def(T)

    traits = traits_def(ViewLike(), Pure())
    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def verify_(self) -> None:
        pointee_of(self.ptr.type)
        self.verify_shape("the offsets", self.offset.type, shape_of(self.ptr.type))
        if not is_integer(self.offset.type):
            self.fail(f"expects offsets to be integers, but got '{self.offset.type}'")


class TritonOrder(AccessOrder, ABC):
    """An access, with the order that its `sem` and `isVolatile` ask for."""

    @classmethod
    def get_order(cls, op: Operation) -> Effect:
        order = cls.ACCESS
        if (sem := op.properties.get("sem")) is not None:
            order |= SEMANTICS[find_word(sem, MemSemantic, "sem").keyword]
        if op.properties.get("isVolatile") == BoolAttr.from_bool(True):
            order |= Effect.ATOMIC
        return order


class TritonReads(TritonOrder, Reads):
    """A load."""


class TritonWrites(TritonOrder, Writes):
    """A store."""


class TritonUpdates(TritonOrder, Updates):
    """An atomic that reads and writes in one step."""


class AccessOperation(TritonOperation):
    """An access to what the first operand points to, and its checks."""

    def verify_mask(self, ptr: SSAValue, mask: SSAValue | None) -> None:
        """Checks the mask of an access."""
        if mask is not None:
            self.verify_type("a mask", mask.type, mask_of(ptr.type))

    def verify_words(self) -> None:
        """Checks the attributes that are words."""
        for name, words in WORDS.items():
            if (attribute := self.properties.get(name)) is not None:
                find_word(attribute, words, name)


WORDS = {
    "cache": CacheModifier,
    "evict": EvictionPolicy,
    "padding": PaddingOption,
    "sem": MemSemantic,
    "scope": MemSyncScope,
    "atomic_rmw_op": RMWOp,
    "kind": DescriptorReduceKind,
}
"""The attributes of accesses that are words."""

NO_CACHE = make_word(CacheModifier.NONE)
NORMAL_EVICTION = make_word(EvictionPolicy.EVICT_NORMAL)


@diagnosed_op
class LoadOp(AccessOperation):
    """Loads where the mask is true, and takes `other` where it is not; that may be undefined."""

    name = "tt.load"

    ptr = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    boundary_check = prop_def(
        DenseArrayBase,
        prop_name="boundaryCheck",
        default_value=DenseArrayBase.from_list(i32, ()),
    )
    padding = opt_prop_def(IntegerAttr)
    cache = prop_def(IntegerAttr, default_value=NO_CACHE)
    evict = prop_def(IntegerAttr, default_value=NORMAL_EVICTION)
    is_volatile = prop_def(
        BoolAttr, prop_name="isVolatile", default_value=BoolAttr.from_bool(False)
    )
    cache_policy = opt_prop_def(CachePolicyAttr, prop_name="cachePolicy")
    result = result_def()

    irdl_options = (IN_DICT, SEGMENTS)
    traits = traits_def(TritonReads())
    custom_directives = (WordCache, WordEvict, LoadTypes)
    assembly_format = (
        "$ptr (`,` $mask^)? (`,` $other^)? custom<WordCacheModifier>($cache) "
        "custom<WordEvictionPolicy>($evict) attr-dict `:` "
        "custom<LoadTypes>(type($ptr), type($mask), type($other), type($result))"
    )

    def verify_(self) -> None:
        self.verify_words()
        self.verify_type("a result", self.result.type, pointee_of(self.ptr.type))
        self.verify_mask(self.ptr, self.mask)
        if self.other is not None:
            self.verify_type("other values", self.other.type, self.result.type)
            if self.mask is None:
                self.fail("has other values, but no mask")


@diagnosed_op
class StoreOp(AccessOperation):
    """Stores where the mask is true."""

    name = "tt.store"

    ptr = operand_def()
    value = operand_def()
    mask = opt_operand_def()
    boundary_check = prop_def(
        DenseArrayBase,
        prop_name="boundaryCheck",
        default_value=DenseArrayBase.from_list(i32, ()),
    )
    cache = prop_def(IntegerAttr, default_value=NO_CACHE)
    evict = prop_def(IntegerAttr, default_value=NORMAL_EVICTION)
    cache_policy = opt_prop_def(CachePolicyAttr, prop_name="cachePolicy")

    irdl_options = (IN_DICT,)
    traits = traits_def(TritonWrites())
    custom_directives = (WordCache, WordEvict, StoreTypes)
    assembly_format = (
        "$ptr `,` $value (`,` $mask^)? custom<WordCacheModifier>($cache) "
        "custom<WordEvictionPolicy>($evict) attr-dict `:` "
        "custom<StoreTypes>(type($ptr), type($value), type($mask))"
    )

    def verify_(self) -> None:
        self.verify_words()
        self.verify_type("values", self.value.type, pointee_of(self.ptr.type))
        self.verify_mask(self.ptr, self.mask)


class AtomicOperation(AccessOperation):
    """An access that other programs see as one, and are ordered with."""

    sem = prop_def(IntegerAttr)
    scope = prop_def(IntegerAttr)

    def verify_(self) -> None:
        self.verify_words()
        ptr, *values = self.operands
        expected = pointee_of(ptr.type)
        for value in (*values, *self.results):
            if value.type not in (expected, mask_of(ptr.type)):
                self.verify_type("values", value.type, expected)


@diagnosed_op
class AtomicRMWOp(AtomicOperation):
    """Combines a value with memory; yields what was there."""

    name = "tt.atomic_rmw"

    ptr = operand_def()
    val = operand_def()
    mask = opt_operand_def()
    atomic_rmw_op = prop_def(IntegerAttr)
    result = result_def()

    traits = traits_def(TritonUpdates())
    custom_directives = (WordRMWOp, WordSem, WordScope)
    assembly_format = (
        "custom<WordRMWOp>($atomic_rmw_op) `,` custom<WordMemSemantic>($sem) `,` "
        "custom<WordMemSyncScope>($scope) `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` "
        "functional-type(operands, results)"
    )


@diagnosed_op
class AtomicCASOp(AtomicOperation):
    """Stores a value where memory equals another; yields what was there."""

    name = "tt.atomic_cas"

    ptr = operand_def()
    cmp = operand_def()
    val = operand_def()
    result = result_def()

    traits = traits_def(TritonUpdates())
    custom_directives = (WordSem, WordScope)
    assembly_format = (
        "custom<WordMemSemantic>($sem) `,` custom<WordMemSyncScope>($scope) `,` $ptr `,` $cmp `,` "
        "$val attr-dict `:` functional-type(operands, results)"
    )


@diagnosed_op
class AtomicLoadOp(AtomicOperation):
    """A load that is ordered with other programs (Triton 3.9)."""

    name = "tt.atomic_load"

    ptr = operand_def()
    mask = opt_operand_def()
    result = result_def()

    traits = traits_def(TritonReads())
    custom_directives = (WordSem, WordScope)
    assembly_format = (
        "custom<WordMemSemantic>($sem) `,` custom<WordMemSyncScope>($scope) `,` $ptr (`,` $mask^)? "
        "attr-dict `:` functional-type(operands, results)"
    )


@diagnosed_op
class AtomicStoreOp(AtomicOperation):
    """A store that is ordered with other programs (Triton 3.9)."""

    name = "tt.atomic_store"

    ptr = operand_def()
    value = operand_def()
    mask = opt_operand_def()

    traits = traits_def(TritonWrites())
    custom_directives = (WordSem, WordScope, StoreTypes)
    assembly_format = (
        "custom<WordMemSemantic>($sem) `,` custom<WordMemSyncScope>($scope) `,` $ptr `,` $value "
        "(`,` $mask^)? attr-dict `:` custom<StoreTypes>(type($ptr), type($value), type($mask))"
    )


# Tensor descriptors, and the pointers to blocks that they replaced.


@diagnosed_op
class MakeTensorPtrOp(TritonOperation):
    """A pointer to a block of a tensor (Triton up to 3.8)."""

    name = "tt.make_tensor_ptr"

    base = operand_def(PtrType)
    shape = var_operand_def()
    strides = var_operand_def()
    offsets = var_operand_def()
    order = prop_def(DenseArrayBase)
    result = result_def(PtrType)

    irdl_options = (IN_DICT, SEGMENTS)
    traits = traits_def(ViewLike(), Pure())
    custom_directives = (BlockTypes,)
    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` "
        "custom<BlockTypes>(type($result), type($base), type($shape), type($strides), "
        "type($offsets))"
    )

    def verify_(self) -> None:
        block = pointee_of(self.result.type)
        if element_of(block) != pointee_of(self.base.type) or not shape_of(block):
            self.fail(f"cannot make '{self.result.type}' of '{self.base.type}'")
        if {len(self.shape), len(self.strides), len(self.offsets)} != {len(shape_of(block))}:
            self.fail("expects a size, a stride and an offset for each dimension")


@diagnosed_op
class AdvanceOp(TritonOperation):
    """A pointer to another block (Triton up to 3.8)."""

    name = "tt.advance"

    T: ClassVar = VarConstraint("T", BaseAttr(PtrType))
    ptr = operand_def(T)
    offsets = var_operand_def(i32)
    result = result_def(T)

    traits = traits_def(ViewLike(), Pure())
    custom_directives = (AdvanceTypes,)
    assembly_format = (
        "$ptr `,` `[` $offsets `]` attr-dict `:` custom<AdvanceTypes>(type($result), type($ptr))"
    )


@diagnosed_op
class MakeTensorDescriptorOp(TritonOperation):
    """A tensor in memory; its last dimension lies without gaps."""

    name = "tt.make_tensor_descriptor"

    base = operand_def(PtrType)
    shape = var_operand_def(i32)
    strides = var_operand_def(i64)
    padding = prop_def(IntegerAttr, default_value=make_word(PaddingOption.PAD_ZERO))
    result = result_def(TensorDescType)

    irdl_options = (IN_DICT, SEGMENTS)
    traits = traits_def(ViewLike(), Pure())
    custom_directives = (ShortTypes,)
    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` "
        "custom<ShortTypes>(type($base), type($result))"
    )

    def verify_(self) -> None:
        find_word(self.padding, PaddingOption, "padding")
        rank = len(block_of(self.result).get_shape())
        if len(self.shape) != rank or len(self.strides) != rank:
            self.fail(f"expects {rank} sizes and strides")


class DescriptorOperation(AccessOperation):
    """An access to a block of a tensor."""

    def verify_block(self, desc: SSAValue, block: Attribute, indices: int) -> None:
        """Checks the block that is loaded or stored; extents of one may be left out."""
        expected = block_of(desc)
        self.verify_element("the block", block, expected.get_element_type())
        if prod(shape_of(block)) != prod(expected.get_shape()):
            self.fail(f"expects a block like '{expected}', but got '{block}'")
        if indices != len(expected.get_shape()):
            self.fail(f"expects {len(expected.get_shape())} indices, but got {indices}")


@diagnosed_op
class DescriptorLoadOp(DescriptorOperation):
    """Loads the block at an offset; elements outside of the tensor are its padding."""

    name = "tt.descriptor_load"

    desc = operand_def(TensorDescType)
    indices = var_operand_def(i32)
    cache = prop_def(IntegerAttr, default_value=NO_CACHE)
    evict = prop_def(IntegerAttr, default_value=NORMAL_EVICTION)
    cache_policy = opt_prop_def(CachePolicyAttr, prop_name="cachePolicy")
    result = result_def()

    irdl_options = (IN_DICT,)
    traits = traits_def(TritonReads())
    custom_directives = (WordCache, WordEvict)
    assembly_format = (
        "$desc `` `[` $indices `]` custom<WordCacheModifier>($cache) "
        "custom<WordEvictionPolicy>($evict) attr-dict `:` type($desc) `->` type($result)"
    )

    def verify_(self) -> None:
        self.verify_words()
        self.verify_block(self.desc, self.result.type, len(self.indices))


@diagnosed_op
class DescriptorStoreOp(DescriptorOperation):
    """Stores the block at an offset; elements outside of the tensor are dropped."""

    name = "tt.descriptor_store"

    desc = operand_def(TensorDescType)
    src = operand_def()
    indices = var_operand_def(i32)

    traits = traits_def(TritonWrites())
    assembly_format = "$desc `` `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"

    def verify_(self) -> None:
        self.verify_block(self.desc, self.src.type, len(self.indices))


@diagnosed_op
class DescriptorReduceOp(DescriptorOperation):
    """Combines a block with that of a tensor, each element by an atomic."""

    name = "tt.descriptor_reduce"

    desc = operand_def(TensorDescType)
    src = operand_def()
    indices = var_operand_def(i32)
    kind = prop_def(IntegerAttr)

    traits = traits_def(TritonUpdates())
    custom_directives = (WordKind,)
    assembly_format = (
        "custom<WordDescriptorReduceKind>($kind) `,` $desc `` `[` $indices `]` `,` $src attr-dict "
        "`:` type($desc) `,` type($src)"
    )

    def verify_(self) -> None:
        self.verify_words()
        self.verify_block(self.desc, self.src.type, len(self.indices))


class RowsOperation(AccessOperation):
    """An access to rows of a tensor."""

    def verify_rows(self, desc: SSAValue, offsets: SSAValue, block: Attribute) -> None:
        """Checks the rows that are loaded or stored."""
        expected = block_of(desc)
        if tuple(expected.get_shape()[:-1]) != (1,):
            self.fail(f"expects a descriptor of single rows, but got '{desc.type}'")
        columns = expected.get_shape()[-1]
        self.verify_shape("the block", block, (*shape_of(offsets.type), columns))
        self.verify_element("the block", block, expected.get_element_type())


@diagnosed_op
class DescriptorGatherOp(RowsOperation):
    """Loads some rows of a tensor, from a column on."""

    name = "tt.descriptor_gather"

    desc = operand_def(TensorDescType)
    x_offsets = operand_def()
    y_offset = operand_def(i32)
    result = result_def()

    traits = traits_def(TritonReads())
    assembly_format = (
        "$desc `` `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        self.verify_rows(self.desc, self.x_offsets, self.result.type)


@diagnosed_op
class DescriptorScatterOp(RowsOperation):
    """Stores some rows of a tensor, from a column on."""

    name = "tt.descriptor_scatter"

    desc = operand_def(TensorDescType)
    x_offsets = operand_def()
    y_offset = operand_def(i32)
    src = operand_def()

    traits = traits_def(TritonWrites())
    assembly_format = (
        "$desc `` `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)"
    )

    def verify_(self) -> None:
        self.verify_rows(self.desc, self.x_offsets, self.src.type)
