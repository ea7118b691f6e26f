"""
The compiler where no installer put it: sources on PYTHONPATH, or in a zip file.

Python runs without `site`, so that the metadata of an installation is out of reach.
"""

import os
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import tileiras_xdsl
from tileiras_xdsl.driver.compiler import cache
from tileiras_xdsl.frontend.bytecode import LATEST, format_version

from ..harness.commands import Result, python

SOURCES = Path(tileiras_xdsl.__file__).parents[1]
MODULE = "tileiras_xdsl.driver.tools.tileiras_xdsl"
KERNEL = "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n"


def run_from(paths: Sequence[Path], *arguments: str | Path) -> Result:
    environment = {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    return python("-S", "-m", MODULE, *arguments, environment=environment)


def make_archive(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for source in (SOURCES / "tileiras_xdsl").rglob("*.py"):
            archive.write(source, source.relative_to(SOURCES))
    return path


@pytest.fixture(params=["folder", "zip"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return SOURCES if request.param == "folder" else make_archive(tmp_path / "bundle.zip")


@pytest.mark.every(2)
def test_version(place: Path):
    _, release, build, compatible = run_from([place], "--version").out.splitlines()
    assert release == f"release {tileiras_xdsl.__version__}"
    assert release.split()[1][0].isdigit()
    assert "unknown" not in release
    assert build.startswith("Build ")
    newest = format_version(LATEST)
    assert compatible == f"compatible with release {newest}, V{newest}.0"


def test_build_changes_with_the_archive(tmp_path: Path):
    path = make_archive(tmp_path / "bundle.zip")
    first = run_from([path], "--version").out
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tileiras_xdsl/more.py", "")
    assert run_from([path], "--version").out != first


def test_cache_keys_without_metadata(tmp_path: Path):
    """The key of a compilation has the versions of llvmlite and xDSL, which may have none."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.endswith((".dist-info", ".pth")):
            (packages / entry.name).symlink_to(entry)
    program = tmp_path / "in.mlir"
    program.write_text(KERNEL)
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, (SOURCES, packages))),
        cache.ENABLE_VARIABLE: "1",
        cache.FOLDER_VARIABLE: str(tmp_path / "cache"),
    }
    arguments = ("-S", "-m", MODULE, "--gpu-name=sm_90", "--emit=ptx", program)
    assert ".entry k(" in python(*arguments, environment=environment).out
