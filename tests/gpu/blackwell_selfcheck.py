"""
Asks datacentre Blackwell what the interpreter of threads takes for granted: nobody here has one.

    python tests/gpu/blackwell_selfcheck.py                   # on the machine with the GPU
    python tests/gpu/blackwell_selfcheck.py make FOLDER [sm_100a]   # needs LLVM and ptxas, no GPU
    python tests/gpu/blackwell_selfcheck.py run FOLDER        # needs a GPU and NumPy, not xDSL

Without arguments it compiles for the GPU that is there, runs, and writes the one file that tells
all, `blackwell_selfcheck.txt`: for each assumption whether it holds, and if not, what came instead.
Please send it to us.

There is a small kernel for each assumption: what descriptors mean, for every swizzle and order of
both operands; where products, scale factors and copies lie in tensor memory; which words each shape
of `tcgen05.ld` and `tcgen05.st` moves; what each kind computes; that commits tell when products
are complete; how CTAs share tensor memory, work in pairs, and take over each other's work.

The kernels are those of `tests/pytest/interpreter`, where the same numbers are expected of the
interpreter. Each runs in a process of its own: one that faults, or hangs, does not keep others from
running.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests" / "gpu")]

Array = npt.NDArray[Any]
ARCH = "sm_100a"
REPORT = "blackwell_selfcheck.txt"
TIMEOUT = 60
"""Seconds after which a kernel hangs."""
GEMM = ROOT / "tests" / "filecheck" / "backend" / "tcgen05_gemm.mlir"


@dataclass
class Case:
    """A kernel that shows whether an assumption holds."""

    name: str
    """The assumption."""
    module: Any
    """At level 3, as the interpreter runs it."""
    grid: Sequence[int]
    before: Sequence[Array | int]
    after: Sequence[Array | int]
    """What the arguments become."""

    def is_same(self, other: Case) -> bool:
        """Whether two cases have the same kernel and arguments."""
        return self.module.is_structurally_equivalent(other.module) and all(
            np.array_equal(a, b) for a, b in zip(self.before, other.before, strict=True)
        )


# What the tests of the interpreter run


@dataclass(frozen=True)
class Runs:
    """Kernels that a test runs on the interpreter, one for each of its parameters."""

    name: str
    test: Callable[..., None]

    def parameters(self) -> Iterator[dict[str, Any]]:
        """The parameters of the test, as pytest finds them; but for the order of events."""
        choices: list[list[dict[str, Any]]] = []
        for mark in getattr(self.test, "pytestmark", ()):
            if mark.name == "parametrize":
                names, values = mark.args
                names = [names] if isinstance(names, str) else list(names)
                rows = values if len(names) > 1 else [(value,) for value in values]
                found = [dict(zip(names, row, strict=True)) for row in rows]
                choices.append(found[:1] if names in (["timing"], ["workers"]) else found)
        for combination in itertools.product(*choices):
            yield {name: value for part in combination for name, value in part.items()}

    @staticmethod
    def word(name: str, value: object) -> str:
        """What is said of a parameter."""
        if isinstance(value, bool):
            return name if value else ""
        return str(value) if isinstance(value, str | int) else ""

    def record(self) -> Iterator[Case]:
        """Runs the test, and notes the kernels of which it expects numbers."""
        from tests.pytest.interpreter import (
            tensor_kernels,
            test_launch_control,
            test_tensor_memory,
            test_tensor_memory_kernels,
            test_tensor_memory_pairs,
            test_tensor_memory_rules,
        )

        from tileiras_xdsl.interpreter.threads import run_threads

        modules = (
            *(tensor_kernels, test_launch_control, test_tensor_memory_rules),
            *(test_tensor_memory, test_tensor_memory_pairs, test_tensor_memory_kernels),
        )
        found: list[Case] = []

        def run_and_note(module: Any, grid: int, arguments: Sequence[Any], **options: Any) -> None:
            before = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
            run_threads(module, grid, arguments, **options)
            after = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
            module = with_maps(module, options.get("tensor_maps") or ())
            number = 1 + sum(other.name.startswith(name) for other in found)
            label = f"{name} ({number})" if number > 1 else name
            case = Case(label, module, (grid, 1, 1), before, after)
            # Tests repeat kernels with other orders of events.
            if not any(case.is_same(other) for other in found):
                found.append(case)

        for parameters in self.parameters():
            words = [self.word(*each) for each in parameters.items() if each[0] != "timing"]
            name = ": ".join(filter(None, (self.name, ", ".join(filter(None, words)))))
            kept = {module: vars(module).get("run_threads") for module in modules}
            try:
                for module, own in kept.items():
                    if own is not None:
                        vars(module)["run_threads"] = run_and_note
                self.test(**parameters)
            finally:
                for module, own in kept.items():
                    if own is not None:
                        vars(module)["run_threads"] = own
        yield from found


def with_maps(module: Any, maps: Sequence[Any]) -> Any:
    """A module whose kernel has its last parameters as tensor maps, which the launcher makes."""
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
    from xdsl.dialects.gpu import FuncOp

    from tileiras_xdsl.dialects.nvgpu.types import set_host_maps
    from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.tensor_maps import (
        PARAMETER_ATTRIBUTES,
    )

    module = module.clone()
    if maps:
        (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
        plain = [DictionaryAttr({})] * (len(function.function_type.inputs) - len(maps))
        attributes = [DictionaryAttr(PARAMETER_ATTRIBUTES)] * len(maps)
        function.attributes["arg_attrs"] = ArrayAttr([*plain, *attributes])
        set_host_maps(function, maps)
    return module


def recorded() -> list[Runs]:
    """The tests whose kernels are run, and what they are about."""
    from tests.pytest.interpreter import test_tensor_memory as products
    from tests.pytest.interpreter import test_tensor_memory_kernels as kernels
    from tests.pytest.interpreter import test_tensor_memory_pairs as pairs
    from tests.pytest.interpreter import test_tensor_memory_rules as rules

    return [
        Runs("words that tcgen05.ld moves", products.test_shapes_of_loads),
        Runs("words that tcgen05.st moves", products.test_shapes_of_stores),
        Runs("a product of f16, its descriptors, layout D", products.test_matmul),
        Runs("descriptor of A", products.test_left_operands),
        Runs("descriptor of B", products.test_right_operands),
        Runs("steps along K in rows of 128 bytes", products.test_steps_along_k),
        Runs("kinds, and enable-input-d", products.test_kinds),
        Runs("MN-major operands", products.test_transposed_kinds),
        Runs("saturation of i8", products.test_saturation),
        Runs("negation, scale-input-d, lanes that are kept", products.test_options_of_products),
        Runs("64 rows, layout F", products.test_sixty_four_rows),
        Runs("scale factors", products.test_scaled_products),
        Runs("columns of scale factors", products.test_columns_of_scale_factors),
        Runs("A that threads store", rules.test_r11_products_of_what_is_stored),
        Runs("A that is copied; a copy after the product", rules.test_r17_copies),
        Runs("products on one accumulator, on two", rules.test_r17_mmas_of_one_thread),
        Runs("the collector buffer", rules.test_r22_collector),
        Runs("tcgen05.cp", products.test_copies),
        Runs("tcgen05.shift, rows for warps", products.test_shifts_and_rows_for_warps),
        Runs("tcgen05.ld.red", products.test_loads_that_reduce),
        Runs("pairs of CTAs, 256 rows, layout A", pairs.test_256_rows),
        Runs("pairs of CTAs, 128 rows, layout B", pairs.test_128_rows),
        Runs("scale factors of pairs of CTAs", pairs.test_scaled_products),
        Runs("TMA of pairs: bytes of both on one barrier", kernels.test_r25_one_barrier_for_both),
        Runs("TMA of four rows anywhere", kernels.test_rows_anywhere),
    ]


# Kernels of this file


def commit_order() -> Case:
    """64 products and a commit, then one and another commit: the first tells of the 64."""
    from tests.pytest.interpreter import tensor_kernels as parts

    from tileiras_xdsl import load

    given = parts.problem()
    second = """
    %next = arith.addi %base, %c32 : i32
    %d2 = llvm.inttoptr %next : i32 to !llvm.ptr<6>
    """
    multiply = parts.mma() + parts.mma(enable="%odd") * 63 + parts.commit()
    multiply += parts.mma(d="%d2") + parts.commit("%bar2")
    there = """
    %mine2 = arith.addi %mine, %c32 : i32
    %dm2 = llvm.inttoptr %mine2 : i32 to !llvm.ptr<6>
    %i2 = arith.addi %i, %rows : i64
    """
    again = parts.store_out(16)
    for name in ("%v", "%po", "%dm", "%i"):
        again = again.replace(f"{name} ", f"{name}2 ").replace(f"{name}]", f"{name}2]")
        again = again.replace(f"{name},", f"{name}2,")
    body = "%rows = arith.constant 128 : i64\n" + parts.start() + parts.setup() + second
    body += parts.elected(multiply) + parts.wait() + parts.store_out(16)
    body += parts.wait("%bar2", name="second wait") + there + again + parts.end()
    out = np.full((256, 16), -1, np.int32)
    result = np.concatenate([64 * given.expected, given.expected]).astype(np.float32)
    arguments = [given.image, out, given.a, given.b, parts.signed(given.idesc)]
    after = [given.image, result.view(np.int32), *arguments[2:]]
    module = load(parts.kernel(body, parts.IMAGE_PARAMETERS))
    return Case("commits tell when products are complete", module, (1, 1, 1), arguments, after)


def gemm(name: str, m: int, n: int, k: int) -> Case:
    """A product with TMA; if there are many CTAs, several share the tensor memory of an SM."""
    from tileiras_xdsl import load

    random = np.random.default_rng(11)
    a = random.integers(-3, 4, (m, k)).astype(np.float16)
    b = random.integers(-3, 4, (k, n)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    result = a.astype(np.float32) @ b.astype(np.float32)
    grid = (n // 128, m // 128, 1)
    module = load(GEMM.read_text())
    return Case(name, module, grid, [a, b, c, m, n, k], [a, b, result, m, n, k])


def launch_control(ctas: int) -> Case:
    """Each CTA counts its tile, and those of CTAs that it takes over."""
    from tests.pytest.interpreter.test_launch_control import worker

    from tileiras_xdsl import load

    before, after = np.zeros(ctas, np.int32), np.ones(ctas, np.int32)
    module = load(worker())
    name = "cluster launch control: each tile once"
    return Case(name, module, (ctas, 1, 1), [before], [after])


def own_cases(*, small: bool = False) -> Iterator[Case]:
    """The kernels of this file; small ones are for the interpreter."""
    yield commit_order()
    yield gemm("TMA, products, loads, stores", 128, 128, 192)
    size = 256 if small else 2048
    yield gemm("CTAs that share tensor memory", size, size, 256)
    yield launch_control(7 if small else 5000)


def all_cases() -> Iterator[Case]:
    for runs in recorded():
        yield from runs.record()
    yield from own_cases()


# From the interpreter to hardware


def for_hardware(module: Any) -> None:
    """
    Rewrites a kernel of the interpreter's tests, which means the same there: waits are repeated
    until they succeed, warps converge before what they do together, and descriptors that are
    numbers have the address that shared memory has.
    """
    from xdsl.dialects import arith, scf
    from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i32, i64
    from xdsl.dialects.llvm import AddressOfOp
    from xdsl.ir import Block, Operation, Region, SSAValue
    from xdsl.rewriter import InsertPoint, Rewriter

    from tileiras_xdsl.dialects import nvvm
    from tileiras_xdsl.dialects.llvm import PtrToIntOp
    from tileiras_xdsl.dialects.nvvm.tcgen05 import MmaOperation
    from tileiras_xdsl.interpreter.threads.state import SHARED_BASE
    from tileiras_xdsl.targets.tcgen05 import ADDRESS_MASK, UNIT

    def constant(value: int) -> arith.ConstantOp:
        return arith.ConstantOp(IntegerAttr(value, i64))

    def moved(value: SSAValue, op: Operation) -> SSAValue:
        address = AddressOfOp("shared", nvvm.SHARED_POINTER)
        number = PtrToIntOp(address.result, i64)
        mask, base, unit = constant(ADDRESS_MASK), constant(SHARED_BASE), constant(UNIT)
        inside = arith.AndIOp(number.results[0], mask.result)
        distance = arith.SubiOp(inside.result, base.result)
        units = arith.DivSIOp(distance.result, unit.result)
        result = arith.AddiOp(value, units.result)
        ops = [address, number, mask, base, unit, inside, distance, units, result]
        Rewriter.insert_op(ops, InsertPoint.before(op))
        return result.result

    together = (nvvm.Tcgen05LdOp, nvvm.Tcgen05LdRedOp, nvvm.Tcgen05StOp, nvvm.Tcgen05DeallocOp)
    for op in list(module.walk()):
        if isinstance(op, MmaOperation):
            for index in (1, 2):
                if op.operands[index].type == i64:
                    op.operands[index] = moved(op.operands[index], op)
        elif isinstance(op, nvvm.Tcgen05CpOp):
            op.operands[1] = moved(op.descriptor, op)
        elif isinstance(op, together):
            everyone = arith.ConstantOp(IntegerAttr(-1, i32))
            meets = nvvm.BarWarpSyncOp(everyone.result)
            Rewriter.insert_op([everyone, meets], InsertPoint.before(op))
        elif isinstance(op, nvvm.MBarrierTryWaitParitySharedOp) and not list(op.done.uses):
            attempt = nvvm.MBarrierTryWaitParitySharedOp(op.address, op.phase, op.ticks)
            yes = arith.ConstantOp(BoolAttr.from_bool(True))
            fails = arith.XOrIOp(attempt.done, yes.result)
            again = Block([attempt, yes, fails, scf.ConditionOp(fails.result)])
            rest = Block([scf.YieldOp()])
            Rewriter.replace_op(op, scf.WhileOp([], [], Region(again), Region(rest)), [None])
    module.verify()


def compile_case(case: Case, arch: str) -> Any:
    """The code of a kernel; `None` if the architecture lacks an instruction."""
    from xdsl.utils.exceptions import DiagnosticException

    from tileiras_xdsl.backend.compile import compile_module
    from tileiras_xdsl.frontend.load import make_context
    from tileiras_xdsl.pipeline import make_pass, select_steps

    module = case.module.clone()
    for_hardware(module)
    for step in select_steps(3, after="nvgpu", to="nvvm"):
        make_pass(step, arch).apply(make_context(), module)
    try:
        return compile_module(module, arch)
    except DiagnosticException as error:
        if "the target is" in str(error):
            return None
        raise


def make(folder: Path, arch: str = ARCH, cases: Iterator[Case] | None = None) -> list[str]:
    """Compiles all kernels; the names of those that an architecture lacks instructions for."""
    from self_check_tma import numbered

    folder.mkdir(parents=True, exist_ok=True)
    listed: list[dict[str, Any]] = []
    lacking: list[str] = []
    for case in all_cases() if cases is None else cases:
        compiled = compile_case(case, arch)
        if compiled is None:
            lacking.append(case.name)
            continue
        file = f"{len(listed):03}"
        (folder / f"{file}.cubin").write_bytes(compiled.cubin)
        arrays = numbered("in", case.before) | numbered("out", case.after)
        np.savez(folder / f"{file}.npz", allow_pickle=False, **arrays)
        listed.append(
            {
                "name": case.name,
                "file": file,
                "record": compiled.record().to_dict(),
                "grid": list(case.grid),
                "launches": 1,
                "element": "bits",
                "arguments": [None if isinstance(x, np.ndarray) else x for x in case.before],
            }
        )
    (folder / "cases.json").write_text(
        json.dumps({"arch": arch, "lacking": lacking, "cases": listed}, indent=1)
    )
    print(f"{len(listed)} kernels in {folder}, {len(lacking)} are not for {arch}")
    return lacking


# Running


def run_one(folder: Path, number: int) -> None:
    """Launches one kernel, and says how its arrays differ."""
    from run_bundle import import_launcher

    import_launcher()
    from self_check_tma import run_case

    case = json.loads((folder / "cases.json").read_text())["cases"][number]
    print("\n".join(run_case(folder, case)))


def run_all(folder: Path, report: Path) -> int:
    """Launches all kernels, and writes which assumptions fail; how many do."""
    from run_bundle import import_launcher

    import_launcher()
    from tileiras_xdsl.backend import cuda

    made = json.loads((folder / "cases.json").read_text())
    device = cuda.Device.get()
    lines = [f"{device.name}, {device.capability.name}, driver {device.driver_version}"]
    lines.append(f"code for {made['arch']}")
    failed = 0
    for number, case in enumerate(made["cases"]):
        command = [sys.executable, __file__, "case", str(folder), str(number)]
        try:
            child = subprocess.run(
                command, check=False, capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            word, said = "HANGS", ""
        else:
            said = child.stdout.strip()
            word = "DIFFERS" if said else "holds"
            if child.returncode:
                word, said = "FAULT", child.stderr.strip().rpartition("\n")[2]
        failed += word != "holds"
        lines.append(f"{word:8} {case['name']}")
        lines += [f"         {line}" for line in said.splitlines()]
        print(lines[-1 - len(said.splitlines())], flush=True)
    lines += [f"{'-':8} {name}: not on {made['arch']}" for name in made["lacking"]]
    lines.append(f"{failed} of {len(made['cases'])} assumptions fail")
    report.write_text("\n".join(lines) + "\n")
    print(f"{lines[-1]}; please send {report}")
    return failed


def check_here(report: Path) -> int:
    """Compiles for the GPU that is here, and runs."""
    from tileiras_xdsl.backend import cuda

    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), f"{cuda.Device.get().capability.name}a")
        return run_all(Path(folder), report)


def main() -> None:
    match sys.argv[1:]:
        case []:
            sys.exit(min(check_here(Path(REPORT)), 1))
        case ["make", folder]:
            make(Path(folder))
        case ["make", folder, arch]:
            make(Path(folder), arch)
        case ["run", folder]:
            sys.exit(min(run_all(Path(folder), Path(REPORT)), 1))
        case ["case", folder, number]:
            run_one(Path(folder), int(number))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
