from pathlib import Path

import pytest

from ..harness.commands import Directory


@pytest.fixture
def directory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Directory:
    """An empty directory that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TILEIRAS_DEBUG", raising=False)
    return Directory(tmp_path, capsys)
