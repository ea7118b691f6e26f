"""Descriptors of `tcgen05`: bits as other compilers write them, and back; rules of shapes."""

from __future__ import annotations

import pytest

from tileiras_xdsl.targets.blackwell_datacenter import SM_100, SM_103, SM_110
from tileiras_xdsl.targets.tcgen05 import (
    ACCESS_SHAPES,
    KINDS,
    TENSOR_MEMORY,
    InstructionDescriptor,
    SharedDescriptor,
    kind_of,
)

READ_BACK = {
    0x08210010: InstructionDescriptor("f16", 128, 128, "f16", "f16", trans_b=True),
    0x08200010: InstructionDescriptor("f16", 128, 128, "f16", "f16"),
    0x08410010: InstructionDescriptor("f16", 128, 256, "f16", "f16", trans_b=True),
    0x08410490: InstructionDescriptor("f16", 128, 256, "bf16", "bf16", trans_b=True),
    0x04210010: InstructionDescriptor("f16", 64, 128, "f16", "f16", trans_b=True),
    0x10410010: InstructionDescriptor("f16", 256, 256, "f16", "f16", trans_b=True),
    0x08200910: InstructionDescriptor("tf32", 128, 128, "tf32", "tf32"),
    0x082104A8: InstructionDescriptor(
        "i8", 128, 128, "s8", "s8", "s32", trans_b=True, saturate=True
    ),
    0x08A00000: InstructionDescriptor("mxf8f6f4", 128, 128, "e4m3", "e4m3", scale="ue8m0"),
    0x08A00000 | 3 << 29 | 3 << 4: InstructionDescriptor(
        "mxf8f6f4", 128, 128, "e4m3", "e4m3", scale="ue8m0", scale_a_id=3, scale_b_id=3
    ),
}
"""Instruction descriptors in code of tileiras 13.4, by what the kernels multiply."""


@pytest.mark.parametrize("bits", READ_BACK)
def test_instruction_descriptors_are_those_of_tileiras(bits: int):
    descriptor = READ_BACK[bits]
    assert descriptor.encode() == bits
    assert InstructionDescriptor.decode(descriptor.kind, bits) == descriptor
    assert descriptor.why_not(2 if descriptor.m == 256 else 1) is None


def test_shared_descriptors_are_those_of_tileiras():
    k_major = SharedDescriptor(0x400, leading=16, stride=1024)
    assert k_major.encode() == 0x40004040_00010040
    mn_major = SharedDescriptor(0x400, leading=8192, stride=1024)
    assert mn_major.encode() == 0x40004040_02000040
    scales = SharedDescriptor(0x400, leading=16, stride=128, swizzle="none")
    assert scales.encode() >> 32 == 0x4008
    for descriptor in (k_major, mn_major, scales):
        assert descriptor.why_not() is None
        assert SharedDescriptor.decode(descriptor.encode()) == descriptor


def test_all_descriptors_decode_to_themselves():
    for kind in KINDS.values():
        for a in kind.operands:
            for b in kind.operands if kind.mixes else (a,):
                for d in kind.results:
                    scales = {ty for types in (kind.blocks or {}).values() for ty in types}
                    for scale in sorted(scales) or [None]:
                        descriptor = InstructionDescriptor(kind.name, 128, 64, a, b, d, scale=scale)
                        bits = descriptor.encode()
                        assert InstructionDescriptor.decode(kind.name, bits) == descriptor


@pytest.mark.parametrize(
    ("kind", "bits", "message"),
    [
        ("f16", 0x08210010 | 1 << 6, "reserves"),
        ("f16", 0x08210010 | 1 << 2, "sparse"),
        ("f16", 0x08210030, "unknown type of D"),
        ("f16", 0x08210110, "types of A and B"),
        ("mxf4", 0x08A00000, "types of A and B"),
    ],
)
def test_bits_that_mean_nothing_are_refused(kind: str, bits: int, message: str):
    with pytest.raises(ValueError, match=message):
        InstructionDescriptor.decode(kind, bits)


def test_descriptors_of_wgmma_are_refused():
    with pytest.raises(ValueError, match="bits 46-48"):
        SharedDescriptor.decode(1 << 62 | 64 << 32)


