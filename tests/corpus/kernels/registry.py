"""The list of corpus kernels and the helpers that describe their signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
)

Const = ct.Constant[int]
"""Annotation of an integer parameter that is fixed at export time."""

FLOATS = (ct.float16, ct.bfloat16, ct.float32, ct.float64)
SIGNED = (ct.int8, ct.int16, ct.int32, ct.int64)
UNSIGNED = (ct.uint8, ct.uint16, ct.uint32, ct.uint64)

SHORT_NAMES = {
    ct.bool_: "bool",
    ct.int8: "i8",
    ct.int16: "i16",
    ct.int32: "i32",
    ct.int64: "i64",
    ct.uint8: "u8",
    ct.uint16: "u16",
    ct.uint32: "u32",
    ct.uint64: "u64",
    ct.float16: "f16",
    ct.bfloat16: "bf16",
    ct.float32: "f32",
    ct.float64: "f64",
    ct.tfloat32: "tf32",
    ct.float8_e4m3fn: "e4m3",
    ct.float8_e5m2: "e5m2",
    ct.float8_e8m0fnu: "e8m0",
    ct.float8_e5m3fnu: "e5m3",
    ct.float4_e2m1fn: "e2m1",
}


@dataclass(frozen=True)
class CorpusKernel:
    """One kernel with everything needed to export it."""

    name: str
    """Name of the exported files and, unless `mangled`, of the entry."""
    kernel: ct.kernel
    signatures: tuple[KernelSignature, ...]
    """One entry of the module per signature."""
    since: str
    """First bytecode version that can express the kernel."""
    gpu_code: str
    """Target named in the files of 13.1 and 13.2, which cannot be target independent."""
    debug: bool
    """Whether a second copy with source locations is exported."""
    rejected: bool
    """Whether the front end writes a file that NVIDIA's own reader rejects."""


KERNELS: list[CorpusKernel] = []


def corpus(
    *parameters: Any,
    name: str | None = None,
    since: str = "13.1",
    gpu_code: str = "sm_90",
    debug: bool = False,
    rejected: bool = False,
    mangled: bool = False,
    more_signatures: Sequence[Sequence[Any]] = (),
    **hints: Any,
) -> Callable[[FunctionType], FunctionType]:
    """
    Register a function as a kernel with the given parameter constraints.

    The function is returned unchanged, so the decorator can be stacked to export several
    instances of one kernel. `hints` are passed on to `cuda.tile.kernel`.
    """

    def register(function: FunctionType) -> FunctionType:
        entry = name or function.__name__
        signatures = tuple(
            KernelSignature(
                signature,
                CallingConvention.cutile_python_v2(),
                None if mangled else entry,
            )
            for signature in (parameters, *more_signatures)
        )
        kernel = ct.kernel(function, **hints)
        KERNELS.append(CorpusKernel(entry, kernel, signatures, since, gpu_code, debug, rejected))
        return function

    return register


def corpus_for(
    dtypes: Iterable[ct.DType],
    parameters: Callable[[ct.DType], Sequence[Any]],
    **options: Any,
) -> Callable[[FunctionType], FunctionType]:
    """Register one instance per element type, named `<function>_<type>`."""

    def register(function: FunctionType) -> FunctionType:
        for dtype in dtypes:
            name = f"{function.__name__}_{SHORT_NAMES[dtype]}"
            corpus(*parameters(dtype), name=name, **options)(function)
        return function

    return register


def array(
    dtype: ct.DType,
    ndim: int = 1,
    *,
    index_dtype: ct.DType = ct.int32,
    shape: Sequence[int | None] | None = None,
    strides: Sequence[int | None] | None = None,
    shape_divisible_by: Sequence[int] | int = 1,
    stride_divisible_by: Sequence[int] | int = 1,
    align: int = 16,
    alias_groups: Sequence[str] = (),
    overlapping: bool = False,
) -> ArrayConstraint:
    """An array parameter; row major with a contiguous last dimension unless `strides` is given."""
    if strides is None and ndim > 0:
        strides = (*[None] * (ndim - 1), 1)
    return ArrayConstraint(
        dtype,
        ndim,
        index_dtype=index_dtype,
        stride_lower_bound_incl=0,
        alias_groups=alias_groups,
        may_alias_internally=overlapping,
        stride_constant=strides,
        shape_constant=shape,
        shape_divisible_by=shape_divisible_by,
        stride_divisible_by=stride_divisible_by,
        base_addr_divisible_by=align,
    )


def strided(dtype: ct.DType, ndim: int = 1, **options: Any) -> ArrayConstraint:
    """An array parameter about whose layout nothing is known."""
    return array(dtype, ndim, strides=[None] * ndim, align=dtype.bitwidth // 8, **options)


def scalar(dtype: ct.DType) -> ScalarConstraint:
    """A scalar parameter."""
    return ScalarConstraint(dtype)


def array_list(element: ArrayConstraint) -> ListConstraint:
    """A parameter that is a list of arrays."""
    return ListConstraint(element, alias_groups=(), elements_may_alias=False)
