"""Every pass is attacked by somebody who did not write it: `test_<pass>.py` in this folder."""

from pathlib import Path

from tileiras_xdsl.pipeline import PIPELINE
from tileiras_xdsl.universe import PASSES


def test_every_pass_has_a_file():
    folder = Path(__file__).parent
    passes = {*PASSES, *(step.name for step in PIPELINE)}
    files = {name: folder / f"test_{name.replace('-', '_')}.py" for name in passes}
    assert [name for name, path in files.items() if not path.exists()] == []
