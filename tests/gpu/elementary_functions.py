"""
Compares results of arithmetic, functions and conversions of floats with those of NVIDIA's compiler,
bit by bit.

    python tests/gpu/elementary_functions.py make FOLDER [--only PATTERN]    # needs no GPU
    python tests/gpu/elementary_functions.py run FOLDER [--only PATTERN]     # needs a GPU
    python tests/gpu/elementary_functions.py table FOLDER                    # needs no GPU

`make` compiles one kernel for each op, type and modifier with this compiler and with `tileiras`.
`run` needs the CUDA driver, NumPy and PyTorch, not this package. It launches both on the same
arguments and compares: all values of types of up to 16 bits, else 2^24 values or tuples of values
(see `Arguments`). Results that are no numbers count as equal, and are listed if their bits differ.
It prints a line for each kernel and writes `elementary_functions.json` to the folder that `OUT`
names, or to the bundle. `table` makes the tables of `docs/numerics.md` of that file in a folder.
"""

from __future__ import annotations

import argparse
import ctypes
import fnmatch
import json
import os
import re
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

TILE: Final = 1024
COUNT: Final = 1 << 24
GPU: Final = "sm_90"
DEVICE = "cuda"
"""Where tensors are."""
RESULTS: Final = "elementary_functions.json"

FLOATS: Final = ("f16", "bf16", "f32", "f64")
NARROW: Final = ("tf32", "f8E4M3FN", "f8E5M2")
"""What there are conversions for, and no arithmetic."""
INTEGERS: Final = ("i8", "i16", "i32", "i64")
IEEE: Final = ("nearest_even", "zero", "negative_inf", "positive_inf")


@dataclass(frozen=True)
class Case:
    """An op, its modifiers, and the types of operands and result."""

    op: str
    operands: tuple[str, ...]
    result: str
    modifier: str = ""
    """What is written behind the operands."""
    in_range: bool = False
    """Whether results are defined only for arguments that the result's type can hold."""

    @property
    def name(self) -> str:
        types = self.operands[:1] if self.is_uniform else (*self.operands, self.result)
        words = " ".join((self.op, *self.modifier.split()))
        return f"{words} {' '.join(types)}"

    @property
    def is_uniform(self) -> bool:
        return {*self.operands} == {self.result}

    @property
    def entry(self) -> str:
        return "".join(letter if letter.isalnum() else "_" for letter in self.name)

    def expression(self) -> str:
        operands = ", ".join(f"%v{number}" for number in range(len(self.operands)))
        types = [f"tile<{TILE}x{each}>" for each in (*self.operands, self.result)]
        written = types[-1] if self.is_uniform else f"{types[0]} -> {types[-1]}"
        if self.op == "fpowi":
            written = ", ".join(types[:-1])
        words = " ".join(filter(None, (self.op, operands, self.modifier)))
        return f"{words} : {written}"

    def program(self) -> str:
        """A kernel of which each tile block computes a tile of results."""
        types = (*self.operands, self.result)
        lines = [
            "%x, %y, %z = get_tile_block_id : tile<i32>",
            f"%size = constant <i32: {TILE}> : tile<i32>",
            "%start = muli %x, %size : tile<i32>",
            f"%i = iota : tile<{TILE}xi32>",
        ]
        for n, ty in enumerate(types):
            one, row, all_ = f"tile<ptr<{ty}>>", f"tile<1xptr<{ty}>>", f"tile<{TILE}xptr<{ty}>>"
            lines += [
                f"%s{n} = offset %p{n}, %start : {one}, tile<i32> -> {one}",
                f"%r{n} = reshape %s{n} : {one} -> {row}",
                f"%b{n} = broadcast %r{n} : {row} -> {all_}",
                f"%q{n} = offset %b{n}, %i : {all_}, tile<{TILE}xi32> -> {all_}",
            ]
            values = f"tile<{TILE}x{ty}>"
            if n < len(self.operands):
                lines.append(f"%v{n}, %t{n} = load_ptr_tko weak %q{n} : {all_} -> {values}, token")
            else:
                lines.append(f"%o = {self.expression()}")
                lines.append(f"%t = store_ptr_tko weak %q{n}, %o : {all_}, {values} -> token")
        parameters = ", ".join(f"%p{n}: tile<ptr<{ty}>>" for n, ty in enumerate(types))
        return "\n".join((f"entry @{self.entry}({parameters}) {{", *lines, "return", "}"))


