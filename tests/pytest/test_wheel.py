"""The package as users get it: built, installed into a clean environment, and run from there."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

# One worker runs all of them, so that the environment is made once.
pytestmark = pytest.mark.xdist_group("wheel")

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@dataclass
class Installation:
    """An environment that has the wheel, and a directory far from the sources to work in."""

    wheel: Path
    sdist: Path
    environment: Path
    work: Path

    def run(self, program: str, *args: str) -> str:
        command = [str(self.environment / SCRIPTS / program), *args]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        result = subprocess.run(
            command, cwd=self.work, env=env, stdout=subprocess.PIPE, text=True, check=True
        )
        return result.stdout


def run_module(name: str, args: Sequence[str | Path]) -> None:
    subprocess.run(
        [sys.executable, "-m", name, *args], check=True, stdout=subprocess.DEVNULL, timeout=120
    )


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    tmp_path = tmp_path_factory.mktemp("wheel")
    dist, environment, work = tmp_path / "dist", tmp_path / "environment", tmp_path / "work"
    work.mkdir()

    # The wheel is built from the source distribution, so that one is complete.
    run_module("build", ["--no-isolation", "--outdir", dist, REPOSITORY])
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")

    venv.create(environment, with_pip=False, symlinks=os.name != "nt")
    python = environment / SCRIPTS / "python"
    run_module(
        "pip", ["--python", python, "install", "--no-compile", "--no-deps", "--no-index", wheel]
    )

    # The dependencies are those of the running environment: its packages come after the wheel,
    # and a `.pth` file there, which is how an editable install finds the sources, has no effect.
    purelib = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    paths.update(path for path in sys.path if path.endswith("site-packages"))
    Path(purelib, "dependencies.pth").write_text("\n".join(sorted(paths)))
    return Installation(wheel, sdist, environment, work)


def test_runs_from_the_wheel(installation: Installation):
    out = installation.run("python", "-c", "import tileiras_xdsl as t; print(t.__file__)")
    assert Path(out).is_relative_to(installation.environment)


def test_contents(installation: Installation):
    with zipfile.ZipFile(installation.wheel) as archive:
        names = archive.namelist()
    assert "tileiras_xdsl/py.typed" in names
    assert "tileiras_xdsl/driver/demos/vector_add.mlir" in names
    assert "tileiras_xdsl/driver/demos/matmul.tileirbc" in names
    assert {
        f"tileiras_xdsl/inspection/exploration/assets/{name}"
        for name in ("report.html", "report.css", "report.js", "diff.js")
    } <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {
        "tileiras_xdsl",
        "tileiras_xdsl-0.2.0.dist-info",
        "tileiras_xdsl_cutile.pth",
    }
    with tarfile.open(installation.sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "Makefile", "README.md", "pyproject.toml"} <= files
    assert {"CHANGELOG.md", "CONTRIBUTING.md", "examples/plugin/pyproject.toml"} <= files
    assert "tests/pytest/test_wheel.py" in files


def test_the_variable_for_cutile(installation: Installation, monkeypatch: pytest.MonkeyPatch):
    """The wheel has a line that Python runs at its start."""
    script = "import sys; print(*(type(each).__name__ for each in sys.meta_path))"
    monkeypatch.delenv("TILEIRAS_XDSL_CUTILE", raising=False)
    assert "Waiting" not in installation.run("python", "-c", script)
    monkeypatch.setenv("TILEIRAS_XDSL_CUTILE", "1")
    assert "Waiting" in installation.run("python", "-c", script)


def test_xdsl_opt_finds_the_plugin(installation: Installation):
    out = installation.run("python", "-m", "xdsl.tools.xdsl_opt", "--help")
    words = "".join(out.split())
    for name in (
        "canonicalize-tileaa",
        "convert-cuda-tile-to-tileaa",
        "convert-tileaa-to-tileas",
        "fuse-fma",
        "loop-split",
        "synthesize-debug-info-scopes",
        "verify-cuda-tile-input",
        "verify-no-cuda-tile",
        "cuda-tile-public",
    ):
        assert name in words


@pytest.mark.long
def test_tileiras_opt_runs_the_demo(installation: Installation):
    where = "from importlib.resources import files; print(files('tileiras_xdsl.driver.demos'))"
    demo = Path(installation.run("python", "-c", where).strip(), "vector_add.mlir")
    assert demo.is_relative_to(installation.environment)
    out = installation.run("tileiras-opt", str(demo), "-p", "canonicalize")
    assert "@vector_add" in out
    assert out.count("addf") == 1
    # What is stated twice is said once, what nothing uses is gone.
    assert out.count("bounded") == 1
    assert "get_num_tile_blocks" not in out


@pytest.mark.long
def test_tileiras_xdsl_lowers_the_demo(installation: Installation):
    where = "from importlib.resources import files; print(files('tileiras_xdsl.driver.demos'))"
    demo = Path(installation.run("python", "-c", where).strip(), "vector_add.tileirbc")
    out = installation.run("tileiras-xdsl", str(demo), "--gpu-name=sm_90", "--emit=llvm")
    assert "define ptx_kernel void @vector_add" in out


@pytest.mark.long
def test_tileiras_explore_writes_a_page(installation: Installation):
    where = "from importlib.resources import files; print(files('tileiras_xdsl.driver.demos'))"
    demo = Path(installation.run("python", "-c", where).strip(), "vector_add.tileirbc")
    installation.run("tileiras-explore", str(demo), "-o", "page.html")
    assert "</html>" in (installation.work / "page.html").read_text()


def test_demo(installation: Installation):
    """Two kernels at five levels, each run and right; a schedule, remarks, and a page."""
    out = installation.run("python", "-m", "tileiras_xdsl.driver.demos")
    assert out.count("right, ") == 10
    for text in (
        *("total = ct.mma(x, y, total)", "loop of 5 stages; 1 producer warp, 8 consumer warps"),
        *("4 wgmma.mma_async, 5 cp.async.bulk.tensor", "TMA load of 128x64xf16"),
    ):
        assert text in out
    assert len(out.splitlines()) <= 60
    page = installation.work / "build" / "demo" / "gemm.html"
    assert page.as_uri() in out
    assert "</html>" in page.read_text()
    # What it says to type next can be typed as it is.
    (explore,) = re.findall(r"^  (\S*tileiras-explore) (\S+) -o attention.html$", out, re.M)
    subprocess.run([*explore, "-o", "a.html"], cwd=installation.work, check=True)
    assert "</html>" in (installation.work / "a.html").read_text()
