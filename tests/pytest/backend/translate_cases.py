"""
For every op of `llvm` and `nvvm` a few lines of a kernel, and what the PTX of them has.

The kernel around them has the operands: `%p` is generic, `%g` and `%q` global, `%s` shared, `%c`
shared in the cluster; `%i`, `%j` are `i32`, `%l`, `%m` `i64`, `%h` `i16`, `%b` `i1`, `%k` `i8`;
`%f`, `%e` are `f32`, `%d` `f64`, `%x` `f16`, `%y` `bf16`; vectors are named after their type.
Results that nothing uses are stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp, LLVMPointerType, ReturnOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.llvm import StoreOp

from ..harness.modules import parse_unverified
from .kernels import ARCHITECTURES

ARGUMENTS: Final = {
    "g": "!llvm.ptr<1>",
    "q": "!llvm.ptr<1>",
    "p": "!llvm.ptr",
    "s": "!llvm.ptr<3>",
    "c": "!llvm.ptr<7>",
    "i": "i32",
    "j": "i32",
    "l": "i64",
    "m": "i64",
    "h": "i16",
    "b": "i1",
    "k": "i8",
    "f": "f32",
    "e": "f32",
    "d": "f64",
    "x": "f16",
    "y": "bf16",
}
VECTORS: Final = {
    f"v{count}{element}": f"vector<{count}x{element}>"
    for count in (2, 3, 4, 8, 16)
    for element in ("f32", "f16", "bf16", "i32", "i16", "i8", "i64", "f64")
} | {
    "w2f8": "vector<2xf8E4M3FN>",
    "w4f32": "vector<4xf32>",
    "w4i32": "vector<4xi32>",
    "w4i8": "vector<4xi8>",
}


@dataclass(frozen=True)
class Case:
    """Lines of a kernel, and parts of the PTX that they become."""

    text: str
    expected: tuple[str, ...]
    arch: str = "sm_80"
    """The one to compile for."""
    declarations: str = ""
    only: tuple[str, ...] = ()
    """The architectures that have it, if they are not `arch` and all later ones."""

    @property
    def architectures(self) -> tuple[str, ...]:
        """Those that have it."""
        return self.only or ARCHITECTURES[ARCHITECTURES.index(self.arch) :]

    def body(self) -> str:
        """The lines, after those that load the vectors they use."""
        loads = "".join(
            f"%{name} = llvm.load volatile %q {{alignment = 16 : i64}} : !llvm.ptr<1> -> {ty}\n"
            for name, ty in VECTORS.items()
            if f"%{name} "
            in f"{self.text} ".replace(",", " ")
            .replace(")", " ")
            .replace("]", " ")
            .replace("[", " ")
        )
        return f"{loads}{self.text}\n"


def kernel(case: Case, name: str) -> str:
    """The text of the function of a case."""
    arguments = ", ".join(f"%{key}: {ty}" for key, ty in ARGUMENTS.items())
    return (
        f"llvm.func @{name}({arguments}) attributes {{nvvm.kernel, nvvm.reqntid = "
        f"array<i32: 128>, nvvm.minctasm = 1 : i32}} {{\n{case.body()}llvm.return\n}}\n"
    )


def build(cases: list[Case]) -> ModuleOp:
    """A verified module with a kernel for each case."""
    declarations = "".join(dict.fromkeys(case.declarations for case in cases))
    functions = "".join(kernel(case, f"k{index}") for index, case in enumerate(cases))
    text = f'"gpu.module"() <{{sym_name = "m"}}> ({{\n{declarations}{functions}}}) : () -> ()\n'
    module = parse_unverified(text, "cases.mlir")
    for op in list(module.walk()):
        if isinstance(op, FuncOp) and "nvvm.kernel" in op.attributes:
            _store_results(op)
    module.verify()
    return module


def _store_results(function: FuncOp) -> None:
    pointer = function.body.block.args[0] if len(function.body.blocks) == 1 else None
    if pointer is None:
        return
    assert isinstance(pointer.type, LLVMPointerType)
    last = function.body.block.last_op
    assert isinstance(last, ReturnOp)
    for op in list(function.body.block.ops):
        for result in op.results:
            if not result.uses:
                store = StoreOp(result, pointer, volatile=True)
                function.body.block.insert_op_before(store, last)


def op_names(module: ModuleOp) -> set[str]:
    """The names of all ops in a module."""
    ops: list[Operation] = list(module.walk())
    return {op.name for op in ops}


def sections(ptx: str) -> dict[str, str]:
    """The PTX of each kernel, after what all of them share."""
    head, *parts = re.split(r"(?=\.visible \.entry )", ptx)
    return {part[len(".visible .entry ") :].partition("(")[0]: head + part for part in parts}


def _cases(arch: str, *rows: tuple[str, str], only: tuple[str, ...] = ()) -> list[Case]:
    return [Case(text, tuple(expected.split(" | ")), arch, only=only) for text, expected in rows]


ARITHMETIC: Final = _cases(
    "sm_80",
    ("%0 = llvm.add %i, %j overflow<nsw, nuw> : i32", "add.s32"),
    ("%0 = llvm.add %v4i16, %v4i16 : vector<4xi16>", "ld.volatile.global"),
    ("%0 = llvm.sub %l, %m : i64", "sub.s64"),
    ("%0 = llvm.mul %i, %j : i32", "mul.lo.s32"),
    ("%0 = llvm.udiv exact %i, %j : i32", "div.u32"),
    ("%0 = llvm.sdiv %i, %j : i32", "div.s32"),
    ("%0 = llvm.urem %i, %j : i32", "rem.u32"),
    ("%0 = llvm.srem %l, %m : i64", "rem.s64"),
    ("%0 = llvm.and %i, %j : i32", "and.b32"),
    ("%0 = llvm.or disjoint %i, %j : i32", "or.b32"),
    ("%0 = llvm.xor %i, %j : i32", "xor.b32"),
    ("%0 = llvm.shl %i, %j : i32", "shl.b32"),
    ("%0 = llvm.lshr %i, %j : i32", "shr.u32"),
    ("%0 = llvm.ashr %i, %j : i32", "shr.s32"),
    ("%0 = llvm.fadd %f, %e : f32", "add.rn.f32"),
    ("%0 = llvm.fadd %v4f16, %v4f16 : vector<4xf16>", "add.rn.f16x2"),
    ("%0 = llvm.fsub %d, %d : f64", "sub.rn.f64"),
    ("%0 = llvm.fmul %v3f32, %v3f32 : vector<3xf32>", "mul.rn.f32"),
    ("%0 = llvm.fdiv %f, %e : f32", "div.rn.f32"),
    ("%0 = llvm.fdiv %f, %e {fastmathFlags = #llvm.fastmath<fast>} : f32", "div.approx.f32"),
    ("%0 = llvm.frem %f, %e : f32", "fma.r"),
    ("%0 = llvm.fneg %f : f32", "neg.f32"),
    ("%0 = llvm.fneg %v3f16 : vector<3xf16>", "neg.f16"),
    ('%0 = llvm.icmp "slt" %i, %j : i32', "setp.lt.s32"),
    ('%0 = llvm.icmp "ugt" %v4i8, %w4i8 : vector<4xi8>', "setp.gt.u"),
    ('%0 = llvm.fcmp "olt" %f, %e : f32', "setp.lt.f32"),
    ('%0 = llvm.fcmp "uno" %v4f16, %v4f16 : vector<4xf16>', "setp.nan.f16"),
    ("%0 = llvm.select %b, %v4f16, %v4f16 : i1, vector<4xf16>", "ld.volatile.global"),
    (
        '%0 = llvm.icmp "eq" %v4i32, %w4i32 : vector<4xi32>\n'
        "%1 = llvm.select %0, %v4f32, %w4f32 : vector<4xi1>, vector<4xf32>",
        "selp.",
    ),
    ("%0 = llvm.freeze %i : i32", "st.volatile.global"),
    ("%0 = llvm.mlir.constant(42 : i32) : i32", "42"),
    ("%0 = llvm.mlir.constant(1.5 : f16) : f16", "0x3E00|15872"),
    ("%0 = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xbf16>) : vector<2xbf16>", "st."),
    ("%0 = llvm.mlir.zero : !llvm.struct<(i32, f32)>", "st.volatile.global"),
    (
        "%0 = llvm.mlir.undef : !llvm.struct<(i32, vector<2xf32>)>\n"
        "%1 = llvm.insertvalue %i, %0[0] : !llvm.struct<(i32, vector<2xf32>)>\n"
        "%2 = llvm.insertvalue %v2f32, %1[1] : !llvm.struct<(i32, vector<2xf32>)>\n"
        "%3 = llvm.extractvalue %2[1] : !llvm.struct<(i32, vector<2xf32>)>",
        "st.volatile.global",
    ),
    ("%0 = llvm.mlir.poison : i32", "st.volatile.global"),
)

CASTS: Final = _cases(
    "sm_80",
    ("%0 = llvm.trunc %l : i64 to i32", "st.volatile.global.b32"),
    ("%0 = llvm.zext nneg %h : i16 to i32", "cvt.u32.u16|ld.param.u16|ld.param.b16"),
    ("%0 = llvm.sext %v4i8 : vector<4xi8> to vector<4xi32>", "prmt|cvt.s32.s8|bfe.s32"),
    ("%0 = llvm.sitofp %i : i32 to f32", "cvt.rn.f32.s32"),
    ("%0 = llvm.uitofp %v2i32 : vector<2xi32> to vector<2xf32>", "cvt.rn.f32.u32"),
    ("%0 = llvm.sitofp %v4i8 : vector<4xi8> to vector<4xf32>", "prmt.b32"),
    ("%0 = llvm.uitofp %v4i8 : vector<4xi8> to vector<4xf16>", "prmt.b32"),
    ("%0 = llvm.fptosi %f : f32 to i32", "cvt.rzi.s32.f32"),
    ("%0 = llvm.fptoui %d : f64 to i64", "cvt.rzi.u64.f64"),
    ("%0 = llvm.intr.fptosi.sat(%v4f32) : (vector<4xf32>) -> vector<4xi32>", "cvt.rzi.s32.f32"),
    ("%0 = llvm.intr.fptoui.sat(%d) : (f64) -> i64", "cvt.rzi.u64.f64"),
    ("%0 = llvm.intr.fptoui.sat(%f) : (f32) -> i8", "cvt.rzi.u16.f32"),
    ("%0 = llvm.fpext %v4f16 : vector<4xf16> to vector<4xf32>", "cvt.f32.f16"),
    ("%0 = llvm.fptrunc %v4f32 : vector<4xf32> to vector<4xf16>", "cvt.rn.f16x2.f32"),
    ("%0 = llvm.bitcast %v4f16 : vector<4xf16> to vector<2xi32>", "st.volatile.global"),
    ("%0 = llvm.bitcast %v2f32 : vector<2xf32> to i64", "st.volatile.global.b64"),
    ("%0 = llvm.inttoptr %l : i64 to !llvm.ptr<1>", "st.volatile.global"),
    ("%0 = llvm.ptrtoint %g : !llvm.ptr<1> to i64", "st.volatile.global"),
    ("%0 = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr", "cvta.shared.u64"),
)

VECTOR_OPS: Final = _cases(
    "sm_80",
    ("%0 = llvm.extractelement %v4f32[%i : i32] : vector<4xf32>", "ld.b32|ld.local|selp"),
    (
        "%n = llvm.mlir.constant(3 : i32) : i32\n"
        "%0 = llvm.extractelement %v4f16[%n : i32] : vector<4xf16>",
        "st.volatile.global.b16",
    ),
    ("%0 = llvm.insertelement %f, %v4f32[%i : i32] : vector<4xf32>", "st.volatile.global"),
    (
        "%n = llvm.mlir.constant(3 : i32) : i32\n"
        "%0 = llvm.insertelement %x, %v4f16[%n : i32] : vector<4xf16>",
        "st.volatile.global",
    ),
    ("%0 = llvm.shufflevector %v4f32, %v4f32 [0, 5, 2, 7] : vector<4xf32>", "st.volatile"),
    ("%0 = llvm.shufflevector %v4f16, %v4f16 [2, 3, 1, 4] : vector<4xf16>", "st.volatile"),
    *(
        (f"%0 = llvm.intr.vector.reduce.{word}(%v4i32) : (vector<4xi32>) -> i32", expected)
        for word, expected in (
            ("add", "add.s32"),
            ("mul", "mul.lo.s32"),
            ("and", "and.b32"),
            ("or", "or.b32"),
            ("xor", "xor.b32"),
            ("smin", "min.s32"),
            ("smax", "max.s32"),
            ("umin", "min.u32"),
            ("umax", "max.u32"),
        )
    ),
    *(
        (f"%0 = llvm.intr.vector.reduce.{word}(%v8f16) : (vector<8xf16>) -> f16", expected)
        for word, expected in (
            ("fmin", "min.f16x2"),
            ("fmax", "max.f16x2"),
            ("fminimum", "min.NaN.f16x2"),
            ("fmaximum", "max.NaN.f16x2"),
        )
    ),
    (
        '%0 = "llvm.intr.vector.reduce.fadd"(%f, %v4f32) '
        "<{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32",
        "add.rn.f32",
    ),
    (
        '%0 = "llvm.intr.vector.reduce.fmul"(%f, %v3f32) '
        "<{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<3xf32>) -> f32",
        "mul.rn.f32",
    ),
)

MEMORY: Final = _cases(
    "sm_80",
    ("%0 = llvm.load %g : !llvm.ptr<1> -> f32", "ld.global.b32"),
    ("%0 = llvm.load %g {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>", "v4.b32"),
    ("%0 = llvm.load %g {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xf32>", "v4.b32"),
    ("%0 = llvm.load %g invariant : !llvm.ptr<1> -> f32", "ld.global.nc.b32"),
    (
        '%0 = llvm.load %g atomic syncscope("device") acquire : !llvm.ptr<1> -> i32',
        "ld.acquire.gpu.global.b32",
    ),
    ("%0 = llvm.load volatile %s : !llvm.ptr<3> -> i32", "ld.volatile.shared.b32"),
    ("llvm.store %v8f16, %g {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>", "v4.b32"),
    ("llvm.store %f, %s {nontemporal} : f32, !llvm.ptr<3>", "st.shared.b32"),
    (
        'llvm.store %i, %g atomic syncscope("block") release : i32, !llvm.ptr<1>',
        "st.release.cta.global.b32",
    ),
    (
        "%0 = llvm.alloca %i x i32 {alignment = 16 : i64} : (i32) -> !llvm.ptr\n"
        "llvm.store volatile %i, %0 : i32, !llvm.ptr",
        "alloca|st.volatile",
    ),
    (
        "%0 = llvm.getelementptr inbounds %g[%i, 1] : (!llvm.ptr<1>, i32) -> "
        "!llvm.ptr<1>, !llvm.struct<(i32, f32)>",
        "mad.wide.s32|mul.wide.s32|shl.b64",
    ),
    (
        "%0 = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
        "vector<2x!llvm.ptr<1>>, i8",
        "add.s64",
    ),
    (
        '%0 = llvm.fcmp "olt" %v4f32, %w4f32 : vector<4xf32>\n'
        "llvm.intr.masked.store %v4f32, %g, %0 {alignment = 16 : i32} : "
        "vector<4xf32>, vector<4xi1> into !llvm.ptr<1>",
        "st.global",
    ),
)

ATOMICS: Final = [
    *_cases(
        "sm_80",
        (
            '%0 = llvm.atomicrmw add %g, %i syncscope("device") monotonic : !llvm.ptr<1>, i32',
            "atom.global.add.u32|atom.relaxed.gpu.global.add.u32",
        ),
        (
            '%0 = llvm.atomicrmw add %g, %i syncscope("device") acq_rel : !llvm.ptr<1>, i32',
            "atom.acq_rel.gpu.global.add.u32",
        ),
        (
            "%0 = llvm.atomicrmw fadd %g, %f monotonic : !llvm.ptr<1>, f32",
            "atom.relaxed.sys.global.add.f32",
        ),
        (
            '%0 = llvm.atomicrmw fadd %g, %v2f16 syncscope("device") monotonic : '
            "!llvm.ptr<1>, vector<2xf16>",
            "atom.relaxed.gpu.global.add.noftz.f16x2",
        ),
        (
            '%0 = llvm.atomicrmw umax %s, %l syncscope("block") release : !llvm.ptr<3>, i64',
            "atom.release.cta.shared.max.u64",
        ),
        (
            "%0 = llvm.atomicrmw xchg %p, %i seq_cst : !llvm.ptr, i32",
            "fence.sc.sys; atom.acq_rel.sys.exch.b32",
        ),
        (
            '%0 = llvm.atomicrmw sub %g, %i syncscope("block") acquire : !llvm.ptr<1>, i32',
            "atom.acquire.cta.global.add.u32",
        ),
        (
            '%0 = llvm.atomicrmw fmax %g, %f syncscope("device") acq_rel : !llvm.ptr<1>, f32',
            "atom.*cas",
        ),
        (
            '%0 = llvm.cmpxchg %g, %i, %j syncscope("device") acq_rel monotonic : '
            "!llvm.ptr<1>, i32",
            "atom.acq_rel.gpu.global.cas.b32",
        ),
        ('llvm.fence syncscope("block") release', "fence.*cta"),
        ("llvm.fence seq_cst", "fence.sc.sys"),
    ),
    *_cases(
        "sm_90",
        (
            '%0 = llvm.atomicrmw add %c, %i syncscope("cluster") acquire : !llvm.ptr<7>, i32',
            "atom.acquire.cluster.shared::cluster.add.u32",
        ),
    ),
]

INTRINSICS: Final = _cases(
    "sm_80",
    ("%0 = llvm.intr.abs(%i) {is_int_min_poison = false} : (i32) -> i32", "abs.s32"),
    ("%0 = llvm.intr.ctlz(%i) {is_zero_poison = false} : (i32) -> i32", "clz.b32"),
    ("%0 = llvm.intr.cttz(%i) {is_zero_poison = true} : (i32) -> i32", "popc.b32|clz.b32|bfind"),
    ("%0 = llvm.intr.powi(%f, %i) : (f32, i32) -> f32", "fma.rn.f32|mul.rn.f32"),
    ("llvm.intr.assume %b : i1", "ret;"),
    ("llvm.intr.trap", "trap;"),
    *(
        (f"%0 = llvm.intr.{word}(%f) : (f32) -> f32", expected)
        for word, expected in (
            ("fabs", "abs.f32"),
            ("ceil", "cvt.rpi.f32.f32"),
            ("floor", "cvt.rmi.f32.f32"),
            ("trunc", "cvt.rzi.f32.f32"),
            ("round", "cvt.rzi.f32.f32"),
            ("roundeven", "cvt.rni.f32.f32"),
            ("rint", "cvt.rni.f32.f32"),
            ("nearbyint", "cvt.rni.f32.f32"),
            ("sqrt", "sqrt.rn.f32"),
            ("exp", "ex2.approx"),
            ("exp2", "ex2.approx"),
            ("log", "fma.rn.f32"),
            ("log2", "lg2.approx|fma.rn.f32"),
            ("log10", "lg2.approx|fma.rn.f32"),
            ("sin", "fma.rn.f32"),
            ("cos", "fma.rn.f32"),
            ("tan", "fma.rn.f32"),
            ("tanh", "fma.rn.f32|ex2.approx"),
        )
    ),
    (
        "%0 = llvm.intr.sin(%v2f32) {fastmathFlags = #llvm.fastmath<afn>} : "
        "(vector<2xf32>) -> vector<2xf32>",
        "sin.approx.f32",
    ),
    ("%0 = llvm.intr.exp2(%d) : (f64) -> f64", "fma.rn.f64"),
    ("%0 = llvm.intr.sinh(%f) : (f32) -> f32", "ex2.approx"),
    ("%0 = llvm.intr.cosh(%v2f16) : (vector<2xf16>) -> vector<2xf16>", "ex2.approx"),
    ("%0 = llvm.intr.atan2(%f, %e) : (f32, f32) -> f32", "copysign.f32"),
    ("%0 = llvm.intr.log(%f) : (f32) -> f32", "fma.rn.f32"),
    ("%0 = llvm.intr.tanh(%f) : (f32) -> f32", "rcp.approx.ftz.f32"),
    ("%0 = llvm.intr.exp(%v2f16) : (vector<2xf16>) -> vector<2xf16>", "ex2.approx"),
    *(
        (f"%0 = llvm.intr.{word}(%f, %e) : (f32, f32) -> f32", expected)
        for word, expected in (
            ("maxnum", "max.f32"),
            ("minnum", "min.f32"),
            ("maximum", "max.NaN.f32"),
            ("minimum", "min.NaN.f32"),
            ("copysign", "copysign.f32|and.b32|lop3"),
            ("pow", "fma.rn.f32"),
        )
    ),
    (
        "%0 = llvm.intr.fma(%v4f16, %v4f16, %v4f16) : (vector<4xf16>, vector<4xf16>, "
        "vector<4xf16>) -> vector<4xf16>",
        "fma.rn.f16x2",
    ),
    *(
        (f"%0 = llvm.intr.{word}(%i, %j) : (i32, i32) -> i32", expected)
        for word, expected in (
            ("smin", "min.s32"),
            ("smax", "max.s32"),
            ("umin", "min.u32"),
            ("umax", "max.u32"),
        )
    ),
    ("%0 = llvm.intr.ctpop(%i) : (i32) -> i32", "popc.b32"),
    ("%0 = llvm.intr.bswap(%i) : (i32) -> i32", "prmt.b32"),
    ("%0 = llvm.intr.bitreverse(%i) : (i32) -> i32", "brev.b32"),
    ("%0 = llvm.intr.fshl(%i, %j, %i) : (i32, i32, i32) -> i32", "shf.l.wrap.b32"),
    ("%0 = llvm.intr.fshr(%i, %j, %i) : (i32, i32, i32) -> i32", "shf.r.wrap.b32"),
    (
        '%0 = "llvm.intr.stacksave"() : () -> !llvm.ptr\n'
        '"llvm.intr.stackrestore"(%0) : (!llvm.ptr) -> ()',
        "ret;",
    ),
    (
        '%0 = llvm.call_intrinsic "llvm.nvvm.add.rz.f"(%f, %e) : (f32, f32) -> f32',
        "add.rz.f32",
    ),
    (
        '%0 = llvm.inline_asm has_side_effects "add.u32 $0, $1, $2;", "=r,r,r" %i, %j : '
        "(i32, i32) -> i32",
        "add.u32",
    ),
)

CONTROL: Final = [
    Case(
        "llvm.br ^a(%v4f32, %i : vector<4xf32>, i32)\n"
        "^a(%acc: vector<4xf32>, %n: i32):\n"
        "%one = llvm.mlir.constant(1 : i32) : i32\n"
        "%zero = llvm.mlir.constant(0 : i32) : i32\n"
        "%next = llvm.fadd %acc, %acc : vector<4xf32>\n"
        "%m1 = llvm.sub %n, %one : i32\n"
        '%more = llvm.icmp "ne" %m1, %zero : i32\n'
        "llvm.cond_br %more, ^a(%next, %m1 : vector<4xf32>, i32), ^b\n"
        "^b:\n"
        "llvm.store %next, %g {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>",
        ("bra", "add.rn.f32", "st.global.v4.b32"),
    ),
    Case(
        "llvm.cond_br %b, ^a(%i : i32), ^a(%j : i32)\n"
        "^a(%n: i32):\n"
        "llvm.store %n, %g : i32, !llvm.ptr<1>",
        ("selp|bra", "st.global.b32"),
    ),
    Case(
        '"llvm.switch"(%i, %i, %j, %i)[^a, ^a, ^b] <{case_values = dense<[1, -2]> : '
        "vector<2xi32>, case_operand_segments = array<i32: 1, 1>, "
        "operandSegmentSizes = array<i32: 1, 1, 2>}> : (i32, i32, i32, i32) -> ()\n"
        "^b(%w: i32):\n"
        "llvm.store volatile %w, %g : i32, !llvm.ptr<1>\n"
        "llvm.br ^a(%w : i32)\n"
        "^a(%n: i32):\n"
        "llvm.store volatile %n, %g : i32, !llvm.ptr<1>",
        ("setp", "bra"),
    ),
    Case(
        "llvm.cond_br %b, ^a, ^b\n^b:\nllvm.unreachable\n^a:\n"
        "llvm.store %i, %g : i32, !llvm.ptr<1>",
        ("st.global.b32",),
    ),
    Case(
        "%0 = llvm.call @twice(%v4f32) : (vector<4xf32>) -> vector<4xf32>\n"
        "%1 = llvm.mlir.addressof @text : !llvm.ptr\n"
        "%2 = llvm.call @vprintf(%1, %p) : (!llvm.ptr, !llvm.ptr) -> i32\n"
        "%3 = llvm.mlir.addressof @tile : !llvm.ptr<3>\n"
        "llvm.store volatile %i, %3 : i32, !llvm.ptr<3>\n"
        "%4 = llvm.mlir.addressof @table : !llvm.ptr<4>\n"
        "%5 = llvm.getelementptr %4[0, %i] : (!llvm.ptr<4>, i32) -> !llvm.ptr<4>, "
        "!llvm.array<4 x f32>\n"
        "%6 = llvm.load %5 : !llvm.ptr<4> -> f32",
        ("vprintf", ".shared .align 128 .b8 tile\\[512\\]", "twice", "ld.const.b32"),
        declarations=(
            "llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32\n"
            'llvm.mlir.global internal constant @text("hi\\0A\\00") {addr_space = 0 : i32} : '
            "!llvm.array<4 x i8>\n"
            "llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : "
            "!llvm.array<512 x i8>\n"
            "llvm.mlir.global internal constant @table(dense<[1.0, 2.0, 3.0, 4.0]> : "
            "tensor<4xf32>) {addr_space = 4 : i32} : !llvm.array<4 x f32>\n"
            '"llvm.func"() <{sym_name = "twice", function_type = !llvm.func<vector<4xf32> '
            "(vector<4xf32>)>, CConv = #llvm.cconv<ccc>, linkage = #llvm.linkage<internal>, "
            "no_inline, visibility_ = 0 : i64}> ({\n^bb0(%a: vector<4xf32>):\n"
            "%r = llvm.fadd %a, %a : vector<4xf32>\n"
            "llvm.return %r : vector<4xf32>\n}) : () -> ()\n"
        ),
    ),
]

BRIDGES: Final = _cases(
    "sm_80",
    (
        "%n = arith.constant 7 : index\n%0 = arith.index_cast %n : index to i32\n"
        "%1 = arith.index_cast %i : i32 to index\n%2 = arith.index_cast %1 : index to i64",
        "st.volatile.global.b64 | 7;",
    ),
    ("%0 = vector.extract %v4f16[1] : f16 from vector<4xf16>", "st.volatile.global.b16"),
    (
        '%0 = "vector.from_elements"(%f, %e) : (f32, f32) -> vector<2xf32>',
        "st.volatile.global.v2.b32",
    ),
)

THREADS: Final = [
    *_cases(
        "sm_80",
        ("nvvm.bar.sync.aligned %i : i32", "bar.sync|barrier.sync.aligned"),
        ("nvvm.barrier0", "bar.sync\\s+0|barrier.sync.aligned\\s+0"),
        ("nvvm.barrier", "bar.sync\\s+0|barrier.sync.aligned\\s+0"),
        ("nvvm.barrier id = %i number_of_threads = %j {unaligned}", "barrier.*sync"),
        ("%0 = nvvm.barrier id = %i reduction = and %b -> i1", "red.and.pred"),
        ("%0 = nvvm.barrier reduction = popc %b -> i32", "red.popc.u32"),
        ("nvvm.barrier.arrive id = %i number_of_threads = %j", "arrive"),
        ("nvvm.bar.warp.sync %i : i32", "bar.warp.sync"),
        ("nvvm.mbarrier.init.shared %s, %i : !llvm.ptr<3>, i32", "mbarrier.init.shared.b64"),
        ("nvvm.mbarrier.inval.shared %s : !llvm.ptr<3>", "mbarrier.inval.shared.b64"),
        ("%0 = nvvm.mbarrier.arrive.shared %s : !llvm.ptr<3> -> i64", "mbarrier.arrive.shared"),
        (
            "%0 = nvvm.mbarrier.arrive.nocomplete.shared %s, %i : !llvm.ptr<3>, i32 -> i64",
            "mbarrier.arrive.noComplete.shared",
        ),
        (
            # ptxas does not survive a state that is no result of an arrival.
            "%t = nvvm.mbarrier.arrive.shared %s : !llvm.ptr<3> -> i64\n"
            "%0 = nvvm.mbarrier.test.wait.shared %s, %t : !llvm.ptr<3>, i64 -> i1",
            "mbarrier.test_wait.shared",
        ),
        (
            "%0 = nvvm.mbarrier.test.wait.parity.shared %s, %b : !llvm.ptr<3>, i1 -> i1",
            "mbarrier.test_wait.parity.shared",
        ),
        ("nvvm.fence.acq_rel {scope = #nvvm.mem_scope<gpu>}", "fence.acq_rel.gpu"),
        ("nvvm.fence.sc {scope = #nvvm.mem_scope<sys>}", "fence.sc.sys"),
        ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}", "fence.proxy.alias"),
        ("nvvm.fence.proxy.acquire.sync", "fence"),
    ),
    *_cases(
        "sm_90",
        ("nvvm.cluster.arrive {aligned}", "barrier.cluster.arrive.aligned"),
        ("nvvm.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed"),
        ("nvvm.cluster.wait {aligned}", "barrier.cluster.wait.aligned"),
        (
            "nvvm.mbarrier.arrive.expect_tx.shared %s, %i : !llvm.ptr<3>, i32",
            "mbarrier.arrive.expect_tx",
        ),
        ("nvvm.mbarrier.expect_tx.shared %s, %i : !llvm.ptr<3>, i32", "mbarrier.expect_tx"),
        (
            "nvvm.mbarrier.arrive.shared.cluster %c, %i {relaxed, scope = "
            "#nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32",
            "mbarrier.arrive.relaxed.cluster.shared::cluster",
        ),
        (
            "nvvm.mbarrier.arrive.expect_tx.shared.cluster %c, %i : !llvm.ptr<7>, i32",
            "mbarrier.arrive.expect_tx.*shared::cluster",
        ),
        (
            "%0 = nvvm.mbarrier.try_wait.parity.shared %s, %b, %i : !llvm.ptr<3>, i1, i32 -> i1",
            "mbarrier.try_wait.parity",
        ),
        (
            "%0 = nvvm.mbarrier.try_wait.parity.shared %s, %b, %i {scope = "
            "#nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i1, i32 -> i1",
            "mbarrier.try_wait.parity.acquire.cluster.shared",
        ),
        ("nvvm.fence.mbarrier.init", "fence.mbarrier_init.release.cluster"),
        ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}", "fence.proxy.async;"),
        (
            "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, "
            "space = #nvvm.shared_space<cta>}",
            "fence.proxy.async.shared::cta",
        ),
        (
            "%n = llvm.mlir.constant(128 : i32) : i32\n"
            "nvvm.fence.proxy.acquire %g, %n {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1>, i32",
            "fence.proxy.tensormap::generic.acquire.gpu",
        ),
        (
            "nvvm.fence.proxy.release {scope = #nvvm.mem_scope<gpu>}",
            "fence.proxy.tensormap::generic.release.gpu",
        ),
        (
            "nvvm.fence.proxy.acquire.sync %p : !llvm.ptr",
            "fence.proxy.tensormap::generic.acquire.sys",
        ),
        (
            "nvvm.tensormap.cp_fenceproxy %g, %s {scope = #nvvm.mem_scope<gpu>} : "
            "!llvm.ptr<1>, !llvm.ptr<3>",
            "tensormap.cp_fenceproxy.global.shared::cta",
        ),
        *(
            (
                f"%n = llvm.mlir.constant(1 : {ty}) : {ty}\n"
                f"nvvm.tensormap.replace %s, %n {{field = #nvvm.tensormap_field<{field}>{place}}} "
                f": !llvm.ptr<3>, {ty}",
                f"tensormap.replace.tile.{field}.shared::cta.b1024",
            )
            for field, place, ty in (
                ("global_address", "", "i64"),
                ("rank", "", "i32"),
                ("box_dim", ", ord = 4 : i32", "i32"),
                ("global_dim", ", ord = 0 : i32", "i32"),
                ("global_stride", ", ord = 3 : i32", "i64"),
                ("element_stride", ", ord = 1 : i32", "i32"),
                ("elemtype", "", "i32"),
                ("interleave_layout", "", "i32"),
                ("swizzle_mode", "", "i32"),
                ("fill_mode", "", "i32"),
            )
        ),
        ("nvvm.fence.acq_rel {scope = #nvvm.mem_scope<cluster>}", "fence.acq_rel.cluster"),
        ("nvvm.fence.sc {scope = #nvvm.mem_scope<cluster>}", "fence.sc.cluster"),
    ),
    *_cases(
        # It is another instruction than before.
        "sm_90",
        (
            "%0 = nvvm.mbarrier.test.wait.parity.shared %s, %b : !llvm.ptr<3>, i1 -> i1",
            "mbarrier.test_wait.parity",
        ),
        only=ARCHITECTURES,
    ),
]

_LOAD: Final = "nvvm.cp.async.bulk.tensor.{0}d.shared.cluster.global.tile %s, %p, {1}%s{2}"
_STORE: Final = "nvvm.cp.async.bulk.tensor.{0}d.global.shared.cta.tile %p, {1}%s"

COPIES: Final = [
    *_cases(
        "sm_80",
        (
            "%n = llvm.mlir.constant(16 : i32) : i32\n"
            "nvvm.cp.async.shared.global %s, %g, %n, %i {modifier = #nvvm<load_cache_modifier cg>}"
            " : !llvm.ptr<3>, !llvm.ptr<1>, i32",
            "cp.async.cg.shared.global",
        ),
        (
            "%n = llvm.mlir.constant(4 : i32) : i32\n"
            "nvvm.cp.async.shared.global %s, %g, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32",
            "cp.async.ca.shared.global",
        ),
        ("nvvm.cp.async.commit.group", "cp.async.commit_group"),
        ("nvvm.cp.async.wait.group 2", "cp.async.wait_group\\s+2"),
        ("nvvm.cp.async.wait.all", "cp.async.wait_all"),
        (
            "nvvm.cp.async.mbarrier.arrive.shared %s {noinc = true} : !llvm.ptr<3>",
            "cp.async.mbarrier.arrive.noinc.shared",
        ),
        (
            "nvvm.cp.async.mbarrier.arrive.shared %s : !llvm.ptr<3>",
            "cp.async.mbarrier.arrive.shared",
        ),
    ),
    *_cases(
        "sm_90",
        *(
            (
                f"{_LOAD.format(rank, '%i, ' * rank, '')} : !llvm.ptr<3>, !llvm.ptr, "
                f"{'i32, ' * rank}!llvm.ptr<3>",
                f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier",
            )
            for rank in range(1, 6)
        ),
        (
            f"{_LOAD.format(2, '%i, %j, ', ', %h, %l')} {{multicastEnable, cacheHintEnable}} : "
            "!llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16, i64",
            "multicast::cluster.L2::cache_hint",
        ),
        *(
            (
                f"{_STORE.format(rank, '%i, ' * rank)} : !llvm.ptr, {'i32, ' * rank}!llvm.ptr<3>",
                f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group",
            )
            for rank in range(1, 6)
        ),
        (
            "nvvm.cp.async.bulk.tensor.reduce %p, %i, %j, %s, %l {red_op = "
            "#nvvm.tma_redux_kind<add>, cacheHintEnable} : "
            "!llvm.ptr, i32, i32, !llvm.ptr<3>, i64",
            "cp.reduce.async.bulk.tensor.2d.*add",
        ),
        (
            "nvvm.cp.async.bulk.tensor.prefetch %p, %i : !llvm.ptr, i32",
            "cp.async.bulk.prefetch.tensor.1d",
        ),
        (
            "nvvm.cp.async.bulk.shared.cluster.global %s, %g, %s, %i, %h {multicastEnable} : "
            "!llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32, i16",
            "cp.async.bulk.shared::cluster.global.mbarrier",
        ),
        (
            "nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : !llvm.ptr<1>, !llvm.ptr<3>, i32",
            "cp.async.bulk.global.shared::cta.bulk_group",
        ),
        ("nvvm.cp.async.bulk.commit.group", "cp.async.bulk.commit_group"),
        ("nvvm.cp.async.bulk.wait_group 1", "cp.async.bulk.wait_group\\s+1"),
        ("nvvm.cp.async.bulk.wait_group 0 {read}", "cp.async.bulk.wait_group.read\\s+0"),
        ("nvvm.prefetch.tensormap %p : !llvm.ptr", "prefetch.tensormap"),
    ),
]

_ROW_COL: Final = "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>"

MATRICES: Final = [
    *_cases(
        "sm_89",
        (
            "%0 = nvvm.mma.sync A[%v4i32] B[%v2i32] C[%v4f32] {shape = #nvvm.shape<m = 16, n = 8, "
            f"k = 32>, {_ROW_COL}, multiplicandAPtxType = #nvvm.mma_type<e4m3>, "
            "multiplicandBPtxType = #nvvm.mma_type<e5m2>} : (vector<4xi32>, vector<2xi32>, "
            "vector<4xf32>) -> vector<4xf32>",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
        ),
    ),
    *_cases(
        "sm_80",
        (
            "%0 = nvvm.mma.sync A[%v8f16] B[%v4f16] C[%v4f32] {shape = #nvvm.shape<m = 16, "
            f"n = 8, k = 16>, {_ROW_COL}}} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> "
            "vector<4xf32>",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        ),
        (
            "%0 = nvvm.mma.sync A[%i, %i] B[%i] C[%v4i32] {shape = #nvvm.shape<m = 16, n = 8, "
            f"k = 16>, {_ROW_COL}, multiplicandAPtxType = #nvvm.mma_type<u8>, "
            "multiplicandBPtxType = #nvvm.mma_type<s8>, satfinite} : (i32, i32, vector<4xi32>) -> "
            "vector<4xi32>",
            "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32",
        ),
        (
            "%0 = nvvm.mma.sync A[%v8bf16] B[%v4bf16] C[%v4f32] {shape = #nvvm.shape<m = 16, "
            f"n = 8, k = 16>, {_ROW_COL}}} : (vector<8xbf16>, vector<4xbf16>, vector<4xf32>) -> "
            "vector<4xf32>",
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        ),
        (
            "%0 = nvvm.ldmatrix.sync %s {num = 4 : i32, trans = true} : !llvm.ptr<3> -> "
            "!llvm.struct<(i32, i32, i32, i32)>",
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        ),
        (
            "%0 = nvvm.ldmatrix.sync %s {num = 1 : i32, trans = false} : !llvm.ptr<3> -> i32",
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
        ),
    ),
    *_cases(
        "sm_90",
        (
            "nvvm.stmatrix %s, %i, %j {layout = #nvvm.mma_layout<col>} : !llvm.ptr<3>, i32, i32",
            "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        ),
        ("nvvm.setmaxregister increase 240", "setmaxnreg.inc.sync.aligned.u32\\s+240"),
        ("nvvm.setmaxregister decrease 24", "setmaxnreg.dec.sync.aligned.u32\\s+24"),
    ),
    *_cases(
        "sm_90",
        (
            "nvvm.wgmma.fence.aligned\n"
            "%0 = nvvm.wgmma.mma_async %l, %m, %v4f32 {shape = #nvvm.shape<m = 64, n = 8, "
            'k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, '
            "a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<4xf32>\n"
            "nvvm.wgmma.commit.group.sync.aligned\n"
            "%1 = nvvm.wgmma.wait.group.sync.aligned 0, %0 : vector<4xf32>",
            "wgmma.fence.sync.aligned | wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 | "
            "wgmma.commit_group.sync.aligned | wgmma.wait_group.sync.aligned 0 | "
            "add.s64 bd, %rd\\d+, 384;",
        ),
        (
            "nvvm.wgmma.fence.aligned\n"
            "%0 = nvvm.wgmma.mma_async %l, %m, %v4f32 {shape = #nvvm.shape<m = 64, n = 8, "
            'k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, '
            "a_step = 2 : i32, b_step = 128 : i64} : i64, i64, vector<4xf32>\n"
            "nvvm.wgmma.commit.group.sync.aligned\n"
            "%1 = nvvm.wgmma.wait.group.sync.aligned 0, %0 : vector<4xf32>",
            "add.s32 low, low, 6; | mov.b64 ad, {low, high}; | add.s64 bd, %rd\\d+, 384;",
        ),
        (
            "nvvm.wgmma.fence.aligned\n"
            "%0 = nvvm.wgmma.mma_async %v8bf16, %m, %v4f32 {shape = #nvvm.shape<m = 64, n = 8, "
            'k = 16>, types = ["f32", "bf16", "bf16"], scale_d = false} : '
            "vector<8xbf16>, i64, vector<4xf32>\n"
            "nvvm.wgmma.commit.group.sync.aligned\n"
            "nvvm.wgmma.wait.group.sync.aligned 0",
            "m64n8k16.f32.bf16.bf16",
        ),
        (
            "nvvm.wgmma.fence.aligned\n"
            "%0 = nvvm.wgmma.mma_async %l, %m, %v4f16 {shape = #nvvm.shape<m = 64, n = 8, "
            'k = 32>, types = ["f16", "e4m3", "e5m2"]} : i64, i64, vector<4xf16>\n'
            "nvvm.wgmma.commit.group.sync.aligned\n"
            "%1 = nvvm.wgmma.wait.group.sync.aligned 0, %0 : vector<4xf16>",
            "m64n8k32.f16.e4m3.e5m2",
        ),
        (
            "nvvm.wgmma.fence.aligned\n"
            "%0 = nvvm.wgmma.mma_async %l, %m, %v4i32 {shape = #nvvm.shape<m = 64, n = 8, "
            'k = 32>, types = ["s32", "s8", "s8"]} : i64, i64, vector<4xi32>\n'
            "nvvm.wgmma.commit.group.sync.aligned\n"
            "%1 = nvvm.wgmma.wait.group.sync.aligned 0, %0 : vector<4xi32>",
            "m64n8k32.s32.s8.s8",
        ),
        only=("sm_90",),
    ),
]

WARPS: Final = [
    *_cases(
        "sm_80",
        ("%0 = nvvm.shfl.sync bfly %i, %f, %j, %i : f32 -> f32", "shfl.sync.bfly.b32"),
        (
            "%0 = nvvm.shfl.sync idx %i, %v4f16, %j, %i : vector<4xf16> -> vector<4xf16>",
            "shfl.sync.idx.b32",
        ),
        ("%0 = nvvm.shfl.sync down %i, %d, %j, %i : f64 -> f64", "shfl.sync.down.b32"),
        (
            "%0 = nvvm.shfl.sync up %i, %j, %j, %i {return_value_and_is_valid} : "
            "i32 -> !llvm.struct<(i32, i1)>",
            "shfl.sync.up.b32\\s+%r\\d+\\|%p",
        ),
        ("%0 = nvvm.vote.sync ballot %i, %b -> i32", "vote.sync.ballot.b32"),
        ("%0 = nvvm.vote.sync uni %i, %b -> i1", "vote.sync.uni.pred"),
        ("%0 = nvvm.redux.sync umax %i, %j : i32 -> i32", "redux.sync.max.u32"),
        ("%0 = nvvm.match.sync any %i, %l : i64 -> i32", "match.any.sync.b64"),
        (
            "%0 = nvvm.match.sync all %i, %j : i32 -> !llvm.struct<(i32, i1)>",
            "match.all.sync.b32",
        ),
        ("%0 = nvvm.activemask : i32", "activemask.b32"),
        ("%0 = nvvm.prmt %i, %j, %i : i32", "prmt.b32"),
        ("nvvm.nanosleep %i : i32", "nanosleep.u32"),
        ("nvvm.pmevent 1", "pmevent.mask"),
        ("%0 = nvvm.artificial_dependence %i, %j : i32, i32", "lop3.b32"),
        (
            "%0 = nvvm.artificial_dependence %i, %s : i32, !llvm.ptr<3>",
            "ld.volatile.shared.b32",
        ),
    ),
    *_cases(
        "sm_90",
        ("%0 = nvvm.elect.sync -> i1", "elect.sync"),
        ("%0 = nvvm.elect.sync %i -> i1", "elect.sync"),
        ("%0 = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>", "mapa.shared::cluster"),
        ("nvvm.griddepcontrol.wait", "griddepcontrol.wait"),
        ("nvvm.griddepcontrol.launch.dependents", "griddepcontrol.launch_dependents"),
    ),
    *_cases(
        "sm_100",
        ("%0 = nvvm.redux.sync fmin %f, %i {abs, nan} : f32 -> f32", "redux.sync.min.abs.NaN.f32"),
        only=("sm_100", "sm_103"),
    ),
]

_RN: Final = "{rnd = #nvvm.fp_rnd_mode<rn>}"
_RZ: Final = "{rnd = #nvvm.fp_rnd_mode<rz>}"

MATH: Final = [
    *_cases(
        "sm_80",
        ("%0 = nvvm.ex2.approx.f %f {ftz} : f32", "ex2.approx.ftz.f32"),
        ("%0 = nvvm.ex2.approx.f %v3f16 : vector<3xf16>", "ex2.approx.f16x2"),
        ("%0 = nvvm.lg2.approx.f %v4f32 : vector<4xf32>", "lg2.approx.f32"),
        ("%0 = nvvm.lg2.approx.f %v2f16 : vector<2xf16>", "lg2.approx.f32"),
        ("%0 = nvvm.rsqrt.approx.f %f : f32", "rsqrt.approx.f32"),
        ("%0 = nvvm.sqrt.approx.f %f {ftz} : f32", "sqrt.approx.ftz.f32"),
        ("%0 = nvvm.sin.approx.f %f : f32", "sin.approx.f32"),
        ("%0 = nvvm.cos.approx.f %f {ftz} : f32", "cos.approx.ftz.f32"),
        ("%0 = nvvm.tanh.approx.f %f : f32", "tanh.approx.f32"),
        ("%0 = nvvm.tanh.approx.f %v2f16 : vector<2xf16>", "tanh.approx.f16x2"),
        ("%0 = nvvm.div.approx.f %f, %e {ftz} : f32", "div.approx.ftz.f32"),
        ("%0 = nvvm.div.full.f %f, %e : f32", "div.full.f32"),
        ("%0 = nvvm.rcp.approx.ftz.f %v2f32 : vector<2xf32>", "rcp.approx.ftz.f32"),
        (f"%0 = nvvm.sqrt.f %f {_RZ} : f32", "sqrt.rz.f32"),
        (f"%0 = nvvm.rcp.f %f {_RN} : f32", "rcp.rn.f32"),
        (f"%0 = nvvm.add.f %v4f32, %v4f32 {_RZ} : vector<4xf32>", "add.rz.f32"),
        (f"%0 = nvvm.sub.f %f, %e {_RZ} : f32", "sub.rz.f32"),
        (f"%0 = nvvm.mul.f %d, %d {_RZ} : f64", "mul.rz.f64"),
        (f"%0 = nvvm.div.f %f, %e {_RZ} : f32", "div.rz.f32"),
        (f"%0 = nvvm.fma.f %f, %e, %f {_RZ} : f32", "fma.rz.f32"),
        (
            "%0 = nvvm.cvt.fptrunc.x2 %v2f32 {relu} : vector<2xf32> to vector<2xf16>",
            "cvt.rn.relu.f16x2.f32",
        ),
        ("%0 = nvvm.cvt.fptrunc.x2 %v2f32 : vector<2xf32> to vector<2xbf16>", "cvt.rn.bf16x2.f32"),
        ("%0 = nvvm.cvt.fpext.x2 %v2f16 : vector<2xf16> to vector<2xf32>", "cvt.f32.f16"),
        (
            "%0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>} : f32 -> i32",
            "cvt.rna.tf32.f32",
        ),
    ),
    *_cases(
        "sm_89",
        (
            "%0 = nvvm.cvt.fptrunc.x2 %v2f32 : vector<2xf32> to vector<2xf8E4M3FN>",
            "cvt.rn.satfinite.e4m3x2.f32",
        ),
        (
            "%0 = nvvm.cvt.fpext.x2 %w2f8 : vector<2xf8E4M3FN> to vector<2xf16>",
            "cvt.rn.f16x2.e4m3x2",
        ),
    ),
    *_cases(
        "sm_90",
        ("%0 = nvvm.ex2.approx.f %v2bf16 : vector<2xbf16>", "ex2.approx.ftz.bf16x2"),
        ("%0 = nvvm.tanh.approx.f %y : bf16", "tanh.approx.bf16"),
        (
            "%0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rz>, relu} : f32 -> i32",
            "cvt.rz.relu.tf32.f32",
        ),
        (
            "%0 = nvvm.convert.float.to.tf32 %v4f32 {rnd = #nvvm.fp_rnd_mode<rn>} "
            ": vector<4xf32> -> vector<4xi32>",
            "cvt.rn.tf32.f32",
        ),
    ),
    *_cases(
        "sm_100",
        (
            "%0 = nvvm.fma.packed.f32x2 %v2f32, %v2f32, %v2f32 : vector<2xf32>",
            "fma.rn.f32x2",
        ),
        ("%0 = nvvm.mul.packed.f32x2 %v2f32, %v2f32 {ftz} : vector<2xf32>", "mul.rn.ftz.f32x2"),
    ),
]


def _atomics(vector: str, *updates: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Atomics of two elements: the op without its addresses, and the PTX of it."""
    return tuple(
        (
            "%a = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<1>>, i8\n"
            '%m2 = llvm.icmp "slt" %v2i64, %v2i64 : vector<2xi64>\n'
            + text.replace("TYPES", f"{vector}, vector<2x!llvm.ptr<1>>"),
            expected,
        )
        for text, expected in updates
    )


