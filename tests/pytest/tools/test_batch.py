"""`tileiras-xdsl --batch`."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.launch_record import records_from_json
from tileiras_xdsl.driver.tools.tileiras_xdsl import main

from ..harness.commands import Directory, Run

ADD = str(files("tileiras_xdsl.driver.demos") / "vector_add.tileirbc")
WRONG = "cuda_tile.module @m {\n  entry @k(%n: tile<i32>) {\n    nonsense\n  }\n}\n"


@pytest.fixture
def run(directory: Directory) -> Run:
    return lambda *arguments: directory.run(main, ["--gpu-name=sm_90", *arguments])


def write(objects: Any) -> str:
    Path("list.json").write_text(json.dumps(objects))
    return "list.json"


@pytest.mark.long
def test_a_list(run: Run):
    Path("wrong.mlir").write_text(WRONG)
    listed = [
        {"input": ADD, "output": "a.cubin"},
        {"input": ADD, "output": "b.cubin", "gpu-name": "sm_80", "opt-level": 1},
        {"input": "wrong.mlir"},
        {"input": "missing.mlir"},
        {"input": ADD, "output": "no/such/folder.cubin"},
    ]
    result = run("--batch", write(listed), "--jobs=2", "--no-cache")
    assert result.code == 1
    lines = sorted(map(json.loads, result.out.splitlines()), key=lambda line: line["index"])
    assert [line["ok"] for line in lines] == [True, True, False, False, False]
    assert lines[0]["entries"] == ["vector_add"]
    assert lines[2]["output"] == "wrong.cubin"
    errors = result.err.splitlines()
    assert sorted(errors) == sorted(line["error"] for line in lines if not line["ok"])
    assert lines[2]["error"].startswith("wrong.mlir:3:")
    assert "missing.mlir: error: unable to read input file 'missing.mlir'" in lines[3]["error"]
    assert "unable to write output file 'no/such/folder.cubin'" in lines[4]["error"]
    assert Path("a.cubin").read_bytes() == tx.compile(ADD, "sm_90").cubin
    assert Path("b.cubin").read_bytes() == tx.compile(ADD, "sm_80", opt=1).cubin
    assert not Path("wrong.cubin").exists()
    (record,) = records_from_json(Path("b.cubin.json").read_bytes())
    assert record.arch == "sm_80"


def test_all_is_well(run: Run):
    result = run("--batch", write([{"input": ADD, "output": "a.cubin"}]), "--no-launch-record")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["ok"]
    assert not Path("a.cubin.json").exists()
    assert run("--batch", write([])).code == 0


REFUSED: list[tuple[Any, str]] = [
    ({}, "is not a JSON array"),
    ([3], "entry 0 of batch file 'list.json' is not a JSON object"),
    ([{}], "entry 0 of batch file 'list.json' has no 'input'"),
    ([{"input": "a", "nonsense": 1}], "has unknown key 'nonsense' (expected input, output"),
    ([{"input": "a", "opt-level": "3"}], "'opt-level' is '3'"),
    ([{"input": "a", "output": "b\0"}], "'output' has a null character"),
    ([{"input": "\ud800"}], "'input' has half of a surrogate pair"),
    ([{"input": "a", "opt-level": True}], "'opt-level' is True"),
    ([{"input": "a.mlir"}, {"input": "./a.mlir"}], "entries 0 and 1 of batch file"),
]


@pytest.mark.parametrize(("objects", "message"), REFUSED)
def test_lists_that_are_refused(run: Run, objects: Any, message: str):
    result = run("--batch", write(objects))
    assert (result.code, result.out) == (1, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--batch=list.json", "x.mlir"], "--batch names inputs and outputs"),
        (["--batch=list.json", "-o", "x"], "--batch names inputs and outputs"),
        (["--batch=list.json", "--emit=ptx"], "--batch writes cubins"),
        (["--batch=list.json", "--jobs=0"], "invalid number of jobs 0"),
        (["--batch=list.json", "--timeout=0"], "invalid timeout 0"),
        (["x.mlir", "--jobs=2"], "--jobs and --timeout are for --batch"),
        (["--batch=none.json"], "unable to read batch file 'none.json'"),
    ],
)
def test_options_that_are_refused(run: Run, arguments: list[str], message: str):
    write([])
    result = run(*arguments)
    assert (result.code, result.out) == (1, "")
    assert message in result.err


def test_text_that_is_not_json(run: Run):
    Path("list.json").write_text("[")
    assert "batch file 'list.json' is not JSON" in run("--batch", "list.json").err
