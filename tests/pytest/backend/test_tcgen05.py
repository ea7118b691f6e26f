"""
Tensor memory and `tcgen05`: all forms are assembled, for each architecture that has them, and
refused at the op for others; kernels assemble without warnings and spills.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.traits import MemoryEffectKind, get_effects
from xdsl.universe import XDSL_UNIVERSE

from tileiras_xdsl import load
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.targets.tcgen05 import InstructionDescriptor
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from ..harness.passes import apply
from .tcgen05_cases import ALL_A, DATACENTER, EVERY, FORMS, PAIR, form_kernel, mma

PASSES = {**XDSL_UNIVERSE.all_passes, **TILEIRAS_UNIVERSE.all_passes}
TO_LLVM = (
    *("convert-scf-while-to-cf", "convert-scf-to-cf", "convert-gpu-to-nvvm"),
    *("convert-nvgpu-to-nvvm", "convert-to-llvm"),
)
GEMM = Path(__file__).parents[2] / "filecheck" / "backend" / "tcgen05_gemm.mlir"


def to_ptx(text: str, arch: str) -> tuple[str, NvptxTarget]:
    target = NvptxTarget.parse(arch)
    source = translate_module(load(text), target)
    return nvptx.compile_to_ptx(source, target), target


CASES = [(name, arch) for name, (_, _, having) in FORMS.items() for arch in having[:1]]
LACKING = [
    (name, arch)
    for name, (_, _, having) in FORMS.items()
    for arch in ("sm_90a", *EVERY)
    if arch not in having and (having != ALL_A or name == "shift")
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("name", "arch"), CASES)
def test_forms(name: str, arch: str):
    body, expected, _ = FORMS[name]
    ptx, _ = to_ptx(form_kernel(body), arch)
    assert expected in ptx


@pytest.mark.part("kernels")
@pytest.mark.oracle
@pytest.mark.every(8)
@pytest.mark.parametrize("arch", EVERY)
def test_ptxas_takes_all_that_an_architecture_has(arch: str, oracle_program: Callable[[str], Path]):
    ptxas = Ptxas(oracle_program("ptxas"))
    for name, (body, _, having) in FORMS.items():
        if arch in having:
            ptx, target = to_ptx(form_kernel(body), arch)
            assert ptxas.compile(ptx, target, 3).cubin, name


@pytest.mark.every(3)
@pytest.mark.parametrize(("name", "arch"), LACKING)
def test_what_a_target_lacks_is_an_error_at_the_op(name: str, arch: str):
    body, _, _ = FORMS[name]
    with pytest.raises(BackendError, match=rf"'nvvm\.[\w.]*' needs sm_.*, the target is {arch}"):
        translate_module(load(form_kernel(body)), NvptxTarget.parse(arch))


def test_errors_name_the_instruction():
    with pytest.raises(
        BackendError,
        match=r"needs sm_100a or sm_110a for tcgen05\.mma of kind::i8, the target is sm_103a",
    ):
        translate_module(load(form_kernel(FORMS["i8"][0])), NvptxTarget.parse("sm_103a"))


def test_a_kernel_has_one_group():
    body = f"{mma('f16')}\n{mma('f16', PAIR)}"
    with pytest.raises(
        BackendError, match=r"cta_group::2, but others of the kernel have cta_group::1"
    ):
        translate_module(load(form_kernel(body)), NvptxTarget.parse("sm_100a"))


LONG = """
%idesc = llvm.mlir.constant({bits} : i32) : i32
nvvm.tcgen05.mma.block_scale %t, %i64, %i64, %idesc, %i1, %t, %t {{kind =
  #nvvm.tcgen05_mma_kind<mxf4>, group = #nvvm.cta_group<cta_2>}} : !llvm.ptr<6>, i64
"""


def test_long_k():
    how = InstructionDescriptor("mxf4", 256, 128, "e2m1", "e2m1", scale="ue8m0", long_k=True)
    assert how.k == 96
    text = form_kernel(LONG.format(bits=how.encode() - (1 << 32)))
    ptx, _ = to_ptx(text, "sm_103a")
    assert "kind::mxf4.block_scale" in ptx
    message = r"needs sm_103a or sm_107a for .* with K = 96, the target is"
    with pytest.raises(BackendError, match=message):
        translate_module(load(text), NvptxTarget.parse("sm_100a"))


OFFSET = """
%base = {base}
%known = llvm.mlir.constant({number} : {type}) : {type}
%sum = llvm.add %base, %known : {type}
%place = llvm.inttoptr %sum : {type} to !llvm.ptr<6>
%v = nvvm.tcgen05.ld %place {{shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}}
    : !llvm.ptr<6> -> vector<1xf32>
"""


@pytest.mark.parametrize(
    ("kind", "number", "offset"), [("i32", 64, "+64"), ("i32", -64, ""), ("i64", 64, "")]
)
def test_offsets_of_addresses(kind: str, number: int, offset: str):
    """Instructions add constants to addresses of 32 bits, if they are not negative."""
    base = "llvm.add %i32, %i32 : i32" if kind == "i32" else "llvm.zext %i32 : i32 to i64"
    ptx, _ = to_ptx(form_kernel(OFFSET.format(base=base, number=number, type=kind)), "sm_100a")
    found = re.search(r"tcgen05\.ld\S* \{%r\d+\}, \[%r\d+(\S*)\];", ptx)
    assert found is not None
    assert found[1] == offset
    assert (f", {number};" in ptx) != bool(offset)


def test_offsets_that_are_too_large():
    """An offset has a sign and 32 bits."""
    body = OFFSET.format(base="llvm.add %i32, %i32 : i32", number=2**31 - 1, type="i32")
    body = body.replace("llvm.inttoptr %sum", "llvm.inttoptr %more").replace(
        "%place =", "%more = llvm.add %sum, %known : i32\n%place ="
    )
    ptx, _ = to_ptx(form_kernel(body), "sm_100a")
    assert re.search(r"tcgen05\.ld\S* \{%r\d+\}, \[%r\d+\];", ptx)


@pytest.mark.parametrize("name", ["32x32b", "f16", "mxf8f6f4", "cp", "commit", "alloc"])
def test_passes_neither_merge_nor_remove(name: str):
    """Equal ops are twice the work, also if nobody uses what they yield."""
    body, _, _ = FORMS[name]
    body = body.split("\n")[0]
    twice = f"{body}\n{body.replace('%v =', '%w =')}"
    module = load(form_kernel(twice))
    before = sorted(op.name for op in module.walk() if "tcgen05" in op.name)
    apply(module, *(PASSES[each]()() for each in ("cse", "canonicalize", "dce")))
    assert sorted(op.name for op in module.walk() if "tcgen05" in op.name) == before
    assert len(before) == 2


def test_tensor_memory_is_a_resource():
    (op,) = (op for op in load(form_kernel(mma("f16"))).walk() if "tcgen05" in op.name)
    effects = {(each.kind, each.resource.name()) for each in get_effects(op) or ()}
    for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE):
        assert (kind, "tensor memory") in effects
        assert (kind, "<Default>") in effects


def test_equal_products_are_not_merged():
    """LLVM would merge its intrinsics: the second adds to what the first wrote."""
    ptx, _ = to_ptx(form_kernel(f"{mma('f16')}\n{mma('f16')}"), "sm_100a")
    assert ptx.count("tcgen05.mma") == 2


def test_steps_grow():
    options = ", k_steps = 3 : i32, a_step = 2 : i64, b_step = 128 : i64"
    source = translate_module(load(form_kernel(mma("f16", options))), NvptxTarget.parse("sm_100a"))
    assert source.count("tcgen05.mma") == 3
    for number, amounts in ((1, (2, 4)), (2, (128, 256))):
        for amount in amounts:
            assert f"add.u64 d{number}, ${number}, {amount:#x};" in source
    # LLVM would do it before loops, and keep all sums in registers.
    assert " add i64" not in source
    assert source.count("i1 true)") == 2


@pytest.mark.every(6)
@pytest.mark.oracle
@pytest.mark.parametrize("arch", DATACENTER)
def test_gemm_assembles_without_warnings_and_spills(
    arch: str, oracle_program: Callable[[str], Path]
):
    module = apply(load(GEMM.read_text()), *(PASSES[name]()() for name in TO_LLVM), check="never")
    target = NvptxTarget.parse(arch)
    ptx = nvptx.compile_to_ptx(translate_module(module, target), target)
    compiled = Ptxas(oracle_program("ptxas")).compile(ptx, target, 3)
    assert compiled.cubin
    assert "warning" not in compiled.log
    assert not compiled.slow
    assert "0 bytes spill stores, 0 bytes spill loads" in compiled.log


def test_registers_come_before_what_needs_them():
    """`setmaxnreg.inc` moves over code on registers of its block, and over nothing else."""
    before = ["\tbar.sync \t0;", "\t@%p1 bra \t$L;"]
    code = ["\tshl.b32 \t%r1, %r2, 6;", "\tsetp.lt.s32 \t%p2, %r1, 3;"]
    setmaxnreg = "\tsetmaxnreg.inc.sync.aligned.u32 \t208;"
    after = ["\tld.shared.b32 \t%r3, [%r1];", ""]
    moved = nvptx.raise_register_counts("\n".join([*before, *code, setmaxnreg, *after]))
    assert moved == "\n".join([*before, setmaxnreg, *code, *after])
    assert nvptx.raise_register_counts(moved) == moved
