"""Lane by lane: levels 2 and 3 compute the same, and ptxas takes what becomes of it."""

from __future__ import annotations

import pytest
from xdsl.dialects.arith import ShLIOp, ShRUIOp

from tileiras_xdsl.backend.ptxas import Ptxas

from ...harness.cases import every
from .elementwise_kernels import (
    LAYOUTS,
    SMALL,
    WIDE,
    Case,
    kernel_of,
    moderate_values,
    run_cases,
)
from .memory_kernels import compile_all, module_of, threads_of

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")


def binary(op: str, attributes: str, name: str, ulps: float = 0, result: str = "") -> Case:
    """An op of two operands."""
    suffix = f" -> [{result}]" if result else ""
    text = f"{op} {{0}}, {{1}} {attributes}: [{name}]{suffix}"
    return Case(text, (name, name), result or name, ulps)


def unary(op: str, attributes: str, name: str, ulps: float = 0) -> Case:
    """An op of one operand."""
    return Case(f"{op} {{0}} {attributes}: [{name}]", (name,), name, ulps)


INTEGER_CASES = {
    name: [
        *(binary(f"nv_tileaa.{op}", "", name) for op in ("addi", "subi", "muli", "mulhii")),
        *(binary(f"nv_tileaa.{op}", "", name) for op in ("andi", "ori", "xori", "shli")),
        *(
            binary(f"nv_tileaa.{op}", f'{{signedness = "{sign}"}} ', name)
            for op in ("shri", "remi", "divi")
            for sign in ("signed", "unsigned")
        ),
        *(
            binary("nv_tileaa.divi", f'{{signedness = "{sign}", rounding = "{mode}"}} ', name)
            for sign in ("signed", "unsigned")
            for mode in ("positive_inf", "negative_inf")
        ),
        *(unary(f"nv_tileaa.{op}", "", name) for op in ("absi", "negi")),
        *(binary(f"arith.{op}", "", name) for op in ("minsi", "minui", "maxsi", "maxui")),
        *(
            binary(
                "nv_tileaa.cmpi",
                f'{{comparison_predicate = "{predicate}", signedness = "{sign}"}} ',
                name,
                result="i1",
            )
            for predicate in ("equal", "not_equal", "less_than", "greater_than_or_equal")
            for sign in ("signed", "unsigned")
        ),
        Case(f"arith.select {{0}}, {{1}}, {{2}} : [i1], [{name}]", ("i1", name, name), name),
    ]
    for name in INTEGERS
}
KNOWN_SHIFTS = [
    Case(
        f"%amount{{n}} = arith.constant dense<{amount}> : [{name}]\n{op} : [{name}]", (name,), name
    )
    for name, amounts in (("i8", (0, 3, 7)), ("i16", (1, 15)), ("i32", (5,)))
    for amount in amounts
    for op in (
        "nv_tileaa.shli {0}, %amount{n}",
        'nv_tileaa.shri {0}, %amount{n} {signedness = "unsigned"}',
        'nv_tileaa.shri {0}, %amount{n} {signedness = "signed"}',
    )
]
MODES = ("zero", "negative_inf", "positive_inf")


def mode(name: str) -> str:
    """The attribute of a rounding mode."""
    return f'{{rounding_mode = "{name}"}} '


def float_cases(name: str) -> list[Case]:
    """Arithmetic of a float."""
    ops = ("addf", "subf", "mulf", "divf")
    ternary = "nv_tileaa.fma {0}, {1}, {2} "
    cases = [
        *(binary(f"nv_tileaa.{op}", "", name) for op in (*ops, "maxf", "minf", "remf")),
        *(binary(f"nv_tileaa.{op}", "{propagate_nan} ", name) for op in ("maxf", "minf")),
        *(unary(f"nv_tileaa.{op}", "", name) for op in ("absf", "negf", "ceil", "floor", "sqrt")),
        Case(f"{ternary}: [{name}]", (name,) * 3, name),
        *(
            binary(
                "nv_tileaa.cmpf",
                f'{{comparison_predicate = "{predicate}", comparison_ordering = "{order}"}} ',
                name,
                result="i1",
            )
            for predicate in ("equal", "not_equal", "less_than", "greater_than_or_equal")
            for order in ("ordered", "unordered")
        ),
        Case(f"arith.select {{0}}, {{1}}, {{2}} : [i1], [{name}]", ("i1", name, name), name),
    ]
    for each in MODES:
        cases += [binary(f"nv_tileaa.{op}", mode(each), name) for op in ops]
        cases.append(unary("nv_tileaa.sqrt", mode(each), name))
        cases.append(Case(f"{ternary}{mode(each)}: [{name}]", (name,) * 3, name))
    if name == "f32":
        cases += flushing_cases()
    return cases


