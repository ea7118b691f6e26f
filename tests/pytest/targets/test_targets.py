"""Every architecture: what is said of it is what LLVM and ptxas say, and passes ask the target."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.ptxas import Ptxas, PtxasError
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.targets import ampere, blackwell_consumer, blackwell_datacenter, hopper
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import (
    Requirement,
    Target,
    UnknownTarget,
    all_targets,
    target_of,
    with_suffix,
)

SOURCES = Path(__file__).parents[3] / "src" / "tileiras_xdsl"
COMPILED = [
    name
    for name, target in all_targets().items()
    if with_suffix(target.capability) == target.capability
]
"""Those that code is compiled for: sm_90 means sm_90a."""

FUTURE = ("sm_88a", "sm_90f", "sm_95", "sm_101", "sm_122a")

KERNEL = "define ptx_kernel void @k() {\n  ret void\n}\n"


def target(name: str) -> Target:
    return target_of(ComputeCapability.parse(name))


def test_all_of_tileiras():
    names = "80 86 87 88 89 90 100 103 107 110 120 121".split()
    assert list(dict.fromkeys(each.capability.base_name for each in all_targets().values())) == [
        f"sm_{name}" for name in names
    ]


@pytest.mark.parametrize("name", COMPILED)
def test_llvm_knows_it_from_its_first_ptx_version_on(name: str):
    own = target(name)
    lowest = NvptxTarget.parse(own.capability, own.ptx_version)
    ptx = nvptx.compile_to_ptx(KERNEL, lowest)
    number = own.ptx_version if own.relative is None else own.relative.ptx_version
    version = f"{number // 10}.{number % 10}"
    assert re.findall(r"^\.(version|target) (\S+)$", ptx, re.MULTILINE) == [
        ("version", version),
        ("target", name),
    ]


STATIC = """.version 9.4
.target {name}
.address_size 64
.visible .entry k() {{
  .shared .align 16 .b8 s[{size}];
  .reg .b64 a;
  mov.u64 a, s;
  st.shared.b64 [a], a;
  ret;
}}
"""


@pytest.mark.every(5)
@pytest.mark.oracle
@pytest.mark.parametrize("name", COMPILED)
def test_ptxas_takes_its_static_shared_memory_and_no_more(
    name: str, oracle_program: Callable[[str], Path]
):
    own = target(name)
    nvptx_target = NvptxTarget.parse(own.capability, 90)
    ptxas = Ptxas(oracle_program("ptxas"))
    size = own.shared.static
    assert ptxas.compile(STATIC.format(name=name, size=size), nvptx_target, 0).cubin
    with pytest.raises(PtxasError, match="too much shared data"):
        ptxas.compile(STATIC.format(name=name, size=size + 16), nvptx_target, 0)


@pytest.mark.parametrize("name", all_targets())
def test_numbers_go_together(name: str):
    own = target(name)
    shared = own.shared
    assert shared.static <= shared.opt_in == shared.per_sm - shared.reserved
    assert shared.limit(asks=False) == shared.static
    assert shared.limit(asks=True) == shared.opt_in
    assert own.threads.block <= own.threads.per_sm
    assert own.registers.cap(4) == 255
    assert (own.warpgroups is not None) == (own.has("wgmma") or own.has("tcgen05"))
    assert own.has("tcgen05") <= (own.tensor_memory is not None)
    assert own.has("tcgen05") <= (own.tcgen05 is not None)
    assert own.has("clusters") == (own.cluster > 1)
    assert own.has("cvt.f8") == ("e4m3" in own.mma)
    assert own.has("multicast") <= own.has("tma") <= own.has("clusters")


def test_what_was_there_stays_but_wgmma():
    families = (ampere, hopper, blackwell_datacenter, blackwell_consumer)
    for earlier, later in pairwise(families):
        lost = earlier.FEATURES - later.FEATURES
        assert lost <= {"multicast", "cvt.f4", "f32x2"}, lost
    assert [name for name, each in all_targets().items() if each.has("wgmma")] == ["sm_90a"]


@pytest.mark.parametrize("name", FUTURE)
def test_others_are_refused(name: str):
    message = rf"^cannot compile for {name} \(expected one of sm_80, .*, sm_121\)$"
    with pytest.raises(UnknownTarget, match=message):
        target(name)


@pytest.mark.parametrize(
    ("requirement", "text", "met"),
    [
        (Requirement(89), "sm_89 or later", {"sm_89", "sm_90a", "sm_110f", "sm_121a"}),
        (Requirement(90, (90,)), "sm_90a", {"sm_90a"}),
        (Requirement(100, (100, 103)), "sm_100a or sm_103a", {"sm_100a", "sm_100f", "sm_103a"}),
    ],
)
def test_requirements(requirement: Requirement, text: str, met: set[str]):
    assert str(requirement) == text
    wanted = {"sm_80", "sm_89", "sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_110f", "sm_121a"}
    if not requirement.only:
        met = met | {"sm_100a", "sm_100f", "sm_103a"}
    assert {name for name in wanted if target(name).meets(requirement)} == met


def test_importing_targets_imports_no_dialects():
    code = "import sys, tileiras_xdsl.targets.target as t; t.all_targets(); print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not [name for name in found if name == "xdsl" or ".dialects" in name]


# Passes ask


NUMBER = re.compile(r"(capability|target)\w*\.(number|major|minor)\b")


def comparisons(source: str) -> Iterator[str]:
    """Comparisons of the numbers of architectures."""
    if NUMBER.search(source) is None:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
            if any(NUMBER.search(side) for side in sides):
                yield ast.unparse(node)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    "folder", [each.name for each in SOURCES.iterdir() if each.is_dir() and each.name != "targets"]
)
def test_no_pass_compares_architectures(folder: str):
    # What runs where is a question of the driver, and of its numbers.
    exempt = {SOURCES / "backend" / "cuda.py"}
    found = {
        str(path.relative_to(SOURCES)): list(comparisons(path.read_text()))
        for path in (SOURCES / folder).rglob("*.py")
        if path not in exempt
    }
    assert not {path: each for path, each in found.items() if each}


def test_comparisons_are_found():
    assert list(comparisons("if code.capability.number >= 90: pass")) == [
        "code.capability.number >= 90"
    ]


# Figures

FACTS = re.compile(
    r"(BYTES?|BITS?|ALIGNMENT|INDEX|SPACE|MASK|VERSION|LANES?|DIM|SHIFT|BIAS|COLUMNS|CARRIED"
    r"|ITER_ARG|STEP|LARGEST|SMALLEST|MAGNITUDE)$|^NO_"
)
"""Names of sizes, places and encodings, which are what they are."""
SEARCHES = {
    *("MAX_SLICE", "MAX_FACTOR", "MAX_TERMS", "MAX_WORK", "MAX_CHAIN", "MAX_ROUNDS"),
    *("MAX_DISTANCE", "MAX_TRIES", "MAX_LITERAL", "MAX_FRESH_WALKS", "MAX_DEPTH", "MAX_IDLE"),
}
"""How much the compiler does before it gives up: none of it chooses between two kernels."""
LIMITS = {
    *("MOST_BLOCKS", "MOST_RESIDENTS", "MAX_NUMBER", "MAX_FIELD", "MAX_ARGUMENTS", "MAX_THREADS"),
    *("MAX_COPIED_ELEMENTS", "INT32_MAX", "INT64_MAX", "INT64_MIN", "MAX_DIVISOR", "MAX_STRIDE"),
    *("MAX_SIZE", "MAX_DYNAMIC_SHARED", "HEAP_SHARE"),
}
"""What overflows, or what the hardware or a table has no room for, beyond so many."""
TUNED = re.compile(
    r"(^|_)(MOST|LEAST|MIN|MAX|SMALL|LARGE|FEW|MANY|ENOUGH|SHARE|STAGES|REGISTERS|INSTRUCTIONS"
    r"|ACCESSES|USES|OPS|ELEMENTS|PIECES|ROWS|DEPTH|CHAINS|UNROLLED|GAIN|FACTOR|THRESHOLD)(_|$)"
    r"|IN_FLIGHT|_K$"
)
"""Words of names of thresholds."""
OTHERS = {
    # M of the smaller MMA; stages of a queue that says nothing; rows of a table of a notebook.
    *("HALF_ROWS", "DEFAULT_STAGES", "MAX_ROWS"),
}


def figures(source: str) -> Iterator[str]:
    """
    The numbers that a module or a class names, and that are no sizes, encodings or limits of a
    search.
    """
    module = ast.parse(source)
    classes = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    for node in (node for each in (module, *classes) for node in each.body):
        name = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if not isinstance(name, ast.Name) or not isinstance(value, ast.expr):
            continue
        parts = [part for part in ast.walk(value) if isinstance(part, ast.expr)]
        is_number = all(isinstance(p, ast.Constant | ast.BinOp | ast.UnaryOp) for p in parts) and (
            all(type(p.value) in (int, float) for p in parts if isinstance(p, ast.Constant))
        )
        plain = name.id.lstrip("_")
        known = FACTS.search(plain) or plain in SEARCHES | LIMITS | OTHERS
        if is_number and not known and TUNED.search(plain):
            yield f"{plain} = {ast.unparse(value)}"


ELSEWHERE = {
    "checking": "how long a search, a proof or a solver goes on",
    "cpu.py": "a target of its own",
    "driver": "how many processes, files and messages there are",
    "host_rates.py": "how long this CPU is measured",
    "inspection": "what fits on a screen",
    "interpreter": "when a run on the CPU gives up",
    "xdsl_extras": "sizes of caches, and of messages",
    "targets": "where they belong",
}
"""Folders and files with other numbers: none of them decides what code a GPU gets."""
FORMATS = {
    "dialects": r"^(LEAST|MIN|MAX) |^MAX_(WARPS|LINE|LISTED_ELEMENTS|TILE_ELEMENTS|ELEMENTS)"
    r"|^MAX_(ALIAS_SCOPE|SCALE_INPUT)",
    "frontend": r"^MAX_(CALL_SITES|INTEGER|DENSE|EXPANDED)|^FACTOR |^MOST_WORK ",
}
"""What the types and the syntax of Tile IR allow."""
SIMULATED = {"LEAST_TRIPS", "FEW_TILES", "MOST_NOMINAL_OPS", "LEAST_SHARE", "MOST_OPS", "LEAST"}
"""How much the cost model simulates and shows: it changes what a prediction costs."""
HELD = {"MIN_WARPGROUPS", "MOST_WORDS", "MAX_KEPT"}
"""Two that take turns, words of a profile, and launchers that are kept."""


def test_figures_are_in_targets():
    found: dict[str, list[str]] = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).parts
        if not {*parts} & ELSEWHERE.keys():
            allowed = re.compile(FORMATS.get(parts[0], "^$"))
            others = [
                each
                for each in figures(path.read_text())
                if not allowed.search(each) and each.split()[0] not in SIMULATED | HELD
            ]
            found["/".join(parts)] = others
    assert len(found) > 300
    assert not {path: each for path, each in found.items() if each}


def test_figures_are_found():
    source = "MOST_PIECES: Final = 4\nSHARE = 3 / 4\nROW_BYTES = 16\nMAX_TRIES = 4\n_FEW = 3\n"
    source += "class A:\n    MOST: ClassVar = 5\n"
    assert list(figures(source)) == ["MOST_PIECES = 4", "SHARE = 3 / 4", "FEW = 3", "MOST = 5"]


def test_no_exemption_is_needless():
    """Each name is that of a number somewhere, which would be found."""
    named = {
        name
        for path in SOURCES.rglob("*.py")
        if path.parts[-2] != "targets"
        for name in re.findall(
            r"^ *_?([A-Z][A-Z0-9_]+)(?:: [^=]*)? = ", path.read_text(), re.MULTILINE
        )
    }
    exempt = SEARCHES | LIMITS | OTHERS | SIMULATED | HELD
    assert exempt <= named
    assert all(TUNED.search(name) and not FACTS.search(name) for name in exempt)


MEASURED = re.compile(r"\d ?(µs|us|GB/s|TB/s|TFLOP/s)\b")


def test_measurements_are_not_in_passes():
    """What was measured is in `targets`, which says why a number is what it is, or in a journal."""
    found = {
        str(path.relative_to(SOURCES)): lines
        for path in SOURCES.rglob("*.py")
        if not {*path.relative_to(SOURCES).parts} & ELSEWHERE.keys()
        and (lines := [line for line in path.read_text().splitlines() if MEASURED.search(line)])
    }
    assert not found
    assert MEASURED.search("take 126 us with 16 warps")


def test_choices_say_why():
    """Each number is followed by what it is, or where it comes from."""
    body = ast.parse((SOURCES / "targets" / "choices.py").read_text()).body
    for node, following in pairwise([*body, ast.Pass()]):
        if isinstance(node, ast.AnnAssign):
            assert isinstance(following, ast.Expr), ast.unparse(node)


def test_a_block_has_its_share():
    shared = hopper.SHARED
    assert shared.per_cta(1) == shared.opt_in
    assert shared.per_cta(2) == 113 * 1024
    assert replace(shared, static=48 * 1024).limit(asks=False) == 48 * 1024