FRAGMENTS: Final = [
    *_cases(
        "sm_89",
        (
            "%0 = nvvm.fragment.fptrunc %v4f32 as f8E4M3FN : vector<4xf32> to vector<4xi8>",
            "cvt.rn.satfinite.e4m3x2.f32",
        ),
        (
            "%0 = nvvm.fragment.fptrunc %v4f16 as f8E5M2 : vector<4xf16> to vector<4xi8>",
            "cvt.rn.satfinite.e5m2x2.f16x2",
        ),
        (
            "%bytes = llvm.bitcast %i : i32 to vector<4xi8>\n"
            "%0 = nvvm.fragment.fpext %bytes as f8E4M3FN : vector<4xi8> to vector<4xf16>",
            "cvt.rn.f16x2.e4m3x2",
        ),
    ),
    *_cases(
        "sm_80",
        (
            "%a = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<1>>, i8\n"
            '%m2 = llvm.icmp "slt" %v2i64, %v2i64 : vector<2xi64>\n'
            "%0 = nvvm.fragment.load %a mask(%m2 : vector<2xi1>) {alignment = 16 : i64} : "
            "vector<2x!llvm.ptr<1>> -> vector<8xf32>\n"
            "nvvm.fragment.store %0, %a {alignment = 16 : i64} : "
            "vector<8xf32>, vector<2x!llvm.ptr<1>>",
            "ld.global.v4.b32 | st.global.v4.b32",
        ),
        (
            "%a = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<1>>, i8\n"
            '%0 = nvvm.fragment.load %a {semantic = "acquire", scope = "gpu"} : '
            "vector<2x!llvm.ptr<1>> -> vector<2xi32>\n"
            'nvvm.fragment.store %0, %a {semantic = "release", scope = "sys"} : '
            "vector<2xi32>, vector<2x!llvm.ptr<1>>",
            "ld.acquire.gpu.global.b32 | st.release.sys.global.b32",
        ),
        *_atomics(
            "vector<2xi32>",
            (
                "%0 = nvvm.fragment.atomicrmw %v2i32, %a mask(%m2 : vector<2xi1>) "
                '{bin_op = "umax", semantic = "acq_rel", scope = "sys"} : TYPES -> vector<2xi32>',
                "@.* atom.acq_rel.sys.global.max.u32",
            ),
            (
                'nvvm.fragment.atomicrmw %v2i32, %a mask(%m2 : vector<2xi1>) {bin_op = "xor", '
                'semantic = "release", scope = "cta"} : TYPES',
                "@.* red.release.cta.global.xor.b32",
            ),
            (
                'nvvm.fragment.atomicrmw %v2i32, %a {bin_op = "xchg", semantic = "seq_cst", '
                'scope = "gpu"} : TYPES',
                "fence.sc.gpu | atom.acq_rel.gpu.global.exch.b32",
            ),
            (
                "%0 = nvvm.fragment.cmpxchg %v2i32, %v2i32, %a mask(%m2 : vector<2xi1>) "
                '{semantic = "acquire", scope = "gpu"} : TYPES',
                "@.* atom.acquire.gpu.global.cas.b32",
            ),
        ),
        *_atomics(
            "vector<2xf64>",
            ('nvvm.fragment.atomicrmw %v2f64, %a {bin_op = "fadd"} : TYPES', "red.*add.f64"),
            (
                '%0 = nvvm.fragment.atomicrmw %v2f64, %a {bin_op = "fmin", scope = "cta"} : TYPES '
                "-> vector<2xf64>",
                "ld.relaxed.cta.global.b64 | min.f64 | atom.relaxed.cta.global.cas.b64",
            ),
        ),
        *_atomics(
            "vector<2xf16>",
            (
                '%0 = nvvm.fragment.atomicrmw %v2f16, %a {bin_op = "fadd"} : TYPES '
                "-> vector<2xf16>",
                "atom.relaxed.gpu.global.add.noftz.f16",
            ),
            (
                "nvvm.fragment.atomicrmw %v2f16, %a mask(%m2 : vector<2xi1>) "
                '{bin_op = "fmax"} : TYPES',
                "max.f16 | atom.relaxed.gpu.global.cas.b16",
            ),
        ),
        *_atomics(
            "vector<2xbf16>",
            (
                "%0 = nvvm.fragment.atomicrmw %v2bf16, %a mask(%m2 : vector<2xi1>) "
                '{bin_op = "fadd"} : TYPES -> vector<2xbf16>',
                "cvt.rn.bf16.f32 | atom.relaxed.gpu.global.cas.b16",
            ),
        ),
        (
            "%0 = nvvm.fragment.mma %v8f16, %v4f16, %v4f32 "
            "{shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 1, 1, 1>, "
            "type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : "
            "vector<8xf16>, vector<4xf16>, vector<4xf32>",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        ),
        (
            "%a = llvm.getelementptr %s[%v2i64] : (!llvm.ptr<3>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<3>>, i8\n"
            "%0 = nvvm.fragment.ldmatrix %a {num = 2 : i64, trans} : "
            "vector<2x!llvm.ptr<3>> -> vector<8xf16>",
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        ),
        (
            "%a = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<1>>, i8\n"
            "%to = llvm.getelementptr %s[%v2i64] : (!llvm.ptr<3>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<3>>, i8\n"
            '%m2 = llvm.icmp "slt" %v2i64, %v2i64 : vector<2xi64>\n'
            "nvvm.fragment.cp_async %to, %a mask(%m2 : vector<2xi1>) {bytes = 16 : i64} : "
            "vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>\n"
            "nvvm.fragment.cp_async %to, %a {bytes = 4 : i64} : "
            "vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>\n"
            "%taken = llvm.trunc %v2i64 : vector<2xi64> to vector<2xi32>\n"
            "nvvm.fragment.cp_async %to, %a mask(%taken : vector<2xi32>) {bytes = 8 : i64} : "
            "vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>",
            "cp.async.cg.shared.global | cp.async.ca.shared.global",
        ),
    ),
    *_cases(
        "sm_90",
        (
            "%a = llvm.getelementptr %s[%v2i64] : (!llvm.ptr<3>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<3>>, i8\n"
            "nvvm.fragment.stmatrix %v8f16, %a {num = 2 : i64} : "
            "vector<8xf16>, vector<2x!llvm.ptr<3>>\n"
            "nvvm.fragment.stmatrix %v8f16, %a {num = 2 : i64, trans} : "
            "vector<8xf16>, vector<2x!llvm.ptr<3>>",
            "stmatrix.sync.aligned.m8n8.x2.shared.b16 | "
            "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        ),
        (
            "%a = llvm.getelementptr %g[%v2i64] : (!llvm.ptr<1>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<1>>, i8\n"
            '%0 = nvvm.fragment.load %a {semantic = "relaxed", scope = "cluster"} : '
            "vector<2x!llvm.ptr<1>> -> vector<2xi32>",
            "ld.relaxed.cluster.global.b32",
        ),
        *_atomics(
            "vector<2xbf16>",
            (
                'nvvm.fragment.atomicrmw %v2bf16, %a {bin_op = "fadd", scope = "cluster"} : TYPES',
                "red.relaxed.cluster.global.add.noftz.bf16",
            ),
        ),
        *_atomics(
            "vector<8xf32>",
            (
                "nvvm.fragment.atomicrmw %v8f32, %a mask(%m2 : vector<2xi1>) "
                '{bin_op = "fadd"} : TYPES',
                "@.* red.relaxed.gpu.global.add.v4.f32",
            ),
        ),
        *_atomics(
            "vector<16xf16>",
            (
                'nvvm.fragment.atomicrmw %v16f16, %a {bin_op = "fadd"} : TYPES',
                "red.relaxed.gpu.global.add.noftz.v4.f16x2",
            ),
        ),
        (
            "%a = llvm.getelementptr %c[%v2i64] : (!llvm.ptr<7>, vector<2xi64>) -> "
            "vector<2x!llvm.ptr<7>>, i8\n"
            'nvvm.fragment.store %v2i32, %a {semantic = "relaxed", scope = "cta"} : '
            "vector<2xi32>, vector<2x!llvm.ptr<7>>",
            "st.relaxed.cta.shared::cluster.b32",
        ),
    ),
    *_cases(
        "sm_120",
        (
            "%0 = nvvm.fragment.scaled_mma %v16i8, %v8i8, %v4f32, %v4i8, %w4i8 {first = 3 : i64, "
            'kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, '
            "shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, "
            "tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, "
            "type_b = #nvvm.mma_type<e5m2>} : "
            "vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>",
            r"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32."
            r"e4m3.e5m2.f32.ue8m0 .*, \{3, 0\}, .*, \{3, 0\};",
        ),
        (
            "%0 = nvvm.fragment.scaled_mma %v16i8, %v8i8, %v4f32, %v4i8, %w4i8 {first = 1 : i64, "
            'kind = "mxf4", scale_type = #nvvm.mma_type<ue8m0>, scales = 2 : i64, '
            "shape = #nvvm.shape<m = 16, n = 8, k = 64>, steps = 2 : i64, "
            "tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, "
            "type_b = #nvvm.mma_type<e2m1>} : "
            "vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>",
            r"mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32."
            r"e2m1.e2m1.f32.ue8m0 .*, \{2, 0\}, .*, \{2, 0\};",
        ),
        (
            "%0 = nvvm.fragment.scaled_mma %v16i8, %v8i8, %v4f32, %v4i8, %w4i8 {first = 0 : i64, "
            'kind = "mxf4nvf4", scale_type = #nvvm.mma_type<ue4m3>, scales = 4 : i64, '
            "shape = #nvvm.shape<m = 16, n = 8, k = 64>, steps = 1 : i64, "
            "tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, "
            "type_b = #nvvm.mma_type<e2m1>} : "
            "vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>",
            r"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32."
            r"e2m1.e2m1.f32.ue4m3 .*, \{0, 0\}, .*, \{0, 0\};",
        ),
    ),
]

_REGISTERS: Final = (
    *(
        (f"{vector}.{axis}", "i32", f"%{vector.replace('cluster.', 'cluster_')}.{axis}")
        for vector in (
            *("tid", "ntid", "ctaid", "nctaid"),
            *("clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"),
        )
        for axis in "xyz"
    ),
    *(
        (name, "i32", f"%{name.replace('.', '_')}")
        for name in (
            *("laneid", "warpid", "nwarpid", "smid", "nsmid"),
            *("cluster.ctarank", "cluster.nctarank"),
            *("lanemask.eq", "lanemask.le", "lanemask.lt", "lanemask.ge"),
            *("lanemask.gt", "dynamic_smem_size", "total_smem_size"),
            *("clock", "globaltimer.lo"),
        )
    ),
    ("warpsize", "i32", "WARP_SZ|32"),
    ("clock64", "i64", "%clock64"),
    ("globaltimer", "i64", "%globaltimer"),
)
REGISTERS: Final = [
    case
    for name, ty, expected in _REGISTERS
    for case in _cases(
        "sm_90" if "cluster" in name else "sm_80",
        (f"%0 = nvvm.read.ptx.sreg.{name} : {ty}", expected),
    )
]

CASES: Final = [
    *(*ARITHMETIC, *CASTS, *VECTOR_OPS, *MEMORY, *ATOMICS, *INTRINSICS, *CONTROL, *BRIDGES),
    *(*THREADS, *COPIES, *MATRICES, *WARPS, *MATH, *FRAGMENTS, *REGISTERS),
]
