"""Every pass is attacked by somebody who did not write it: `test_<pass>.py` in this folder."""

from pathlib import Path

from tileiras_xdsl.pipeline import PIPELINE
from tileiras_xdsl.universe import PASSES

NOT_YET: set[str] = {
    "canonicalize",
    "canonicalize-tileaa",
    "convert-cuda-tile-to-tileaa",
    "cse",
    "discharge-mem-tokens",
    "fuse-fma",
    "insert-runtime-checks",
    "licm",
    "privatize-atomics",
    "simplify-loops",
    "synthesize-debug-info-scopes",
    "uplift-while-to-for",
    "verify-cuda-tile-input",
    "verify-no-cuda-tile",
}
"""Passes without a file; a new one does not belong here."""


def test_every_pass_has_a_file():
    passes = {*PASSES, *(step.name for step in PIPELINE)}
    folder = Path(__file__).parent
    attacked = {name for name in passes if (folder / f"test_{name.replace('-', '_')}.py").exists()}
    assert passes - attacked - NOT_YET == set()
    assert attacked & NOT_YET == set(), "these are not missing any more"
    assert passes >= NOT_YET
