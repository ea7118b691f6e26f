"""`tileiras_xdsl.compile`: what it takes, gives, keeps and survives."""

import hashlib
import os
import stat
import threading
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl
from tileiras_xdsl.backend import cuda, driver
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.cuda_tile import EntryOp
from tileiras_xdsl.driver.compiler import cache, compiled
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.compiled import CompileError, KernelWarning
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.frontend.load import Program, load
from tileiras_xdsl.pipeline import MODULE_STAGES, OPT_LEVELS

from .backend.fake_driver import FakeDriver
from .backend.kernels import ARCHITECTURES
from .backend.level3 import EXAMPLES
from .harness.commands import python_with_seed

SAXPY = EXAMPLES["saxpy"].path
DEMOS = Path(str(files("tileiras_xdsl.driver.demos")))

WRONG = """\
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i32) -> (), kernel}> ({
  ^entry(%n: i32):
    "test.op"(%n) : (i32) -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
"""


def compile(program: Any = SAXPY, gpu: str = "sm_90", **options: Any) -> compiled.Compiled:
    return tileiras_xdsl.compile(program, gpu, **options)


# What it takes and gives


def test_all_forms_of_a_program_give_the_same():
    expected = compile(SAXPY)
    for program in (str(SAXPY), SAXPY.read_bytes(), SAXPY.read_text(), load(SAXPY)):
        assert compile(program).cubin == expected.cubin


def test_result():
    result = compile()
    assert result.cubin.startswith(b"\x7fELF")
    assert ".target sm_90a" in result.ptx
    record = result.launch_record
    assert (record.entry, record.threads, record.shared) == ("saxpy", (256, 1, 1), 0)
    assert [parameter.type for parameter in record.parameters] == ["f32", "ptr", "ptr", "i32"]
    assert record.registers is not None
    assert record.registers > 0
    assert "define ptx_kernel void @saxpy" in result.llvm_ir
    assert "Registers" in result.remarks.yaml
    first, second, *_ = repr(result).splitlines()
    assert first == "compiled for sm_90 at -O3"
    assert second.startswith(f"@saxpy: {record.registers} registers, 0 bytes of spills")


def test_architectures_and_levels():
    for gpu in ("sm_80", "sm_86", "sm_89", "sm_100a", "sm_103", "sm_110", "sm_120", "sm_121"):
        result = compile(gpu=gpu)
        assert f".target {NvptxTarget.parse(gpu).cpu}" in result.ptx
        assert result.launch_record.arch == NvptxTarget.parse(gpu).cpu
    for opt in range(4):
        assert compile(opt=opt).cubin.startswith(b"\x7fELF")


def test_line_numbers():
    assert ".loc" not in compile().ptx
    assert ".loc" in compile(lineinfo=True).ptx
    assert ".loc" in compile(opt=0, device_debug=True).ptx


def test_abi_is_recorded():
    assert compile(abi="host-maps").launch_record.abi == "host-maps"


def test_the_module_of_the_caller_is_left_alone():
    module = load(SAXPY)
    before = module.clone()
    compile(module)
    assert module.is_structurally_equivalent(before)


@pytest.mark.part("processes")
def test_same_input_same_output_whatever_the_hash_seed():
    code = (
        "import hashlib, sys, tileiras_xdsl as t; "
        "print(hashlib.sha256(t.compile(sys.argv[1], 'sm_90').cubin).hexdigest())"
    )
    path = EXAMPLES["block_reduction"].path
    seed = 77 if os.environ.get("PYTHONHASHSEED") != "77" else 1
    expected = hashlib.sha256(compile(path, "sm_90").cubin).hexdigest()
    assert python_with_seed(seed, "-c", code, path) == f"{expected}\n"


# Tile IR


@pytest.mark.every(14, first=9)
@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        *(("matmul", gpu) for gpu in ARCHITECTURES),
        *(
            pytest.param("vector_add", gpu, marks=() if number % 4 == 0 else pytest.mark.long)
            for number, gpu in enumerate(ARCHITECTURES)
        ),
    ],
)
def test_tile_ir(name: str, gpu: str):
    """cuTile passes the entry's parameters, and asks for one thread and no shared memory."""
    program = DEMOS / f"{name}.tileirbc"
    result = compile(program, gpu)
    record = result.launch_record
    entry = next(op for op in load(program).walk() if isinstance(op, EntryOp))
    assert len(record.parameters) == len(entry.body.block.args)
    assert record.entry == name
    assert record.threads is not None
    assert f".reqntid {record.threads[0]}" in result.ptx
    assert record.shared == 0
    assert record.cluster == (1, 1, 1)


