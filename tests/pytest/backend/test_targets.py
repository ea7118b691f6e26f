"""Modules to cubins and launch records, by Python and by `tileiras-opt -t cubin`."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import libdevice
from tileiras_xdsl.backend.compile import CompiledModule, compile_module
from tileiras_xdsl.backend.entries import parse_entries
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter, records_from_json
from tileiras_xdsl.backend.libdevice import LIBDEVICE_VARIABLE
from tileiras_xdsl.backend.ptxas import PTXAS_VARIABLE, Ptxas, PtxasError
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.targets import PtxTarget
from tileiras_xdsl.driver.tools.tileiras_opt import main
from tileiras_xdsl.frontend.load import load

from ..harness.commands import python
from .level3 import EXAMPLES
from .test_examples import lower
from .translate_cases import CASES
from .translate_cases import build as build_cases

ASM = """
llvm.func @other() attributes {nvvm.kernel} {
  llvm.return
}
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.inline_asm has_side_effects "add.u32 $0, $1, CODE;", "=r,r" %one : (i32) -> i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  llvm.return
}
"""
BAD = ASM.replace("CODE", "%xyz")
GOOD = ASM.replace("CODE", "2")

TOO_MUCH_SHARED = """
llvm.mlir.global internal @buffer() {addr_space = 3 : i32} : !llvm.array<300000 x i8>
llvm.func @k(%i: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %b = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %q = llvm.getelementptr %b[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %v = llvm.load volatile %q : !llvm.ptr<3> -> i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  llvm.return
}
"""

MATH = """
llvm.func @__nv_expf(f32) -> f32
llvm.func @k(%x: f32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %v = llvm.call @__nv_expf(%x) : (f32) -> f32
  llvm.store %v, %p : f32, !llvm.ptr<1>
  llvm.return
}
"""


@pytest.fixture(autouse=True)
def assembler(oracle_program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Ptxas:
    path = oracle_program("ptxas")
    monkeypatch.setenv(PTXAS_VARIABLE, str(path))
    return Ptxas(path)


def build(text: str, arch: str = "sm_90") -> CompiledModule:
    return compile_module(load(text), arch)


# Launch records


@pytest.mark.every(3)
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_have_the_records_that_were_written_by_hand(name: str, assembler: Ptxas):
    """But for tensor maps: the module has them as parameters, and not how they are encoded."""
    expected = EXAMPLES[name].record
    compiled = compile_module(lower(name), "sm_90")
    record = compiled.record()
    types = [
        *(each.type for each in expected.parameters),
        *["tensor-map"] * len(expected.tensor_maps),
    ]
    assert [parameter.type for parameter in record.parameters] == types
    assert all(parameter.name for parameter in record.parameters)
    usage = assembler.compile(compiled.ptx, NvptxTarget.parse("sm_90")).functions[name]
    assert replace(record, parameters=expected.parameters) == LaunchRecord(
        name,
        "sm_90a",
        expected.parameters,
        expected.threads,
        static_shared=usage.shared,
        registers=usage.registers,
        ptxas_version=assembler.version,
    )
    assert compiled.cubin.startswith(b"\x7fELF")


def test_types_of_parameters():
    record = build("""
      llvm.func @k(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64,
                   %j: !llvm.ptr, %m: vector<4xf32>,
                   %n: !llvm.struct<(i8, i64)>, %o: i128,
                   %p: !llvm.ptr {llvm.byval = !llvm.array<24 x i8>, llvm.align = 8 : i64},
                   %q: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64},
                   %r: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 8 : i64})
          attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
        llvm.return
      }
    """).record("k")
    words = "i1 i8 i16 i32 i64 f16 bf16 f32 f64 ptr"
    assert record.parameters == (
        *(Parameter(word, name) for word, name in zip(words.split(), "abcdefghij", strict=True)),
        Parameter("bytes", "m", 16),
        Parameter("bytes", "n", 16),
        Parameter("bytes", "o", 16),
        Parameter("bytes", "p", 24),
        Parameter("tensor-map", "q"),
        Parameter("bytes", "r", 128),
    )
    assert record.threads == (32, 1, 1)


def test_what_is_left_open():
    (record,) = build("llvm.func @k() attributes {nvvm.kernel} { llvm.return }").records
    assert (record.threads, record.cluster, record.parameters) == (None, (1, 1, 1), ())
    assert build("llvm.func @f() { llvm.return }").records == ()


@pytest.mark.parametrize(
    ("attributes", "version", "cluster", "is_grid_of_clusters"),
    [
        ("nvvm.cluster_dim = array<i32: 2, 1, 1>", None, (2, 1, 1), False),
        ("nvvm.cluster_dim = array<i32: 2, 2, 1>, nvvm.blocksareclusters", 90, (2, 2, 1), True),
    ],
)
def test_clusters(
    attributes: str, version: int | None, cluster: tuple[int, ...], is_grid_of_clusters: bool
):
    text = (
        "llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 2, 1>, "
        f"{attributes}}} {{ llvm.return }}"
    )
    record = compile_module(load(text), "sm_90", ptx_version=version).record()
    assert record.threads == (64, 2, 1)
    assert record.cluster == cluster
    assert record.blocks_are_clusters is is_grid_of_clusters


def test_dynamic_shared_memory():
    """It counts for the kernels that get to it, if only through a function."""
    records = build("""
      llvm.mlir.global external @memory() {addr_space = 3 : i32} : !llvm.array<0 x i8>
      llvm.func @helper(%i: i32) attributes {no_inline} {
        %b = llvm.mlir.addressof @memory : !llvm.ptr<3>
        %q = llvm.getelementptr %b[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        llvm.store %i, %q : i32, !llvm.ptr<3>
        llvm.return
      }
      llvm.func @open(%i: i32) attributes {nvvm.kernel} {
        llvm.call @helper(%i) : (i32) -> ()
        llvm.return
      }
      llvm.func @known(%i: i32)
          attributes {nvvm.kernel, tileiras.dynamic_shared_bytes = 65536 : i64} {
        llvm.call @helper(%i) : (i32) -> ()
        llvm.return
      }
      llvm.func @none(%i: i32) attributes {nvvm.kernel} {
        llvm.return
      }
    """).records
    assert {record.entry: record.shared for record in records} == {
        "open": None,
        "known": 65536,
        "none": 0,
    }


def test_dynamic_shared_memory_is_a_number():
    with pytest.raises(BackendError, match="must be a number of bytes"):
        build(
            "llvm.func @k() attributes {nvvm.kernel, tileiras.dynamic_shared_bytes} { llvm.return }"
        )


def test_spills():
    """More values than registers are kept over a barrier."""
    count = 40
    loads = "".join(
        f"%o{i} = llvm.mlir.constant({i} : i32) : i32\n"
        f"%p{i} = llvm.getelementptr %x[%o{i}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
        f"%v{i} = llvm.load volatile %p{i} : !llvm.ptr<1> -> f32\n"
        for i in range(count)
    )
    stores = "".join(f"llvm.store volatile %v{i}, %p0 : f32, !llvm.ptr<1>\n" for i in range(count))
    record = build(
        "llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxnreg = 24 : i32} {\n"
        f"{loads}nvvm.barrier0\n{stores}llvm.return\n}}"
    ).record()
    assert record.registers == 24
    assert record.spill_stores > 0
    assert record.spill_loads > 0


def test_heads_of_entries():
    entries = parse_entries(
        ".visible .entry a()\n{\n}\n"
        ".visible .entry b(\n\t.param .u64 .ptr .global .align 1 b_param_0,\n"
        "\t.param .align 64 .b8 b_param_1[128]\n)\n.reqntid 128\n.explicitcluster\n"
        ".reqnctapercluster 2, 1, 1\n{\n}\n"
    )
    assert entries["a"].sizes == ()
    assert entries["a"].triple("reqntid") is None
    assert entries["b"].sizes == (8, 128)
    assert entries["b"].triple("reqntid") == (128, 1, 1)
    assert entries["b"].triple("reqnctapercluster") == (2, 1, 1)
    with pytest.raises(BackendError, match="a parameter that is not understood: nonsense"):
        parse_entries(".entry a(nonsense)\n{")


def test_a_module_of_several_kernels():
    compiled = build(GOOD)
    assert [record.entry for record in compiled.records] == ["other", "k"]
    assert compiled.record("k").entry == "k"
    with pytest.raises(BackendError, match="there are 2 kernels, name one of them: other, k"):
        compiled.record()
    with pytest.raises(BackendError, match=r"no kernel 'x' \(expected one of other, k\)"):
        compiled.record("x")


# Errors


def test_an_error_of_ptxas_names_the_op():
    with pytest.raises(PtxasError) as error:
        build(BAD)
    lines = str(error.value).splitlines()
    assert lines[0].startswith("ptxas refused the PTX, line ")
    assert "Unknown symbol '%xyz'" in lines[0]
    (marked,) = (line for line in lines if line.startswith(">"))
    assert marked.endswith("add.u32 %r1, %r2, %xyz;")
    assert lines[-1].startswith("made from 'llvm.inline_asm' at ")
    assert lines[-1].endswith(":7:8")


def test_an_error_of_ptxas_about_a_kernel_names_it():
    with pytest.raises(PtxasError) as error:
        build(TOO_MUCH_SHARED)
    text = str(error.value)
    assert "uses too much shared data" in text
    assert "made from 'llvm.func' at " in text
    assert text.endswith(":3:1")


def test_an_error_of_ptxas_about_nothing_known(monkeypatch: pytest.MonkeyPatch):
    def fail(self: Ptxas, *_: object, **__: object) -> None:
        raise PtxasError("ptxas failed", ())

    monkeypatch.setattr(Ptxas, "compile", fail)
    with pytest.raises(PtxasError, match=r"^ptxas failed$"):
        build(GOOD)


def test_without_ptxas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv(PTXAS_VARIABLE)
    monkeypatch.setattr(libdevice, "nvidia_package_folders", lambda: iter(()))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="ptxas was not found, which makes a cubin of PTX"):
        build(GOOD)


def test_without_libdevice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(LIBDEVICE_VARIABLE, str(tmp_path / "nothing.bc"))
    assert build(GOOD).cubin
    with pytest.raises(MissingToolError, match=r"nothing\.bc, which is not a file"):
        build(MATH)


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opt(text: str, *arguments: str) -> int:
    Path("in.mlir").write_text(text)
    return main(["in.mlir", "-t", "cubin", *arguments])


def test_the_record_is_beside_the_cubin(folder: Path):
    assert opt(GOOD, "-o", "k.cubin") == 0
    assert sorted(os.listdir()) == ["in.mlir", "k.cubin", "k.cubin.json"]
    compiled = build(GOOD)
    assert Path("k.cubin").read_bytes() == compiled.cubin
    assert records_from_json(Path("k.cubin.json").read_bytes()) == compiled.records


def test_standard_output_has_the_cubin_only(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
):
    assert opt(GOOD) == 0
    assert capfdbinary.readouterr().out == build(GOOD).cubin
    assert os.listdir() == ["in.mlir"]


@pytest.mark.skipif(os.name != "posix", reason="the null device is a file on POSIX only")
def test_a_device_has_nothing_beside_it(folder: Path):
    assert opt(GOOD, "-o", os.devnull) == 0
    assert not Path(f"{os.devnull}.json").exists()


def test_errors_leave_no_files(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert opt(BAD, "-o", "k.cubin") == 1
    assert os.listdir() == ["in.mlir"]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("in.mlir:7:8: error: ptxas refused the PTX, line ")
    assert "add.u32 %r1, %r2, %xyz;" in line
    assert line.endswith("made from 'llvm.inline_asm' at in.mlir:7:8")


def test_errors_leave_old_files(folder: Path):
    Path("k.cubin").write_text("precious")
    Path("k.cubin.json").write_text("too")
    assert opt(BAD, "-o", "k.cubin") == 1
    assert Path("k.cubin").read_text() == "precious"
    assert Path("k.cubin.json").read_text() == "too"


def test_a_record_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]):
    os.mkdir("k.cubin.json")
    assert opt(GOOD, "-o", "k.cubin") == 1
    assert sorted(os.listdir()) == ["in.mlir", "k.cubin.json"]
    assert "k.cubin.json: error: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("failing", [1, 2])
def test_a_rename_that_fails(failing: int, folder: Path, monkeypatch: pytest.MonkeyPatch):
    count = 0
    original = os.replace

    def fail(source: str, target: str) -> None:
        nonlocal count
        count += 1
        if count == failing:
            raise PermissionError(13, "not today", source)
        original(source, target)

    monkeypatch.setattr(os, "replace", fail)
    assert opt(GOOD, "-o", "k.cubin") == 1
    assert os.listdir() == ["in.mlir"]


def test_the_module_is_left_as_it_was():
    module: ModuleOp = load(BAD)
    before = str(module)
    with pytest.raises(DiagnosticException):
        compile_module(module)
    assert str(module) == before


# The same output every time


def hash_of_everything() -> str:
    """Of the PTX of every op, with line tables, and of the cubin of a kernel with its record."""
    digest = hashlib.sha256()
    for arch in sorted({case.arch for case in CASES}):
        module = build_cases([case for case in CASES if case.arch == arch])
        digest.update(PtxTarget(arch=arch, debug=True).compile(module).encode())
    compiled = compile_module(lower("wgmma_matmul"), "sm_90", debug=True)
    digest.update(compiled.cubin)
    digest.update(compiled.records_json().encode())
    return digest.hexdigest()


@pytest.mark.long
def test_hash_seeds():
    program = (
        "from tests.pytest.backend.test_targets import hash_of_everything\n"
        "print(hash_of_everything())\n"
    )
    seed = "77" if os.environ.get("PYTHONHASHSEED") != "77" else "1"
    other = python(
        "-c", program, environment={"PYTHONHASHSEED": seed}, cwd=Path(__file__).parents[3]
    ).out
    assert other.strip() == hash_of_everything()
