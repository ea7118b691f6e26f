# pyright: basic
"""Kernels of Triton compute the same as NumPy when they are converted to Tile IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import erf
from textwrap import indent
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tt.convert_tt_to_cuda_tile import FP_FUSION, ConvertTtToCudaTilePass

from ..harness.modules import parse
from ..harness.passes import applied

ROWS, COLUMNS = 8, 16
Array = np.ndarray[Any, Any]
DTYPES = {
    "f32": np.float32,
    "i32": np.int32,
    "i1": np.bool_,
    "i64": np.int64,
    "f16": np.float16,
    "f64": np.float64,
}


def tensor(dtype: str, shape: Sequence[int] = (ROWS, COLUMNS)) -> str:
    """The type of a tensor, or of a scalar."""
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>" if shape else dtype


def access(name: str, dtype: str, shape: Sequence[int]) -> str:
    """Pointers to all elements of an argument, row by row."""
    count = int(np.prod(shape))
    ptr = f"!tt.ptr<{dtype}>"
    if not shape:
        return ""
    flat, whole = tensor("i32", [count]), tensor("i32", shape)
    return f"""
%{name}_r = tt.make_range {{end = {count} : i32, start = 0 : i32}} : {flat}
%{name}_i = tt.reshape %{name}_r : {flat} -> {whole}
%{name}_s = tt.splat %{name} : {ptr} -> {tensor(ptr, shape)}
%{name}_p = tt.addptr %{name}_s, %{name}_i : {tensor(ptr, shape)}, {whole}
"""


def kernel(
    name: str,
    body: str,
    inputs: Sequence[str],
    outputs: Sequence[tuple[str, Sequence[int]]],
    shape: Sequence[int] = (ROWS, COLUMNS),
) -> str:
    """A kernel that loads `%a`, `%b`, …, and stores `%r`, `%r1`, …"""
    arguments, text = list[str](), ""
    for letter, dtype in zip("abcd", inputs, strict=False):
        arguments.append(f"%in_{letter}: !tt.ptr<{dtype}>")
        text += access(f"in_{letter}", dtype, shape)
        text += f"%{letter} = tt.load %in_{letter}_p : {tensor(f'!tt.ptr<{dtype}>', shape)}\n"
    text += body
    for index, (dtype, found) in enumerate(outputs):
        out = f"out_{index}"
        arguments.append(f"%{out}: !tt.ptr<{dtype}>")
        text += access(out, dtype, found)
        pointers = f"%{out}_p : {tensor(f'!tt.ptr<{dtype}>', found)}" if found else ""
        pointers = pointers or f"%{out} : !tt.ptr<{dtype}>"
        where, ty = pointers.split(" : ", 1)
        text += f"\ntt.store {where}, %r{index or ''} : {ty}\n"
    body = indent(text, "  ")
    return f"tt.func public @{name}({', '.join(arguments)}) {{\n{body}  tt.return\n}}\n"


T, INTS, B = tensor("f32"), tensor("i32"), tensor("i1")


def unary(text: str, dtype: str = "f32") -> str:
    return f"%r = {text.replace('TYPE', tensor(dtype))}"


def math(name: str, operands: str = "%a") -> str:
    return unary(f"math.{name} {operands} : TYPE")


def arith(name: str, dtype: str = "i32") -> str:
    return unary(f"arith.{name} %a, %b : TYPE", dtype)


def extern(symbol: str, count: int = 1, result: str = "f32") -> str:
    operands = ", ".join(f"%{letter}" for letter in "ab"[:count])
    types = ", ".join([T] * count)
    words = f'{{libname = "", libpath = "", pure = true, symbol = "{symbol}"}}'
    return f"%r = tt.extern_elementwise {operands} {words} : ({types}) -> {tensor(result)}"


def aggregate(kind: str, op: str, axis: int, dtype: str, result: Sequence[int], more: str) -> str:
    return f"""%r = "tt.{kind}"(%a) <{{axis = {axis} : i32{more}}}> ({{
^bb0(%x: {dtype}, %y: {dtype}):
  %z = arith.{op} %x, %y : {dtype}
  tt.{kind}.return %z : {dtype}
}}) : ({tensor(dtype)}) -> {tensor(dtype, result)}
"""


AFFINE = f"""%r, %r1 = "tt.scan"(%a, %b) <{{axis = 1 : i32, reverse = REVERSE}}> ({{
^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
  %p = arith.mulf %a0, %a1 : f32
  %q = arith.mulf %a1, %b0 : f32
  %s = arith.addf %q, %b1 : f32
  tt.scan.return %p, %s : f32, f32
}}) : ({T}, {T}) -> ({T}, {T})
"""


def assembly(text: str, constraints: str, args: str, dtype: str = "i32", pack: int = 1) -> str:
    ty = tensor(dtype)
    types = ", ".join(ty for _ in args.split(","))
    words = f'constraints = "{constraints}", packed_element = {pack} : i32, pure = true'
    return f'%r = tt.elementwise_inline_asm "{text}" {{{words}}} {args} : {types} -> {ty}'


ARGMAX = f"""%r, %r1 = "tt.reduce"(%a, %b) <{{axis = 1 : i32}}> ({{
^bb0(%v0: f32, %i0: i32, %v1: f32, %i1: i32):
  %g = arith.cmpf ogt, %v0, %v1 : f32
  %e = arith.cmpf oeq, %v0, %v1 : f32
  %l = arith.cmpi slt, %i0, %i1 : i32
  %t = arith.andi %e, %l : i1
  %k = arith.ori %g, %t : i1
  %v = arith.select %k, %v0, %v1 : f32
  %i = arith.select %k, %i0, %i1 : i32
  tt.reduce.return %v, %i : f32, i32
}}) : ({T}, {INTS}) -> (tensor<8xf32>, tensor<8xi32>)
"""
WHILE = f"""%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c5 = arith.constant 5 : i32
%n, %r = scf.while (%k = %c0, %x = %a) : (i32, {T}) -> (i32, {T}) {{
  %go = arith.cmpi slt, %k, %c5 : i32
  scf.condition(%go) %k, %x : i32, {T}
}} do {{
^bb0(%k: i32, %x: {T}):
  %next = arith.addi %k, %c1 : i32
  %y = arith.addf %x, %a : {T}
  scf.yield %next, %y : i32, {T}
}}
"""
IF = f"""%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c4 = arith.constant 4 : i32
%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> ({T}) : i32 {{
  %odd = arith.andi %k, %c1 : i32
  %is = arith.cmpi eq, %odd, %c1 : i32
  %y = scf.if %is -> ({T}) {{
    %z = arith.mulf %x, %a : {T}
    scf.yield %z : {T}
  }} else {{
    %z = arith.addf %x, %a : {T}
    scf.yield %z : {T}
  }}
  scf.yield %y : {T}
}}
"""
MAP = f"""%r = "tt.map_elementwise"(%a) <{{pack = 1 : i32}}> ({{
^bb0(%x: f32):
  %two = arith.constant 2.0 : f32
  %y = arith.mulf %x, %two : f32
  tt.map_elementwise.return %y : f32
}}) : ({T}) -> {T}
"""
PAIRS = f"""%r = "tt.map_elementwise"(%a) <{{pack = 2 : i32}}> ({{
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  %d = arith.subf %x, %y : f32
  tt.map_elementwise.return %s, %d : f32, f32
}}) : ({T}) -> {T}
"""
BRANCHES = f"""%two = arith.constant 2.0 : f32
%r, %r1 = "tt.map_elementwise"(%a, %b) <{{pack = 1 : i32}}> ({{
^bb0(%x: f32, %y: f32):
  %is = arith.cmpf olt, %x, %y : f32
  cf.cond_br %is, ^bb1, ^bb2
^bb1:
  tt.map_elementwise.return %x, %y : f32, f32
^bb2:
  %z = arith.mulf %x, %two : f32
  tt.map_elementwise.return %z, %z : f32, f32
}}) : ({T}, {T}) -> ({T}, {T})
"""
STEPS = f"""%c3 = arith.constant 3 : i32
%c5 = arith.constant 5 : i32
%r = "tt.map_elementwise"(%a) <{{pack = 1 : i32}}> ({{
^bb0(%x: i32):
  %y = scf.while (%k = %x) : (i32) -> i32 {{
    %go = arith.cmpi sgt, %k, %c5 : i32
    scf.condition(%go) %k : i32
  }} do {{
  ^bb0(%k: i32):
    %next = arith.subi %k, %c3 : i32
    scf.yield %next : i32
  }}
  tt.map_elementwise.return %y : i32
}}) : ({INTS}) -> {INTS}
"""
LARGER = f"""%r = "tt.KIND"(%a) <{{axis = 1 : i32MORE}}> ({{
^bb0(%x: f32, %y: f32):
  %is = arith.cmpf ogt, %x, %y : f32
  %z = scf.if %is -> (f32) {{
    scf.yield %x : f32
  }} else {{
    scf.yield %y : f32
  }}
  tt.KIND.return %z : f32
}}) : ({T}) -> RESULT
"""
SIGNED = f"""%c0 = arith.constant 0 : i32
%c8 = arith.constant 8 : i32
%c16 = arith.constant 16 : i32
%c1 = arith.constant 1 : i64
%c16_i64 = arith.constant 16 : i64
%is = arith.cmpi eq, %c0, %c8 : i32
%d = scf.if %is -> (!tt.tensordesc<tensor<8x16xsi32>>) {{
  %x = tt.make_tensor_descriptor %in_a, [%c8, %c16], [%c16_i64, %c1] : <i32>, <tensor<8x16xsi32>>
  scf.yield %x : !tt.tensordesc<tensor<8x16xsi32>>
}} else {{
  %y = tt.make_tensor_descriptor %in_b, [%c8, %c16], [%c16_i64, %c1] : <i32>, <tensor<8x16xsi32>>
  scf.yield %y : !tt.tensordesc<tensor<8x16xsi32>>
}}
%r = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<8x16xsi32>> -> {INTS}
"""
WIDE = "tensor<16x8xf32>"
J = "tensor<8x16x2xf32>"

Reference = Callable[..., Any]
F32 = (("f32", (ROWS, COLUMNS)),)
I32 = (("i32", (ROWS, COLUMNS)),)


def scan_affine(a: Array, b: Array, reverse: bool) -> tuple[Array, Array]:
    p, s = a.astype(float).copy(), b.astype(float).copy()
    columns = range(COLUMNS - 2, -1, -1) if reverse else range(1, COLUMNS)
    for j in columns:
        before = j + 1 if reverse else j - 1
        p[:, j] = p[:, before] * a[:, j]
        s[:, j] = a[:, j] * s[:, before] + b[:, j]
    return p, s


def quotient(a: Array, b: Array) -> Array:
    return np.trunc(a.astype(float) / b).astype(np.int32)


CASES: Mapping[str, tuple[str, Sequence[str], Any, Reference]] = {
    # name: body, types of inputs, results, what NumPy says
    **{
        name: (math(name), ["f32"], F32, function)
        for name, function in {
            "exp": np.exp,
            "exp2": np.exp2,
            "sin": np.sin,
            "cos": np.cos,
            "floor": np.floor,
            "ceil": np.ceil,
            "absf": np.abs,
            "erf": np.vectorize(erf),
        }.items()
    },
    "log": (math("absf") + f"\n%l = math.log %r : {T}", ["f32"], F32, np.abs),
    "sqrt": (unary("math.absf %a : TYPE").replace("%r", "%p") + "\n" + math("sqrt", "%p"),
             ["f32"], F32, lambda a: np.sqrt(np.abs(a))),
    "fma": (math("fma", "%a, %b, %a"), ["f32", "f32"], F32, lambda a, b: a * b + a),
    **{
        name: (arith(name), ["i32", "i32"], I32, function)
        for name, function in {
            "addi": np.add,
            "subi": np.subtract,
            "muli": np.multiply,
            "divsi": quotient,
            "remsi": lambda a, b: a - quotient(a, b) * b,
            "andi": np.bitwise_and,
            "ori": np.bitwise_or,
            "xori": np.bitwise_xor,
            "maxsi": np.maximum,
            "minui": lambda a, b: np.minimum(a.view(np.uint32), b.view(np.uint32)).view(np.int32),
            "shrsi": lambda a, b: a >> (b & 7),
            "shrui": lambda a, b: (a.view(np.uint32) >> (b & 7).view(np.uint32)).view(np.int32),
            "shli": lambda a, b: a << (b & 7),
        }.items()
    },
    **{
        name: (arith(name, "f32"), ["f32", "f32"], F32, function)
        for name, function in {
            "addf": np.add,
            "divf": np.divide,
            "remf": np.fmod,
            "maxnumf": np.fmax,
            "minimumf": np.minimum,
        }.items()
    },
    "mulhiui": (unary("tt.mulhiui %a, %b : TYPE", "i32"), ["i32", "i32"], I32,
                lambda a, b: (a.view(np.uint32).astype(np.uint64) * b.view(np.uint32)
                              >> np.uint64(32)).astype(np.uint32).view(np.int32)),
    "clamp": (f"%r = tt.clampf %a, %b, %c, propagateNan = all : {T}", ["f32"] * 3, F32,
              lambda a, b, c: np.minimum(np.maximum(a, b), c)),
    "compare": (f"%m = arith.cmpf ult, %a, %b : {T}\n%r = arith.select %m, %a, %b : {B}, {T}",
                ["f32", "f32"], F32, np.minimum),
    "unordered": (f"%m = arith.cmpf uno, %a, %b : {T}\n%r = arith.extui %m : {B} to {INTS}",
                  ["f32", "f32"], I32, lambda a, b: (np.isnan(a) | np.isnan(b)).astype(np.int32)),
    "convert": (f"%x = arith.fptosi %a : {T} to {INTS}\n%y = arith.sitofp %x : {INTS} to {T}\n"
                f"%h = tt.fp_to_fp %y, rounding = rtz : {T} -> {tensor('f16')}\n"
                f"%r = arith.extf %h : {tensor('f16')} to {T}", ["f32"], F32, np.trunc),
    "erf_f64": (unary("math.erf %a : TYPE", "f64"), ["f64"], (("f64", (ROWS, COLUMNS)),),
                np.vectorize(erf)),
    "cut": (f"%h = tt.fp_to_fp %a, rounding = rtz : {T} -> {tensor('f8E5M2')}\n"
            f"%r = tt.fp_to_fp %h : {tensor('f8E5M2')} -> {T}", ["f32"], F32,
            lambda a: np.ldexp(np.trunc(np.frexp(a)[0] * 8) / 8, np.frexp(a)[1])),
    "bits": (f"%r = tt.bitcast %a : {T} -> {INTS}", ["f32"], I32, lambda a: a.view(np.int32)),
    # libdevice
    "tanh": (extern("__nv_tanhf"), ["f32"], F32, np.tanh),
    "atan": (extern("__nv_atanf"), ["f32"], F32, np.arctan),
    "rint": (extern("__nv_rintf"), ["f32"], F32, np.rint),
    "trunc": (extern("__nv_truncf"), ["f32"], F32, np.trunc),
    "round": (extern("__nv_roundf"), ["f32"], F32,
              lambda a: np.copysign(np.floor(np.abs(a) + np.float32(0.5)), a)),
    "expm1": (extern("__nv_expm1f"), ["f32"], F32, np.expm1),
    "log1p": (math("absf").replace("%r", "%x") + "\n" + extern("__nv_log1pf").replace("%a", "%x"),
              ["f32"], F32, lambda a: np.log1p(np.abs(a))),
    "cbrt": (extern("__nv_cbrtf"), ["f32"], F32, np.cbrt),
    "hypot": (extern("__nv_hypotf", 2), ["f32", "f32"], F32, np.hypot),
    "llrint": (extern("__nv_float2int_rn", result="i32"), ["f32"], I32,
               lambda a: np.rint(a).astype(np.int32)),
    "as_int": (extern("__nv_float_as_int", result="i32"), ["f32"], I32, lambda a: a.view(np.int32)),
    "copysign": (extern("__nv_copysignf", 2), ["f32", "f32"], F32, np.copysign),
    "signbit": (extern("__nv_signbitf", result="i32"), ["f32"], I32,
                lambda a: np.signbit(a).astype(np.int32)),
    "isinf": (extern("__nv_isinff", result="i32"), ["f32"], I32,
              lambda a: np.isinf(a).astype(np.int32)),
    # shapes
    "trans": (f"%r = tt.trans %a {{order = array<i32: 1, 0>}} : {T} -> {WIDE}", ["f32"],
              (("f32", (16, 8)),), np.transpose),
    "join": (f"%r = tt.join %a, %b : {T} -> {J}", ["f32", "f32"], (("f32", (8, 16, 2)),),
             lambda a, b: np.stack((a, b), -1)),
    "split": (f"%j = tt.join %a, %b : {T} -> {J}\n%r, %r1 = tt.split %j : {J} -> {T}",
              ["f32", "f32"], (*F32, *F32), lambda a, b: (a, b)),
    "cat": (f"%r = tt.cat %a, %b : {T} -> tensor<16x16xf32>", ["f32", "f32"],
            (("f32", (16, 16)),), lambda a, b: np.concatenate((a, b))),
    "expand": (f"%e = tt.expand_dims %a {{axis = 1 : i32}} : {T} -> tensor<8x1x16xf32>\n"
               "%r = tt.broadcast %e : tensor<8x1x16xf32> -> tensor<8x4x16xf32>", ["f32"],
               (("f32", (8, 4, 16)),), lambda a: np.repeat(a[:, None], 4, 1)),
    "gather": (f"%c15 = arith.constant dense<15> : {INTS}\n%i = arith.andi %b, %c15 : {INTS}\n"
               f"%r = tt.gather %a[%i] {{axis = 1 : i32}} : ({T}, {INTS}) -> {T}", ["f32", "i32"],
               F32, lambda a, b: np.take_along_axis(a, b & 15, 1)),
    "histogram": (f"%r = tt.histogram %a : {INTS} -> tensor<32xi32>", ["i32"], (("i32", (32,)),),
                  lambda a: np.array([(a == k).sum() for k in range(32)], np.int32)),
    # aggregates
    "sum": (aggregate("reduce", "addf", 1, "f32", (8,), ""), ["f32"], (("f32", (8,)),),
            lambda a: a.sum(1)),
    "min": (aggregate("reduce", "minsi", 0, "i32", (16,), ""), ["i32"], (("i32", (16,)),),
            lambda a: a.min(0)),
    "argmax": (ARGMAX, ["f32", "i32"], (("f32", (8,)), ("i32", (8,))),
               lambda a, b: (a.max(1), np.take_along_axis(b, a.argmax(1)[:, None], 1)[:, 0])),
    "cumsum": (aggregate("scan", "addf", 1, "f32", (8, 16), ", reverse = true"), ["f32"], F32,
               lambda a: np.cumsum(a[:, ::-1], 1)[:, ::-1]),
    "affine": (AFFINE.replace("REVERSE", "false"), ["f32", "f32"], (*F32, *F32),
               lambda a, b: scan_affine(a, b, False)),
    "affine_reverse": (AFFINE.replace("REVERSE", "true"), ["f32", "f32"], (*F32, *F32),
                       lambda a, b: scan_affine(a, b, True)),
    "map": (MAP, ["f32"], F32, lambda a: 2 * a),
    "map_pairs": (PAIRS, ["f32"], F32, lambda a: np.stack(
        (a[:, ::2] + a[:, 1::2], a[:, ::2] - a[:, 1::2]), -1).reshape(a.shape)),
    "map_branches": (BRANCHES, ["f32", "f32"], (*F32, *F32),
                     lambda a, b: (np.where(a < b, a, 2 * a), np.where(a < b, b, 2 * a))),
    "map_while": (STEPS, ["i32"], I32, lambda a: np.where(a > 5, a - (a - 3) // 3 * 3, a)),
    "scan_if": (LARGER.replace("KIND", "scan").replace("MORE", ", reverse = false")
                .replace("RESULT", T), ["f32"], F32, lambda a: np.maximum.accumulate(a, 1)),
    "reduce_if": (LARGER.replace("KIND", "reduce").replace("MORE", "")
                  .replace("RESULT", "tensor<8xf32>"), ["f32"], (("f32", (8,)),),
                  lambda a: a.max(1)),
    # inline assembly
    "asm_funnel": (assembly("shf.l.wrap.b32 $0, $1, $2, 37; // by 5", "=r,r,r", "%a, %b"),
                   ["i32", "i32"], I32,
                   lambda a, b: (b << 5) | (a.view(np.uint32) >> 27).view(np.int32)),
    "asm_predicates": (
        assembly("{ .reg .pred p; setp.gt.f32 p, $1, 0.5; @p mov.f32 $0, $1;"
                 " @!p mul.f32 $0, $1, 2.0; @!p add.f32 $0, $0, 0f3F800000; }", "=r,r", "%a",
                 "f32"),
        ["f32"], F32, lambda a: np.where(a > 0.5, a, 2 * a + 1)),
    "asm_table": (assembly("lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xea;", "=r,r,r", "%a, %b"),
                  ["i32", "i32"], I32, lambda a, b: (a & b) | 0x0F0F0F0F),
    "asm_bytes": (assembly("prmt.b32 $0, $1, $2, 0x5418;", "=r,r,r", "%a, %b"), ["i32", "i32"], I32,
                  lambda a, b: (b << 16) | (a & 0xFF00) | ((a << 24 >> 31) & 0xFF)),
    "asm_packs": (assembly("add.s32 $0, $2, 1; shl.b32 $1, $3, 33;", "=r,=r,r,r", "%a", pack=2),
                  ["i32"], I32, lambda a: np.where(np.arange(COLUMNS) % 2, 0, a + 1)),
    "asm_halves": (
        f"%x = arith.trunci %a : {INTS} to {tensor('i16')}\n"
        + assembly("and.b32 $0, $1, 0x00FF000F;", "=r,r", "%x", "i16", 2).replace("%r =", "%y =")
        + f"\n%r = arith.extsi %y : {tensor('i16')} to {INTS}",
        ["i32"], I32, lambda a: a & np.where(np.arange(COLUMNS) % 2, 0xFF, 0xF)),
    "asm_parts": (
        assembly("{.reg .b16 a, b; .reg .pred p; mov.b32 {a, b}, $1; "
                 "setp.lt.s16 p, b, 0; @p mov.b32 {b, a}, $1; mov.b32 $0, {b, a};}", "=r,r", "%a"),
        ["i32"], I32, lambda a: np.where(a < 0, a, (a << 16) | ((a >> 16) & 0xFFFF))),
    # control flow
    "while": (WHILE, ["f32"], F32, lambda a: 6 * a),
    "if": (IF, ["f32"], F32, lambda a: (2 * a * a + a) * a),
    "if_descriptor": (SIGNED, ["i32", "i32"], I32, lambda a, b: b),
    # dots
    **{
        f"dot_{word}": (
            f"%t = tt.trans %b {{order = array<i32: 1, 0>}} : {T} -> {WIDE}\n"
            "%z = arith.constant dense<1.0> : tensor<8x8xf32>\n"
            f"%r = tt.dot %a, %t, %z{text} : {T} * {WIDE} -> tensor<8x8xf32>",
            ["f32", "f32"], (("f32", (8, 8)),), lambda a, b: a @ b.T + 1)
        for word, text in (
            ("ieee", ""),
            ("tf32", ", inputPrecision = tf32"),
            ("tf32x3", ", inputPrecision = tf32x3"),
            ("bf16x6", ", inputPrecision = bf16x6"),
        )
    },
}  # fmt: skip
APPROXIMATE = {"dot_tf32": 2e-2, "erf_f64": 1e-15}


@cache
def module() -> ModuleOp:
    text = "".join(kernel(f"k_{n}", b, i, o) for n, (b, i, o, _) in CASES.items())
    return applied(parse(text), ConvertTtToCudaTilePass())


def inputs(name: str, types: Sequence[str]) -> list[Array]:
    rng = np.random.default_rng(len(name))
    made = list[Array]()
    for dtype in types:
        if dtype == "i32":
            made.append(rng.integers(-40, 40, (ROWS, COLUMNS), dtype=np.int32))
            made[-1][made[-1] == 0] = 3
        else:
            made.append(rng.normal(size=(ROWS, COLUMNS)).astype(DTYPES[dtype]))
    if name in ("shrsi", "shrui", "shli"):
        made[1] &= 7
    if name in ("unordered", "minimumf", "maxnumf", "isinf"):
        made[0][0, :2] = np.nan, np.inf
    return made


@pytest.mark.parametrize("name", CASES)
def test_like_numpy(name: str):
    _, types, outputs, reference = CASES[name]
    given = inputs(name, types)
    found = [np.zeros(shape, DTYPES[dtype]) for dtype, shape in outputs]
    run(module(), 1, [*(each.copy() for each in given), *found], entry=f"k_{name}")
    expected = reference(*given)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, wanted in zip(found, expected, strict=True):
        if got.dtype == np.int32:
            np.testing.assert_array_equal(got, wanted)
        else:
            tolerance = APPROXIMATE.get(name, 3e-6)
            np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


SUMS = """
%ab = arith.mulf %a, %b : T
%aa = arith.mulf %a, %a : T
%cb = arith.mulf %c, %b : T
%r = arith.addf %ab, %c : T
%r1 = arith.subf %ab, %c : T
%r2 = arith.subf %c, %aa : T
%r3 = arith.addf %aa, %cb : T
%r4 = arith.subf %ab, %cb : T
"""


@pytest.mark.parametrize("dtype", ["f16", "f32"])
@pytest.mark.parametrize("fp_fusion", [False, True])
def test_sums_of_products(dtype: str, fp_fusion: bool):
    """As FMAs, where Triton's option says so; what is rounded then is what LLVM rounds."""
    ty: Any = DTYPES[dtype]
    text = kernel(
        "k", SUMS.replace("T", tensor(dtype)), [dtype] * 3, [(dtype, (ROWS, COLUMNS))] * 5
    )
    a, b, c = inputs("sums", [dtype] * 3)
    found = [np.zeros((ROWS, COLUMNS), ty) for _ in range(5)]
    if fp_fusion:
        text = f"builtin.module attributes {{{FP_FUSION}}} {{\n{text}}}"
    run(applied(parse(text), ConvertTtToCudaTilePass()), 1, [a, b, c, *found], entry="k")
    x, y, z = (each.astype(np.float64) for each in (a, b, c))

    def once(value: Array) -> Array:
        return value.astype(ty).astype(np.float64)

    first = (lambda value: value) if fp_fusion else once
    expected = [
        first(x * y) + z,
        first(x * y) - z,
        z - first(x * x),
        first(x * x) + once(z * y),
        once(x * y) - first(z * y),
    ]
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, wanted.astype(ty))
    is_fused = not np.array_equal(found[0], (a * b + c).astype(ty))
    assert is_fused == fp_fusion
