"""
Launches exported kernels from Python, through the launcher in C, which has to be built first:

    cc -std=c11 -O2 -shared -fPIC NAME.c -o libNAME.so

This needs Python alone. Each kernel is a function that takes the grid, the arguments, and `stream`:
arrays on a GPU of any library that knows DLPack, addresses, numbers; floats of 16 and 8 bits as the
integer that has their bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

INTEGERS = {
    "i1": ctypes.c_bool,
    **{"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64},
}
TYPES = {
    **INTEGERS,
    **{"f32": ctypes.c_float, "tf32": ctypes.c_float, "f64": ctypes.c_double},
    **{"f16": ctypes.c_uint16, "bf16": ctypes.c_uint16},
    **{name: ctypes.c_uint8 for name in ("f8E4M3FN", "f8E5M2", "f8E8M0FNU")},
}
"""What parameters are in C, by their types in Tile IR."""


class LaunchError(RuntimeError):
    """A launch that failed; `code` is positive if the driver refused it."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code


class _Tensor(ctypes.Structure):
    """The first fields of `DLTensor`, as far as an address needs them, and the last."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("others", ctypes.c_char * 32),
        ("byte_offset", ctypes.c_uint64),
    )


def _tensor(value: Any, stream: int, kept: list[object]) -> int:
    """The address of the `DLTensor` of an array, ready for work on a stream (1: the default)."""
    detached = value.detach() if hasattr(value, "detach") else value
    capsule = detached.__dlpack__(stream=stream or 1)
    kept.append(capsule)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return pointer(capsule, b"dltensor")


def _convert(kind: str, value: Any, stream: int, kept: list[object]) -> Any:
    if kind == "array":
        return ctypes.c_void_p(_tensor(value, stream, kept))
    if kind != "ptr":
        if kind in INTEGERS:
            # ctypes would take any, and cut it off.
            bits = 1 if kind == "i1" else int(kind[1:])
            low = -(1 << (bits - 1)) if bits > 1 else 0
            if not low <= int(value) < 1 << bits:
                raise OverflowError(f"{value} is no {kind}")
        return TYPES[kind](value)
    if hasattr(value, "__dlpack__"):
        tensor = _Tensor.from_address(_tensor(value, stream, kept))
        value = (tensor.data or 0) + tensor.byte_offset
    return ctypes.c_void_p(value)


def load(
    path: str | Path, name: str, kernels: Mapping[str, Sequence[str]]
) -> dict[str, Callable[..., None]]:
    """The functions of an exported library, by name; `kernels` has the types of parameters."""
    library = ctypes.CDLL(str(path))
    error_text = getattr(library, f"{name}_error_text")
    error_text.restype = ctypes.c_char_p

    def bind(kernel: str, kinds: Sequence[str]) -> Callable[..., None]:
        function = getattr(library, f"{kernel}_launch")

        def launch(grid: int | Sequence[int], *arguments: Any, stream: int = 0) -> None:
            if len(arguments) != len(kinds):
                raise TypeError(f"{kernel} takes {len(kinds)} arguments, not {len(arguments)}")
            sizes = (grid,) if isinstance(grid, int) else tuple(grid)
            kept: list[object] = []
            values = [
                _convert(kind, value, stream, kept)
                for kind, value in zip(kinds, arguments, strict=True)
            ]
            blocks = (ctypes.c_uint32 * 3)(*sizes, *(1,) * (3 - len(sizes)))
            if status := function(blocks, ctypes.c_void_p(stream), *values):
                raise LaunchError(status, f"{kernel}: {error_text(status).decode()}")

        launch.__name__ = kernel
        return launch

    return {kernel: bind(kernel, kinds) for kernel, kinds in kernels.items()}
