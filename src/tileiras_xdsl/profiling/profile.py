"""
What warps did, and when.

    p = tx.profile(kernel, grid, args)
    p                          the shares of time of each role, and a picture
    p.picture(clocks=10_000)   the first clocks of a CTA, measured over predicted
    p.trace("k.json")          for https://ui.perfetto.dev, or chrome://tracing
    p.save("k.profile.json")
    tx.Profile.load("k.profile.json")

A track is what a warp did: events, each of which lasts until the next one begins. All times are in
clocks of the SM, from when the CTA began on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from tileiras_xdsl.profiling import ProfileError

if TYPE_CHECKING:
    from tileiras_xdsl.visual.picture import Picture

    from .summary import Summary

FORMAT: Final = "tileiras-xdsl profile"
VERSION: Final = 1

Origin = Literal["GPU", "CPU", "model"]
"""Where times come from: a GPU; the order of events on the CPU; or a model of the GPU."""


@dataclass(frozen=True)
class Event:
    """Something that warps do."""

    role: str
    """`producer`, `consumer` or `mma`; `threads` of a kernel whose warps all do the same."""
    kind: str
    """One of `KINDS`."""
    label: str
    place: str = ""
    """The line of the program that it comes from."""

    @property
    def name(self) -> str:
        """Kind and label, without repeating itself."""
        if self.kind == "mma":
            return f"issue {self.label}"
        return self.label if self.kind in ("start", "end", "store", "compute") else self.full

    @property
    def full(self) -> str:
        """Such as `wait p0 full`."""
        return f"{self.kind} {self.label}"

    @property
    def awaited(self) -> str:
        """
        The kind of what warps wait for: `mma` for tensor cores, `load` for a buffer stage to be
        full, else `wait`; empty if they do not wait.
        """
        if self.kind != "wait":
            return ""
        if self.label.startswith("dot"):
            return "mma"
        return "load" if self.label.endswith("full") else "wait"


@dataclass(frozen=True)
class Span:
    """An event of a track, with its time."""

    event: Event
    start: int
    end: int

    @property
    def clocks(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Track:
    """What a warp did."""

    cta: int
    """Its number in the grid."""
    warp: int
    role: str
    events: tuple[int, ...]
    """The numbers of events, in the order of time."""
    clocks: tuple[int, ...]
    """When each of them began."""
    end: int
    """When the warp was done."""
    marks: int
    """How many events there were; more than in `events` if there was no room for all."""
    sm: int | None = None
    begin_time: int = 0
    """Nanoseconds of the GPU's timer where the first event is."""

    @property
    def is_complete(self) -> bool:
        return self.marks <= len(self.events)

    def find_beat(self) -> int | None:
        """The event that a warp repeats most: the first of these in an iteration of its loop."""
        counts: dict[int, int] = {}
        for number in self.events:
            counts[number] = counts.get(number, 0) + 1
        most = max(counts.values(), default=0)
        return next((each for each in counts if counts[each] == most), None) if most > 1 else None


@dataclass(frozen=True)
class Build:
    """What a kernel needs, and how long it takes."""

    milliseconds: float | None = None
    """The median of some launches; None if it was not launched."""
    registers: int | None = None
    spills: int = 0
    """Bytes of registers that a thread writes to memory, and reads."""