def test_stages_of_tile_ir():
    result = compile(DEMOS / "vector_add.tileirbc", keep_stages=True)
    assert tuple(result.stages) == MODULE_STAGES
    for stage, dialect in zip(
        MODULE_STAGES, ("cuda_tile.", "nv_tileaa.", "nv_tileas.", "gpu.", "llvm."), strict=True
    ):
        assert any(op.name.startswith(dialect) for op in result.stages[stage].walk())


def test_text_and_bytecode_give_the_same_code():
    program = DEMOS / "vector_add.tileirbc"
    assert compile(str(load(program))).ptx == compile(program).ptx


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_every_level_compiles(opt: int):
    assert compile(DEMOS / "matmul.tileirbc", opt=opt).launch_record.entry == "matmul"


# Stages and times


def test_stages_that_were_not_kept_are_made_again(monkeypatch: pytest.MonkeyPatch):
    result = compile()
    assert list(result.stages) == ["nvgpu", "nvvm"]
    assert isinstance(result.stages["nvgpu"], ModuleOp)
    assert "scf.for" in str(result.stages["nvgpu"])
    assert "llvm.func" in str(result.stages["nvvm"])
    with pytest.raises(KeyError):
        _ = result.stages["tileaa"]


def test_stages_are_copied_only_if_asked_for(monkeypatch: pytest.MonkeyPatch):
    copies: list[ModuleOp] = []
    clone = ModuleOp.clone

    def count(self: ModuleOp, *arguments: Any, **options: Any) -> ModuleOp:
        copies.append(self)
        return clone(self, *arguments, **options)

    monkeypatch.setattr(ModuleOp, "clone", count)
    compile()
    # Passes make copies too, of their own.
    least = len(copies)
    result = compile(keep_stages=True)
    assert len(copies) == 2 * least + 2
    assert len(result.stages) == 2
    assert len(copies) == 2 * least + 2


def test_times():
    times = compile(verify_each=True).time
    names = [time.name for time in times]
    for name in ("read", "convert-gpu-to-nvvm", "translate", "llvm-codegen", "ptxas"):
        assert name in names
    assert names.count("verify") == 1 + 4
    assert all(time.seconds >= 0 for time in times)


# Errors


def test_errors_name_the_place_the_op_and_the_pass():
    with pytest.raises(CompileError) as info:
        compile(WRONG)
    text = str(info.value)
    assert text.startswith("<text>:4:5: error: ")
    assert "test.op" in text
    assert info.value.report.place.line == 4
    assert info.value.__cause__ is None


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (b"", "error: input buffer is null"),
        (b"\x00\x01\x02", "error: input does not correspond to Tile IR bytecode"),
        (b"\xff\xfe", "error: input does not correspond to Tile IR bytecode"),
        (
            b"ML\xefR\x00",
            "error: failed to parse IR bytecode (it looks like MLIR bytecode instead)",
        ),
        (b"\x7fTileIR\x00", "error: "),
        ("module {\n  nonsense\n}", "<text>:2:"),
    ],
)
def test_bad_input(program: str | bytes, message: str):
    with pytest.raises(CompileError) as info:
        compile(program)
    assert str(info.value).startswith(message)


@pytest.mark.parametrize("program", [None, 3])
def test_what_is_no_program_at_all(program: Any):
    with pytest.raises(
        DiagnosticException,
        match="a program is bytecode, text, a path, a module or a kernel of cuTile or Triton, ",
    ):
        compile(program)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gpu": "sm_101"}, "unsupported GPU target 'sm_101' (expected one of sm_80, "),
        ({"gpu": "nonsense"}, "unsupported GPU target 'nonsense' "),
        ({"opt": 4}, "invalid optimization level 4 "),
        (
            {"device_debug": True},
            "optimized debugging is not supported, change optimization level to 0 or disable full "
            "debug info",
        ),
        ({"abi": "nonsense"}, "there is no ABI 'nonsense' "),
    ],
)
def test_bad_options(options: dict[str, Any], message: str):
    with pytest.raises(DiagnosticException) as info:
        compile(**options)
    assert str(info.value).startswith(message)


