"""The table and the picture of `docs/performance.md` are those of the measurements."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[3] / "benchmarks" / "gpu"
MODULES = ("results", "predict", "cases", "table", "meta_torch")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """`results.py`, which imports others of its folder as it does when it is run."""
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("results")
    for name in MODULES:
        sys.modules.pop(name, None)


def test_the_page_shows_what_was_measured(results: ModuleType):
    rows = results.find_rows()
    assert f"<!-- table -->\n{results.to_markdown(rows)}<!-- end -->" in results.PAGE.read_text()
    assert results.BARS.read_text() == results.draw_bars(rows)


def test_files_of_several_days_are_refused(results: ModuleType, monkeypatch: pytest.MonkeyPatch):

    def date_by_name(path: Path) -> dict[str, str]:
        return {"date": path.name}

    monkeypatch.setattr(results, "read_json", date_by_name)
    with pytest.raises(SystemExit, match="several days"):
        results.find_rows()
