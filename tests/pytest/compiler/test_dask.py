"""Dask's executor, with the real package and a cluster of worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.many import Variant

DEMOS = Path(str(files("tileiras_xdsl.driver.demos")))
ADD, SOFTMAX = (DEMOS / f"{name}.tileirbc" for name in ("vector_add", "softmax"))


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def client(
    request: pytest.FixtureRequest,
    oracle_module: Callable[[str], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Any]:
    distributed: Any = oracle_module("distributed")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path / "cache"))
    with (
        distributed.LocalCluster(
            n_workers=request.param,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cluster(client: Any, tmp_path: Path):
    programs = [ADD, Variant(ADD, opt=0), SOFTMAX, "cuda_tile.module @m { nonsense }"]
    executor = client.get_executor()
    outcomes = tx.compile_many(programs, executor, gpu="sm_90", timeout=300).results()
    assert [outcome.ok for outcome in outcomes] == [True, True, True, False]
    assert isinstance(outcomes[3].error, CompileError)
    assert "<text>:1:" in str(outcomes[3].error)
    for outcome, (program, opt) in zip(outcomes, ((ADD, 3), (ADD, 0), (SOFTMAX, 3)), strict=False):
        assert outcome.get().cubin == tx.compile(program, "sm_90", opt=opt, cache=False).cubin
    # All share one cache: the workers wrote it, this process reads it.
    assert len(list((tmp_path / "cache").glob("??/*.kernel"))) == 3
    again = tx.compile_many(programs[:3], executor, gpu="sm_90").results()
    assert all(outcome.is_cached for outcome in again)
    # The executor stays open.
    assert executor.submit(len, "four").result() == 4
