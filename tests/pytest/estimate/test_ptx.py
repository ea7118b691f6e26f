"""Kinds of instructions of PTX."""

import pytest

from tileiras_xdsl.cost.threads import count_kinds, functions_of, instructions_of, kind_of


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("line", "instruction", "kind"),
    [
        ("\twgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%r1}, …;", None, "tensor cores"),
        ("\twgmma.fence.sync.aligned;", None, "synchronization"),
        ("\t@%p16 bra \t$L__BB0_15;", "bra", "branches"),
        ("$L__BB0_2: add.s32 %r1, %r2, 1;", "add.s32", "integers"),
        ("\tcp.async.bulk.tensor.2d.shared::cluster.global.tile [a];", None, "TMA"),
        ("\tcp.async.bulk.wait_group.read 0;", None, "synchronization"),
        ("\tcp.async.cg.shared.global [a], [b], 16;", None, "global memory"),
        ("\tld.global.v4.b32 {%r1}, [%rd1];", "ld.global.v4.b32", "global memory"),
        ("\tst.relaxed.gpu.global.b32 [%rd1], %r1;", None, "global memory"),
        ("\tld.param.b64 %rd1, [k_param_0];", None, "moves"),
        ("\tst.shared.b32 [%rd1], %r1;", None, "shared memory"),
        ("\tld.local.b32 %r1, [%rd1];", None, "local memory"),
        ("\tatom.global.or.b32 %r1, [%rd1], 1;", None, "atomics"),
        ("\tredux.sync.add.s32 %r1, %r2, -1;", None, "warp shuffles"),
        ("\tred.global.add.f32 [%rd1], %r1;", None, "atomics"),
        ("\tex2.approx.ftz.f32 %r1, %r2;", None, "special functions"),
        ("\tdiv.s32 %r1, %r2, %r3;", None, "integers"),
        ("\tfma.rn.f32x2 %rd1, %rd2, %rd3, %rd4;", None, "floats"),
        ("\tcvt.rn.f16x2.f32 %r1, %r2, %r3;", None, "conversions"),
        ("\tnew.instruction.b32 %r1;", None, "other"),
    ],
)
def test_kinds(line: str, instruction: str | None, kind: str):
    (found,) = instructions_of(line)
    assert found == (instruction or found)
    assert kind_of(found) == kind


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "line", ["", "// comment", ".reg .b32 %r<3>;", "$L__BB0_2:", "{", "}", ")", "\t.param .u64 a,"]
)
def test_no_instructions(line: str):
    assert list(instructions_of(line)) == []


def test_inline_code():
    line = "{ .reg .b32 l; add.u32 l, %r1, 2; @p tcgen05.mma.cta_group::1.kind::f16 [%r2], d; }"
    assert list(instructions_of(line)) == ["add.u32", "tcgen05.mma.cta_group::1.kind::f16"]


def test_functions():
    ptx = ".visible .entry a(\n\t.param .u64 x\n)\n{\n\tret;\n}\n"
    ptx += ".func b()\n{\n\tmov.b32 %r1, 0;\n\tret;\n}\n"
    counts = {name: count_kinds(lines) for name, lines in functions_of(ptx)}
    assert counts == {"a": {"branches": 1}, "b": {"moves": 1, "branches": 1}}
