"""cuTile compiles with this compiler in its own process, although NVIDIA's is installed."""

import sys
import threading
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl.cutile as open_tileiras
from tileiras_xdsl.cutile.history import HISTORY, StandIn
from tileiras_xdsl.cutile.supported import (
    BEYOND,
    OLDEST,
    REPLACED,
    UnsupportedVersionError,
    check_version,
)

from ..harness.commands import python


@pytest.fixture
def cutile(ct: Any) -> Any:
    """The module whose functions are replaced."""
    del ct
    return import_module("cuda.tile._compile")


def compile_kernel(kernel: Any, arguments: int = 3, capability: tuple[int, int] = (9, 0)) -> bytes:
    """What cuTile does at the first launch of a kernel of vectors, a number and a constant."""
    ct: Any = import_module("cuda.tile")
    compilation: Any = import_module("cuda.tile.compilation")
    array = compilation.ArrayConstraint(
        ct.float32,
        1,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(1,),
    )
    signature = compilation.KernelSignature(
        [array] * arguments + [compilation.ScalarConstraint(ct.float32), 32],
        compilation.CallingConvention.cutile_python_v2(),
    )
    context: Any = import_module("cuda.tile._compile").default_tile_context
    cubin, symbol, *_ = kernel._compile(signature, context, capability)
    assert symbol.encode() in cubin
    return cubin


def is_ours(cubin: bytes) -> bool:
    return HISTORY.last is not None and HISTORY.last.cubin == cubin


def test_use(kernels: Any, cutile: Any):
    before = [getattr(cutile, name) for name in REPLACED]
    with open_tileiras.use():
        assert [getattr(cutile, name) for name in REPLACED] != before
        ours = compile_kernel(kernels.scale_and_add)
    assert [getattr(cutile, name) for name in REPLACED] == before
    last = open_tileiras.last
    assert last is not None
    assert last.cubin == ours
    assert last.launch_record.entry in last.ptx
    assert "RemarkMemoryLoad" in last.remarks.yaml
    assert last.options.lineinfo
    assert last.explore().error is None
    assert open_tileiras.compiled(kernels.scale_and_add) == (last,)
    theirs = compile_kernel(kernels.scale_and_add)
    assert theirs != ours
    assert open_tileiras.last is last


def test_only(kernels: Any):
    one, other = kernels.scale_and_add, kernels.multiply
    for only in ("scale_and_add", ["scale_and_add", "nothing"], one, (one,)):
        with open_tileiras.use(only=only):
            assert is_ours(compile_kernel(one))
            assert not is_ours(compile_kernel(other))
    with open_tileiras.use(only="multiply"), open_tileiras.use(only="scale_and_add"):
        assert is_ours(compile_kernel(one))
        assert is_ours(compile_kernel(other))


def test_only_kernels(kernels: Any):
    with pytest.raises(open_tileiras.KernelError, match="'double' is no kernel"):
        open_tileiras.use(only=kernels.double)
    with pytest.raises(open_tileiras.KernelError, match="takes kernels and their names, not 3"):
        open_tileiras.use(only=3)


def test_again(kernels: Any, cutile: Any):
    """Calls do not add up, each is taken back by itself, and all are at once."""
    original = cutile.compile_tile
    first = open_tileiras.use()
    replaced = cutile.compile_tile
    second = open_tileiras.use()
    assert cutile.compile_tile is replaced
    first.restore()
    first.restore()
    assert is_ours(compile_kernel(kernels.scale_and_add))
    second.restore()
    assert cutile.compile_tile is original
    open_tileiras.use()
    open_tileiras.use()
    open_tileiras.restore()
    assert cutile.compile_tile is original
    open_tileiras.restore()


