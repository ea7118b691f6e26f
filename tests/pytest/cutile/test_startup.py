"""Programs that know nothing of this compiler: the module that runs them, and the environment."""

import ctypes
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.cutile.__main__ import main
from tileiras_xdsl.cutile.startup import LAUNCHER_VARIABLE, VARIABLE, Waiting, install

from ..harness.commands import Result, python

LINE = Path(__file__).parents[3] / "src" / "tileiras_xdsl_cutile.pth"

PROGRAM = """
import json, os, sys
import cuda.tile as ct
from cuda.tile import _compile
from tileiras_xdsl.cutile.redirect import REDIRECTION

@ct.kernel
def matmul():
    pass

found = REDIRECTION.find(matmul._pyfunc)
other = REDIRECTION.find(ct.kernel(lambda: None)._pyfunc)
print(json.dumps({
    "name": __name__,
    "argv": sys.argv,
    "path": sys.path[0],
    "matmul": found is not None,
    "launcher": found is not None and found.launcher,
    "other": other is not None,
    "variable": os.environ.get("TILEIRAS_XDSL_CUTILE"),
    "finders": [type(each).__name__ for each in sys.meta_path],
}))
"""


@pytest.fixture
def program(tmp_path: Path, ct: Any) -> Path:
    del ct
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(*arguments: str | Path, **options: Any) -> dict[str, Any]:
    return json.loads(python(*arguments, **options).out)


def start(path: Path, environment: dict[str, str]) -> Result:
    """Runs a program after the line that the wheel has Python run at its start."""
    code = f"{LINE.read_text()}\nimport runpy; runpy.run_path({str(path)!r}, run_name='__main__')"
    return python("-c", code, environment=environment)


@pytest.mark.parametrize("launcher", ["0", "1"])
def test_launches_without_a_driver_say_so(launcher: str, tmp_path: Path, ct: Any):
    """The error of a launch is ours, and the program can catch it."""
    del ct
    with suppress(OSError):
        ctypes.CDLL("libcuda.so.1")
        pytest.skip("this machine has a driver")
    path = tmp_path / "program.py"
    path.write_text(
        "import cuda.tile as ct\n"
        "@ct.kernel\n"
        "def nothing():\n"
        "    pass\n"
        "try:\n"
        "    ct.launch(0, (1, 1, 1), nothing, ())\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    result = start(path, {VARIABLE: "1", LAUNCHER_VARIABLE: launcher})
    assert (result.code, result.err) == (0, "")
    (line,) = result.out.splitlines()
    assert line.startswith("MissingToolError the CUDA driver was not found (libcuda.so.1: ")
    assert line.endswith("without one, tileiras_xdsl.run runs programs on the CPU")


def test_module(program: Path):
    found = run("-m", "tileiras_xdsl.cutile", program, "--only", "-m", "x")
    assert found["name"] == "__main__"
    assert found["argv"] == [str(program), "--only", "-m", "x"]
    assert found["path"] == str(program.parent)
    assert (found["matmul"], found["other"], found["launcher"]) == (True, True, False)
    assert found["variable"] == "1"


@pytest.mark.long
def test_exit_handlers(tmp_path: Path, ct: Any):
    """The main module is there as long as the process."""
    del ct
    program = tmp_path / "program.py"
    program.write_text(
        "import atexit, sys\n"
        "text = 'still here'\n"
        "atexit.register(lambda: print(text, sys.modules['__main__'].text))\n"
        "sys.exit(3)\n"
    )
    result = python("-m", "tileiras_xdsl.cutile", program, check=False)
    assert (result.code, result.out, result.err) == (3, "still here still here\n", "")


@pytest.mark.long
def test_options_of_the_module(program: Path):
    options = ("--only", "matmul,softmax", "--launcher", "-m", "program", "x")
    found = run("-m", "tileiras_xdsl.cutile", *options, cwd=program.parent)
    assert found["argv"][1:] == ["x"]
    assert found["path"] == str(program.parent)
    assert (found["matmul"], found["other"], found["launcher"]) == (True, False, True)
    assert found["variable"] == "matmul,softmax"


def test_no_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    assert main(["nothing.py"]) == 1
    assert capsys.readouterr().err.endswith("error: there is no file 'nothing.py'\n")


def test_wrong_version(
    program: Path,
    ct: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(ct, "__version__", "3.1")
    assert main([str(program)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "error: cuda-tile 3.1 is not supported" in line


def test_variable(program: Path):
    found = json.loads(start(program, {VARIABLE: "1"}).out)
    assert (found["matmul"], found["other"], found["launcher"]) == (True, True, False)
    assert "Waiting" not in found["finders"]
    found = json.loads(start(program, {VARIABLE: "matmul", LAUNCHER_VARIABLE: "1"}).out)
    assert (found["matmul"], found["other"], found["launcher"]) == (True, False, True)


@pytest.mark.long
@pytest.mark.every(3)
@pytest.mark.parametrize("value", ["", "0", "off"])
def test_variable_that_is_off(program: Path, value: str):
    found = json.loads(start(program, {VARIABLE: value}).out)
    assert not found["matmul"]
    assert "Waiting" not in found["finders"]


def test_the_line_does_nothing_without_the_variable():
    """It is one line, as Python wants it, and imports nothing that is not there at every start."""
    (line,) = LINE.read_text().splitlines()
    assert line.startswith("import os;")
    script = f"import sys; before = set(sys.modules)\n{line}\nprint(set(sys.modules) - before)"
    assert python("-c", script, environment={VARIABLE: ""}).out == "set()\n"


def test_a_program_that_does_not_use_cutile():
    """With the variable, no more than the finder is imported."""
    script = f"{LINE.read_text()}\nimport sys; print('xdsl' in sys.modules, len(sys.meta_path))"
    plain = python("-c", "import sys; print(len(sys.meta_path))").out.strip()
    assert python("-c", script, environment={VARIABLE: "1"}).out == f"False {int(plain) + 1}\n"


def test_install_after_the_import(ct: Any, monkeypatch: pytest.MonkeyPatch):
    from tileiras_xdsl.cutile.redirect import REDIRECTION

    monkeypatch.setenv(VARIABLE, "1")
    install()
    assert not any(isinstance(each, Waiting) for each in sys.meta_path)
    assert REDIRECTION.find(ct.kernel(lambda: None)._pyfunc) is not None
