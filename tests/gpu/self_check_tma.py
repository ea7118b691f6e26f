"""
Asks the hardware what the interpreter takes for granted about the tensor memory accelerator.

    python tests/gpu/self_check_tma.py make FOLDER [sm_100a]    # needs LLVM and ptxas, no GPU
    python tests/gpu/self_check_tma.py run FOLDER               # needs a GPU and NumPy, not xDSL

`make` compiles small kernels and writes them with their arguments and what the interpreter says;
`run` launches them and compares bit by bit, except that one NaN is as good as another:

- loads of f32 as f32 and as tf32: ties, NaN with all kinds of payloads, infinities, denormals;
- reductions, for every element type and operation of `targets/tma.py`, of numbers at the edges;
- loads, stores and reductions of TMA tiles that are partly or wholly outside of their tensor;
- loads of every second or third row, also such that are partly outside;
- copies that are illegal instructions: loads that begin between units of 16 bytes, stores to
  negative coordinates;
- reductions of compiled kernels, with maps of the launcher and of the kernel;
- compiled products of 8-bit operands whose accumulators are operands, even rows loaded first;
- stores to tensors without elements, and loads of such, twice in a row;
- loads of a tensor with more than 2³² rows;
- what a store does behind rows that do not end with 16 bytes, which is only shown.

Exit code 1 if anything differs. After a fault of the GPU the rest runs in a new process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests" / "gpu")]

Array = npt.NDArray[Any]
THREADS = 128
SHARED_BYTES = 32768
ARCH = "sm_90a"
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
ILLEGAL = "illegal instruction"
SHOWN = 5
"""How many elements that differ are shown."""


@dataclass
class Case:
    """A kernel, its arguments, and what the arrays among them become."""

    name: str
    module: Any
    """At level 3, as the interpreter runs it."""
    arguments: Sequence[Array | int]
    """Arrays as unsigned integers."""
    element: str
    """Of the arrays, as PTX has it, to be shown."""
    launches: int = 1
    is_observed: bool = False
    """Whether the result is only shown: the interpreter refuses the kernel."""
    faults: bool = False
    """Whether the kernel is an illegal instruction, as the interpreter says."""


# Kernels


def kernel_text(body: str, operands: int) -> str:
    """
    A kernel of one CTA with arrays `%p0`, `%p1`, … and a tensor map `%map`. `%t` is the thread,
    `%s` shared memory, `%first` is true for one thread.
    """
    names = [*(f"%p{n}: !llvm.ptr<1>" for n in range(operands)), "%map: !llvm.ptr"]
    types = ", ".join(name.partition(": ")[2] for name in names)
    return f"""
    "gpu.module"() <{{sym_name = "kernels"}}> ({{
      llvm.mlir.global internal @shared() {{addr_space = 3 : i32, alignment = 1024 : i64}}
        : !llvm.array<{SHARED_BYTES} x i8>
      llvm.mlir.global internal @barrier() {{addr_space = 3 : i32, alignment = 8 : i64}} : i64
      "gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{
      ^entry({", ".join(names)}):
        %thread = gpu.thread_id x
        %t = arith.index_cast %thread : index to i32
        %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
        %bar = llvm.mlir.addressof @barrier : !llvm.ptr<3>
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %line = arith.constant 16 : i32
        %step = arith.constant {16 * THREADS} : i32
        %ticks = arith.constant 1000000 : i32
        %even = arith.constant false
        %odd = arith.constant true
        %from = arith.muli %t, %line : i32
        %first = arith.cmpi eq, %t, %zero : i32
        {body}
        "gpu.return"() : () -> ()
      }}) {{sym_name = "k", gpu.known_block_size = array<i32: {THREADS}, 1, 1>}} : () -> ()
    }}) : () -> ()
    """


def copy_text(source: str, source_space: int, target: str, target_space: int, size: int) -> str:
    """All threads copy bytes between global and shared memory."""
    return f"""
        %bytes = arith.constant {size} : i32
        scf.for %at = %from to %bytes step %step : i32 {{
          %a = llvm.getelementptr {source}[%at]
            : (!llvm.ptr<{source_space}>, i32) -> !llvm.ptr<{source_space}>, i8
          %b = llvm.getelementptr {target}[%at]
            : (!llvm.ptr<{target_space}>, i32) -> !llvm.ptr<{target_space}>, i8
          %v = llvm.load %a : !llvm.ptr<{source_space}> -> vector<4xi32>
          llvm.store %v, %b : vector<4xi32>, !llvm.ptr<{target_space}>
        }}"""


def coordinates_text(at: Sequence[int]) -> tuple[str, str, str]:
    """Constants for coordinates, the innermost first; their names, and their types."""
    names = [f"%at{n}" for n in range(len(at))]
    constants = "\n".join(f"{name} = arith.constant {x} : i32" for name, x in zip(names, at))
    return constants, ", ".join(names), ", ".join(["i32"] * len(at))


def load_text(at: Sequence[int], size: int) -> str:
    """Loads a TMA tile through `%map` and writes it to `%p1` as it is."""
    constants, names, types = coordinates_text(at)
    return kernel_text(
        f"""
        {constants}
        %expected = arith.constant {size} : i32
        scf.if %first {{
          nvvm.mbarrier.init.shared %bar, %one : !llvm.ptr<3>, i32
          nvvm.fence.mbarrier.init
          nvvm.mbarrier.arrive.expect_tx.shared %bar, %expected : !llvm.ptr<3>, i32
          nvvm.cp.async.bulk.tensor.{len(at)}d.shared.cluster.global.tile %s, %map, {names}, %bar
            : !llvm.ptr<3>, !llvm.ptr, {types}, !llvm.ptr<3>
        }}
        gpu.barrier
        scf.while () : () -> () {{
          %done = nvvm.mbarrier.try_wait.parity.shared %bar, %even, %ticks
            : !llvm.ptr<3>, i1, i32 -> i1
          %again = arith.xori %done, %odd : i1
          scf.condition(%again)
        }} do {{
          scf.yield
        }}
        {copy_text("%s", 3, "%p1", 1, size)}""",
        2,
    )


def store_text(at: Sequence[int], size: int, kind: str | None) -> str:
    """Copies `%p1` to shared memory, and from there a TMA tile through `%map`, or reduces it."""
    constants, names, types = coordinates_text(at)
    operands = f"%map, {names}, %s"
    rest = f": !llvm.ptr, {types}, !llvm.ptr<3>"
    copy = f"{len(at)}d.global.shared.cta.tile {operands} {rest}"
    if kind is not None:
        copy = f"reduce {operands} {{red_op = #nvvm.tma_redux_kind<{kind}>}} {rest}"
    return kernel_text(
        f"""
        {constants}
        {copy_text("%p1", 1, "%s", 3, size)}
        nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
        gpu.barrier
        scf.if %first {{
          nvvm.cp.async.bulk.tensor.{copy}
          nvvm.cp.async.bulk.commit.group
          nvvm.cp.async.bulk.wait_group 0
        }}""",
        2,
    )


def as_module(
    text: str, element: str, tensor: Array, box: Sequence[int], element_strides: Sequence[int] = ()
) -> Any:
    """
    A kernel whose first array is a tensor with a map, which the launcher makes: of a type of MLIR,
    where integers may say their sign. The box has the outermost dimension first, and so have
    element strides.
    """
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
    from xdsl.dialects.gpu import FuncOp
    from xdsl.parser import Parser

    from tileiras_xdsl import load
    from tileiras_xdsl.dialects.nvgpu.types import HostMap, set_host_maps
    from tileiras_xdsl.frontend.load import make_context
    from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.tensor_maps import (
        PARAMETER_ATTRIBUTES,
    )

    module = load(text)
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    ty = Parser(make_context(), element).parse_attribute()
    sizes = tuple((size, None) for size in tensor.shape[::-1])
    strides = tuple((stride, None) for stride in tensor.strides[-2::-1])
    extents, gaps = tuple(box[::-1]), tuple(element_strides[::-1])
    set_host_maps(function, [HostMap(ty, 0, sizes, strides, extents, 0, gaps)])
    attributes = [DictionaryAttr({})] * 2 + [DictionaryAttr(PARAMETER_ATTRIBUTES)]
    function.attributes["arg_attrs"] = ArrayAttr(attributes)
    return module


# Numbers


def float_patterns(bits: int, mantissa: int, dropped: int, count: int) -> Array:
    """
    Bits of floats at the edges: of every sign and many exponents, mantissas around ties if so many
    bits are dropped, infinities, NaN with payloads in high and low bits, denormals; then random
    ones.
    """
    exponents = (1 << bits - 1 - mantissa) - 1
    half = 1 << dropped - 1 if dropped else 1
    tails = {0, 1, half - 1, half, half + 1, 2 * half - 1}
    heads = {0, 1, 2, 3, (1 << mantissa - dropped) - 1, (1 << mantissa - dropped) - 2}
    found = [
        sign << bits - 1 | exponent << mantissa | head << dropped | tail
        for sign in (0, 1)
        for exponent in (0, 1, 2, exponents // 2, exponents // 2 + 1, exponents - 1, exponents)
        for head in sorted(heads)
        for tail in sorted(tail for tail in tails if tail < 1 << max(dropped, 1))
    ]
    random = np.random.default_rng(1)
    rest = random.integers(0, 1 << bits, max(0, count - len(found)), np.uint64)
    return np.concatenate([np.array(found, np.uint64)[:count], rest]).astype(f"u{bits // 8}")


def integer_patterns(bits: int, count: int) -> Array:
    """Integers at the edges of both ways to read them, and random ones."""
    top = 1 << bits - 1
    edges = [0, 1, 2, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1, 5, top + 5]
    random = np.random.default_rng(2)
    rest = random.integers(0, 1 << bits, count, np.uint64, endpoint=False)
    found = np.concatenate([np.array(edges, np.uint64), rest])[:count]
    return found.astype(f"u{bits // 8}")


def pairs(values: Array, count: int) -> tuple[Array, Array]:
    """Pairs of the first numbers with each other, then pairs of random ones."""
    side = min(int(count**0.5), 48)
    a = np.concatenate([np.repeat(values[:side], side), np.resize(values[side:], count)])[:count]
    b = np.concatenate([np.tile(values[:side], side), np.resize(values[::-1], count)])[:count]
    return a, b


# Cases


def load_cases() -> Iterator[Case]:
    """Loads as f32 and tf32, and of TMA tiles that are partly outside."""
    values = float_patterns(32, 23, 13, 8192).reshape(256, 32)
    for element in ("f32", "tf32"):
        text = load_text((0, 0), values.nbytes)
        module = as_module(text, element, values, (256, 32))
        yield Case(f"load {element}", module, [values, np.zeros_like(values)], element)
    tensor = np.arange(20 * 40, dtype=np.uint16).reshape(20, 40) + 1
    for at in (
        (0, 0), (-8, -2), (32, 15), (40, 0), (0, 20), (-16, 0), (0, -(2**31)),
        (-(2**31), 2**31 - 1), (-3, -2), (4, 0), (2**31 - 1, 0),
    ):  # fmt: skip
        out = np.full((8, 16), 0x5555, np.uint16)
        module = as_module(load_text(at, out.nbytes), "f16", tensor, (8, 16))
        faults = at[0] % 8 != 0
        yield Case(f"load at {at}", module, [tensor.copy(), out], "u16", faults=faults)
    tensor = np.arange(5 * 6 * 16, dtype=np.uint32).reshape(5, 6, 16) + 1
    for at in ((-4, 3, 2), (4, -1, 4), (0, 5, -1)):
        out = np.full((2, 4, 8), 0x55555555, np.uint32)
        module = as_module(load_text(at, out.nbytes), "i32", tensor, (2, 4, 8))
        yield Case(f"load at {at}", module, [tensor.copy(), out], "u32")
    for gaps, at in (
        ((1, 2, 1), (0, 0, 0)), ((1, 2, 1), (0, 1, 0)), ((1, 2, 1), (0, 3, 3)),
        ((1, 2, 1), (4, -1, 4)), ((2, 3, 1), (0, 1, -1)), ((1, 2, 1), (0, 5, 0)),
    ):  # fmt: skip
        box = (4, 6, 8)
        shape = [-(-extent // gap) for extent, gap in zip(box, gaps)]
        out = np.full(shape, 0x55555555, np.uint32)
        module = as_module(load_text(at, out.nbytes), "i32", tensor, box, gaps)
        yield Case(f"load of every {gaps} at {at}", module, [tensor.copy(), out], "u32")


def store_cases() -> Iterator[Case]:
    """Stores of TMA tiles that are partly outside, and behind rows that end with no unit."""
    for at in ((0, 0), (-8, -2), (32, 15), (40, 0), (0, 20), (0, -(2**31)), (-16, 3)):
        tensor = np.full((20, 40), 0x5555, np.uint16)
        source = np.arange(8 * 16, dtype=np.uint16).reshape(8, 16) + 1
        module = as_module(store_text(at, source.nbytes, None), "f16", tensor, (8, 16))
        yield Case(f"store at {at}", module, [tensor, source], "u16", faults=min(at) < 0)
    for at in ((-8, 0), (0, -1)):
        tensor = np.zeros((20, 40), np.float16)
        source = np.ones((8, 16), np.float16)
        module = as_module(store_text(at, source.nbytes, "add"), "f16", tensor, (8, 16))
        yield Case(f"add at {at}", module, [tensor, source], "f16", faults=True)
    memory = np.full((8, 40), 0x5555, np.uint16)
    source = np.arange(8 * 16, dtype=np.uint16).reshape(8, 16) + 1
    for width in (33, 35, 37):
        module = as_module(
            store_text((24, 0), source.nbytes, None), "f16", memory[:, :width], (8, 16)
        )
        arguments = [memory.copy(), source.copy()]
        yield Case(f"store of rows of {width}", module, arguments, "u16", is_observed=True)


def reduction_cases() -> Iterator[Case]:
    """All operations of all elements."""
    from tileiras_xdsl.targets.tma import MAP_ELEMENTS

    words = {"u32": "ui32", "s32": "si32", "u64": "ui64", "s64": "si64"}
    shapes = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23)}
    for element in MAP_ELEMENTS:
        bits, columns, rows = 8 * element.bytes, 128 // element.bytes, 64
        count = rows * columns
        if element.is_float and element.name in shapes:
            values = float_patterns(*shapes[element.name], 0, 4 * count)
        else:
            values = integer_patterns(bits, 4 * count)
        for kind in sorted(element.reductions - {"inc", "dec"}):
            a, b = pairs(values, count)
            old, given = a.reshape(rows, columns), b.reshape(rows, columns)
            for name, at in (("", (0, 0)), (" outside", (0, 40))):
                text = store_text(at, given.nbytes, kind)
                ty = words.get(element.name, element.name)
                module = as_module(text, ty, old, (rows, columns))
                arguments = [old.copy(), given.copy()]
                yield Case(f"{kind} of {element.name}{name}", module, arguments, element.name)


def compiled_cases() -> Iterator[Case]:
    """What the compiler makes of atomics, empty tensors and huge ones, with both kinds of maps."""
    from tests.pytest.transforms import test_k_permutation as k_permutation
    from tests.pytest.transforms import test_warpgroup_kernels as kernels
    from tests.pytest.transforms.convert_tileas_to_nvgpu import test_tma_reductions as reductions

    from tileiras_xdsl.analysis.matrix_layouts import coalesced

    for abi in ("host-maps", "device-maps"):
        for element, mode in (
            ("i32", "umax"), ("i32", "umin"), ("i32", "add"), ("i64", "umax"), ("i64", "umin"),
            ("i64", "add"), ("i64", "xor"), ("f16", "addf"), ("f32", "addf"), ("bf16", "addf"),
        ):  # fmt: skip
            bits = 16 if element == "bf16" else int(element[1:])
            text = reductions.update_kernel(
                (16, 16), (32, 32), element, mode, coalesced((16, 16), 4)
            )
            values = integer_patterns(bits, 2048)
            if element[0] != "i":
                # Sums of small whole numbers are exact, in whatever order.
                small = np.arange(2048) % 7
                values = np.zeros(2048, f"u{bits // 8}")
                values[:] = as_bits(small, element)
            source, target = values[:1024].reshape(32, 32), values[1024:].reshape(32, 32)
            module = reductions.lowered(text, "nvgpu", "tileas", abi)
            arguments = [source.copy(), target.copy(), 2, 1]
            yield Case(f"compiled {mode} of {element}, {abi}", module, arguments, element)
        for chain, keys in k_permutation.CASES_OF_HARDWARE:
            module = kernels.lower(chain.text(), abi, 3, 3)[3]
            arrays = chain.arrays(keys)
            arguments = kernels.as_arguments(arrays, -(-keys // chain.keys))
            yield Case(f"{chain}, {abi}", module, arguments, "f32")
        for shape in ((0, 32), (64, 0)):
            text, arrays = kernels.empty_store_kernel(), kernels.empty_store_arrays(shape)
            arrays[-1][:] = 7
            module = kernels.lower(text, abi, 3, 3)[3]
            arguments = kernels.as_arguments(arrays, 2)
            yield Case(f"empty tensor {shape}, {abi}", module, arguments, "f32", launches=3)
        for rows, tile in (((1 << 31) + 64, 1 << 25), ((1 << 32) + 64, 1 << 26)):
            module = kernels.lower(kernels.huge_kernel("?"), abi, 3, 3)[3]
            a, b = kernels.numbers("f16", 1, 16), kernels.numbers("f16", 16, 64)
            arguments = [a, b, np.zeros((64, 64), np.float32), rows, 0, tile]
            yield Case(f"tensor of {rows} rows, {abi}", module, arguments, "f32")


def as_bits(numbers: Array, element: str) -> Array:
    """Numbers as the bits of floats of a type."""
    if element == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    values = numbers.astype(FLOATS[element])
    return values.view(f"u{values.itemsize}")


# Making


def make(folder: Path, arch: str = ARCH) -> None:
    """Compiles all kernels, and writes what the interpreter says."""
    from tileiras_xdsl import run
    from tileiras_xdsl.backend.compile import compile_module
    from tileiras_xdsl.frontend.load import make_context
    from tileiras_xdsl.interpreter import ExecutionError
    from tileiras_xdsl.pipeline import make_pass, select_steps

    folder.mkdir(parents=True, exist_ok=True)
    listed: list[dict[str, Any]] = []
    for cases in (load_cases, store_cases, reduction_cases, compiled_cases):
        for case in cases():
            grid = 2 if case.launches > 1 else 1
            arrays = numbered("in", case.arguments)
            results = [x.copy() if isinstance(x, np.ndarray) else x for x in case.arguments]
            try:
                for _ in range(case.launches):
                    run(case.module, grid=grid, args=results)
            except ExecutionError as error:
                if not case.is_observed and not (case.faults and ILLEGAL in str(error)):
                    raise
                print(f"{case.name}: the interpreter says: {error}")
            else:
                objects = case.is_observed or case.faults
                assert not objects, f"{case.name}: the interpreter has no objection"
            arrays |= numbered("out", results)
            for step in select_steps(3, after="nvgpu", to="nvvm"):
                make_pass(step, arch).apply(make_context(), case.module)
            compiled = compile_module(case.module, arch)
            file = f"{len(listed):03}"
            (folder / f"{file}.cubin").write_bytes(compiled.cubin)
            np.savez(folder / f"{file}.npz", allow_pickle=False, **arrays)
            listed.append(
                {
                    "name": case.name,
                    "file": file,
                    "record": compiled.record().to_dict(),
                    "grid": grid,
                    "launches": case.launches,
                    "element": case.element,
                    "is_observed": case.is_observed,
                    "faults": case.faults,
                    "arguments": [None if isinstance(x, np.ndarray) else x for x in case.arguments],
                }
            )
    (folder / "cases.json").write_text(json.dumps(listed, indent=1))
    print(f"{len(listed)} kernels in {folder}")


def numbered(prefix: str, values: Sequence[Array | int]) -> dict[str, Array]:
    """Arrays by their number, as unsigned integers, which every NumPy can load."""
    return {
        f"{prefix}{number}": np.ascontiguousarray(value).view(f"u{value.itemsize}")
        for number, value in enumerate(values)
        if isinstance(value, np.ndarray)
    }


# Running


def run_all(folder: Path, first: int = 0) -> int:
    """Launches all kernels from a number on, and compares; the number of those that differ."""
    from run_bundle import import_launcher

    import_launcher()
    from tileiras_xdsl.backend.driver import CudaError

    cases = json.loads((folder / "cases.json").read_text())
    wrong = 0
    for number, case in enumerate(cases[first:], first):
        try:
            differences = run_case(folder, case)
        except CudaError as error:
            is_expected = case["faults"] and ILLEGAL in str(error)
            word = "same" if is_expected else "FAULT"
            print(f"{word:8}{case['name']}: {error}", flush=True)
            # Nothing runs any more in this process.
            command = [sys.executable, __file__, "run", str(folder), str(number + 1)]
            others = subprocess.run(command, check=False).returncode
            return wrong + (not is_expected) + others
        if case["faults"]:
            differences = ["is no illegal instruction"]
        wrong += bool(differences) and not case["is_observed"]
        word = "shown" if case["is_observed"] else "DIFFERS" if differences else "same"
        print(f"{word:8}{case['name']}", *differences, sep="\n        ", flush=True)
    print(f"{wrong} of {len(cases) - first} differ", flush=True)
    return wrong


def run_case(folder: Path, case: dict[str, Any]) -> list[str]:
    """How the arrays of a kernel differ from what the interpreter says."""
    from tileiras_xdsl.backend import cuda
    from tileiras_xdsl.backend.launch_record import LaunchRecord

    stored = np.load(folder / f"{case['file']}.npz")
    arguments = [
        stored[f"in{number}"].copy() if value is None else value
        for number, value in enumerate(case["arguments"])
    ]
    record = LaunchRecord.from_dict(case["record"])
    with cuda.load((folder / f"{case['file']}.cubin").read_bytes(), record) as kernel:
        for _ in range(case["launches"]):
            kernel.launch(case["grid"], arguments)
    inputs = [stored[name] for name in stored.files if name.startswith("in")]
    found: list[str] = []
    for number, value in enumerate(arguments):
        if isinstance(value, np.ndarray):
            like = [each for each in inputs if each.shape == value.shape]
            found += compare(
                f"array {number}", like, value, stored[f"out{number}"], case["element"]
            )
    return found


def compare(
    name: str, inputs: Sequence[Array], found: Array, wanted: Array, element: str
) -> list[str]:
    """What is to be said of an array; the inputs of the same shape are shown beside it."""
    both_nan = is_nan(found, element) & is_nan(wanted, element)
    differs = np.argwhere((found != wanted) & ~both_nan)
    if not len(differs):
        return []
    lines = [f"{name}, {element}: {len(differs)} of {found.size} elements differ"]
    for place in differs[:SHOWN].tolist():
        at = tuple(place)
        given = ", ".join(bits_of(each[at]) for each in inputs)
        lines.append(
            f"{at}: of {given} comes {bits_of(found[at])}, "
            f"the interpreter says {bits_of(wanted[at])}"
        )
    return lines


def bits_of(number: Any) -> str:
    """The bits of an element as hexadecimal digits."""
    return f"{int(number):0{2 * number.itemsize}x}"


def is_nan(bits: Array, element: str) -> Array:
    """Which elements are NaN."""
    mantissa = {"f16": 10, "bf16": 7, "f32": 23, "tf32": 23}.get(element)
    width = 8 * bits.itemsize
    if mantissa is None or width <= mantissa:
        # Kernels of floats have arrays of other elements, too.
        return np.zeros(bits.shape, np.bool_)
    magnitude = bits.astype(np.uint64) & np.uint64((1 << width - 1) - 1)
    infinity = ((1 << width - 1 - mantissa) - 1) << mantissa
    return magnitude > np.uint64(infinity)


def main() -> None:
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["make", folder, arch]:
            make(Path(folder), arch)
        case ["run", folder]:
            sys.exit(min(run_all(Path(folder)), 1))
        case ["run", folder, first]:
            sys.exit(min(run_all(Path(folder), int(first)), 100))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
