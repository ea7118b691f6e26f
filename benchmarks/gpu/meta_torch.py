# pyright: basic
"""
As much of torch as `cases.py` needs to say what it launches, where torch is not installed: tensors
of the device "meta", which have a shape and strides but no elements. Indices that decide a grid, on
the CPU, are numpy's.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from types import ModuleType
from typing import Any, Final

import numpy as np


@dataclass(frozen=True)
class DType:
    """A type of elements."""

    name: str
    itemsize: int
    is_floating_point: bool = True


DTYPES: Final = {
    each.name: each
    for each in (
        *(DType("float64", 8), DType("float32", 4), DType("float16", 2), DType("bfloat16", 2)),
        *(DType("float8_e4m3fn", 1), DType("float8_e5m2", 1), DType("float8_e8m0fnu", 1)),
        *(DType(f"int{8 * size}", size, is_floating_point=False) for size in (1, 2, 4, 8)),
        *(DType("uint8", 1, is_floating_point=False), DType("bool", 1, is_floating_point=False)),
    )
}
F32: Final = DTYPES["float32"]
I64: Final = DTYPES["int64"]


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[at + 1 :]) for at in range(len(shape)))


@dataclass(frozen=True)
class Meta:
    """A tensor without elements."""

    shape: tuple[int, ...]
    dtype: DType = F32
    strides: tuple[int, ...] = ()

    def stride(self) -> tuple[int, ...]:
        return self.strides or _row_major(self.shape)

    def element_size(self) -> int:
        return self.dtype.itemsize

    def dim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def to(self, *to: object) -> Meta:
        found = [each for each in to if isinstance(each, DType)]
        return Meta(self.shape, found[0], self.strides) if found else self

    def view(self, *shape: Any) -> Meta:
        if isinstance(shape[0], DType):
            return Meta(self.shape, shape[0])
        rest = -prod(shape)
        sizes = tuple(prod(self.shape) // rest if size == -1 else int(size) for size in shape)
        return Meta(sizes, self.dtype)

    def t(self) -> Meta:
        return Meta(self.shape[::-1], self.dtype, self.stride()[::-1])

    def transpose(self, a: int, b: int) -> Meta:
        order = list(range(self.dim()))
        order[a], order[b] = order[b], order[a]
        shape, strides = self.shape, self.stride()
        return Meta(
            tuple(shape[at] for at in order), self.dtype, tuple(strides[at] for at in order)
        )

    def __getitem__(self, part: Any) -> Meta:
        parts = part if isinstance(part, tuple) else (part,)
        shape, strides = list[int](), list[int]()
        rest = iter(zip(self.shape, self.stride(), strict=True))
        for each in parts:
            if each is None:
                shape.append(1)
                strides.append(0)
                continue
            size, stride = next(rest)
            if isinstance(each, slice):
                shape.append(len(range(*each.indices(size))))
                strides.append(stride)
            elif not isinstance(each, int):
                shape.append(len(each))
                strides.append(stride)
        for size, stride in rest:
            shape.append(size)
            strides.append(stride)
        return Meta(tuple(shape), self.dtype, tuple(strides))

    def _same(self, *_: object, **__: object) -> Meta:
        return self

    __add__ = __sub__ = __mul__ = __truediv__ = __rmul__ = __radd__ = __pow__ = _same
    __matmul__ = __setitem__ = _same
    contiguous = clone = clamp = abs = zero_ = fill_ = cumsum = softmax = logsumexp = sum = _same
    detach = requires_grad_ = _same

    def float(self) -> Meta:
        return self.to(F32)

    def double(self) -> Meta:
        return self.to(DTYPES["float64"])

    def repeat_interleave(self, times: int, dim: int) -> Meta:
        shape = list(self.shape)
        shape[dim] *= times
        return Meta(tuple(shape), self.dtype)


class Indices:
    """A tensor of the CPU, which has elements."""

    def __init__(self, array: Any):
        self.array = np.asarray(array)

    def __len__(self) -> int:
        return len(self.array)

    def argsort(self, dim: int) -> Indices:
        return Indices(self.array.argsort(dim))

    def __getitem__(self, part: Any) -> Indices:
        return Indices(self.array[part])

    def __eq__(self, other: object) -> Any:
        return Indices(self.array == other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def any(self, dim: int) -> Indices:
        return Indices(self.array.any(dim))

    def nonzero(self) -> Indices:
        return Indices(np.stack(self.array.nonzero(), 1))

    def flatten(self) -> Indices:
        return Indices(self.array.reshape(-1))

    def to(self, *to: object) -> Meta:
        found = [each for each in to if isinstance(each, DType)]
        return Meta(self.array.shape, found[0] if found else I64)


def _make(*shape: Any, dtype: DType = F32, **_: object) -> Any:
    sizes = shape[0] if shape and isinstance(shape[0], tuple | list) else shape
    return Meta(tuple(map(int, sizes)), dtype)


def _rand(*shape: int, device: str | None = None) -> Any:
    if device is not None:
        return _make(*shape)
    return Indices(np.random.default_rng(0).random(shape))


def _full(shape: tuple[int, ...], value: float, device: str | None = None, **more: Any) -> Any:
    return Indices(np.full(shape, value)) if device is None else _make(shape, **more)


def _tensor(values: Any, dtype: DType = F32, device: str | None = None) -> Any:
    return Meta(np.asarray(values).shape, dtype)


def _cat(parts: Any, dim: int = 0) -> Any:
    arrays = [each.array for each in parts]
    return Indices(np.concatenate(arrays, dim))


def _randint(*limits_and_shape: Any, **more: Any) -> Any:
    return _make(limits_and_shape[-1], **{"dtype": I64, **more})


@dataclass(frozen=True)
class Limits:
    """Of a type of integers."""

    min: int
    max: int


def _iinfo(dtype: DType) -> Limits:
    bits = 8 * dtype.itemsize - 1
    return Limits(-(2**bits), 2**bits - 1)


@contextmanager
def instead_of_torch() -> Generator[None]:
    """What is imported meanwhile gets this for `torch`."""
    torch, nn, functional = (ModuleType(name) for name in ("torch", "torch.nn", "functional"))

    def never(*_: object, **__: object) -> None:
        raise NotImplementedError("torch is not installed")

    vars(torch).update(
        **DTYPES,
        dtype=DType,
        Tensor=Meta,
        nn=nn,
        **dict.fromkeys(("randn", "empty", "zeros", "ones"), _make),
        empty_like=lambda like: like,
        rand=_rand,
        full=_full,
        tensor=_tensor,
        cat=_cat,
        randint=_randint,
        iinfo=_iinfo,
        exp2=lambda of: of,
        **dict.fromkeys(("add", "t", "softmax"), never),
    )
    vars(nn)["functional"] = functional
    vars(functional)["scaled_dot_product_attention"] = lambda query, *_: query
    names = {"torch": torch, "torch.nn": nn, "torch.nn.functional": functional}
    sys.modules.update(names)
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