def test_nesting_that_is_too_deep_is_an_error():
    depth = 5000
    body = "scf.if %c {\n" * depth + "}\n" * depth
    text = f'func.func @f(%c: i1) {{\n{body}"func.return"() : () -> ()\n}}'
    with pytest.raises(CompileError, match="nesting is too deep"):
        compile(text)


# Hints


HINTS = """cuda_tile.module @m {
  entry @k() optimization_hints=<sm_90 = {num_cta_in_cga = 2, occupancy = 3}> { return }
}"""


def test_hints_that_cannot_be_honoured_are_taken_back_and_reported():
    compilation = Compilation(Program.of(HINTS), Options("sm_90"))
    assert "num_ctas = 2" in str(compilation.lower("tileaa"))
    assert compilation.warnings == []
    message = "num_cta_in_cga = 2 is ignored, every tile has one CTA"
    text = f"<text>:2:3: warning: {message}"
    with pytest.warns(KernelWarning) as caught:
        result = compile(HINTS)
    assert [str(warning.message) for warning in caught] == [text]
    assert result.warnings == (text,)
    assert "kernel_spec<occupancy = 3>" in str(result.stages["tileas"])
    assert result.remarks.yaml.startswith(
        "--- !Missed\n"
        "Pass:            Hints\n"
        "Name:            RemarkHints\n"
        "DebugLoc:        { File: '<text>', Line: 2, Column: 3 }\n"
        "Function:        'k'\n"
        "Args:\n"
        f"  - Remark:      '{message}'\n"
        "...\n"
    )
    assert result.launch_record.cluster == (1, 1, 1)


def test_hints_that_are_honoured():
    hints = HINTS.replace("num_cta_in_cga = 2", "num_worker_warps_per_cta = 8")
    result = compile(hints)
    assert result.launch_record.threads == (256, 1, 1)
    assert ".maxnreg 80" in result.ptx


def test_warnings_reach_the_user(monkeypatch: pytest.MonkeyPatch):
    def warn(compilation: Compilation) -> cache.CacheEntry:
        return replace(original(compilation), warnings=("so and so",))

    original = compiled.run
    monkeypatch.setattr(compiled, "run", warn)
    with pytest.warns(KernelWarning, match="so and so"):
        assert compile().warnings == ("so and so",)


# Threads


@pytest.mark.part("processes")
def test_threads_compile_at_once():
    names = ("saxpy", "block_reduction", "mma_matmul", "saxpy")
    expected = {name: compile(EXAMPLES[name].path).cubin for name in names}
    results: dict[int, bytes] = {}

    def work(index: int) -> None:
        results[index] = compile(EXAMPLES[names[index]].path).cubin

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[index] for index in range(len(names))] == [expected[name] for name in names]


def test_without_a_worker():
    assert compile(isolate=False).cubin == compile().cubin


def test_timeout():
    with pytest.raises(TimeoutError):
        compile(timeout=0)
    assert compile(timeout=600).cubin == compile().cubin


def test_explore():
    """With the options of the result."""
    found = compile(opt=1, abi="host-maps").explore()
    assert found.error is None
    assert (found.options.opt, found.options.abi) == (1, "host-maps")


# Launches


def test_launch(monkeypatch: pytest.MonkeyPatch):
    result = compile()
    fake = FakeDriver(result.launch_record)
    monkeypatch.setattr(cuda, "get_driver", lambda: fake)
    cuda.Device.get.cache_clear()
    try:
        x, y = np.ones(8, np.float32), np.ones(8, np.float32)
        result.launch(2, [2.0, x, y, 8])
        result.launch((2, 1), [2.0, x, y, 8])
    finally:
        driver.get_driver.cache_clear()
        cuda.Device.get.cache_clear()
    assert len(fake.named("cuModuleLoadData")) == 1
    launches = fake.named("cuLaunchKernel")
    assert [launch[1:8] for launch in launches] == [[2, 1, 1, 256, 1, 1, 0]] * 2


# The cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is on and empty."""
    monkeypatch.setenv(cache.ENABLE_VARIABLE, "1")
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def no_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(compilation: Compilation) -> None:
        raise AssertionError("compiled once more")

    monkeypatch.setattr(compiled, "run", fail)


def test_cache_is_off_in_tests():
    assert not cache.is_enabled()


def test_cache_gives_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch):
    first = compile()
    assert len(stored(folder)) == 1
    no_compilation(monkeypatch)
    second = compile()
    assert (first.cubin, first.ptx, first.records) == (second.cubin, second.ptx, second.records)
    assert first.remarks == second.remarks
    assert second.time == ()
    assert list(second.stages) == ["nvgpu", "nvvm"]