@dataclass(frozen=True)
class Profile:
    """What the warps of some CTAs did, beside what was predicted."""

    kernel: str
    gpu: str
    """The architecture."""
    grid: tuple[int, int, int]
    origin: Origin
    events: Mapping[int, Event] = field(repr=False)
    tracks: tuple[Track, ...] = field(repr=False)
    predicted: tuple[Track, ...] = field(default=(), repr=False)
    """Of one CTA, by the model."""
    device: str = ""
    """The name of the GPU."""
    gigahertz: float = 0.0
    """The clock of the SMs while it ran, or that of the model."""
    plain: Build = Build()
    """The kernel without marks."""
    marked: Build = Build()
    note: str = ""
    prediction: str = ""
    """How long the launch should take, what binds it, and how far above that limit it is."""

    # What it says

    @property
    def ctas(self) -> list[int]:
        """The CTAs that were recorded."""
        return sorted({track.cta for track in self.tracks})

    @property
    def roles(self) -> list[str]:
        """What warps are for, in the order of the code."""
        return list(dict.fromkeys(track.role for track in self.tracks))

    @property
    def overhead(self) -> float | None:
        """How much longer the kernel takes with marks: 0.02 for 2%."""
        if not self.plain.milliseconds or self.marked.milliseconds is None:
            return None
        return self.marked.milliseconds / self.plain.milliseconds - 1

    def spans(self, track: Track) -> Iterator[Span]:
        """What a warp did; of a track without an end not the last event, which has none either."""
        ends = [*track.clocks[1:], track.end]
        if not track.is_complete:
            ends.pop()
        for number, start, end in zip(track.events, track.clocks, ends):
            yield Span(self.events[number], start, end)

    def summary(self) -> Summary:
        """The shares of time of each role, measured beside predicted."""
        from .summary import summarize

        return summarize(self)

    def picture(self, cta: int | None = None, start: int = 0, clocks: int | None = None) -> Picture:
        """
        What the warps of a CTA did over what was predicted, for some clocks; by default the first
        ones, with some iterations of the main loop.
        """
        from .picture import draw

        return draw(self, cta, start, clocks)

    def trace(self, path: str | Path) -> None:
        """Writes a trace that https://ui.perfetto.dev and chrome://tracing show."""
        from .trace import make_trace

        Path(path).write_text(json.dumps(make_trace(self)), encoding="utf-8")

    def describe(self) -> list[str]:
        """What it is of, and what it cost, in lines."""
        grid = "×".join(map(str, self.grid))
        where = {
            "GPU": f"measured on {self.device or 'a GPU'}",
            "CPU": "the order of events on the CPU, not times",
            "model": "predicted by the model, not measured",
        }[self.origin]
        lines = [f"{self.kernel} for {self.gpu}, grid {grid}: {where}"]
        if self.gigahertz and self.origin == "GPU":
            lines[0] += f" at {self.gigahertz:.2f} GHz"
        if self.overhead is not None and self.plain.milliseconds is not None:
            more = self.marked.spills - self.plain.spills
            lines.append(
                f"{self.plain.milliseconds:.4f} ms, with marks {self.marked.milliseconds:.4f} ms "
                f"({100 * self.overhead:+.1f}%)"
                + (f", {more} bytes more of spills" if more else "")
            )
        cut = [track for track in self.tracks if not track.is_complete]
        if cut:
            most = max(track.marks for track in cut)
            lines.append(
                f"{len(cut)} of {len(self.tracks)} tracks are cut off after {len(cut[0].events)} "
                f"marks of {most}: records={most} holds all"
            )
        if self.prediction:
            lines.append(self.prediction)
        if self.note:
            lines.append(self.note)
        return lines

    def __str__(self) -> str:
        parts = ["\n".join(self.describe())]
        if self.tracks:
            parts += [str(self.summary()), str(self.picture())]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        head = "<br>".join(map(escape, self.describe()))
        if not self.tracks:
            return f"<p>{head}</p>"
        shown = self.summary()._repr_html_()  # pyright: ignore[reportPrivateUsage]
        return f"<p>{head}</p>{shown}<div style='overflow-x:auto'>{self.picture().svg}</div>"

    # Files

    def to_json(self) -> str:
        """Text that `from_json` makes the same profile of; times are differences there."""
        data = {"format": FORMAT, "version": VERSION, **_plain(self)}
        data["events"] = {str(number): asdict(event) for number, event in self.events.items()}
        for name in ("tracks", "predicted"):
            data[name] = [_pack(track) for track in getattr(self, name)]
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Writes it to a file of JSON."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @staticmethod
    def from_json(text: str | bytes) -> Profile:
        """The inverse of `to_json`; `ProfileError` for what is no profile."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProfileError(f"the profile is no JSON: {error}") from None
        if not isinstance(data, dict) or cast("dict[str, Any]", data).get("format") != FORMAT:
            raise ProfileError("the file is no profile of tileiras-xdsl")
        found = cast("dict[str, Any]", data)
        if found.get("version") != VERSION:
            raise ProfileError(
                f"the profile has version {found.get('version')!r}, known is {VERSION}"
            )
        try:
            return _unpack_profile(found)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise ProfileError(f"the profile is malformed: {error!r}") from None

    @staticmethod
    def load(path: str | Path) -> Profile:
        """Reads what `save` wrote."""
        return Profile.from_json(Path(path).read_bytes())

    def keep(self, ctas: int, records: int | None = None) -> Profile:
        """A smaller profile: of the first CTAs, with the first records of each warp."""
        chosen = set(self.ctas[:ctas])
        return replace(
            self,
            tracks=tuple(_cut(track, records) for track in self.tracks if track.cta in chosen),
            predicted=tuple(_cut(track, records) for track in self.predicted),
        )

    def find_period(self, tracks: Sequence[Track] | None = None) -> float | None:
        """
        The clocks of an iteration of the main loop: the median between two of the waits that warps
        other than producers do most.
        """
        found: list[int] = []
        for track in self.tracks if tracks is None else tracks:
            if (number := track.find_beat()) is not None and track.role != "producer":
                times = [t for n, t in zip(track.events, track.clocks, strict=True) if n == number]
                found += [after - before for before, after in pairwise(times)]
        return median(found) if found else None


def _cut(track: Track, records: int | None) -> Track:
    return replace(track, events=track.events[:records], clocks=track.clocks[:records])


def _plain(profile: Profile) -> dict[str, Any]:
    return {
        "kernel": profile.kernel,
        "gpu": profile.gpu,
        "grid": list(profile.grid),
        "origin": profile.origin,
        "device": profile.device,
        "gigahertz": profile.gigahertz,
        "plain": asdict(profile.plain),
        "marked": asdict(profile.marked),
        "note": profile.note,
        "prediction": profile.prediction,
    }


def _pack(track: Track) -> dict[str, Any]:
    befores = (0, *track.clocks)
    steps = [time - before for time, before in zip(track.clocks, befores)]
    return {**asdict(track), "events": list(track.events), "clocks": steps}


def _unpack_profile(data: Mapping[str, Any]) -> Profile:
    events = {int(number): _unpack_event(event) for number, event in data["events"].items()}
    origin = data["origin"]
    if origin not in get_args(Origin):
        raise ValueError(f"'{origin}' is no origin")
    x, y, z = map(int, data["grid"])
    profile = Profile(
        kernel=str(data["kernel"]),
        gpu=str(data["gpu"]),
        grid=(x, y, z),
        origin=origin,
        events=events,
        tracks=tuple(map(_unpack, data["tracks"])),
        predicted=tuple(map(_unpack, data["predicted"])),
        device=str(data["device"]),
        gigahertz=float(data["gigahertz"]),
        plain=_unpack_build(data["plain"]),
        marked=_unpack_build(data["marked"]),
        note=str(data["note"]),
        prediction=str(data.get("prediction", "")),
    )
    for track in (*profile.tracks, *profile.predicted):
        if len(track.events) != len(track.clocks):
            raise ValueError("a track has events without times")
        for number in track.events:
            events[number]
    return profile


def _unpack_event(data: Mapping[str, Any]) -> Event:
    from tileiras_xdsl.dialects.nv_tileas.profiling import KINDS

    event = Event(**data)
    if not all(isinstance(text, str) for text in data.values()) or event.kind not in KINDS:
        raise ValueError(f"{event!r:.80} is no event")
    return event


def _unpack_build(data: Mapping[str, Any]) -> Build:
    time, registers = data["milliseconds"], data["registers"]
    return Build(
        None if time is None else float(time),
        None if registers is None else _integer(registers),
        _integer(data["spills"]),
    )


def _unpack(data: Mapping[str, Any]) -> Track:
    return Track(
        cta=_integer(data["cta"]),
        warp=_integer(data["warp"]),
        role=str(data["role"]),
        events=tuple(map(_integer, data["events"])),
        clocks=tuple(accumulate(map(_integer, data["clocks"]))),
        end=_integer(data["end"]),
        marks=_integer(data["marks"]),
        sm=None if data["sm"] is None else _integer(data["sm"]),
        begin_time=_integer(data["begin_time"]),
    )


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is no integer")
    return value
