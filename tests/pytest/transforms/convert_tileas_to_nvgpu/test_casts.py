"""Conversions: levels 2 and 3 compute the same, and ptxas takes what becomes of it."""

from __future__ import annotations

from itertools import product

import pytest

from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.dialects.arith import SIToFPOp, UIToFPOp
from tileiras_xdsl.dialects.nvvm import ConvertFloatToTF32Op
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.float_formats import TF32_MODES

from ...harness.cases import every
from .elementwise_kernels import LAYOUTS, SMALL, Case, kernel_of, run_cases
from .memory_kernels import compile_all, module_of, threads_of

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
BASE_FLOATS = ("f16", "bf16", "f32", "f64")
SMALL_FLOATS = ("f8E4M3FN", "f8E5M2")
FLOATS = (*BASE_FLOATS, "tf32", *SMALL_FLOATS)
ALL_MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")


def to_float(source: str, result: str, mode: str = "nearest_even") -> Case:
    """A conversion between floats; those that memory does not have, there and back."""
    operands, stored = (source,), result
    before = ""
    value = "{0}"
    if source == "f4E2M1FN":
        before = (
            "%four{n} = nv_tileaa.trunci {0} : [i8] to [i4]\n"
            "%bits{n} = nv_tileaa.bitcast %four{n} : [i4] to [f4E2M1FN]\n"
        )
        value, operands = "%bits{n}", ("i8",)
    convert = f'nv_tileaa.fp_to_fp {value} {{rounding_mode = "{mode}"}} : [{source}] to [{result}]'
    if result == "f4E2M1FN":
        convert = (
            f"%narrow{{n}} = {convert}\n"
            "%bits{n} = nv_tileaa.bitcast %narrow{n} : [f4E2M1FN] to [i4]\n"
            "arith.extui %bits{n} : [i4] to [i8]"
        )
        stored = "i8"
    return Case(before + convert, operands, stored)


def modes_of(source: str, result: str) -> tuple[str, ...]:
    """The modes of a conversion that rounds."""
    if result == "f8E8M0FNU":
        return ("zero", "positive_inf")
    if result in (*SMALL_FLOATS, "f4E2M1FN") or source in SMALL_FLOATS:
        return ("nearest_even",)
    if (source, result) == ("f64", "f32"):
        return ALL_MODES[:4]
    return ALL_MODES


FLOAT_CASES = {
    source: [
        to_float(source, result, mode)
        for result in (*FLOATS, "f8E8M0FNU", "f4E2M1FN")
        if result != source
        for mode in modes_of(source, result)
    ]
    for source in (*FLOATS, "f8E8M0FNU", "f4E2M1FN")
}
INTEGER_CASES = [
    *(
        Case(f"arith.{op} {{0}} : [{source}] to [{result}]", (source,), result)
        for op, source, result in product(("extsi", "extui"), INTEGERS, INTEGERS)
        if int(source[1:]) < int(result[1:])
    ),
    *(
        Case(f"nv_tileaa.trunci {{0}} : [{source}] to [{result}]", (source,), result)
        for source, result in product(INTEGERS, INTEGERS)
        if int(source[1:]) > int(result[1:])
    ),
]
MIXED_CASES = [
    *(
        Case(f"arith.{op} {{0}} : [{source}] to [{result}]", (source,), result)
        for op, source, result in product(("sitofp", "uitofp"), INTEGERS, FLOATS)
    ),
    *(
        Case(f"arith.{op} {{0}} : [{source}] to [{result}]", (source,), result)
        for op, source, result in product(("fptosi", "fptoui"), FLOATS, INTEGERS)
    ),
]
SMALL_INTEGERS = [
    Case(
        f"%mask{{n}} = arith.constant dense<{mask}> : [{source}]\n"
        f"%first{{n}} = arith.constant dense<{first}> : [{source}]\n"
        f"%low{{n}} = nv_tileaa.andi {{0}}, %mask{{n}} : [{source}]\n"
        f"%number{{n}} = nv_tileaa.addi %low{{n}}, %first{{n}} : [{source}]\n"
        f"arith.{op} %number{{n}} : [{source}] to [{result}]",
        (source,),
        result,
    )
    for source in ("i8", "i16", "i32", "i64")
    for result, mask, first, op in (
        *(("bf16", 127, 0, "uitofp"), ("bf16", 15, 0, "sitofp"), ("bf16", 127, -64, "sitofp")),
        *(("f16", 15, -8, "sitofp"), ("bf16", 15, 7, "uitofp")),
        *(("f16", 1023, 0, "uitofp"), ("f16", 1023, -1024, "sitofp"), ("f16", 1023, 1, "sitofp")),
    )
    if source != "i8" or mask < 128
]
"""Integers that are close to 0."""
BITCASTS = [
    Case(f"nv_tileaa.bitcast {{0}} : [{source}] to [{result}]", (source,), result)
    for one, other in (
        *(("f32", "i32"), ("f16", "i16"), ("bf16", "i16"), ("bf16", "f16"), ("f64", "i64")),
        *(("f8E4M3FN", "i8"), ("f8E5M2", "i8"), ("f8E5M2", "f8E4M3FN"), ("f8E8M0FNU", "i8")),
    )
    for source, result in ((one, other), (other, one))
]


