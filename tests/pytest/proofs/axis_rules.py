"""
Transfer functions of axis info, called as the analysis calls them, and proven sound: for all values
that the axis info of an op's operands allows, its result is as the rule says.

Elements are terms, so a proof is for all of them; axis info is concrete. Which one is drawn at
random: that of a tile of numbers, weakened. `exhaust` takes every axis info of scalars of few bits
instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.analysis import axis_info as rules
from tileiras_xdsl.analysis.axis_info import ANY_DIVISOR, AxisInfo, integer_range_of
from tileiras_xdsl.analysis.axis_info_analysis import RULES
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, is_pointer
from tileiras_xdsl.frontend.load import make_context

from .canonicalization import parse
from .integers import coordinates, flat
from .machine import (
    EVALUATORS,
    Machine,
    State,
    Tile,
    element_of,
    shape_of,
    unknown,
)
from .programs import Program
from .smt import Term, TermValues, Verdict, prove, z3

WIDTHS = ("i8", "i16", "i32", "i64")

INTEGERS = {
    **{
        name: [f'"nv_tileaa.{name}"(%a, %b) : (V, V) -> V', *flags]
        for name, flags in {
            "addi": ['"nv_tileaa.addi"(%a, %b) {overflow = "no_signed_wrap"} : (V, V) -> V'],
            "subi": ['"nv_tileaa.subi"(%a, %b) {overflow = "no_signed_wrap"} : (V, V) -> V'],
            "muli": ['"nv_tileaa.muli"(%a, %b) {overflow = "no_signed_wrap"} : (V, V) -> V'],
            "shli": ['"nv_tileaa.shli"(%a, %b) {overflow = "no_signed_wrap"} : (V, V) -> V'],
            **dict.fromkeys(("andi", "ori", "xori", "mulhii"), ()),
        }.items()
    },
    **{
        name: [
            f'"nv_tileaa.{name}"(%a, %b) {{signedness = "{sign}"}} : (V, V) -> V'
            for sign in ("signed", "unsigned")
        ]
        for name in ("remi", "shri")
    },
    "divi": [
        f'"nv_tileaa.divi"(%a, %b) {{signedness = "{sign}", rounding = "{mode}"}} : (V, V) -> V'
        for sign, mode in (
            ("signed", "zero"),
            ("signed", "negative_inf"),
            ("signed", "positive_inf"),
            ("unsigned", "zero"),
            ("unsigned", "positive_inf"),
        )
    ],
    "negi": [
        '"nv_tileaa.negi"(%a) : (V) -> V',
        '"nv_tileaa.negi"(%a) {overflow = "no_signed_wrap"} : (V) -> V',
    ],
    "absi": ['"nv_tileaa.absi"(%a) : (V) -> V'],
    "cmpi": [
        f'"nv_tileaa.cmpi"(%a, %b) {{comparison_predicate = "{predicate}", signedness = "{sign}"}}'
        " : (V, V) -> B"
        for predicate, sign in product(
            (
                *("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than"),
                "greater_than_or_equal",
            ),
            ("signed", "unsigned"),
        )
    ],
}
"""Ops of `nv_tileaa`; V is a tensor of integers, or one of them, and B one of i1 of its shape."""

ARITH = {
    name: [f'"arith.{name}"(%a, %b) : (V, V) -> V']
    for name in (
        *("addi", "subi", "muli", "shli", "andi", "ori", "xori", "divsi", "divui", "floordivsi"),
        *("ceildivsi", "ceildivui", "remsi", "remui", "shrsi", "shrui", "minsi", "maxsi"),
        *("minui", "maxui"),
    )
}
ARITH["cmpi"] = [
    f'"arith.cmpi"(%a, %b) {{predicate = {number} : i64}} : (V, V) -> B' for number in range(10)
]
ARITH["select"] = [
    '"arith.select"(%m, %a, %b) : (B, V, V) -> V',
    '"arith.select"(%c, %a, %b) : (i1, V, V) -> V',
]

CONVERSIONS = {
    "arith.extsi": ['"arith.extsi"(%a) : (V) -> W', '"arith.extsi"(%m) : (B) -> V'],
    "arith.extui": ['"arith.extui"(%a) : (V) -> W', '"arith.extui"(%m) : (B) -> V'],
    "arith.trunci": ['"arith.trunci"(%w) : (W) -> V'],
    "nv_tileaa.trunci": ['"nv_tileaa.trunci"(%w) : (W) -> V'],
    "arith.index_cast": [
        '"arith.index_cast"(%x) : (T) -> index',
        '"arith.index_cast"(%i) : (index) -> T',
    ],
    "arith.index_castui": [
        '"arith.index_castui"(%x) : (T) -> index',
        '"arith.index_castui"(%i) : (index) -> T',
    ],
}

SHAPES = {
    "nv_tileaa.bitcast": ['"nv_tileaa.bitcast"(%a) : (V) -> V'],
    "nv_tileaa.splat": ['"nv_tileaa.splat"(%x) : (T) -> tensor<8xT>'],
    "nv_tileaa.make_range": ['"nv_tileaa.make_range"(%x, %x) : (T, T) -> tensor<8xT>'],
    "nv_tileaa.view": [
        f'"nv_tileaa.view"(%a) : (tensor<8xT>) -> tensor<{shape}xT>'
        for shape in ("2x4", "4x2", "1x8", "2x2x2")
    ]
    + [f'"nv_tileaa.view"(%q) : (tensor<2x4xT>) -> tensor<{shape}xT>' for shape in ("8", "4x2")],
    "nv_tileaa.expand_dims": [
        '"nv_tileaa.expand_dims"(%a) {axis = 0 : i32} : (V8) -> tensor<1x8xT>',
    ],
    "nv_tileaa.broadcast": ['"nv_tileaa.broadcast"(%o) : (tensor<1x4xT>) -> tensor<2x4xT>'],
    "nv_tileaa.permute": [
        '"nv_tileaa.permute"(%q) {permutation = array<i32: 1, 0>}'
        " : (tensor<2x4xT>) -> tensor<4x2xT>"
    ],
    "nv_tileaa.cat": [
        '"nv_tileaa.cat"(%a, %b) {dim = 0 : i64} : (V8, V8) -> tensor<16xT>',
        '"nv_tileaa.cat"(%q, %r) {dim = 1 : i64} : (tensor<2x4xT>, tensor<2x4xT>) -> tensor<2x8xT>',
    ],
    "nv_tileaa.extract": [
        '"nv_tileaa.extract"(%a, %n) : (V8, i32) -> tensor<2xT>',
        '"nv_tileaa.extract"(%a, %n) : (V8, i32) -> T',
        '"nv_tileaa.extract"(%q, %n, %n) : (tensor<2x4xT>, i32, i32) -> tensor<1x2xT>',
    ],
    "nv_tileaa.insert": [
        '"nv_tileaa.insert"(%h, %a, %n) : (tensor<2xT>, V8, i32) -> V8',
    ],
    "nv_tileaa.assume": [
        f'"nv_tileaa.assume"(%a) {{predicate = #nv_tileaa.{predicate}}} : (V) -> V'
        for predicate in ("div_by<4>", "bounded<-3, 100>", "bounded<0, ?>", "bounded<?, 7>")
    ]
    + [
        f'"nv_tileaa.assume"(%a) {{predicate = #nv_tileaa.{predicate}}} : (V8) -> V8'
        for predicate in (
            *("div_by<4, every 4 along 0>", "div_by<8, every 2 along 0>", "same_elements<[4]>"),
            *("div_by<2, every 8 along 0>", "div_by<4, every 6 along 0>", "same_elements<[6]>"),
            *("div_by<16, every 3 along 0>", "div_by<1, every 0 along 0>"),
        )
    ],
}

POINTERS = {
    "nv_tileaa.addptr": [
        f'"nv_tileaa.addptr"(%p, %a) {{elem_type = {element}}} : (P8, V8) -> P8'
        for element in ("i8", "f32", "f64")
    ],
    "nv_tileaa.int_to_ptr": ['"nv_tileaa.int_to_ptr"(%a) : (V8) -> P8'],
    "nv_tileaa.ptr_to_int": ['"nv_tileaa.ptr_to_int"(%p) : (P8) -> V8'],
}

LITERALS = {
    "arith.constant": [
        f'"arith.constant"() {{value = {value}}} : () -> {ty}'
        for value, ty in (
            ("-3 : T", "T"),
            ("dense<-4> : tensor<4xT>", "tensor<4xT>"),
            ("dense<[4, 5, 6, 7, -8, -7, -6, -5]> : tensor<8xT>", "tensor<8xT>"),
            ("dense<[[2, 2, 2, 2], [3, 3, 4, 4]]> : tensor<2x4xT>", "tensor<2x4xT>"),
            ("true", "i1"),
        )
    ],
}

TEMPLATES: dict[str, list[str]] = {
    **{f"nv_tileaa.{name}": texts for name, texts in INTEGERS.items()},
    **{f"arith.{name}": texts for name, texts in ARITH.items()},
    **CONVERSIONS,
    **SHAPES,
    **POINTERS,
    **LITERALS,
}

TRIVIAL = {
    "gpu.block_id": "the limits of grids",
    "gpu.grid_dim": "the limits of grids",
    "nv_tileaa.alloca": "the alignment of the op",
    "nv_tileas.convert_layout": "the value itself",
    "nv_tileas.shuffle": "the value itself",
    "nv_tileas.view": "the rule of `nv_tileaa.view`",
    "nv_tileas.expand_dims": "the rule of `nv_tileaa.expand_dims`",
}
"""Rules that say no more than this."""

SLOW = ("mul", "div", "rem")
"""Ops that are hard for the solver: fewer elements, and less time."""


def find_rules() -> list[str]:
    """Every op with a transfer function."""
    ctx = make_context()
    return sorted(name for name in RULES if ctx.get_optional_op(name) is not None)


class Case(NamedTuple):
    """An op of one type, and how it is written."""

    name: str
    width: str
    text: str

    @property
    def is_slow(self) -> bool:
        return any(part in self.name for part in SLOW)


def cases_of(name: str, width: str) -> Iterator[Case]:
    """The op with scalars and with tensors."""
    wide = f"i{2 * int(width[1:])}"
    lanes = 4 if any(part in name for part in SLOW) else 8
    for text in TEMPLATES[name]:
        shapes = (
            ("", f"{lanes}x")
            if "V)" in text or "V," in text or "V}" in text or "(B" in text
            else ("8x",)
        )
        for shape in shapes:
            words = {
                "V8": "tensor<8xT>",
                "P8": "tensor<8x!llvm.ptr<1>>",
                "V": f"tensor<{shape}T>" if shape else "T",
                "W": f"tensor<{shape}{wide}>" if shape else wide,
                "B": f"tensor<{shape}i1>" if shape else "i1",
            }
            filled = text
            for word, ty in words.items():
                for around in ("({})", "({},", " {},", " {})"):
                    filled = filled.replace(around.format(word), around.format(ty))
                filled = filled.removesuffix(f"-> {word}") + (
                    f"-> {ty}" if filled.endswith(f"-> {word}") else ""
                )
            yield Case(
                name,
                width,
                filled.replace("xT>", f"x{width}>")
                .replace("(T", f"({width}")
                .replace(" T", f" {width}"),
            )


def build(case: Case) -> Operation:
    """The op, whose operands are parameters."""
    body, _, types = case.text.rpartition(" : (")
    operands = body[body.index("(") + 1 : body.index(")")].split(", ") if "%" in body else []
    sources, _, result = types.partition(") -> ")
    kinds = sources.split(", ") if sources else []
    parameters = dict(zip(operands, kinds, strict=True))
    header = ", ".join(f"{name}: {ty}" for name, ty in parameters.items())
    body = f"  %0 = {case.text}\n  func.return %0 : {result}\n"
    text = f"func.func @f({header}) -> {result} {{\n{body}}}"
    module = parse(Program(case.name, case.width, text))
    return next(op for op in module.walk() if op.name == case.name)


# What axis info says


def divides(divisor: int, bits: Term, *, signed: bool) -> Term:
    """Whether a number of some bits is divisible."""
    if divisor == ANY_DIVISOR:
        return bits == 0
    if divisor == 1:
        return z3.BoolVal(True)
    width = bits.size()
    extra = max(0, divisor.bit_length() + 1 - width)
    extend = z3.SignExt if signed else z3.ZeroExt
    wide = extend(extra, bits) if extra else bits
    if divisor & (divisor - 1) == 0:
        return wide & (divisor - 1) == 0
    return (z3.SRem if signed else z3.URem)(wide, z3.BitVecVal(divisor, wide.size())) == 0


def holds(info: AxisInfo, tile: Tile, *, is_signed: bool, is_address: bool = False) -> Term:
    """What axis info says of a tile."""
    lanes = [lane.bits for lane in tile.lanes]
    extend = z3.SignExt if is_signed else z3.ZeroExt
    claims: list[Term] = []
    for bits in lanes:
        wide = extend(8, bits)
        if not is_address:
            claims += [wide >= info.low, wide <= info.high]
        claims.append(divides(info.divisor, bits, signed=is_signed))
    for dim, size in enumerate(tile.shape):
        run, equal = info.contiguity[dim], info.constancy[dim]
        assert size % run == 0
        assert size % equal == 0
        for place in coordinates(tile.shape):
            bits = lanes[flat(place, tile.shape)]
            start = [*place]
            start[dim] = place[dim] // run * run
            first = lanes[flat(start, tile.shape)]
            if start == [*place]:
                claims.append(divides(info.divisibility[dim], bits, signed=is_signed))
            elif is_address:
                claims.append(bits == first + (place[dim] - start[dim]) * info.step)
            else:
                claims.append(extend(8, bits) == extend(8, first) + (place[dim] - start[dim]))
            start[dim] = place[dim] // equal * equal
            claims.append(bits == lanes[flat(start, tile.shape)])
    return z3.And(*claims)


def kind_of(ty: object) -> tuple[bool, bool]:
    """Whether numbers of a type are signed, and whether they are addresses."""
    element = get_element(ty)  # pyright: ignore[reportArgumentType]
    return integer_range_of(element) is not rules.I1_RANGE, is_pointer(element)


# Axis info at random


def draw_info(random: Random, ty: object) -> AxisInfo:
    """Axis info of some tile, weakened."""
    shape = shape_of(ty)  # pyright: ignore[reportArgumentType]
    element = element_of(ty)  # pyright: ignore[reportArgumentType]
    bounds = integer_range_of(element)
    if is_pointer(element):
        pointer = AxisInfo.top(element)
        pointer = rules.assume_divisor(pointer, random.choice((1, 2, 4, 8, 16)))
        tile = rules.splat(pointer, shape)
        if random.random() < 0.5:
            offset = rules.counting(AxisInfo.constant(0), shape[0], rules.INDEX_RANGE)
            tile = rules.offset_pointer(tile, offset, random.choice((1, 4, 8)))
        return tile
    if random.random() < 0.3:
        number = random.choice((1, 2, 3, 4, 6, 8, 16, 7, 12, -1, -4, 0))
        return AxisInfo.constant((number - bounds.low) % (1 << bounds.bits) + bounds.low, shape)
    numbers = draw_numbers(random, shape, bounds)
    if not shape:
        info = AxisInfo.constant(numbers[0])
    else:
        info = rules.of_elements(numbers, shape)
    if random.random() < 0.25:
        return info
    low, high = info.low, info.high
    match random.randrange(6):
        case 0:
            low, high = bounds.low, bounds.high
        case 1:
            low, high = (0 if low >= 0 else bounds.low), bounds.high
        case 2:
            low, high = bounds.low, (-1 if high < 0 else bounds.high)
        case 3:
            low, high = max(bounds.low, low - random.randrange(20)), high
        case 4:
            low, high = low, min(bounds.high, high + random.randrange(200))
        case _:
            low = max(bounds.low, low - random.randrange(9))
            high = min(bounds.high, high + random.randrange(9))
    if (low, high) == (info.low, info.high):
        return info
    divisor = info.divisor
    if divisor == ANY_DIVISOR:
        divisor = random.choice((1, 2, 12, 64))
    options = [each for each in (1, 2, 3, 4, 8, 16, divisor) if divisor % each == 0]
    divisor = random.choice(options)
    if not shape:
        return AxisInfo.scalar(low, high, divisor)
    contiguity = [random.choice([r for r in (1, 2, 4, 8) if r <= run]) for run in info.contiguity]
    constancy = [random.choice([r for r in (1, 2, 4, 8) if r <= run]) for run in info.constancy]
    firsts: list[int] = []
    for dim, run in enumerate(contiguity):
        first = info.start_divisor(dim, run)
        if first == ANY_DIVISOR:
            first = random.choice((1, 2, 8, 24))
        firsts.append(random.choice([each for each in (1, 2, 4, 8, first) if first % each == 0]))
    return rules.make(shape, low, high, divisor, contiguity, firsts, constancy)


def draw_numbers(random: Random, shape: Sequence[int], bounds: rules.IntegerRange) -> list[int]:
    """The elements of a tile with runs of all kinds."""
    span = bounds.high - bounds.low + 1
    scale = random.choice((1, 1, 2, 3, 4, 8, 16))
    start = random.choice((0, 0, 1, -1, 5, bounds.low, bounds.high - 7, random.randrange(span)))
    start = start // scale * scale
    steps = [random.choice((0, 0, 1, 1, 1, 2, 8)) for _ in shape]
    equal = random.choice((1, 1, 2, 4))
    numbers: list[int] = []
    for place in coordinates(shape):
        number = start + sum(step * (i // equal) for step, i in zip(steps, place, strict=True))
        numbers.append((number - bounds.low) % span + bounds.low)
    return numbers


# Proofs


def prove_rule(case: Case, infos: Sequence[AxisInfo] | None, seed: int, timeout: float) -> Verdict:
    """Whether the rule of an op is sound for some axis info of its operands."""
    random = Random(f"{case} {seed}")
    op = build(case)
    if infos is None:
        infos = [draw_info(random, operand.type) for operand in op.operands]
        seen = dict(zip(op.operands, infos, strict=True))
        infos = [seen[operand] for operand in op.operands]
    found = RULES[op.name](op, *infos)
    if found is None:
        return Verdict("proven", 0.0)
    tiles = {
        operand: unknown(operand.type, f"v{number}", may_be_poison=False)
        for number, operand in enumerate(op.operands)
    }
    machine = Machine(State.start(), dict(tiles))
    (result,) = EVALUATORS[op.name](machine, op, [tiles[each] for each in op.operands])
    assumptions = [z3.Not(machine.state.undefined)]
    for operand, info in zip(op.operands, infos, strict=True):
        signed, is_address = kind_of(operand.type)
        assumptions.append(holds(info, tiles[operand], is_signed=signed, is_address=is_address))
    assumptions += [z3.Not(lane.poison) for lane in result.lanes]
    signed, is_address = kind_of(op.results[0].type)
    claim = holds(found, result, is_signed=signed, is_address=is_address)
    verdict = prove(claim, assumptions, timeout)
    if verdict.answer == "refuted":
        text = f"{case.text} of {infos} is not {found}: {verdict.counterexample}"
        return Verdict("refuted", verdict.seconds, text)
    return verdict


# All axis info of few bits

SMALL = "i3"


def small_infos(width: str = SMALL) -> list[AxisInfo]:
    """Every range of scalars of few bits, with the divisors that some number in it has."""
    bits = int(width[1:])
    half = 1 << (bits - 1)
    infos: list[AxisInfo] = []
    for low in range(-half, half):
        for high in range(low, half):
            if low == high:
                infos.append(AxisInfo.constant(low))
                continue
            numbers = range(low, high + 1)
            infos += [
                AxisInfo.scalar(low, high, divisor)
                for divisor in (1, 2, 3, 4)
                if any(number % divisor == 0 for number in numbers)
            ]
    return infos


def exhaust_rule(case: Case) -> Verdict:
    """Whether the rule of an op on scalars is sound for every axis info and all values."""
    start = process_time()
    op = build(case)
    tiles = {
        operand: unknown(operand.type, f"v{number}", may_be_poison=False)
        for number, operand in enumerate(op.operands)
    }
    machine = Machine(State.start(), dict(tiles))
    (result,) = EVALUATORS[op.name](machine, op, [tiles[each] for each in op.operands])
    lane = result.scalar
    bits = int(case.width[1:])
    count = len(op.operands)
    grids = np.meshgrid(*([np.arange(1 << bits)] * count), indexing="ij")
    flat_grids = [grid.reshape(-1) for grid in grids]
    known = {f"v{number}[0]": values for number, values in enumerate(flat_grids)}
    bad = z3.simplify(z3.Or(machine.state.undefined, lane.poison))
    terms = TermValues(known)
    is_bad = np.broadcast_to(terms.get(bad), flat_grids[0].shape)
    numbers = np.broadcast_to(terms.get(z3.simplify(lane.bits)), flat_grids[0].shape)
    half = 1 << (bits - 1)
    signed_grids = [np.where(grid >= half, grid - 2 * half, grid) for grid in flat_grids]
    if kind_of(op.results[0].type)[0]:
        numbers = np.where(numbers >= half, numbers - 2 * half, numbers)
    infos = small_infos(case.width)
    allowed = [
        [
            (grid >= info.low) & (grid <= info.high) & is_multiple(grid, info.divisor)
            for info in infos
        ]
        for grid in signed_grids
    ]
    for choice in product(range(len(infos)), repeat=count):
        found = RULES[op.name](op, *(infos[index] for index in choice))
        if found is None:
            continue
        inside = ~is_bad
        for masks, index in zip(allowed, choice, strict=True):
            inside = inside & masks[index]
        values = numbers[inside]
        right = (values >= found.low) & (values <= found.high) & is_multiple(values, found.divisor)
        if not right.all():
            place = int(np.argmax(~right))
            operands = [int(grid[inside][place]) for grid in signed_grids]
            text = (
                f"{case.text} of {[infos[index] for index in choice]} is not {found}: "
                f"{operands} gives {int(values[place])}"
            )
            return Verdict("refuted", process_time() - start, text)
    return Verdict("proven", process_time() - start)


def is_multiple(numbers: Any, divisor: int) -> Any:
    """Which numbers are divisible."""
    return numbers == 0 if divisor == ANY_DIVISOR else numbers % divisor == 0


def small_cases() -> Iterator[Case]:
    """The ops on scalars of few bits."""
    for name in sorted({f"nv_tileaa.{each}" for each in INTEGERS} | {f"arith.{x}" for x in ARITH}):
        if name == "arith.select":
            continue
        for case in cases_of(name, SMALL):
            if "tensor" not in case.text:
                yield case
