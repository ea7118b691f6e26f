"""What instructions of threads take."""

import pytest

from tileiras_xdsl.cost.threads import cost_of_instruction, cost_of_op
from tileiras_xdsl.frontend.load import make_context, parse_bytes
from tileiras_xdsl.targets.target import ComputeCapability, target_of


@pytest.mark.parametrize(
    ("instruction", "unit", "clocks"),
    [
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "tensor cores", 64),
        ("wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2", "tensor cores", 64),
        ("wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8", "tensor cores", 64),
        ("wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32", "tensor cores", 64),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "tensor cores", 4),
        ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "tensor cores", 4),
        ("atom.global.add.f32", "L2", 8),
        ("red.global.add.noftz.f16x2", "L2", 8),
        ("atom.shared.add.u32", "shared memory", 4),
        ("tcgen05.ld.sync.aligned.32x32b.x16.b32", "tensor memory loads", 16),
        ("tcgen05.st.sync.aligned.32x32b.x16.b32", "tensor memory stores", 16),
    ],
)
def test_instructions(instruction: str, unit: str, clocks: float):
    """Of a warpgroup."""
    cost = cost_of_instruction(instruction, instruction, target_of(ComputeCapability(9, 0)), 4)
    assert cost is not None
    assert (cost.unit, cost.clocks) == (unit, clocks)


OPS = """
builtin.module {
  gpu.module @m {
  gpu.func @k(%g: vector<4x!llvm.ptr<1>>, %s: vector<4x!llvm.ptr<3>>,
               %t: !llvm.ptr<6>, %v: vector<16xf32>) {
    nvvm.fragment.cp_async %s, %g {bytes = 16 : i64}
        : vector<4x!llvm.ptr<3>>, vector<4x!llvm.ptr<1>>
    nvvm.tcgen05.st %t, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
        : !llvm.ptr<6>, vector<16xf32>
    gpu.return
  }
  }
}
"""


def test_ops():
    """Of a warpgroup: copies of 4 times 16 bytes, and 16 numbers of f32, by each thread."""
    module = parse_bytes(make_context(), OPS.encode(), "ops")
    target = target_of(ComputeCapability(10, 0))
    found = {op.name: cost_of_op(op, target, 4) for op in module.walk()}
    copied = found["nvvm.fragment.cp_async"]
    assert copied is not None
    assert (copied.unit, copied.bytes) == ("L2", 4 * 16 * 128)
    stored = found["nvvm.tcgen05.st"]
    assert stored is not None
    assert (stored.unit, stored.bytes) == ("tensor memory stores", 16 * 4 * 128)
