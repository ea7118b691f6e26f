"""The kernels of examples/level3: how they are launched, what they need and what they become."""

from dataclasses import dataclass
from pathlib import Path

from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    Parameter,
    Quantity,
    TensorMapRecord,
)

from .kernels import ARCHITECTURES, HOPPER_AND_LATER

FOLDER = Path(__file__).parents[3] / "examples" / "level3"
HOPPER = ("sm_90",)


@dataclass(frozen=True)
class Example:
    """A kernel of an example, which has the name of the file."""

    record: LaunchRecord
    """How it is launched on an H200."""
    architectures: tuple[str, ...]
    """Those that have what it uses."""
    instructions: tuple[str, ...]
    """What its PTX must contain."""

    @property
    def name(self) -> str:
        return self.record.entry

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.mlir"


def _record(name: str, parameters: str, threads: int, *maps: TensorMapRecord) -> LaunchRecord:
    return LaunchRecord(
        name,
        "sm_90a",
        tuple(map(Parameter, parameters.split())),
        (threads, 1, 1),
        abi="host-maps" if maps else "device-maps",
        tensor_maps=maps,
    )


def _box(base: int) -> TensorMapRecord:
    """32 x 64 elements of a matrix whose extents are the parameters 2 and 3."""
    return TensorMapRecord(
        element="f32",
        base=base,
        sizes=(Quantity(1, parameter=2), Quantity(1, parameter=3)),
        strides=(Quantity(4, parameter=2),),
        box=(64, 32),
    )


_A = TensorMapRecord(
    element="f16",
    base=0,
    sizes=(Quantity(1, parameter=3), Quantity(4096)),
    strides=(Quantity(2, parameter=3),),
    box=(64, 128),
    swizzle="128",
)
_B = TensorMapRecord(
    element="f16",
    base=1,
    sizes=(Quantity(4096), Quantity(1, parameter=3)),
    strides=(Quantity(8192),),
    box=(64, 64),
    swizzle="128",
)

EXAMPLES = {
    example.name: example
    for example in (
        Example(
            _record("saxpy", "f32 ptr ptr i32", 256),
            ARCHITECTURES,
            ("ld.global.v4.b32", "fma.rn.f32", "st.global.v4.b32"),
        ),
        Example(
            _record("block_reduction", "ptr ptr i32", 256),
            ARCHITECTURES,
            (
                "ld.global.v4.b32",
                "shfl.sync.bfly.b32",
                "bar.sync",
                "ld.shared.b32",
                "st.shared.b32",
            ),
        ),
        Example(
            _record("mma_matmul", "ptr ptr ptr", 128),
            ARCHITECTURES,
            (
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
                "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            ),
        ),
        Example(
            _record("tma_copy", "ptr ptr i32 i32 f32", 128, _box(0), _box(1)),
            HOPPER_AND_LATER,
            (
                "mbarrier.init.shared.b64",
                "mbarrier.try_wait.parity.shared.b64",
                "cp.async.bulk.tensor.2d.shared::cluster.global",
                "fence.proxy.async.shared::cta",
                "cp.async.bulk.tensor.2d.global.shared::cta",
                "cp.async.bulk.wait_group.read",
            ),
        ),
        Example(
            _record("wgmma_matmul", "ptr ptr ptr i32", 128, _A, _B),
            HOPPER,
            (
                "cp.async.bulk.tensor.2d.shared::cluster.global",
                "wgmma.fence.sync.aligned",
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
                "wgmma.commit_group.sync.aligned",
                "wgmma.wait_group.sync.aligned",
            ),
        ),
        Example(
            _record("cp_async_stencil", "ptr ptr i32", 128),
            ARCHITECTURES,
            ("cp.async.cg.shared.global", "cp.async.commit_group", "cp.async.wait_group"),
        ),
        Example(
            _record("assert_printf", "ptr i32", 64),
            ARCHITECTURES,
            ("vprintf", "__assertfail"),
        ),
    )
}