@pytest.mark.every(5)
@pytest.mark.parametrize("source", FLOAT_CASES)
def test_floats(source: str) -> None:
    run_cases(FLOAT_CASES[source], LAYOUTS["wide"])


@pytest.mark.every(2)
@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_instructions_for_small_floats(name: str) -> None:
    """From sm_89 on there are instructions."""
    cases = [case for cases in FLOAT_CASES.values() for case in cases if name in case.text]
    run_cases(cases, LAYOUTS["wide"], "sm_89")


@pytest.mark.parametrize("mode", TF32_MODES)
def test_instructions_for_tf32(mode: str) -> None:
    """From sm_90 on there are some, but ties away from zero are rounded in integers."""
    case = to_float("f32", "tf32", mode)
    run_cases([case], LAYOUTS["wide"], "sm_90")
    module = threads_of(module_of([kernel_of("tf32", [case], LAYOUTS["wide"])]), "sm_90")
    rounded = [op for op in module.walk() if isinstance(op, ConvertFloatToTF32Op)]
    assert bool(rounded) == (mode != "nearest_away")


def test_integers() -> None:
    run_cases([*INTEGER_CASES, *BITCASTS], LAYOUTS["lanes"])


@pytest.mark.part("kernels")
def test_integers_and_floats() -> None:
    run_cases(MIXED_CASES, LAYOUTS["copies"])


def test_small_integers_and_floats() -> None:
    run_cases(SMALL_INTEGERS, LAYOUTS["wide"])
    code = threads_of(module_of([kernel_of("small", SMALL_INTEGERS, LAYOUTS["wide"])]), "sm_90")
    converted = [op for op in code.walk() if isinstance(op, SIToFPOp | UIToFPOp)]
    assert all("xi8" in str(op.operands[0].type) for op in converted)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("name", every(6, ["integers", *FLOAT_CASES]))
def test_assembles(name: str) -> None:
    if name == "integers":
        kernel = kernel_of(name, [*INTEGER_CASES, *BITCASTS, *MIXED_CASES], SMALL)
    else:
        kernel = kernel_of(f"from_{name}", FLOAT_CASES[name], SMALL)
    compile_all([kernel], "sm_80", Ptxas.find())


@pytest.mark.long
def test_assembles_for_sm_90() -> None:
    """Where there are instructions for small floats and tf32."""
    sources = ("f16", "f32", *SMALL_FLOATS)
    kernels = [kernel_of(f"from_{name}", FLOAT_CASES[name], SMALL) for name in sources]
    ptx = compile_all(kernels, "sm_90", Ptxas.find())
    assert "cvt.rn.satfinite.e4m3x2.f32" in ptx
    assert "cvt.rn.tf32.f32" in ptx
    assert "cvt.rz.tf32.f32" in ptx
    assert "cvt.rna.tf32.f32" not in ptx