def test_others_may_replace_it_too(kernels: Any, cutile: Any, monkeypatch: pytest.MonkeyPatch):
    use = open_tileiras.use()
    inner, calls = cutile.compile_tile, list[object]()

    def outer(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return inner(*args, **kwargs)

    monkeypatch.setattr(cutile, "compile_tile", outer)
    use.restore()
    assert cutile.compile_tile is outer
    compile_kernel(kernels.scale_and_add)
    assert calls
    assert open_tileiras.last is None
    with open_tileiras.use():
        assert is_ours(compile_kernel(kernels.scale_and_add))
    monkeypatch.setattr(cutile, "compile_tile", inner)
    open_tileiras.restore()
    assert cutile.compile_tile is not inner


def test_threads(kernels: Any):
    """In all threads, and each kernel as it is covered."""
    results: dict[str, bytes] = {}

    def work(name: str) -> None:
        results[name] = compile_kernel(getattr(kernels, name))

    with open_tileiras.use(only="multiply"):
        threads = [
            threading.Thread(target=work, args=(name,)) for name in ("scale_and_add", "multiply")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert is_ours(results["multiply"])
    assert not is_ours(results["scale_and_add"])


def test_the_cache_of_cutile(
    kernels: Any, cutile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Each compiler has its own entries there; what is found there is known all the same."""
    config = cutile.default_tile_context.config
    monkeypatch.setattr(config, "cache_dir", str(tmp_path))
    with open_tileiras.use():
        ours = compile_kernel(kernels.scale_and_add)
        assert is_ours(ours)
    HISTORY.clear()
    assert compile_kernel(kernels.scale_and_add) != ours
    assert open_tileiras.last is None

    def fail(*_: object) -> None:
        pytest.fail("compiled again")

    monkeypatch.setattr(StandIn, "run", fail)
    with open_tileiras.use():
        assert compile_kernel(kernels.scale_and_add) == ours
    assert is_ours(ours)


def test_errors(kernels: Any, ct: Any):
    with open_tileiras.use(), pytest.raises(ct.TileCompilerExecutionError) as caught:
        compile_kernel(kernels.scale_and_add, capability=(7, 5))
    assert "unsupported GPU target 'sm_75'" in str(caught.value)
    assert "tileiras-xdsl" in caught.value.compiler_version
    assert open_tileiras.last is None


def test_places_of_errors(ct: Any, cutile: Any, tmp_path: Path):
    path = tmp_path / "kernel.mlir"
    path.write_text(
        "cuda_tile.module @m {\n  entry @k(%n: tile<i32>) {\n"
        "    %x = addi %n, %n : tile<i64>\n    return\n  }\n}\n"
    )
    flags = ["--gpu-name", "sm_90", "-O3", "--lineinfo"]
    with pytest.raises(ct.TileCompilerExecutionError) as caught:
        StandIn(cutile).run([str(path), "-o", str(tmp_path / "k.cubin")], flags)
    # cuTile prints locations with their function, which no compiler tells it.
    assert caught.value.loc.is_unknown()
    assert f"{path}:3:15: error: " in str(caught.value)
    assert not (tmp_path / "k.cubin").exists()
    with pytest.raises(ct.TileCompilerExecutionError, match="cannot be linked"):
        StandIn(cutile).run([str(path)], [*flags, "-l", "library"])


def test_timeouts(kernels: Any, ct: Any):
    with open_tileiras.use(), ct.compiler_timeout(0.001):
        with pytest.raises(ct.TileCompilerTimeoutError, match=r"exceeded timeout 0\.001s"):
            compile_kernel(kernels.scale_and_add)
    assert open_tileiras.last is None


def test_remarks_are_written(cutile: Any, tmp_path: Path):
    path, remarks = tmp_path / "kernel.mlir", tmp_path / "remarks.yaml"
    path.write_text(
        "cuda_tile.module @m {\n  entry @k(%p: tile<ptr<i32>>) {\n"
        "    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token\n"
        "    store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token\n"
        "    return\n  }\n}\n"
    )
    flags = ["--gpu-name", "sm_90", "-O3", "--remark-format=yaml", "--remarks=all"]
    StandIn(cutile).run(
        [str(path), "-o", str(tmp_path / "k.cubin")], [*flags, f"--remarks-output-file={remarks}"]
    )
    assert (tmp_path / "k.cubin").read_bytes().startswith(b"\x7fELF")
    assert "Function:        'k'" in remarks.read_text()


def test_logs(
    kernels: Any,
    cutile: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """What cuTile logs is printed here, where its disassembler need not be installed."""
    monkeypatch.setattr(cutile.default_tile_context.config, "log_tileir", True)
    with open_tileiras.use():
        compile_kernel(kernels.scale_and_add)
    assert "cuda_tile.module" in capsys.readouterr().err


# Versions


@pytest.mark.parametrize("version", ["1.7", "1.7.0", "1.7.12", "1.8.1", "1.12"])
def test_supported_versions(version: str):
    check_version(version)


@pytest.mark.parametrize("version", ["1.6.9", "2.0", "2.1.3", "dev"])
def test_unsupported_versions(version: str):
    with pytest.raises(UnsupportedVersionError) as caught:
        check_version(version)
    message = str(caught.value)
    assert message.startswith(f"cuda-tile {version} is not supported: tileiras-xdsl ")
    assert "works with cuda-tile>=1.7,<2" in message


def test_the_package_asks_for_supported_versions():
    """What `pip install tileiras-xdsl[nvidia]` brings is what `use` takes."""
    project = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text())
    wanted = [
        requirement.partition(";")[0]
        for requirement in project["project"]["optional-dependencies"]["nvidia"]
        if requirement.startswith("cuda-tile")
    ]
    assert wanted == ["cuda-tile>={}.{},<{}".format(*OLDEST, *BEYOND)]


def test_use_checks_the_version(ct: Any, cutile: Any, monkeypatch: pytest.MonkeyPatch):
    original = cutile.compile_tile
    monkeypatch.setattr(ct, "__version__", "2.0.0")
    with pytest.raises(UnsupportedVersionError, match=r"cuda-tile 2\.0\.0 is not supported"):
        open_tileiras.use()
    assert cutile.compile_tile is original


def test_use_checks_names(cutile: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(cutile, "_parse_tileir_stderr")
    with pytest.raises(UnsupportedVersionError, match="has no _parse_tileir_stderr"):
        open_tileiras.use()


def test_without_cutile(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cuda.tile", None)
    with pytest.raises(UnsupportedVersionError, match="cuda-tile is not installed: pip install"):
        open_tileiras.use()


def test_import_is_cheap():
    script = (
        "import sys; before = set(sys.modules); import tileiras_xdsl.cutile; "
        "print(*sorted(set(sys.modules) - before))"
    )
    assert python("-c", script).out.split() == ["tileiras_xdsl", "tileiras_xdsl.cutile"]
    assert not hasattr(open_tileiras, "nonsense")
