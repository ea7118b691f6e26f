"""
Runs a program at each stage of the compiler, and compares what comes out.

All stages but the first one are ways to write the same program, so arrays and printed text
must be equal bit for bit, payloads of NaNs included. `fuse-fma` is not among them: it rounds
once where the program rounds twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.matmul import MmaFScaledOp
from tileiras_xdsl.frontend.bytecode import read, write
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.transforms.tileaa.discharge_mem_tokens import DischargeMemTokensPass
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from ..harness.modules import parse, print_module
from ..harness.passes import applied, run_steps
from ..harness.running import Argument, arrays_of, run_printing

LITERALS = (DenseIntOrFPElementsAttr, FloatAttr)
NOT_IN_BYTECODE = (ct.PrintOp, ct.TokenJoinOp)
"""Ops of which the newest bytecode knows nothing."""


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind: the bits of its arrays, and what it has printed."""

    arrays: tuple[bytes, ...]
    text: str


@dataclass(frozen=True)
class Difference:
    """A stage that differs from the first one, and how."""

    stage: str
    what: str


def outcome(
    module: ModuleOp,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int],
    entry: str | None = None,
    *,
    check: Sequence[str] | bool = (),
    seed: int | None = None,
) -> Outcome:
    """Runs a program."""
    printed = run_printing(module, entry, grid=grid, args=arguments, check=check, seed=seed)
    return Outcome(tuple(array.tobytes() for array in arrays_of(arguments)), printed)


def through_text(module: ModuleOp) -> ModuleOp:
    """Printed and parsed."""
    return parse(print_module(module))


def through_generic_text(module: ModuleOp) -> ModuleOp:
    """Printed in the generic form and parsed."""
    return parse(print_module(module, generic=True))


def through_tileaa_text(module: ModuleOp) -> ModuleOp | None:
    """The same for `nv_tileaa`, unless xDSL's literals would lose the payload of a NaN."""
    literals = [value for op in module.walk() for value in op.properties.values()]
    if any("0x" in str(value) for value in literals if isinstance(value, LITERALS)):
        return None
    return through_text(module)


def after(module_pass: ModulePass) -> Callable[[ModuleOp], ModuleOp]:
    """What a pass makes of modules; `differences` verifies it."""
    return lambda module: applied(module, module_pass, check="never")


def through_bytecode(module: ModuleOp) -> ModuleOp | None:
    """Written and read, if bytecode knows all ops."""
    if any(isinstance(op, NOT_IN_BYTECODE) for op in module.walk()):
        return None
    return read(write(module))


def to_tileas(module: ModuleOp) -> ModuleOp | None:
    """Converted, if its sums stay the same, and there are enough barriers for its tokens."""
    if any(isinstance(op, MmaFScaledOp) for op in module.walk()):
        return None
    try:
        return applied(module, ConvertTileaaToTileasPass(), check="never")
    except PassFailedException as failure:
        if "has taken all 32" in str(failure):
            return None
        raise


def at_tileas(module: ModuleOp) -> ModuleOp | None:
    """After all passes of level 2: laid out, and with loops that load ahead."""
    if any(isinstance(op, ct.MmaFScaledOp) for op in module.walk()):
        return None
    return run_steps(module.clone(), select_steps(to="tileas"))


canonicalized = after(CanonicalizePass())
loop_split = after(LoopSplitPass())
converted = after(ConvertCudaTileToTileaaPass(compute_capability="sm_90"))
tileaa_canonicalized = after(CanonicalizeTileaaPass())
discharged = after(DischargeMemTokensPass())

SOURCE = "cuda_tile"
TILEAS = "tileas"
STAGES: dict[str, tuple[str, Callable[[ModuleOp], ModuleOp | None]]] = {
    "text": (SOURCE, through_text),
    "generic text": (SOURCE, through_generic_text),
    "bytecode": (SOURCE, through_bytecode),
    "canonicalize": (SOURCE, canonicalized),
    "loop-split": (SOURCE, loop_split),
    "canonicalize, loop-split": ("canonicalize", loop_split),
    "convert-cuda-tile-to-tileaa": (SOURCE, converted),
    "canonicalize, convert-cuda-tile-to-tileaa": ("canonicalize", converted),
    "canonicalize-tileaa": ("convert-cuda-tile-to-tileaa", tileaa_canonicalized),
    "canonicalize-tileaa, text": ("canonicalize-tileaa", through_tileaa_text),
    "convert-cuda-tile-to-tileaa, canonicalize": (
        "convert-cuda-tile-to-tileaa",
        canonicalized,
    ),
    "convert-tileaa-to-tileas": ("canonicalize-tileaa", to_tileas),
    "discharge-mem-tokens": ("canonicalize-tileaa", discharged),
    "discharge-mem-tokens, convert-tileaa-to-tileas": ("discharge-mem-tokens", to_tileas),
    TILEAS: (SOURCE, at_tileas),
}
"""The ways to write a program: what each is made of, and how."""

CORE_STAGES = ("canonicalize", "convert-cuda-tile-to-tileaa", "canonicalize-tileaa")
OTHER_STAGES = tuple(name for name in STAGES if name not in CORE_STAGES)


def quick_stages(seed: int) -> Sequence[str]:
    """Those that matter most, and one of the others in turn."""
    return (*CORE_STAGES, OTHER_STAGES[seed % len(OTHER_STAGES)])


def differences(
    module: ModuleOp,
    arguments: Callable[[], Sequence[Argument]],
    grid: tuple[int, int, int],
    entry: str | None = None,
    stages: Sequence[str] = tuple(STAGES),
    *,
    verify: bool = True,
) -> Iterator[Difference]:
    """What differs at some stages from the program as it is."""
    expected = outcome(module, arguments(), grid, entry)
    made: dict[str, ModuleOp | None] = {SOURCE: module}

    def make(name: str) -> ModuleOp | None:
        if name not in made:
            source, function = STAGES[name]
            before = make(source)
            after = None if before is None else function(before)
            if after is not None and verify:
                after.verify()
                verify_dominance(after)
            made[name] = after
        return made[name]

    for name in stages:
        stage = make(name)
        if stage is None:
            continue
        what = difference(expected, outcome(stage, arguments(), grid, entry))
        if what is None and name == TILEAS:
            what = missing_waits(stage, arguments(), grid, entry)
        if what is not None:
            yield Difference(name, what)


def missing_waits(
    module: ModuleOp,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int],
    entry: str | None = None,
) -> str | None:
    """What threads do not wait for at the end of level 2; races of the program are its own."""
    try:
        outcome(module, arguments, grid, entry, check=("races",))
    except ExecutionError as error:
        return None if "in a race with" in str(error) else str(error)
    return None


def difference(expected: Outcome, found: Outcome) -> str | None:
    """How two outcomes differ; `None` if they do not."""
    if expected.text != found.text:
        return f"printed {found.text!r}, not {expected.text!r}"
    for number, (before, after) in enumerate(zip(expected.arrays, found.arrays, strict=True)):
        if before != after:
            pairs = zip(before, after, strict=True)
            places = [place for place, (a, b) in enumerate(pairs) if a != b]
            return f"array {number} differs in {len(places)} bytes, the first at {places[0]}"
    return None
