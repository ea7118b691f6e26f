"""What instructions make their warp wait for, and how many registers are live."""

from __future__ import annotations

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.sass import Control, Sass, read_sass

# Of a kernel of ours, as nvdisasm prints it.
TEXT = """\
	.target	sm_90a
	.section	.text.gemm,"ax",@progbits
                                                         // +-------+--------+--------+---------+
                                                         // |  GPR  |  PRED  |  UGPR  |  UPRED  |
                                                         // |  #    |  #     |  #     |  #      |
gemm:                                                    // |       |        |        |         |
        /*0000*/    LDC R1, c[0x0][0x28] ;               /* 0x00000a00ff017b82 */ // |       |   |   |  |
                                                         /* 0x000e300000000800 */ // |   1   |   | 2 |  |
        /*0010*/    IADD3 R1, R1, -0x140, RZ ;           /* 0xfffffec001017810 */ // |       |   |   |  |
                                                         /* 0x001fe20007ffe0ff */ // |   4   | 3 |   |  |
.L_x_1:                                                  // |   11  |   3    |   3    |         |
        /*0020*/    @!P0 HMMA.16816.F32 R68, R148.reuse, R32, R68 ;    /* 0x0000002094440 23c */
	.section	.text.other,"ax",@progbits
        /*0000*/    EXIT ;                               /* 0x000000000000794d */ // |       |   |   |  |
                                                         /* 0x000fea0003800000 */ // |   2   |   |   |  |
"""  # noqa: E501


def test_instructions_are_read():
    sass = Sass(read_sass(TEXT))
    assert [(each.function, each.offset, each.text) for each in sass] == [
        ("gemm", 0, "LDC R1, c[0x0][0x28]"),
        ("gemm", 16, "IADD3 R1, R1, -0x140, RZ"),
        ("other", 0, "EXIT"),
    ]
    load, add, end = sass
    assert load.encoding == 0x000E30000000080000000A00FF017B82
    assert (load.registers, load.predicates, load.uniform_registers) == (1, 0, 2)
    assert (add.registers, add.predicates, add.uniform_registers) == (4, 3, 0)
    # The load releases barrier 0, and the addition waits for it.
    assert str(load.control) == "B------:R-:W0:-:S08"
    assert str(add.control) == "B0-----:R-:W-:-:S01"
    assert end.opcode == "EXIT"
    assert sass.functions == ("gemm", "other")
    assert (sass.pressure, sass.stalls) == (4, 14)
    assert len(sass.find("LDC")) == len(sass[:1]) == 1
    assert str(sass).splitlines()[0].startswith("gemm: 2 instructions, at most 4 registers live, 9")
    html = sass._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<tr>") == 4
    assert "<td>0<td>" in html
    assert "W0" in html


def test_all_bits_of_the_control():
    # Reuse, waits, read and write barrier, yield, stall.
    control = Control(0b0101_100001_011_100_0_1011)
    assert control.stall == 11
    assert control.yields
    assert control.write_barrier == 4
    assert control.read_barrier == 3
    assert control.waits == (0, 5)
    assert control.reuse == (0, 2)
    assert str(control) == "B0----5:R3:W4:Y:S11"
    assert Control.of(control.bits << 105 | (1 << 105) - 1 | 3 << 126) == control


@pytest.mark.part("kernels")
@pytest.mark.every(2, first=1)
@pytest.mark.oracle
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_the_disassembler_agrees(gpu: str):
    kernel = tx.compile(tx.examples["gemm"].path, gpu)
    try:
        sass = kernel.sass
    except MissingToolError:
        pytest.skip("there is no nvdisasm")
    assert sass.functions == ("gemm",)
    # It prints one kind of the bits.
    for each in sass:
        assert bool(each.control.reuse) == (".reuse" in each.text)
    # Loads release barriers, and what is waited for is released somewhere.
    loads = [each for each in sass if each.opcode in ("LDG", "LDGSTS", "S2R")]
    assert loads
    assert all(
        each.control.write_barrier is not None or each.control.read_barrier is not None
        for each in loads
        if each.opcode != "LDGSTS"
    )
    released = {each.control.write_barrier for each in sass} | {
        each.control.read_barrier for each in sass
    }
    assert released >= {barrier for each in sass for barrier in each.control.waits}
    assert 40 < sass.pressure <= (kernel.record().registers or 0)
