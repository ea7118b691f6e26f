"""
Triton's plug-in: the target `tileiras`, which needs no GPU.

    triton.compile(source, target=GPUTarget("tileiras", 90, 32))

compiles with this compiler where no kernel is launched. Triton finds the module by the entry point
`triton.backends`, and wants one class in it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

# Only one class may be visible here, so Triton's stays in its module.
_NVIDIA: Final[Any] = import_module("triton.backends.nvidia.compiler")


class TileirasBackend(_NVIDIA.CUDABackend):
    """Triton's backend for NVIDIA GPUs, with what follows TTIR replaced."""

    @staticmethod
    def supports_target(target: Any) -> bool:
        """Whether a target is ours; `cuda` stays Triton's, see `use`."""
        return target.backend == "tileiras"

    def hash(self) -> str:
        """What Triton's cache has to know of this compiler."""
        from .stages import identify

        return f"{identify()}-{self.target.arch}"

    def add_stages(self, stages: dict[str, Any], options: Any, *language: Any) -> None:
        """The stages of a kernel; what is refused is an error here."""
        from .stages import Stages

        _NVIDIA.CUDABackend.add_stages(self, stages, options, *language)
        own = Stages(stages, self.target.arch, options, strict=True, everything=True).stages()
        stages.clear()
        stages.update(own)
