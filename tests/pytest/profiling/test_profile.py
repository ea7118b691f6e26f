"""Profiles: recorded, predicted, drawn, saved and loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.inspection.profiling import ProfileError, measure
from tileiras_xdsl.inspection.profiling.profile import Build, Event, Profile, Track
from tileiras_xdsl.interpreter.errors import ExecutionError

from ..harness.running import arrays_of

GEMM = tx.examples["gemm"]


@pytest.fixture(scope="module")
def model() -> Profile:
    return tx.profile(GEMM, GEMM.grid, GEMM.make_args(), gpu="sm_90", on="model")


@dataclass
class FakeKernel:
    """Runs on the CPU what would run on a GPU."""

    compiled: Compiled
    times: list[int]

    def launch(self, grid: Any, args: Any, stream: Any = None) -> None:
        if len(args) == len(GEMM.make_args()) + 1:
            tx.run(self.compiled.stages["tileas"], grid=grid, args=args, sm_count=132)

    def time(self, grid: Any, args: Any, repeat: int, stream: Any = None) -> list[float]:
        self.times.append(len(args))
        for argument in arrays_of(args):
            argument[...] = 0
        return [1.0 + 0.1 * (len(args) > len(GEMM.make_args()))] * repeat

    def synchronize(self, stream: Any = None) -> None:
        pass


@dataclass
class _Device:
    name: str = "a GPU"


@pytest.fixture(scope="module")
def measured() -> Profile:
    """A profile from a GPU that is none: the interpreter at the end of `tileas`."""
    times: list[int] = []
    args = GEMM.make_args()

    def get_device(number: int = 0) -> _Device:
        return _Device()

    def get_kernel(compiled: Compiled, *_: object) -> FakeKernel:
        return FakeKernel(compiled, times)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "is_available", lambda: True)
        patch.setattr(cuda.Device, "get", get_device)
        patch.setattr(Compiled, "kernel", get_kernel)
        patch.setattr(measure, "own_gpu", lambda: "sm_90")
        profile = tx.profile(GEMM, GEMM.grid, args, ctas=3, records=40, repeat=4)
    GEMM.check(args)
    assert times == [15, 16, 15, 16], "plain and marked in turn, on copies"
    return profile


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    with pytest.raises(MissingToolError, match=r"no GPU here .* on='model'.* Profile\.load"):
        tx.profile(GEMM, GEMM.grid, GEMM.make_args())


def test_what_cannot_be_asked_for():
    args = GEMM.make_args()
    with pytest.raises(ProfileError, match="on is one of gpu, model, cpu, not 'cuda'"):
        tx.profile(GEMM, GEMM.grid, args, gpu="sm_90", on="cuda")  # pyright: ignore
    with pytest.raises(ExecutionError, match="one to three positive sizes"):
        tx.profile(GEMM, (1, 2, 3, 4), args, gpu="sm_90", on="model")


@dataclass
class FakeTensor:
    """As much of a tensor of PyTorch as a copy needs."""

    memory: np.ndarray[Any, Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def stride(self) -> tuple[int, ...]:
        return self.strides

    def clone(self) -> FakeTensor:
        return FakeTensor(self.memory[: self.shape[0]].copy(), self.shape, self.strides)

    def as_strided(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> FakeTensor:
        return FakeTensor(self.memory, shape, strides)


def test_copies_have_the_same_strides():
    """Strides are arguments: launches that are timed would read and write beyond a dense copy."""
    whole = np.arange(64, dtype=np.float32).reshape(8, 8)
    for array in (whole, whole.T, whole[2:6, 1:3], whole[::-1, ::2], whole[:1, :1]):
        made: Any = measure._copy(array)  # pyright: ignore[reportPrivateUsage]
        assert (made == array).all()
        assert made.strides == array.strides
        assert not np.shares_memory(made, array)
    assert measure._copy(whole[:0]).shape == (0, 8)  # pyright: ignore[reportPrivateUsage]
    tensor = FakeTensor(np.arange(20), (2, 3), (10, 1))
    other: Any = measure._copy(tensor)  # pyright: ignore[reportPrivateUsage]
    assert (other.shape, other.strides) == ((2, 3), (10, 1))
    assert list(other.memory) == list(range(13)), "up to the last element"
    assert measure._copy(3) == 3  # pyright: ignore[reportPrivateUsage]


def test_the_model(model: Profile):
    assert model.origin == "model"
    assert "predicted by the model, not measured" in str(model)
    assert model.roles == ["producer", "consumer"]
    assert [track.warp for track in model.tracks] == [8, 0, 4]
    head, *_ = str(model.summary()).splitlines()
    assert head.split() == ["role", "activity", "share", "clocks"], "nothing to compare with"
    assert "predicted" not in model.summary()._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert model.summary().period == pytest.approx(512, rel=0.2)
    assert 0.5 < model.summary().share("consumer", "wait") < 1


def test_measured_beside_predicted(measured: Profile, model: Profile):
    assert measured.origin == "GPU"
    assert measured.predicted == model.tracks
    assert [(track.cta, track.warp) for track in measured.tracks] == [
        (cta, warp) for cta in range(3) for warp in (8, 0, 4)
    ]
    assert measured.overhead == pytest.approx(0.1)
    assert "1.0000 ms, with marks 1.1000 ms (+10.0%)" in str(measured)
    for track, predicted in zip(measured.tracks, measured.predicted, strict=False):
        assert track.events == predicted.events, "the model and the machine go the same way"
        assert track.is_complete
    rows = {(row.role, row.activity) for row in measured.summary().rows}
    assert {("producer", "wait p0 empty"), ("consumer", "wait p0 full")} <= rows
    assert {("consumer", "issue dot"), ("consumer", "wait dot"), ("consumer", "store")} <= rows
    assert all(row.measured and row.predicted for row in measured.summary().rows)


def test_events_know_their_lines(measured: Profile):
    dots = {event.place for event in measured.events.values() if event.kind == "mma"}
    (place,) = dots
    line = int(place.partition(":")[2])
    assert "mma" in GEMM.source.read_text().splitlines()[line - 1]


def test_pictures(measured: Profile):
    picture = measured.picture(cta=1)
    assert "CTA 1, measured over predicted" in picture.title
    assert picture.text.count("predicted") == 4
    drawn = {element.text or "" for element in ElementTree.fromstring(picture.svg).iter()}
    assert any(text.startswith("wait p0 full: ") for text in drawn)
    cut = measured.picture(start=30, clocks=5)
    assert " 30 " in cut.text
    assert "which is drawn" in cut.title, "the same events are in one place"
    for cta, start, clocks in ((7, 0, None), (0, 0, 0), (0, -1, 9)):
        with pytest.raises(ProfileError):
            measured.picture(cta, start, clocks)


def test_spans_cover_the_time(measured: Profile):
    for track in measured.tracks:
        spans = list(measured.spans(track))
        assert [span.start for span in spans] == list(track.clocks)
        assert all(a.end == b.start for a, b in pairwise(spans))
        assert spans[-1].end == track.end


def test_files(measured: Profile, tmp_path: Path):
    measured.save(tmp_path / "p.json")
    assert tx.Profile.load(tmp_path / "p.json") == measured
    smaller = measured.keep(1, 5)
    assert smaller.ctas == [0]
    assert not any(track.is_complete for track in smaller.tracks)
    assert "cut off after 5 marks" in str(smaller)
    assert Profile.from_json(smaller.to_json()) == smaller


def test_profiles_without_records(measured: Profile):
    for empty in (measured.keep(0), replace(measured, tracks=(), note="not understood")):
        assert str(empty).startswith("gemm for sm_90")
        assert empty._repr_html_().startswith("<p>gemm")  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(ProfileError, match="no records"):
            empty.picture()
    assert "cut off after 0 marks" in str(measured.keep(1, 0))


DAMAGED: list[tuple[list[str | int], object, str]] = [
    (["format"], "text", "no profile of tileiras"),
    (["version"], 9, "version 9"),
    (["origin"], "a dream", "no origin"),
    (["tracks"], None, "malformed"),
    (["tracks", 0, "events"], [1], "without times"),
    (["tracks", 0, "events", 0], 99, "malformed: KeyError"),
    (["tracks", 0, "end"], "soon", "no integer"),
    (["events", "x"], {}, "malformed"),
    (["events", "1", "kind"], "sleep", "is no event"),
    (["events", "1", "label"], 3, "is no event"),
    (["plain", "spills"], "many", "no integer"),
]
"""Where a file is damaged, what is there then, and what is said."""


@pytest.mark.parametrize(("place", "value", "message"), DAMAGED)
def test_files_that_are_none(
    measured: Profile, place: list[str | int], value: object, message: str
):
    data = inner = json.loads(measured.to_json())
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(ProfileError, match=message):
        Profile.from_json(json.dumps(data))


def test_text_that_is_no_json():
    with pytest.raises(ProfileError, match="is no JSON"):
        Profile.from_json("{")


def test_traces(measured: Profile, tmp_path: Path):
    measured.trace(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_text())
    events = data["traceEvents"]
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert {"CTA 0 on SM 0", "CTA 2 on SM 0", "predicted", "producer, warp 8"} <= names
    spans = [event for event in events if event["ph"] == "X"]
    tracks = (*measured.tracks, *measured.predicted)
    assert len(spans) == sum(len(track.events) - 1 for track in tracks)
    assert all(event["dur"] >= 0 for event in spans)


def test_clocks_begin_again():
    """`%clock` has 32 bits."""
    from tileiras_xdsl.inspection.profiling.measure import CLOCK_MASK, _first, _since  # pyright: ignore

    assert _first([5, CLOCK_MASK - 3, 9]) == CLOCK_MASK - 3
    assert _since(5, CLOCK_MASK - 3) == 9


def test_the_cpu():
    softmax = tx.examples["softmax"]
    args = softmax.make_args()
    profile = tx.profile(softmax, softmax.grid, args, gpu="sm_90", on="cpu", ctas=1)
    softmax.check(args)
    assert profile.roles == ["threads"]
    assert "the order of events on the CPU, not times" in str(profile)
    names = [span.event.name for span in profile.spans(profile.tracks[0])]
    assert (names[0], names[-1]) == ("start", "end")
    assert set(names[1:-1]) >= {"work"}
    assert all(name == "work" or name.startswith("wait") for name in names[1:-1])


def test_overhead_needs_both_times():
    event = Event("threads", "compute", "compute")
    track = Track(0, 0, "threads", (1,), (0,), 9, 1)
    profile = Profile("k", "sm_90", (1, 1, 1), "GPU", {1: event}, (track,))
    assert profile.overhead is None
    slower = replace(profile, plain=Build(2.0), marked=Build(3.0, 40, 8))
    assert slower.overhead == pytest.approx(0.5)
    assert "8 bytes more of spills" in str(slower)
