"""
Refuses what is known to end the process inside LLVM.

The code generator reports many failures by `exit` or `abort`, which no Python program survives:
an intrinsic that the architecture has no instruction for, a math function that it expects a C
library to have, a memory scope that it does not know. All that is written below was tried with
LLVM 22 and every architecture of `target`; what is not may still fail, see `worker`.

There are two checks. That of the source looks for words, in the text as it was given. That of the
module comes after the passes, right before code is generated, so that it sees intrinsics that
passes made and does not see those that they removed.

Patterns are text, which `re` compiles when they are first used: most of them are for the process
that LLVM runs in, and the one that translates imports this, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from tileiras_xdsl.backend.errors import BackendError, excerpt
from tileiras_xdsl.backend.llvmlite_binding import LLVMFunction, LLVMModule
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.targets.target import Requirement

SM_86, SM_89, SM_90, SM_100 = map(Requirement, (86, 89, 90, 100))
SM_90A: Final = Requirement(90, (90,))
TENSOR_MEMORY: Final = Requirement.of("tcgen05")
TCGEN05_I8: Final = Requirement.of("tcgen05.i8")
TCGEN05_SHIFT: Final = Requirement.of("tcgen05.shift")
TCGEN05_LD_RED: Final = Requirement.of("tcgen05.ld.red")
CTA_GROUP: Final = Requirement.of("tma.cta_group")
GATHER4: Final = Requirement.of("tma.gather4")
SCATTER4: Final = Requirement.of("tma.scatter4")
LAUNCH_CONTROL: Final = Requirement.of("clusterlaunchcontrol")
FLOAT_REDUX: Final = Requirement(100, (100, 103, 107))
BLOCK_SCALES: Final = Requirement(120, (120, 121))

# What the source may not have.

_SYNCSCOPES: Final = ("", "singlethread", "block", "cluster", "device")
_SYNCSCOPE: Final = r'syncscope\("([^"\n]*)"\)'
_STRINGS_AND_COMMENTS: Final = r'"[^"\n]*"|;[^\n]*'
_FOREIGN_TYPES: Final = ("fp128", "x86_fp80", "x86_amx")
_FOREIGN_TYPE: Final = r"\b(?:(?:ppc_)?fp128|x86_fp80|x86_amx)\b"
_FOREIGN_GLOBAL: Final = r"@[^=]*=.*\b(thread_local|alias|ifunc)\b"
_SHARED_GLOBAL: Final = r"@[^=]*=(.*)\baddrspace\(3\) (?:global|constant) (.*)"
_UNINITIALIZED: Final = r"\b(?:undef|poison)\b"
_WIDE_ATOMIC: Final = r"\b(?:atomicrmw|cmpxchg)\b.*, i128 "
_SINGLE_KERNEL_ATTRIBUTES: Final = ("nvvm.minctasm", "nvvm.maxnreg", "nvvm.maxclusterrank")
_KERNEL_ATTRIBUTE: Final = (
    r'"(nvvm\.(?:reqntid|maxntid|cluster_dim|minctasm|maxnreg|maxclusterrank))"="([^"\n]*)"'
)


def check_source(source: str, target: NvptxTarget) -> None:
    """Raises `BackendError` for text that LLVM would not survive."""
    for position, message in _source_problems(source, target):
        line = source.count("\n", 0, position) + 1
        raise BackendError(f"LLVM IR line {line}: {message}\n{excerpt(source, line)}")


def _source_problems(source: str, target: NvptxTarget) -> Iterator[tuple[int, str]]:
    for match in re.finditer(_SYNCSCOPE, source):
        if match[1] not in _SYNCSCOPES:
            yield (
                match.start(),
                f'there is no syncscope("{match[1]}") (expected singlethread, block, cluster, '
                "device, or none, which means the system)",
            )
        if match[1] == "cluster" and not target.machine.meets(SM_90):
            yield match.start(), f"clusters need sm_90 or later, the target is {target}"
    for match in re.finditer(_KERNEL_ATTRIBUTE, source):
        numbers = match[2].split(",")
        most = 1 if match[1] in _SINGLE_KERNEL_ATTRIBUTES else 3
        if len(numbers) > most or not all(number.strip().isdecimal() for number in numbers):
            wanted = "a number" if most == 1 else "one to three numbers"
            yield match.start(), f'attribute "{match[1]}" is "{match[2]}", expected {wanted}'
    position = source.find('"nvvm.blocksareclusters"')
    if position >= 0 and not target.machine.meets(SM_90):
        yield position, f'"nvvm.blocksareclusters" needs {SM_90}, the target is {target}'
    for position, what, version in _newer_than(source, target.ptx_version):
        yield (
            position,
            f"{what} needs PTX version {version} or later, "
            f"the target is {target} with {target.ptx_version}",
        )
    for position, line in _lines_with("@", source, at_start=True):
        line = re.sub(_STRINGS_AND_COMMENTS, "", line)
        if (match := re.match(_FOREIGN_GLOBAL, line)) is not None:
            yield position, f"{match[1]} is not available on the GPU"
        match = re.match(_SHARED_GLOBAL, line)
        if (
            match is not None
            and "external" not in match[1]
            and not re.search(_UNINITIALIZED, match[2])
        ):
            yield position, "shared memory has no initial value, write undef or poison"
    for word in _FOREIGN_TYPES:
        for position, line in _lines_with(word, source):
            if (
                match := re.search(_FOREIGN_TYPE, re.sub(_STRINGS_AND_COMMENTS, "", line))
            ) is not None:
                yield position, f"{match[0]} is no type of the GPU"
    for match in re.finditer(_TEMPLATE, source):
        if (missing := missing_instruction(match[1].replace("\\0A", "\n"), target)) is not None:
            yield match.start(), f"'{missing[0]}' needs {missing[1]}, the target is {target}"
    if not target.machine.meets(SM_90):
        for position, line in _lines_with(", i128 ", source):
            if re.search(_WIDE_ATOMIC, re.sub(_STRINGS_AND_COMMENTS, "", line)) is not None:
                yield position, f"128-bit atomics need sm_90 or later, the target is {target}"


def _lines_with(word: str, source: str, *, at_start: bool = False) -> Iterator[tuple[int, str]]:
    """
    The lines that have a word, or start with it, and their positions. A search for a plain word is
    ten times as fast as one for a pattern, and programs are long.
    """
    if at_start and source.startswith(word):
        yield 0, source.split("\n", 1)[0]
    wanted = f"\n{word}" if at_start else word
    end = 0
    while (found := source.find(wanted, end)) >= 0:
        start = found + 1 if at_start else source.rfind("\n", 0, found) + 1
        end = source.find("\n", start)
        end = len(source) if end < 0 else end
        yield start, source[start:end]


# What PTX versions have.

_NEWER_THINGS: Final = (
    (r'"nvvm\.blocksareclusters"', 90),
    (r"tcgen05\.mma\.[\w.:]*\.block(?:16|32)\b", 88),
    (r"tcgen05\.ld\.red[\w.]*", 88),
    (r'"nvvm\.hidden"', 88),
    (r"tcgen05\.mma\.[\w.:]*kind::mxf4nvf4", 87),
    (r"llvm\.nvvm\.mbarrier\.[\w.]*relaxed[\w.]*", 86),
    (r"llvm\.nvvm\.fence\.proxy\.tensormap_generic[\w.]*", 83),
    (r"tensormap\.(?:cp_fenceproxy|replace)[\w.:]*", 83),
    (r"llvm\.nvvm\.[\w.]*e(?:4m3|5m2)x2[\w.]*", 81),
    (r"fence\.proxy\.alias", 75),
    (r"mbarrier\.test_wait\.parity", 71),
)
"""What later architectures have from their first version on is not here."""


def _newer_than(source: str, version: int) -> Iterator[tuple[int, str, int]]:
    """Position, text and PTX version of what a version does not have."""
    for pattern, needed in _NEWER_THINGS:
        if needed > version and (match := re.search(pattern, source)) is not None:
            yield match.start(), match[0], needed


def with_sufficient_version(source: str, target: NvptxTarget) -> NvptxTarget:
    """The target with a PTX version that has all that the text needs, unless one was asked for."""
    if target.is_version_given:
        return target
    needed = (version for _, _, version in _newer_than(source, target.ptx_version))
    return replace(target, ptx_version=max((target.ptx_version, *needed)))


# What the module may not call.

_NVVM_REQUIREMENTS: Final = (
    (r"wgmma\.", SM_90A),
    (r"tcgen05\.shift\.", TCGEN05_SHIFT),
    (r"tcgen05\.", TENSOR_MEMORY),
    (r"redux\.sync\.f", FLOAT_REDUX),
    (r"clusterlaunchcontrol\.", LAUNCH_CONTROL),
    (r"cp\.async\.bulk\.tensor\.g2s\.cta\.tile\.gather4\.", SM_100),
    (r"cp\.async\.bulk\.tensor\.[\w.]*gather4\.", GATHER4),
    (r"cp\.async\.bulk\.tensor\.[\w.]*scatter4\.", SCATTER4),
    (r"stmatrix\..*\.b8", SM_100),
    (r"ldmatrix\..*\.(b8|b6|b4)", SM_100),
    (r".*(e2m1|e2m3|e3m2|ue8m0)", SM_100),
    (r"mma\..*(e4m3|e5m2)", SM_89),
    (r".*(e4m3x2|e5m2x2)", SM_89),
    (r"stmatrix\.", SM_90),
    (r"setmaxnreg\.", SM_90),
    (r"cp\.async\.bulk\.", SM_90),
    (r"(prefetch|cp\.async)\.tensormap|tensormap\.", SM_90),
    (r"mbarrier\.(try|arrive\.drop\.expect|arrive\.expect|expect|complete)\.", SM_90),
    (r"mbarrier\.arrive\.(drop\.)?(relaxed\.)?scope\.", SM_90),
    (r"mbarrier\..*cluster", SM_90),
    (r"fence\.(proxy|mbarrier_init|sc\.cluster|acquire|release)", SM_90),
    (r"barrier\.cluster\.|mapa\.|getctarank\.|elect\.sync|griddepcontrol\.", SM_90),
    (r"read\.ptx\.sreg\.(cluster|nclusterid|is_explicit_cluster)", SM_90),
    (r"ex2\.approx\.ftz\.(v2)?bf16", SM_90),
    (r"f2tf32\.(rn|rz)\b", SM_90),
    (r"fm(in|ax)\..*xorsign", SM_86),
)
"""Of intrinsics after `llvm.nvvm.`; the first that matches counts."""


_ASSEMBLY_REQUIREMENTS: Final = (
    (r"wgmma\.", SM_90A),
    (r"tcgen05\.", TENSOR_MEMORY),
    (r"tcgen05\.mma\.[\w.:]*kind::i8", TCGEN05_I8),
    (r"tcgen05\.shift\.", TCGEN05_SHIFT),
    (r"tcgen05\.ld\.red\.", TCGEN05_LD_RED),
    (r"clusterlaunchcontrol\.", LAUNCH_CONTROL),
    (r"redux\.sync\.[\w.]*f32", FLOAT_REDUX),
    (r"\w+\.[\w.]*f32x2", SM_100),
    (r"(?:ldmatrix|stmatrix)\.[\w.:]*\.b8", SM_100),
    (r"mma\.[\w.:]*kind::", BLOCK_SCALES),
    (r"cvt\.[\w.]*(?:e2m1|e2m3|e3m2|ue8m0)x", SM_100),
    (r"(?:mma|cvt)\.[\w.:]*e(?:4m3|5m2)", SM_89),
    (r"(?:stmatrix|setmaxnreg|tensormap|mapa|getctarank|griddepcontrol)\.", SM_90),
    (r"(?:cp|cp\.reduce)\.async\.bulk\.", SM_90),
    (r"elect\.sync|barrier\.cluster\.", SM_90),
    (r"fence\.(?:proxy\.(?:async|tensormap)|mbarrier_init)", SM_90),
    (r"mbarrier\.(?:try_wait|expect_tx|complete_tx|arrive\.expect_tx)", SM_90),
    (r"(?:tanh|ex2)\.approx\.(?:ftz\.)?bf16", SM_90),
    (r"(?:red|atom)\.[a-z0-9_.:]*\badd\.(?:noftz\.)?(?:v\d|bf16)", SM_90),
    (r"cvt\.(?:rn|rz)\.(?:[\w.]*\.)?tf32\.f32", SM_90),
    (r"[a-z]\w*\.[\w.:]*[.:]cluster\b", SM_90),
)
"""Of instructions in inline assembly; all that match count."""

_INSTRUCTION: Final = r"(?<![\w.:%$])[a-z]\w*(?:\.\w+(?:::\w+)*)+"
_TEMPLATE: Final = r' asm [a-z ]*"([^"]*)"'

_NEVER_PATTERNS: Final = (
    (
        r"llvm\.(exp|exp10|log|log2|log10|pow|tan|asin|acos|atan|atan2|sinh|cosh|sincos|sincospi|"
        r"modf|lround|llround|lrint|llrint)\.",
        "the GPU has no instruction for it, call the function of libdevice",
    ),
    (
        r"llvm\.(exp2|sin|cos|tanh)\.(v\d+)?f64",
        "the GPU has no instruction for it, call the function of libdevice",
    ),
    (r"llvm\.canonicalize\.(v\d+(bf|f)16|bf16)", "LLVM cannot generate code for it"),
    (r"llvm\.nvvm\.ex2\.approx\.(ftz\.(v2)?f16|(v2)?bf16)", "use ex2.approx.f16 or ftz.bf16"),
    (r"llvm\.nvvm\.prefetch\.tensormap\.p[1-35-9]", "cast the pointer to the generic space"),
)

_APPROXIMATE: Final = r"llvm\.(sin|cos|tanh)\."
_APPROXIMATE_CALL: Final = r"\bcall\b[^\n@]*\b(?:afn|fast)\b[^\n@]*@llvm\.(?:sin|cos|tanh)\."
_POWI_BY_CONSTANT: Final = r"@llvm\.powi\.[^\n]*, i\d+ -?\d+\)"

RUNTIME_FUNCTIONS: Final = frozenset(
    (
        *("__assertfail", "free", "malloc", "vprintf"),
        # Folded to a constant before code is generated.
        "__nvvm_reflect",
    )
)
"""Functions that a module may declare and not define: the driver has them."""


def check_before_emission(module: LLVMModule, source: str, target: NvptxTarget) -> None:
    """
    Raises `BackendError` for calls that LLVM would not survive, and for functions that nothing
    defines, which ptxas would report without saying who calls them.
    """
    printed: str | None = None
    for function in module.functions:
        if not function.is_declaration:
            continue
        name = function.name
        problem = _declaration_problem(name, function, target)
        if problem is not None:
            printed = printed or str(module)
            if (quote := _call_of(name, source) or _call_of(name, printed)) is not None:
                raise BackendError(f"cannot compile @{name} for {target}: {problem}\n{quote}")
        elif re.match(_APPROXIMATE, name) or name.startswith("llvm.powi."):
            printed = printed or str(module)
            _check_flags(name, printed, target)


_KNOWN_INTRINSICS: Final[set[str]] = set()
"""Those that LLVM was asked for; it tells by printing a function, for which it looks at all."""


def _is_intrinsic(function: LLVMFunction) -> bool:
    """Whether LLVM knows an intrinsic."""
    name = function.name
    if name not in _KNOWN_INTRINSICS:
        if "; Unknown intrinsic" in str(function):
            return False
        _KNOWN_INTRINSICS.add(name)
    return True


def _declaration_problem(name: str, function: LLVMFunction, target: NvptxTarget) -> str | None:
    if not name.startswith("llvm."):
        if name in RUNTIME_FUNCTIONS:
            return None
        return "the function is declared and never defined"
    if not _is_intrinsic(function):
        return "LLVM knows no such intrinsic"
    for pattern, advice in _NEVER_PATTERNS:
        if re.match(pattern, name):
            return advice
    needs = intrinsic_requirement(name)
    if needs is not None and not target.machine.meets(needs):
        return f"it needs {needs}"
    return None


@cache
def intrinsic_requirement(name: str) -> Requirement | None:
    """What an architecture must be to have an intrinsic, if that is not to be one of `target`."""
    if name.startswith("llvm.nvvm."):
        own_name = name.removeprefix("llvm.nvvm.")
        for pattern, needs in _NVVM_REQUIREMENTS:
            if re.match(pattern, own_name):
                return needs
    return None


def missing_instruction(assembly: str, target: NvptxTarget) -> tuple[str, Requirement] | None:
    """An instruction in inline assembly that the architecture lacks, and what has it."""
    for instruction in dict.fromkeys(re.findall(_INSTRUCTION, assembly)):
        for needs in _instruction_requirements(instruction):
            if not target.machine.meets(needs):
                return instruction, needs
    return None


@cache
def _instruction_requirements(instruction: str) -> tuple[Requirement, ...]:
    """What an architecture must be to have an instruction of PTX."""
    return tuple(
        needs for pattern, needs in _ASSEMBLY_REQUIREMENTS if re.match(pattern, instruction)
    )


def _check_flags(name: str, printed: str, target: NvptxTarget) -> None:
    for line in printed.splitlines():
        if f"@{name}(" not in line or line.startswith("declare"):
            continue
        if name.startswith("llvm.powi."):
            if not re.search(_POWI_BY_CONSTANT, line):
                raise BackendError(
                    f"cannot compile @{name} for {target}: the exponent is no constant, call the "
                    f"function of libdevice\n{line.strip()}"
                )
        elif not re.search(_APPROXIMATE_CALL, line):
            raise BackendError(
                f"cannot compile @{name} for {target}: the GPU has an approximation only, which "
                f"needs the flag afn; or call the function of libdevice\n{line.strip()}"
            )


def _call_of(name: str, text: str) -> str | None:
    """The place of the first use of a function that is not its declaration."""
    for match in re.finditer(rf'@"?{re.escape(name)}"?[(,)\s]', text):
        start = text.rfind("\n", 0, match.start()) + 1
        if not text.startswith("declare", start):
            return excerpt(text, text.count("\n", 0, start) + 1)
    return None