@pytest.mark.parametrize(
    ("program", "options"),
    [
        (SAXPY, {"opt": 2}),
        (SAXPY, {"gpu": "sm_80"}),
        (SAXPY, {"lineinfo": True}),
        (SAXPY.read_text() + "\n", {}),
    ],
)
def test_cache_tells_compilations_apart(folder: Path, program: Any, options: dict[str, Any]):
    compile()
    compile(program, **options)
    assert len(stored(folder)) == 2


def test_cache_knows_its_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch):
    compile()
    monkeypatch.setattr(cache, "fingerprint", lambda: "another")
    compile()
    assert len(stored(folder)) == 2


def test_cache_is_not_for_modules_and_those_who_look_inside(folder: Path):
    compile(load(SAXPY))
    compile(keep_stages=True)
    compile(cache=False)
    assert stored(folder) == []


def test_cache_can_be_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cache.ENABLE_VARIABLE, "off")
    compile()
    assert stored(folder) == []
    compile(cache=True)
    assert len(stored(folder)) == 1


@pytest.mark.parametrize("damage", [b"", b"x" * 40, None])
def test_damaged_files_count_as_missing(folder: Path, damage: bytes | None):
    expected = compile()
    (path,) = stored(folder)
    path.write_bytes(path.read_bytes()[:-1] if damage is None else damage)
    assert compile().cubin == expected.cubin
    assert cache.load(path.parent.name + path.stem) is not None


def test_cache_is_private(folder: Path):
    """Whatever the umask is."""
    old = os.umask(0o002)
    try:
        compile()
    finally:
        os.umask(old)
    (path,) = stored(folder)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (folder, path.parent, path)]
    assert modes == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("which", ["folder", "parent", "file"])
def test_cache_that_others_may_write_to(folder: Path, which: str):
    expected = compile()
    (path,) = stored(folder)
    writable = {"folder": folder, "parent": path.parent, "file": path}[which]
    writable.chmod(writable.stat().st_mode | 0o020)
    again = compile()
    assert again.time, "taken from the cache"
    assert again.cubin == expected.cubin
    assert f"the cache is not used: others may write to ''{writable}''" in again.remarks.yaml
    # What was stored meanwhile can be trusted.
    assert not compile().time


def test_cache_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch):
    compile()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    again = compile()
    assert again.time
    assert f"the cache is not used: ''{folder}'' belongs to another user" in again.remarks.yaml
    assert len(stored(folder)) == 1


def test_cached_links_and_other_names(folder: Path):
    """A link is not followed, and a result is of no use under the name of another."""
    compile()
    (path,) = stored(folder)
    key = path.parent.name + path.stem
    other = path.with_name(f"{'0' * 62}.kernel")
    other.write_bytes(path.read_bytes())
    assert cache.load(path.parent.name + "0" * 62) is None
    moved = folder.parent / "elsewhere"
    path.rename(moved)
    path.symlink_to(moved)
    assert cache.load(key) is None


def test_a_cache_that_cannot_be_written(folder: Path):
    folder.write_text("a file in place of the folder")
    assert compile().cubin.startswith(b"\x7fELF")


def test_what_was_used_least_recently_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch):
    entry = cache.CacheEntry(b"x" * 1000, "", "[]")
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "3500")
    keys = [f"{number}{'0' * 63}" for number in range(4)]
    for age, key in enumerate(keys[:3]):
        cache.store(key, entry)
        path = folder / key[:2] / f"{key[2:]}.kernel"
        os.utime(path, (age, age))
    assert cache.load(keys[0]) == entry
    cache.store(keys[3], entry)
    assert cache.load(keys[1]) is None
    assert cache.load(keys[0]) == entry
    cache.clear()
    assert stored(folder) == []


@pytest.mark.parametrize("stage", ["tileaa", "nvgpu"])
def test_a_program_that_was_lowered_for_another_gpu(stage: Any):
    program = Program.of(DEMOS / "vector_add.tileirbc")
    module = Compilation(program, Options("sm_90")).lower(stage)
    with pytest.raises(
        OptionError, match="the program was lowered for sm_90a and cannot be compiled for sm_100a"
    ):
        tileiras_xdsl.compile(module, gpu="sm_100", cache=False)
