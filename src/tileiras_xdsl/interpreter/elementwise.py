"""
Binders of elementwise ops, by mnemonic: the two tile dialects share names and attributes, so
they share these.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from . import numerics
from .machine import Binder, Function, Program, Value
from .types import element_of, has_flag, is_signed, word_of


def _plain(function: Callable[..., object]) -> Binder:
    """`f(element, *operands)`."""

    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)

        def apply(*values: Value) -> Value:
            return function(element, *values)

        return apply

    return bind


def _signed(function: Callable[..., object]) -> Binder:
    """`f(element, *operands, signed=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        element, signed = element_of(op.operands[0].type), is_signed(op)

        def apply(*values: Value) -> Value:
            return function(element, *values, signed=signed)

        return apply

    return bind


def _rounded(function: Callable[..., object], default: str = "nearest_even") -> Binder:
    """`f(element, *operands, rounding=…, flush_to_zero=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)
        rounding = word_of(op, "rounding_mode", default)
        flush = has_flag(op, "flush_to_zero")

        def apply(*values: Value) -> Value:
            return function(element, *values, rounding=rounding, flush_to_zero=flush)

        return apply

    return bind


def _flushed(function: Callable[..., object]) -> Binder:
    """`f(element, *operands, flush_to_zero=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        element, flush = element_of(op.operands[0].type), has_flag(op, "flush_to_zero")

        def apply(*values: Value) -> Value:
            return function(element, *values, flush_to_zero=flush)

        return apply

    return bind


def _extremum(function: Callable[..., object]) -> Binder:
    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)
        nan, flush = has_flag(op, "propagate_nan"), has_flag(op, "flush_to_zero")

        def apply(a: Value, b: Value) -> Value:
            return function(element, a, b, propagate_nan=nan, flush_to_zero=flush)

        return apply

    return bind


def bind_divi(op: Operation, program: Program) -> Function:
    element, signed = element_of(op.operands[0].type), is_signed(op)
    rounding = word_of(op, "rounding", "zero")

    def apply(a: Value, b: Value) -> Value:
        return numerics.divi(element, a, b, signed=signed, rounding=rounding)

    return apply


def bind_cmpi(op: Operation, program: Program) -> Function:
    element, signed = element_of(op.operands[0].type), is_signed(op)
    predicate = word_of(op, "comparison_predicate", "equal")

    def apply(a: Value, b: Value) -> Value:
        return numerics.cmpi(element, a, b, predicate=predicate, signed=signed)

    return apply


def bind_cmpf(op: Operation, program: Program) -> Function:
    element = element_of(op.operands[0].type)
    predicate = word_of(op, "comparison_predicate", "equal")
    ordered = word_of(op, "comparison_ordering", "ordered") == "ordered"

    def apply(a: Value, b: Value) -> Value:
        return numerics.cmpf(element, a, b, predicate=predicate, ordered=ordered)

    return apply


def bind_conversion(function: Callable[..., object]) -> Binder:
    """`f(from element, to element, operand)`."""

    def bind(op: Operation, program: Program) -> Function:
        source, result = element_of(op.operands[0].type), element_of(op.results[0].type)

        def apply(value: Value) -> Value:
            return function(source, result, value)

        return apply

    return bind


def bind_signed_conversion(function: Callable[..., object], signed: bool | None = None) -> Binder:
    """`f(from element, to element, operand, signed=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
        is_one_signed = is_signed(op) if signed is None else signed

        def apply(value: Value) -> Value:
            return function(source, result, value, signed=is_one_signed)

        return apply

    return bind


def bind_float_conversion(op: Operation, program: Program) -> Function:
    source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
    rounding = word_of(op, "rounding_mode", "nearest_even")

    def apply(value: Value) -> Value:
        return numerics.ftof(source, result, value, rounding=rounding)

    return apply


def bind_itof(signed: bool | None = None) -> Binder:
    def bind(op: Operation, program: Program) -> Function:
        source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
        is_one_signed = is_signed(op) if signed is None else signed
        rounding = word_of(op, "rounding_mode", "nearest_even")

        def apply(value: Value) -> Value:
            return numerics.itof(source, result, value, signed=is_one_signed, rounding=rounding)

        return apply

    return bind


ELEMENTWISE: dict[str, Binder] = {
    "addi": _plain(numerics.addi),
    "subi": _plain(numerics.subi),
    "muli": _plain(numerics.muli),
    "mulhii": _plain(numerics.mulhii),
    "divi": bind_divi,
    "remi": _signed(numerics.remi),
    "shli": _plain(numerics.shli),
    "shri": _signed(numerics.shri),
    "andi": _plain(numerics.andi),
    "ori": _plain(numerics.ori),
    "xori": _plain(numerics.xori),
    "absi": _plain(numerics.absi),
    "negi": _plain(numerics.negi),
    "mini": _signed(numerics.mini),
    "maxi": _signed(numerics.maxi),
    "cmpi": bind_cmpi,
    "cmpf": bind_cmpf,
    "absf": _plain(numerics.absf),
    "negf": _plain(numerics.negf),
    "ceil": _plain(numerics.ceil),
    "floor": _plain(numerics.floor),
    "sin": _plain(numerics.sin),
    "cos": _plain(numerics.cos),
    "tan": _plain(numerics.tan),
    "sinh": _plain(numerics.sinh),
    "cosh": _plain(numerics.cosh),
    "log": _plain(numerics.log),
    "log2": _plain(numerics.log2),
    "exp": _plain(numerics.exp),
    "tanh": _plain(numerics.tanh),
    "exp2": _flushed(numerics.exp2),
    "rsqrt": _flushed(numerics.rsqrt),
    "sqrt": _rounded(numerics.sqrt),
    "addf": _rounded(numerics.addf),
    "subf": _rounded(numerics.subf),
    "mulf": _rounded(numerics.mulf),
    "divf": _rounded(numerics.divf),
    "fma": _rounded(numerics.fma),
    "remf": _plain(numerics.remf),
    "atan2": _plain(numerics.atan2),
    "pow": _plain(numerics.pow),
    "fpowf": _plain(numerics.pow),
    "fpowi": _plain(numerics.fpowi),
    "maxf": _extremum(numerics.maxf),
    "minf": _extremum(numerics.minf),
    "ftof": bind_float_conversion,
    "fp_to_fp": bind_float_conversion,
    "ftoi": bind_signed_conversion(numerics.ftoi),
    "itof": bind_itof(),
    "exti": bind_signed_conversion(numerics.exti),
    "trunci": bind_conversion(numerics.trunci),
    "bitcast": bind_conversion(numerics.bitcast),
}