def flushing_cases() -> list[Case]:
    """What there is for f32 only."""
    ops = ("addf", "subf", "mulf", "divf", "maxf", "minf")
    return [
        *(binary(f"nv_tileaa.{op}", "{flush_to_zero} ", "f32") for op in ops),
        binary("nv_tileaa.mulf", '{flush_to_zero, rounding_mode = "zero"} ', "f32"),
        unary("nv_tileaa.sqrt", "{flush_to_zero} ", "f32"),
        binary("nv_tileaa.divf", mode("approx"), "f32", 2),
        binary("nv_tileaa.divf", mode("full"), "f32", 2),
        unary("nv_tileaa.sqrt", mode("approx"), "f32", 2),
        unary("nv_tileaa.tanh", mode("approx"), "f32", 2),
        unary("nv_tileaa.exp2", "{flush_to_zero} ", "f32"),
        unary("nv_tileaa.rsqrt", "{flush_to_zero} ", "f32"),
    ]


def function_cases(name: str) -> list[Case]:
    """Functions of a float."""
    ops = ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "rsqrt")
    return [
        *(unary(f"nv_tileaa.{op}", "", name, 1) for op in ops),
        *(binary(f"nv_tileaa.{op}", "", name, 1) for op in ("pow", "atan2")),
        *(
            Case(f"nv_tileaa.fpowi {{0}}, {{1}} : [{name}], [{power}]", (name, power), name, 1)
            for power in ("i8", "i32")
        ),
    ]


@pytest.mark.every(5, first=4)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    run_cases(INTEGER_CASES[name], LAYOUTS["lanes"])


def test_shifts_by_known_amounts() -> None:
    run_cases(KNOWN_SHIFTS, LAYOUTS["wide"])
    code = threads_of(module_of([kernel_of("shifts", KNOWN_SHIFTS, WIDE)]))
    shifts = [op for op in code.walk() if isinstance(op, ShLIOp | ShRUIOp)]
    assert {str(op.result.type).split("x")[-1] for op in shifts} <= {"i32>", "i32"}


@pytest.mark.every(5)
@pytest.mark.parametrize("name", FLOATS)
def test_floats(name: str) -> None:
    run_cases(float_cases(name), LAYOUTS["copies"])


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("name", FLOATS)
def test_functions(name: str) -> None:
    run_cases(function_cases(name), LAYOUTS["plain"])


def test_approximations() -> None:
    """An argument that was rounded is the power of another number, the further off the larger."""
    run_cases([unary("nv_tileaa.exp", mode("approx"), "f32", 9)], WIDE, values=moderate_values)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("name", every(6, [*INTEGERS, *FLOATS]))
def test_assembles(name: str) -> None:
    cases = INTEGER_CASES[name] if name in INTEGERS else float_cases(name)
    compile_all([kernel_of(f"numbers_{name}", cases, SMALL)], "sm_80", Ptxas.find())


@pytest.mark.part("kernels")
def test_assembles_for_sm_90() -> None:
    """Where LLVM has other instructions."""
    kernels = [kernel_of(f"floats_{name}", float_cases(name), SMALL) for name in ("f16", "bf16")]
    kernels.append(kernel_of("functions", function_cases("f32"), SMALL))
    ptx = compile_all(kernels, "sm_90", Ptxas.find())
    assert "add.rn.bf16x2" in ptx
