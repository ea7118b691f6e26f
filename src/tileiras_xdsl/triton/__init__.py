"""
Triton: its kernels as programs, and this compiler in the place of Triton's own.

    import tileiras_xdsl.triton as open_triton

    open_triton.use()                       # from here on Triton compiles with this compiler
    kernel[grid](x, y, n, BLOCK=1024)
    open_triton.compiled("kernel").ptx

Triton's launcher, autotuner and cache stay what they are: the stages between TTIR and the cubin are
replaced. A kernel that is refused is compiled by Triton, with one warning. The environment can ask
for the same: `TILEIRAS_XDSL_TRITON=1`, or names of kernels, as Triton finds this package by its
entry point `triton.backends`.

`@triton.jit` functions are programs for `tileiras_xdsl.explore`, `run`, `compile`, `compare` and
`validate`. Importing the package does not import Triton.

Modules:

    compiler: Triton's plug-in: the target `tileiras`, which needs no GPU
    driver: Triton's plug-in: it has no driver of its own
    kernels: Kernels of Triton as programs: functions that `triton.jit` decorates
    stages: From TTIR to a cubin for Triton's launcher, and which kernels come here
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .kernels import TritonKernel, export, is_kernel
    from .stages import RefusedWarning, Use, compiled, restore, use

__all__ = [
    "RefusedWarning",
    "TritonKernel",
    "Use",
    "compiled",
    "export",
    "is_kernel",
    "restore",
    "use",
]

_KERNELS = ("TritonKernel", "export", "is_kernel")


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(f"{__name__}.{'kernels' if name in _KERNELS else 'stages'}")
    value = getattr(module, name)
    globals()[name] = value
    return value
