"""In files and pipes an op is one line, whichever tool prints it; terminals have shorter lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

from tileiras_xdsl.driver.tools import tileiras_opt, tileiras_xdsl
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage
from tileiras_xdsl.xdsl_extras.aliases import MAX_COLUMNS

from ..harness.commands import Directory

KERNEL = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode" / "attention_d64.tileirbc"

BROKEN = re.compile(r",$|^ *(->|:|iter_args\() ?", re.MULTILINE)
"""Where a line that was wrapped ends, or its rest begins."""

FORMS = ((), ("--print-short",), ("--print-brief",), ("--print-local-scope",))


def xdsl_opt(arguments: Sequence[str]) -> int:
    xDSLOptMain(args=arguments).run()
    return 0


def assert_one_op_a_line(text: str) -> None:
    assert not BROKEN.search(text)
    assert max(map(len, text.split("\n"))) > MAX_COLUMNS


@pytest.mark.parametrize("stage", MODULE_STAGES)
def test_files_and_pipes(directory: Directory, stage: ModuleStage):
    file = directory.path / "in.mlir"
    arguments = [str(KERNEL), "--gpu-name", "sm_90", f"--emit={stage}"]
    assert directory.run(tileiras_xdsl.main, [*arguments, "-o", str(file)]).code == 0
    assert_one_op_a_line(file.read_text())
    for tool in (tileiras_opt.main, xdsl_opt):
        result = directory.run(tool, [str(file)])
        assert result.code == 0, result.err
        assert_one_op_a_line(result.out)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms(directory: Directory, form: tuple[str, ...]):
    arguments = [str(KERNEL), "--gpu-name", "sm_90", "--emit=tileas", "-o", "-", *form]
    emitted = directory.run(
        tileiras_xdsl.main, [*arguments, "--print-ir-after=tileas-insert-barriers"]
    )
    assert_one_op_a_line(emitted.out)
    assert_one_op_a_line(emitted.err)


@pytest.mark.parametrize("form", FORMS[:2], ids=str)
def test_terminals(directory: Directory, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    """What is shown there can be read back as well."""
    file = directory.path / "in.mlir"
    main = tileiras_opt.main
    plain = directory.run(main, [str(KERNEL), *form]).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = directory.run(main, [str(KERNEL), *form]).out
    assert BROKEN.search(shown)
    assert shown.split() == plain.split()
    # Nothing is shown there if the output is a file.
    directory.run(main, [str(KERNEL), *form, "-o", str(file)])
    assert file.read_text() == plain
