"""
How every op is written: opcode, op class and layout of its record, one line each, shared by
reader and writer. `fields.py` explains the layouts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import tileiras_xdsl.dialects.cuda_tile as ct

from .fields import Field, Flags, parse_layout
from .primitives import VERSIONS, Version, parse_version

HIGHEST_OPCODE: dict[Version, int] = dict(zip(VERSIONS, (0x6D, 0x6E, 0x75, 0x7A), strict=True))

_UNARY = "T v:source"
_BINARY = "T v:lhs v:rhs"
_ROUNDED = "T F{flush_to_zero} e:rounding_mode v:lhs v:rhs"
_OVERFLOW = "T e:overflow v:lhs v:rhs"
_SIGNED = "T e:signedness v:lhs v:rhs"
_EXTREMUM = "T F{propagate_nan, flush_to_zero} v:lhs v:rhs"
_TERMINATOR = "#T #v(arguments)"

ENCODINGS: tuple[tuple[int, type[ct.CudaTileOperation], str], ...] = (
    (0x00, ct.AbsFOp, _UNARY),
    (0x01, ct.AbsIOp, _UNARY),
    (0x02, ct.AddFOp, _ROUNDED),
    (0x03, ct.AddIOp, _OVERFLOW),
    (0x04, ct.AndIOp, _BINARY),
    (0x05, ct.AssertOp, "s:message v:condition"),
    (0x06, ct.AssumeOp, "T A:predicate v:value"),
    (
        0x07,
        ct.AtomicCASOp,
        "T T F{mask, token} e:memory_ordering_semantics e:memory_scope "
        "v:pointers v:cmp v:val ?v:mask ?v:token",
    ),
    (
        0x08,
        ct.AtomicRMWOp,
        "T T F{mask, token} e:memory_ordering_semantics e:memory_scope e:mode "
        "v:pointers v:arg ?v:mask ?v:token",
    ),
    (0x09, ct.BitcastOp, _UNARY),
    (0x0A, ct.BreakOp, _TERMINATOR),
    (0x0B, ct.BroadcastOp, _UNARY),
    (0x0C, ct.CatOp, "T i64:dim v:lhs v:rhs"),
    (0x0D, ct.CeilOp, _UNARY),
    (0x0E, ct.CmpFOp, "T e:comparison_predicate e:comparison_ordering v:lhs v:rhs"),
    (0x0F, ct.CmpIOp, "T e:comparison_predicate e:signedness v:lhs v:rhs"),
    (0x10, ct.ConstantOp, "T c:value"),
    (0x11, ct.ContinueOp, _TERMINATOR),
    (0x12, ct.CosOp, _UNARY),
    (0x13, ct.CosHOp, _UNARY),
    (0x14, ct.DivFOp, _ROUNDED),
    (0x15, ct.DivIOp, "T e:signedness e:rounding v:lhs v:rhs"),
    (0x17, ct.ExpOp, "T e:rounding_mode@13.3 v:source"),
    (0x18, ct.Exp2Op, "T F{flush_to_zero} v:source"),
    (0x25, ct.ExtIOp, "T e:signedness v:from_"),
    (0x26, ct.ExtractOp, "#T #v(source, indices)"),
    (0x27, ct.FloorOp, _UNARY),
    (0x28, ct.FmaOp, "T F{flush_to_zero} e:rounding_mode v:lhs v:rhs v:acc"),
    (
        0x29,
        ct.ForOp,
        "#T F@13.2{unsignedCmp} #v(lower_bound, upper_bound, step, init_values) R1",
    ),
    (0x2A, ct.FToFOp, "T e:rounding_mode v:from_"),
    (0x2B, ct.FToIOp, "T F@13.4{saturating} e:signedness e:rounding_mode v:from_"),
    (0x2C, ct.GetGlobalOp, "T @:name"),
    (0x2D, ct.GetIndexSpaceShapeOp, "#T v:src"),
    (0x2E, ct.GetNumTileBlocksOp, "T T T"),
    (0x2F, ct.GetTensorShapeOp, "#T v:src"),
    (0x30, ct.GetTileBlockIdOp, "T T T"),
    (0x32, ct.IfOp, "#T v:condition R2"),
    (0x33, ct.IntToPtrOp, _UNARY),
    (0x3A, ct.IotaOp, "T"),
    (0x3B, ct.IToFOp, "T e:signedness e:rounding_mode v:from_"),
    (0x3C, ct.JoinTokensOp, "#T #v(tokens)"),
    (
        0x3D,
        ct.LoadPtrOp,
        "T T F{memory_scope, optimization_hints, mask, padding_value, token} "
        "e:memory_ordering_semantics ?e:memory_scope ?h:optimization_hints "
        "v:source ?v:mask ?v:padding_value ?v:token",
    ),
    (
        0x3E,
        ct.LoadViewOp,
        "#T F{memory_scope, optimization_hints, token} e:memory_ordering_semantics "
        "?e:memory_scope ?h:optimization_hints [i1]:inbounds@13.4 v:view #v:index ?v:token",
    ),
    (0x3F, ct.LogOp, _UNARY),
    (0x40, ct.Log2Op, _UNARY),
    (0x41, ct.LoopOp, "#T #v(init_values) R1"),
    (0x42, ct.MakePartitionViewOp, "T v:tensor_view"),
    (0x43, ct.MakeTensorViewOp, "#T v:base #v:dynamic_shape #v:dynamic_strides"),
    (0x44, ct.MakeTokenOp, "T"),
    (0x45, ct.MaxFOp, _EXTREMUM),
    (0x46, ct.MaxIOp, _SIGNED),
    (0x47, ct.MinFOp, _EXTREMUM),
    (0x48, ct.MinIOp, _SIGNED),
    (0x49, ct.MmaFOp, "T F@13.3{fast_acc} v:lhs v:rhs v:acc"),
    (0x4A, ct.MmaIOp, "T e:signedness_lhs e:signedness_rhs v:lhs v:rhs v:acc"),
    (0x4C, ct.MulFOp, _ROUNDED),
    (0x4D, ct.MulhiIOp, "T v:x v:y"),
    (0x4E, ct.MulIOp, _OVERFLOW),
    (0x4F, ct.NegFOp, _UNARY),
    (0x50, ct.NegIOp, "T e:overflow@13.2 v:source"),
    (0x51, ct.OffsetOp, "T v:ptr v:offset"),
    (0x52, ct.OrIOp, _BINARY),
    (0x53, ct.PermuteOp, "T [i32]:permutation v:source"),
    (0x54, ct.PowOp, "T v:source v:exponent"),
    (0x55, ct.PrintTkoOp, "#T F@13.2{token} s:str #v:args ?v:token"),
    (0x56, ct.PtrToIntOp, _UNARY),
    (0x57, ct.PtrToPtrOp, _UNARY),
    (0x58, ct.ReduceOp, "#T i32:dim [A]:identities #v(operands_) R1"),
    (0x59, ct.RemFOp, _BINARY),
    (0x5A, ct.RemIOp, _SIGNED),
    (0x5B, ct.ReshapeOp, _UNARY),
    (0x5C, ct.ReturnOp, _TERMINATOR),
    (0x5D, ct.RsqrtOp, "T F{flush_to_zero} v:source"),
    (0x5E, ct.ScanOp, "#T i32:dim b:reverse [A]:identities #v(operands_) R1"),
    (0x5F, ct.SelectOp, "T v:cond v:val_if_true v:val_if_false"),
    (0x60, ct.ShLIOp, _OVERFLOW),
    (0x61, ct.ShRIOp, _SIGNED),
    (0x62, ct.SinOp, _UNARY),
    (0x63, ct.SinHOp, _UNARY),
    (0x64, ct.SqrtOp, "T F{flush_to_zero} e:rounding_mode v:source"),
    (
        0x65,
        ct.StorePtrOp,
        "T F{memory_scope, optimization_hints, mask, token} e:memory_ordering_semantics "
        "?e:memory_scope ?h:optimization_hints v:destination v:value ?v:mask ?v:token",
    ),
    (
        0x66,
        ct.StoreViewOp,
        "#T F{memory_scope, optimization_hints, token} e:memory_ordering_semantics "
        "?e:memory_scope ?h:optimization_hints [i1]:inbounds@13.4 v:tile v:view #v:index ?v:token",
    ),
    (0x67, ct.SubFOp, _ROUNDED),
    (0x68, ct.SubIOp, _OVERFLOW),
    (0x69, ct.TanOp, _UNARY),
    (0x6A, ct.TanHOp, "T e:rounding_mode@13.2 v:source"),
    (0x6B, ct.TruncIOp, "T e:overflow v:from_"),
    (0x6C, ct.XOrIOp, _BINARY),
    (0x6D, ct.YieldOp, _TERMINATOR),
    (0x6E, ct.Atan2Op, "T v:x v:y"),
    (0x6F, ct.PackOp, _UNARY),
    (0x70, ct.UnpackOp, _UNARY),
    (0x71, ct.AllocaOp, "T F{global} i64:num_elem i64:alignment"),
    (0x72, ct.MmaFScaledOp, "T v:lhs v:rhs v:acc v:lhs_scale v:rhs_scale"),
    (0x73, ct.MakeGatherScatterViewOp, "T v:tensor_view"),
    (0x74, ct.MakeStridedViewOp, "T v:tensor_view"),
    (
        0x75,
        ct.AtomicRedViewOp,
        "#T F{token} e:memory_ordering_semantics e:memory_scope e:mode "
        "v:view #v:index v:value ?v:token",
    ),
    (0x76, ct.InsertOp, "#T #v(source, destination, indices)"),
    (0x77, ct.GdcLaunchDependentsOp, "T #v(token)"),
    (0x78, ct.GdcWaitOp, "T #v(token)"),
    (0x79, ct.FPowIOp, "T v:source v:exponent"),
    (0x7A, ct.MemoryFenceAliasOp, "T v:token"),
)


@dataclass(frozen=True)
class OpEncoding:
    """The encoding of an op in one version. A program has few ops, so parts are made when used."""

    opcode: int
    op_class: type[ct.CudaTileOperation]
    layout: str
    version: Version

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Fields that the version has, in order."""
        return tuple(item for item in parse_layout(self.layout) if item.since <= self.version)

    @cached_property
    def missing(self) -> tuple[Field, ...]:
        """Fields of later versions."""
        return tuple(item for item in parse_layout(self.layout) if item.since > self.version)

    @cached_property
    def known_flags(self) -> int:
        """The bits of flags that mean something."""
        counts = (len(item.names) for item in self.fields if isinstance(item, Flags))
        return (1 << max(counts, default=0)) - 1

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """Operand groups whose sizes are an attribute of the op."""
        definition = self.op_class.get_irdl_definition()
        if not any(
            type(option).__name__ == "AttrSizedOperandSegments" for option in definition.options
        ):
            return ()
        return tuple(name for name, _ in definition.operands)


def _encodings(version: Version) -> Iterator[OpEncoding]:
    for opcode, op_class, layout in ENCODINGS:
        if parse_version(op_class.SINCE) > version:
            continue
        yield OpEncoding(opcode, op_class, layout, version)


@cache
def by_opcode(version: Version) -> dict[int, OpEncoding]:
    """The encodings of a version for the reader."""
    return {encoding.opcode: encoding for encoding in _encodings(version)}


@cache
def by_class(version: Version) -> dict[type, OpEncoding]:
    """The encodings of a version for the writer."""
    return {encoding.op_class: encoding for encoding in _encodings(version)}
