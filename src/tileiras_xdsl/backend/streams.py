"""Streams of CUDA, whatever library made them."""

from __future__ import annotations

from typing import Any

from tileiras_xdsl.backend.errors import BackendError


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream: an integer, PyTorch's, CuPy's, or the default one."""
    if stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for attribute in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    raise BackendError(f"a {type(stream).__name__} is no CUDA stream")
