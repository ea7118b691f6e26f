"""The template of a plugin in `examples/plugin`, and the chapter about it."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plugin as if it were installed: its module, and the entry point of its metadata."""
    monkeypatch.setattr(sys, "path", [str(PLUGIN), *sys.path])
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    group = "xdsl.universe"
    ((name, value),) = project["entry-points"][group].items()
    import importlib.metadata as metadata

    found: Any = metadata.entry_points

    def entry_points(**options: Any) -> Any:
        known: Any = found(**options)
        if options == {"group": group}:
            return EntryPoints((*known, EntryPoint(name, value, group)))
        return known

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    yield import_module("approximate_division")
    del sys.modules["approximate_division"]


@pytest.mark.part("docs")
def test_the_readme_says_what_happens(plugin: Any):
    (code,) = re.findall(r"```python\n(.*?)```", (PLUGIN / "README.md").read_text(), re.S)
    scope: dict[str, Any] = {}
    exec(code, scope)
    before, after = scope["before"], scope["after"]
    exact, approximate = (
        kernel.ptx.count(name) * kernel.record().threads[0]
        for kernel, name in ((before, "div.rn.f32"), (after, "div.approx.f32"))
    )
    assert exact == approximate > 0
    assert "div.rn.f32" not in after.ptx
    (step,) = (step for step in scope["s"].steps if step.name == "approximate-division")
    assert step.changed
    assert "rounding<approx>" in str(scope["s"].diff("approximate-division"))


def test_it_is_small(plugin: Any):
    lines = (PLUGIN / "approximate_division.py").read_text().splitlines()
    assert len(lines) <= 50
    assert tx.examples["softmax"].name in (PLUGIN / "README.md").read_text()
    assert plugin.UNIVERSE.all_passes["approximate-division"]() is plugin.ApproximateDivisionPass
