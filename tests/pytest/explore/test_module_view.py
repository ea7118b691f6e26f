"""Modules that explorations give out: they know where they are, and show themselves."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl as tx
from tileiras_xdsl.frontend.load import print_bytes
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.inspection.exploration.steps import ModuleView
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.pipeline import PIPELINE, ModuleStage, find_last_stage, select_steps
from tileiras_xdsl.xdsl_extras.aliases import MAX_COLUMNS, print_ir


@cache
def explored() -> Exploration:
    return tx.explore(tx.examples["gemm"].path)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "name",
    ["convert-cuda-tile-to-tileaa", "licm", "tileas-assign-dot-layouts", "tileas-insert-barriers"],
)
def test_the_passes_that_are_left_are_run(name: str):
    whole = explored()
    rest = tx.explore(whole.after(name))
    names = [step.name for step in whole.steps]
    assert [step.name for step in rest.steps] == ["read", *names[names.index(name) + 1 :]]
    assert rest.steps[-1].ops == whole.steps[-1].ops
    assert rest.ptx == whole.ptx


def test_it_compiles_to_the_same_code():
    whole = explored()
    compiled = tx.compile(whole.after("tileas-assign-dot-layouts"), 90, cache=False)
    assert compiled.ptx == whole.ptx
    assert "wgmma.mma_async" in compiled.ptx


def test_it_knows_its_gpu():
    view = tx.explore(tx.examples["softmax"], gpu=80).after("licm")
    assert tx.compile(view).options.gpu == "sm_80"
    assert tx.explore(view.clone()).options.gpu == "sm_80"


def test_copies_compile_to_the_same_code():
    whole = explored()
    view = whole.after("tileas-generate-schedule")
    assert type(view.clone()) is ModuleOp
    for other in (view.clone(), copy(view), pickle.loads(pickle.dumps(view)), tx.load(view)):
        assert tx.compile(other, 90).ptx == whole.ptx
    # Those that passes have run on are past it.
    assert not hasattr(tx.compile(view, 90, keep_stages=True).stages["nvgpu"], "after")
    with ThreadPoolExecutor(1) as executor:
        (outcome,) = tx.compile_many([view], executor, gpu=90)
    assert outcome.get().ptx == whole.ptx


def test_large_modules_are_pickled():
    """Uses lead from op to op, so that an attention would be one long chain of calls."""
    path = Path(__file__).parents[3] / "benchmarks/gpu/bytecode/attention_causal_d128.tileirbc"
    view = tx.explore(path, gpu="sm_90").after("tileas-generate-schedule")
    other = pickle.loads(pickle.dumps(view))
    assert isinstance(other, ModuleView)
    assert print_bytes(other) == print_bytes(view)
    assert print_bytes(other.original) == print_bytes(view.original)
    assert (other.after, other.gpu) == (view.after, view.gpu)


def test_changes_are_kept():
    module = explored().after("canonicalize")
    for op in module.walk():
        if op.name == "cuda_tile.entry":
            op.attributes["note"] = op.properties["sym_name"]
    assert "note" in tx.explore(module).steps[1].text


def test_stages_behind_passes():
    reached: list[ModuleStage | None] = [find_last_stage(n) for n in range(len(PIPELINE))]
    assert reached[0] is None
    assert reached[-1] == "nvvm"
    for index, stage in enumerate(reached):
        left = {step for step in select_steps() if PIPELINE.index(step) > index}
        assert left <= set(select_steps(after=stage))


def test_it_is_a_module_that_shows_itself():
    module = explored()["tileas"]
    assert isinstance(module, ModuleOp)
    assert isinstance(module, ModuleView)
    module.verify()
    assert module.name == "builtin.module"
    shown = module._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "nv_tileas.async.dot" in shown
    # In a terminal: what `print` shows can be parsed, what is shown without it is to be read.
    assert tx.load(str(module)).is_structurally_equivalent(module)
    assert str(module) == print_ir(module, short=True)
    assert max(map(len, repr(module).splitlines())) <= MAX_COLUMNS
    assert len(repr(module)) < 2 / 3 * len(str(module))
    # A part of it: an op with what is in it, by itself or by a text on its line.
    loop = next(op for op in module.walk() if op.name == "scf.for")
    lines = str(module.show(loop)).splitlines()
    assert lines == str(module.show("scf.for")).splitlines()
    assert lines[0].startswith("%")
    assert lines[-1].startswith("}")
    assert sum("scf.yield" in line for line in lines) == sum(
        op.name == "scf.yield" for op in loop.walk()
    )
    assert str(module.show(loop, lines=2)).splitlines()[-1].startswith("⋯")
    with pytest.raises(KeyError, match="there is no 'nonsense'"):
        module.show("nonsense")


@pytest.mark.parametrize("stage", ["tileaa", "tileas", "nvgpu", "nvvm"])
def test_types_of_arrays_are_checked(stage: str):
    example = tx.examples["gemm"]
    args = example.make_args()
    args[0] = args[0].astype(np.float32)
    with pytest.raises(ExecutionError, match=r"argument 0 points to f16, .* got one of float32"):
        tx.run(explored()[stage], grid=example.grid, args=args)