def test_wrong_instructions_have_a_reason():
    def why_not(kind: str, m: int, n: int, a: str, b: str, d: str, group: int = 1) -> str:
        return InstructionDescriptor(kind, m, n, a, b, d).why_not(group) or ""

    assert why_not("f16", 128, 128, "f16", "f16", "f32") == ""
    assert "M must be 64 or 128" in why_not("f16", 256, 128, "f16", "f16", "f32")
    assert "M must be 128 or 256" in why_not("f16", 64, 128, "f16", "f16", "f32", 2)
    assert "N must be a multiple of 16" in why_not("f16", 128, 24, "f16", "f16", "f32")
    assert why_not("f16", 64, 24, "f16", "f16", "f32") == ""
    assert why_not("i8", 64, 24, "s8", "s8", "s32") == ""
    assert "N must be" in why_not("i8", 64, 40, "s8", "s8", "s32")
    assert "must have one type" in why_not("f16", 128, 64, "f16", "bf16", "f32")
    assert "D of kind::f16 of bf16 must be f32" in why_not("f16", 128, 64, "bf16", "bf16", "f16")
    assert "scale factors" in why_not("mxf4", 128, 64, "e2m1", "e2m1", "f32")


def test_kinds_follow_from_types():
    kinds = [kind_of(a, b) for a, b in (("f16", "f16"), ("e4m3", "e2m1"), ("s8", "u8"))]
    assert [kind and kind.name for kind in kinds] == ["f16", "f8f6f4", "i8"]
    assert kind_of("f16", "bf16") is None


def test_accesses_reach_each_word_of_their_lanes_once():
    for shape in ACCESS_SHAPES.values():
        for num in (1, 2, shape.most):
            offset = num if shape.has_offset else 0
            registers = shape.registers * num
            places = {
                shape.place(register, thread, offset)
                for register in range(registers)
                for thread in range(32)
            }
            assert len(places) == 32 * registers
            columns = shape.columns * num * (2 if shape.has_offset else 1)
            assert places == {
                (lane, column) for lane in range(shape.lanes) for column in range(columns)
            }


def test_allocations():
    assert TENSOR_MEMORY.bytes == 256 * 1024
    assert TENSOR_MEMORY.why_not_allocated(64) is None
    assert "power of two" in (TENSOR_MEMORY.why_not_allocated(96) or "")


def test_rates_give_the_peak_of_data_sheets():
    rates, b200 = SM_100.tcgen05, SM_100.rates
    assert rates is not None
    peaks = {"tf32": 1.1, "f16": 2.25, "f8f6f4": 4.5, "i8": 4.5, "mxf4": 9.0}
    for kind, petaflops in peaks.items():
        flops = 2 * rates.multiply_adds[kind] * b200.sm_count * b200.gigahertz * 1e9
        assert flops / 1e15 == pytest.approx(petaflops, rel=0.03)
        # One instruction of 128 x 256 takes as long in all kinds.
        assert rates.cycles(kind, 128, 256, KINDS[kind].k) == 128
        assert rates.cycles(kind, 64, 256, KINDS[kind].k) == 128
        assert rates.cycles(kind, 256, 256, KINDS[kind].k, 2) == 128
    thor = SM_110.rates
    flops = 2 * rates.multiply_adds["mxf4"] * thor.sm_count * thor.gigahertz * 1e9
    assert flops / 1e12 == pytest.approx(1035, rel=0.01)
    assert SM_103.tcgen05 is not None
    assert "i8" not in SM_103.tcgen05.multiply_adds
    assert SM_103.tcgen05.exponentials == 2 * rates.exponentials


@pytest.mark.parametrize(
    ("m", "n", "group", "a_is_shared", "bytes_per_cycle"),
    [
        (128, 256, 1, True, 96),
        (128, 128, 1, True, 128),
        (128, 64, 1, True, 192),
        (256, 256, 2, True, 64),
        (256, 128, 2, True, 96),
        (64, 256, 1, True, 80),
        (128, 128, 1, False, 64),
    ],
)
def test_shared_memory_that_products_read(
    m: int, n: int, group: int, a_is_shared: bool, bytes_per_cycle: int
):
    rates = SM_100.tcgen05
    assert rates is not None
    read = rates.operand_bytes("f16", m, n, 16, group, a_is_shared=a_is_shared)
    assert read / rates.cycles("f16", m, n, 16, group) == bytes_per_cycle
