"""Hand-written kernels of LLVM IR."""

from pathlib import Path

from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    Parameter,
    Quantity,
    TensorMapRecord,
)

FOLDER = Path(__file__).parent / "llvm_ir"
ARCHITECTURES = (
    *("sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90"),
    *("sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121"),
)
"""All that tileiras has."""
HOPPER_AND_LATER = ARCHITECTURES[ARCHITECTURES.index("sm_90") :]

CASES = [
    *((name, arch) for name in ("saxpy", "sine", "reverse", "mma") for arch in ARCHITECTURES),
    *(("tma", arch) for arch in HOPPER_AND_LATER),
]


def kernel(name: str) -> str:
    """The LLVM IR of a kernel."""
    return (FOLDER / f"{name}.ll").read_text()


_POINTER = Parameter("ptr")
_I32 = Parameter("i32")
_MATRIX_MAP = TensorMapRecord(
    element="f32",
    base=0,
    sizes=(Quantity(1, parameter=2), Quantity(1, parameter=3)),
    strides=(Quantity(4, parameter=2),),
    box=(32, 8),
)

RECORDS = {
    record.entry: record
    for record in (
        LaunchRecord("saxpy", "sm_90a", (Parameter("f32"), _POINTER, _POINTER, _I32), (128, 1, 1)),
        LaunchRecord("sine", "sm_90a", (_POINTER,), (128, 1, 1)),
        LaunchRecord("reverse", "sm_90a", (_POINTER,), (128, 1, 1), static_shared=512),
        LaunchRecord("mma", "sm_90a", (_POINTER, _POINTER, _POINTER), (32, 1, 1)),
        LaunchRecord(
            "tma",
            "sm_90a",
            (_POINTER, _POINTER, _I32, _I32),
            (256, 1, 1),
            abi="host-maps",
            tensor_maps=(_MATRIX_MAP,),
        ),
    )
}
"""How each kernel is launched on an H200."""