UNARY: Final = (
    *("absf", "negf", "ceil", "floor", "exp", "exp2", "log", "log2", "sqrt", "rsqrt"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh"),
)
BINARY: Final = ("remf", "pow", "atan2")
ROUNDED: Final = {"sqrt": 1, "addf": 2, "subf": 2, "mulf": 2, "divf": 2, "fma": 3}
EXTREMA: Final = ("maxf", "minf")
OF_F32: Final = {
    **{"exp": ["rounding<approx>"], "tanh": ["rounding<approx>"]},
    **{"exp2": ["flush_to_zero"], "rsqrt": ["flush_to_zero"]},
    "sqrt": ["rounding<approx>", "rounding<approx> flush_to_zero"],
    "divf": [
        f"rounding<{mode}>{flush}"
        for mode in ("approx", "full")
        for flush in ("", " flush_to_zero")
    ],
}


def rounding(mode: str) -> str:
    return "" if mode == "nearest_even" else f"rounding<{mode}>"


def arithmetic() -> Iterator[Case]:
    """Ops whose operands and results have one type."""
    for ty in FLOATS:
        yield from (Case(op, (ty,), ty) for op in UNARY)
        yield from (Case(op, (ty, ty), ty) for op in BINARY)
        for op, arity in ROUNDED.items():
            for mode in IEEE:
                if op != "sqrt" or mode != "nearest_even":
                    yield Case(op, (ty,) * arity, ty, rounding(mode))
                if ty == "f32":
                    yield Case(op, (ty,) * arity, ty, f"{rounding(mode)} flush_to_zero".strip())
        for op in EXTREMA:
            for flags in ("", "propagate_nan"):
                yield Case(op, (ty, ty), ty, flags)
                if ty == "f32":
                    yield Case(op, (ty, ty), ty, f"flush_to_zero {flags}".strip())
        yield from (Case("fpowi", (ty, exponent), ty) for exponent in ("i8", "i16", "i32"))
    for op, modifiers in OF_F32.items():
        arity = ROUNDED.get(op, 1)
        yield from (Case(op, ("f32",) * arity, "f32", modifier) for modifier in modifiers)


HOLDS: Final = {
    "f64": set[str](),
    "f32": {"f64"},
    "tf32": {"f32", "f64"},
    "f16": {"tf32", "f32", "f64"},
    "bf16": {"tf32", "f32", "f64"},
    "f8E4M3FN": {"f16", "bf16", "tf32", "f32", "f64"},
    "f8E5M2": {"f16", "bf16", "tf32", "f32", "f64"},
}
"""Types that have all values of a type."""


def conversion_modes(source: str, target: str) -> tuple[str, ...]:
    """In which a conversion may round, one of them if it is exact."""
    if target.startswith("f8") or target in HOLDS[source]:
        return ("nearest_even",)
    if (source, target) == ("f64", "f32"):
        return IEEE
    if (source, target) == ("f32", "tf32"):
        return ("nearest_even", "zero", "nearest_away")
    return ("nearest_even", "zero")


def conversions() -> Iterator[Case]:
    """Between floats, and between floats and integers."""
    for source in HOLDS:
        for target in HOLDS:
            if source != target:
                for mode in conversion_modes(source, target):
                    yield Case("ftof", (source,), target, rounding(mode))
    for ty in HOLDS:
        for integer in INTEGERS:
            for sign in ("signed", "unsigned"):
                yield Case("ftoi", (ty,), integer, sign, in_range=True)
                if ty in FLOATS:
                    yield Case("ftoi", (ty,), integer, f"{sign} saturating")
                yield Case("itof", (integer,), ty, sign)


def cases(pattern: str = "*") -> list[Case]:
    return [case for case in (*arithmetic(), *conversions()) if fnmatch.fnmatch(case.name, pattern)]


# On the machine that compiles


def module_of(chosen: Sequence[Case]) -> str:
    programs = "\n".join(case.program() for case in chosen)
    return f"cuda_tile.module @functions {{\n{programs}\n}}\n"


def compile_group(chosen: Sequence[Case], compiler: str, stem: Path) -> dict[str, str]:
    """Writes the code of kernels; the file or, behind a `!`, why there is none, by entry."""
    from make_bundle import COMPILERS, NotCompiled

    from tileiras_xdsl import load
    from tileiras_xdsl.frontend.bytecode import write

    path = stem.with_name(f"{stem.name}.{compiler}.cubin")
    try:
        code = COMPILERS[compiler](write(load(module_of(chosen))), GPU, "device-maps")
    except NotCompiled as error:
        if len(chosen) == 1:
            return {chosen[0].entry: f"! {error}"}
        found: dict[str, str] = {}
        for case in chosen:
            found |= compile_group([case], compiler, stem.with_name(case.entry))
        return found
    path.write_bytes(code.image)
    return {case.entry: path.name for case in chosen}


def make(folder: Path, pattern: str) -> None:
    """Writes cubins, a few for each op, and what is in them."""
    sys.path[:0] = [str(Path(__file__).parents[2] / "src"), str(Path(__file__).parent)]
    folder.mkdir(parents=True, exist_ok=True)
    groups: dict[str, list[Case]] = {}
    for case in cases(pattern):
        groups.setdefault(f"{case.op}_{case.operands[0]}", []).append(case)
    records: list[dict[str, Any]] = []
    for name, chosen in groups.items():
        files = {
            compiler: compile_group(chosen, compiler, folder / name)
            for compiler in ("ours", "tileiras")
        }
        for case in chosen:
            each = {compiler: found[case.entry] for compiler, found in files.items()}
            records.append({"case": asdict(case), "name": case.name, "entry": case.entry, **each})
            for compiler, text in each.items():
                if text.startswith("!"):
                    print(f"{case.name}: {compiler}{text}", flush=True)
    (folder / "records.json").write_text(json.dumps(records, indent=1))
    print(f"{len(records)} kernels")


# On the machine with the GPU


@dataclass(frozen=True)
class Format:
    """The bits of a type; those of floats above `largest`, without the sign, are no numbers."""

    bits: int
    largest: int | None = None
    spare: int = 0
    """Low bits that are zero in memory."""


FORMATS: Final = {
    "f64": Format(64, 0x7FF << 52),
    "f32": Format(32, 0xFF << 23),
    "tf32": Format(32, 0xFF << 23, spare=13),
    "f16": Format(16, 0x1F << 10),
    "bf16": Format(16, 0xFF << 7),
    "f8E4M3FN": Format(8, 0x7E),
    "f8E5M2": Format(8, 0x7C),
    **{f"i{bits}": Format(bits) for bits in (8, 16, 32, 64)},
}
SPECIAL: Final = (
    *(0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 1 / 3, 10.0, 100.0, 0.1, 1e-3, 1e-6, 255.0, 256.0, 448.0),
    *(0.7853981633974483, 1.5707963267948966, 3.141592653589793, 6.283185307179586, 1e5, 1e10),
    *(0.6931471805599453, 1.4426950408889634, 2.718281828459045, 0.55, 0.6, 0.7, 9.01, 20.0),
    *(88.72283, 88.72284, 103.97, 104.0, 126.0, 127.0, 128.0, 149.0, 150.0, 709.78, 710.0, 745.2),
    *(1022.0, 1024.0, 1074.0, 1075.0, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 57344.0, 65504.0),
)
INTERVALS: Final = ((-1.0, 1.0), (-10.0, 10.0), (-128.0, 128.0), (-760.0, 760.0), (0.99, 1.01))
"""Where functions are interesting."""


class Arguments:
    """
    Values of types, as tensors of integers that have their bits. Wide ones are special values and
    their neighbours, random bits, subnormal numbers, numbers of random exponents around zero, and
    uniform ones of `INTERVALS`.
    """

    def __init__(self, seed: int = 1) -> None:
        import torch

        self.torch = torch
        self.random = torch.Generator(DEVICE).manual_seed(seed)
        self.float_types = {
            "f64": torch.float64,
            **{"f32": torch.float32, "tf32": torch.float32},
            **{"f16": torch.float16, "bf16": torch.bfloat16},
            **{"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2},
        }
        self.integer_types = {
            **{8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64},
        }

    def integers(self, low: int, high: int, count: int) -> Any:
        """Random numbers of 64 bits; `high` is left out."""
        return self.torch.randint(low, high, (count,), device=DEVICE, generator=self.random)

    def uniform(self, low: float, high: float, count: int) -> Any:
        numbers = self.torch.rand(
            count, device=DEVICE, generator=self.random, dtype=self.torch.float64
        )
        return numbers * (high - low) + low

    def random_bits(self, bits: int, count: int) -> Any:
        if bits == 64:
            return (self.integers(0, 1 << 32, count) << 32) | self.integers(0, 1 << 32, count)
        return self.integers(0, 1 << bits, count)

    def all_of(self, ty: str) -> Any:
        return self.cast(self.torch.arange(1 << FORMATS[ty].bits, device=DEVICE), ty)

    def cast(self, bits: Any, ty: str) -> Any:
        """64-bit integers cut to the bits of a type."""
        fmt = FORMATS[ty]
        if fmt.spare:
            bits = bits & (-1 << fmt.spare)
        if fmt.bits in (16, 32):
            sign = 1 << fmt.bits - 1
            bits = ((bits & (2 * sign - 1)) ^ sign) - sign
        elif fmt.bits == 8:
            bits = bits & 0xFF
        return bits.to(self.integer_types[fmt.bits])

    def bits_of(self, values: Any, ty: str) -> Any:
        """The bits of numbers rounded to a type, as 64-bit integers."""
        rounded = values.to(self.float_types[ty])
        return rounded.view(self.integer_types[FORMATS[ty].bits]).to(self.torch.int64)

    def wide_integers(self, ty: str, count: int) -> Any:
        torch, bits = self.torch, FORMATS[ty].bits
        powers = [1 << power for power in range(bits - 1)]
        # Ties of narrower types, and what is beside them.
        ties = {0, *powers, *(a + b for a in powers for b in powers if b < a)}
        numbers = {sign * tie + step for sign in (1, -1) for tie in ties for step in (-1, 0, 1)}
        limit = 1 << bits - 1
        first = torch.tensor(
            sorted(n for n in {*numbers, -limit} if -limit <= n < limit), device=DEVICE
        )
        shifts = self.integers(0, bits, count // 2)
        small = self.random_bits(bits, count // 2) >> shifts
        rest = self.random_bits(bits, count - len(first) - len(small))
        return self.cast(torch.cat((first, small, rest)), ty)

    def wide_floats(self, ty: str, count: int) -> Any:
        torch, fmt = self.torch, FORMATS[ty]
        assert fmt.largest is not None
        unit = fmt.largest & -fmt.largest
        special = self.bits_of(torch.tensor(SPECIAL, dtype=torch.float64, device=DEVICE), ty)
        ends = (1, 2, unit - 1, unit, unit + 1, fmt.largest - 1, fmt.largest, fmt.largest + 1)
        ends = (*ends, fmt.largest + unit // 2, fmt.largest + unit // 2 + 5, 2 * fmt.largest - 1)
        special = torch.cat((special, torch.tensor([e % (1 << 63) for e in ends], device=DEVICE)))
        step = 1 << fmt.spare
        special = torch.cat((special - step, special, special + step)).clamp(min=0)
        sign = -1 << 63 if fmt.bits == 64 else 1 << fmt.bits - 1
        parts = [special, special | sign]
        share = count // 16
        subnormal = self.integers(0, unit, share)
        parts.append(subnormal | torch.where(self.integers(0, 2, share) == 1, sign, 0))
        for low, high in INTERVALS:
            parts.append(self.bits_of(self.uniform(low, high, share * 3 // 2), ty))
        exponents = self.integers(-40, 40, 2 * share).double()
        numbers = self.uniform(-2, 2, 2 * share) * torch.exp2(exponents)
        parts.append(self.bits_of(numbers, ty))
        parts.append(self.random_bits(fmt.bits, count - sum(map(len, parts))))
        return self.cast(torch.cat(parts), ty)

    def values(self, ty: str, count: int) -> Any:
        if ty.startswith("i"):
            return self.wide_integers(ty, count)
        return self.wide_floats(ty, count)

    def shuffled(self, values: Any) -> Any:
        order = self.torch.randperm(len(values), device=DEVICE, generator=self.random)
        return values[order]

    def near(self, values: Any, ty: str) -> Any:
        """Numbers that differ from others by a few units, and by the sign."""
        fmt = FORMATS[ty]
        sign = -1 << 63 if fmt.bits == 64 else 1 << fmt.bits - 1
        steps = self.integers(-8, 9, len(values))
        signs = self.torch.where(self.integers(0, 2, len(values)) == 1, sign, 0)
        return self.cast((values.to(self.torch.int64) + steps) ^ signs, ty)

    def as_floats(self, bits: Any, ty: str) -> Any:
        return bits.view(self.float_types[ty]).double()

    def make(self, case: Case) -> list[Any]:
        """The operands of a kernel."""
        types = case.operands
        if len(types) == 1:
            (ty,) = types
            found = self.all_of(ty) if FORMATS[ty].bits <= 16 else self.values(ty, COUNT)
            if case.in_range:
                found = self.limited(found, case)
            return [found.repeat(-(-TILE // len(found)))[: max(TILE, len(found))].contiguous()]
        operands = [self.values(ty, COUNT) for ty in types]
        for number, values in enumerate(operands[1:], 1):
            operands[number] = self.shuffled(values)
        # In a quarter, sums cancel, and quotients and remainders are close to one or zero.
        part, ty = COUNT // 4, types[0]
        if case.op == "fpowi":
            operands[1][:part] = self.integers(-20, 21, part).to(operands[1].dtype)
        elif len(types) == 2:
            operands[1][-part:] = self.near(operands[0][-part:], ty)
        else:
            product = self.as_floats(operands[0][:part], ty) * self.as_floats(
                operands[1][:part], ty
            )
            operands[2][:part] = self.near(self.cast(self.bits_of(product, ty), ty), ty)
        return [values.contiguous() for values in operands]

    def limited(self, values: Any, case: Case) -> Any:
        """Zero in place of numbers that the integers of the result do not hold."""
        torch, bits = self.torch, FORMATS[case.result].bits
        is_signed = "unsigned" not in case.modifier
        low = -(2.0 ** (bits - 1)) if is_signed else 0.0
        high = 2.0 ** (bits - 1) if is_signed else 2.0**bits
        numbers = torch.trunc(self.as_floats(values, case.operands[0]))
        return torch.where((numbers >= low) & (numbers < high), values, torch.zeros_like(values))


@dataclass
class Comparison:
    """What both compilers' kernels make of the same arguments."""

    name: str
    op: str
    modifier: str
    operands: tuple[str, ...]
    result: str
    values: int = 0
    different: int = 0
    """Results of which at least one is a number, and bits differ."""
    units: int = 0
    """The largest distance of two of these, in units in the last place."""
    nan_bits: int = 0
    """Results that are no numbers, of different bits."""
    example: str = ""
    refused: dict[str, str] | None = None


def magnitude_and_sign(bits: Any, fmt: Format) -> tuple[Any, Any]:
    mask = (1 << fmt.bits - 1) - 1
    return bits.long() & mask, (bits.long() & ~mask) != 0


def compare(found: Comparison, arguments: Sequence[Any], ours: Any, theirs: Any) -> None:
    """Fills in how results differ."""
    import torch

    fmt = FORMATS[found.result]
    found.values = len(ours)
    differs = ours != theirs
    if not bool(differs.any()):
        return
    (places,) = torch.nonzero(differs, as_tuple=True)
    first, second = ours[places], theirs[places]
    if fmt.largest is None:
        distances = (first.long() - second.long()).abs()
    else:
        (a, a_sign), (b, b_sign) = (magnitude_and_sign(each, fmt) for each in (first, second))
        is_nan = (a > fmt.largest) & (b > fmt.largest)
        found.nan_bits = int(is_nan.sum())
        keep = ~is_nan
        places, first, second, a, b = (each[keep] for each in (places, first, second, a, b))
        same = (a_sign == b_sign)[keep]
        distances = torch.where(same, (a - b).abs(), (a + b).clamp(min=1)) >> fmt.spare
    found.different = len(places)
    if found.different:
        found.units = int(distances.max())
        worst = int(torch.argmax(distances))
        digits, place = fmt.bits // 4, int(places[worst])
        mask = (1 << fmt.bits) - 1
        inputs = [
            f"{int(values[place]) & (1 << FORMATS[ty].bits) - 1:#x}"
            for values, ty in zip(arguments, found.operands, strict=True)
        ]
        pair = [f"{int(each[worst]) & mask:0{digits}x}" for each in (first, second)]
        found.example = f"({', '.join(inputs)}): {pair[0]} instead of {pair[1]}"


class Launcher:
    """Launches kernels of cubins on tensors."""

    def __init__(self, folder: Path) -> None:
        from run_bundle import Driver

        self.driver = Driver()
        name = ctypes.create_string_buffer(100)
        self.driver.call("cuDeviceGetName", name, len(name), self.driver.device)
        self.name = name.value.decode()
        self.folder = folder
        self.modules: dict[str, ctypes.c_void_p] = {}

    def launch(self, file: str, entry: str, tensors: Sequence[Any]) -> None:
        if file not in self.modules:
            module = ctypes.c_void_p()
            code = (self.folder / file).read_bytes()
            self.driver.call("cuModuleLoadData", ctypes.byref(module), code)
            self.modules[file] = module
        function = ctypes.c_void_p()
        self.driver.call(
            *("cuModuleGetFunction", ctypes.byref(function), self.modules[file], entry.encode())
        )
        packed = [struct.pack("<Q", each.data_ptr()) for each in tensors]
        buffers = [ctypes.create_string_buffer(data, 8) for data in packed]
        pointers = (ctypes.c_void_p * len(buffers))(*map(ctypes.addressof, buffers))
        blocks = len(tensors[0]) // TILE
        # A kernel that requires a number of threads gets them with a block of one.
        self.driver.call(
            *("cuLaunchKernel", function, blocks, 1, 1, 1, 1, 1, 0, None, pointers, None)
        )
        self.driver.call("cuCtxSynchronize")


def run(folder: Path, pattern: str) -> int:
    """Launches and compares; returns how many kernels are not equal."""
    sys.path.insert(0, str(Path(__file__).parent))
    import torch

    torch.cuda.init()
    torch.zeros(1, device=DEVICE)
    launcher, maker = Launcher(folder), Arguments()
    results: list[Comparison] = []
    cache: dict[tuple[Any, ...], list[Any]] = {}
    start = time.monotonic()
    for record in json.loads((folder / "records.json").read_text()):
        if not fnmatch.fnmatch(record["name"], pattern):
            continue
        case = Case(**{**record["case"], "operands": tuple(record["case"]["operands"])})
        found = Comparison(case.name, case.op, case.modifier, case.operands, case.result)
        results.append(found)
        refused = {
            compiler: record[compiler].removeprefix("! ").strip()
            for compiler in ("ours", "tileiras")
            if record[compiler].startswith("!")
        }
        if refused:
            found.refused = refused
            continue
        key = (case.operands, case.op == "fpowi", case.in_range and (case.result, case.modifier))
        if key not in cache:
            cache[key] = maker.make(case)
        arguments = cache[key]
        outputs: list[Any] = []
        for compiler, poison in (("ours", 0x5A), ("tileiras", 0xA5)):
            bits = FORMATS[case.result].bits
            size = len(arguments[0]) * bits // 8
            memory = torch.full((size,), poison, dtype=torch.uint8, device=DEVICE)
            output = memory.view(maker.integer_types[bits])
            try:
                launcher.launch(record[compiler], record["entry"], [*arguments, output])
            except RuntimeError as error:
                found.refused = {compiler: str(error)}
                break
            outputs.append(output)
        if found.refused:
            # After a fault the context is of no use.
            print(f"{case.name}: failed: {found.refused}", flush=True)
            break
        compare(found, arguments, outputs[0], outputs[1])
        text = "equal"
        if found.different:
            text = f"{found.different} differ, by up to {found.units} units; {found.example}"
        nans = f", {found.nan_bits} NaNs of other bits" if found.nan_bits else ""
        print(f"{case.name}: {found.values} values: {text}{nans}", flush=True)
    different = [each for each in results if each.different]
    without = [each for each in results if each.refused]
    for each in without:
        print(f"{each.name}: refused: {each.refused}")
    report = {
        "gpu": launcher.name,
        "seconds": round(time.monotonic() - start, 1),
        "results": [asdict(each) for each in results],
    }
    target = Path(os.environ.get("OUT", folder)) / RESULTS
    target.write_text(json.dumps(report, indent=1))
    equal = len(results) - len(different) - len(without)
    print(
        f"{equal} of {len(results)} kernels are equal, {len(different)} differ, "
        f"{len(without)} were refused or failed; {report['seconds']} s"
    )
    return len(different) + len(without)


# In the docs

DOCS: Final = Path(__file__).parents[2] / "docs" / "numerics.md"
TABLES: Final = re.compile(r"(<!-- table: functions -->\n).*?(<!-- end -->)", re.DOTALL)


def cell(found: Sequence[dict[str, Any]]) -> str:
    """What the kernels of an op and a type, one for each modifier, have in common."""
    if not found:
        return ""
    wrong = [
        f"{each['modifier'] or 'plain'}: {each['different']}, by {each['units']}"
        if not each["refused"]
        else f"{each['modifier'] or 'plain'}: not compared"
        for each in found
        if each["different"] or each["refused"]
    ]
    return "; ".join(wrong) or "equal"


def table(head: str, rows: dict[str, dict[str, list[dict[str, Any]]]]) -> str:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [f"| {head} | {' | '.join(columns)} |", f"| --- |{' --- |' * len(columns)}"]
    for name, row in rows.items():
        cells = " | ".join(cell(row.get(column, [])) for column in columns)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def tables(report: dict[str, Any]) -> str:
    """The tables of a report: arithmetic by type, conversions by both types."""
    found: dict[str, dict[str, dict[str, list[dict[str, Any]]]]] = {}
    for each in report["results"]:
        op, first, last = each["op"], each["operands"][0], each["result"]
        if op in ("ftof", "itof", "ftoi"):
            head, row, column = f"`{op}`", f"from {first}", f"to {last}"
        else:
            exponent = f", {each['operands'][1]}" if op == "fpowi" else ""
            head, row, column = "op", f"`{op}`{exponent}", first
        rows = found.setdefault(head, {})
        rows.setdefault(row, {}).setdefault(column, []).append(each)
    values = sum(each["values"] for each in report["results"])
    texts = [table(head, rows) for head, rows in found.items()]
    count = f"{len(report['results'])} kernels, {values:,} results; {report['gpu']}."
    return "\n\n".join((count, *texts)) + "\n\n"


def fill_tables(report: dict[str, Any], page: Path = DOCS) -> None:
    text = page.read_text(encoding="utf-8")
    made = TABLES.sub(lambda found: f"{found[1]}\n{tables(report)}{found[2]}", text)
    page.write_text(made, encoding="utf-8")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("command", choices=("make", "run", "table"))
    options.add_argument("folder", type=Path)
    options.add_argument("--only", default="*", help="a pattern of names, as 'exp* f16'")
    chosen = options.parse_args()
    match chosen.command:
        case "make":
            make(chosen.folder, chosen.only)
        case "table":
            fill_tables(json.loads((chosen.folder / RESULTS).read_text()))
        case _:
            return int(run(chosen.folder, chosen.only) > 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
