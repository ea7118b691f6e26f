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
from html import escape
from itertools import accumulate, compress, pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from tileiras_xdsl.inspection.profiling import ProfileError

if TYPE_CHECKING:
    from tileiras_xdsl.inspection.visual.picture import Picture


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
        data = {"format": FORMAT, "version": VERSION, **vars(self)}
        data["events"] = {str(number): asdict(event) for number, event in self.events.items()}
        for name in ("plain", "marked"):
            data[name] = asdict(getattr(self, name))
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


# Shares of time, by role and activity.


HEAD: Final = ("role", "activity", "share", "predicted", "clocks", "predicted")
"""Clocks are those of one occurrence."""
PREDICTED: Final = "predicted"
"""Columns that are left off if nothing was predicted beside what was recorded."""


@dataclass(frozen=True)
class Part:
    """How long warps of a role take for an activity."""

    share: float
    """Of their time."""
    clocks: float
    """The median."""
    count: int


@dataclass(frozen=True)
class Row:
    """An activity of a role; None where it was not recorded, or not predicted."""

    role: str
    activity: str
    kind: str
    measured: Part | None
    predicted: Part | None

    def cells(self) -> tuple[str, ...]:
        shares = (_percent(part) for part in (self.measured, self.predicted))
        clocks = (_clocks(part) for part in (self.measured, self.predicted))
        return (self.role, self.activity, *shares, *clocks)


@dataclass(frozen=True)
class Summary:
    """The shares of time of each role, measured beside predicted."""

    rows: Sequence[Row]
    period: float | None
    """The clocks of an iteration of the main loop."""
    predicted_period: float | None

    def share(self, role: str, kind: str) -> float:
        """How much of their time warps of a role spend on a kind of activity: `"wait"`."""
        return sum(
            row.measured.share
            for row in self.rows
            if row.role == role and row.kind == kind and row.measured is not None
        )

    def _table(self) -> list[list[str]]:
        """The head, and the cells of rows."""
        compares = any(row.predicted is not None for row in self.rows)
        kept = [compares or name != PREDICTED for name in HEAD]
        return [list(compress(row, kept)) for row in (HEAD, *(row.cells() for row in self.rows))]

    def __str__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if number < 2 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]
        return "\n".join([*lines, *self._period()])

    def __repr__(self) -> str:
        return str(self)

    def _period(self) -> list[str]:
        if self.period is None:
            return []
        text = f"an iteration of the main loop takes {self.period:.0f} clocks"
        if self.predicted_period is not None:
            text += f", predicted {self.predicted_period:.0f}"
        return [text]

    def _repr_html_(self) -> str:
        names, *rows = self._table()
        head = "".join(f"<th>{cell}</th>" for cell in names)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return table + "".join(f"<p>{line}</p>" for line in self._period())


def _percent(part: Part | None) -> str:
    return "-" if part is None else f"{100 * part.share:.1f}%"


def _clocks(part: Part | None) -> str:
    return "-" if part is None else f"{part.clocks:.0f}"


def summarize(profile: Profile) -> Summary:
    """The shares of all tracks of each role together."""
    rows: list[Row] = []
    for role in profile.roles:
        measured, predicted = (
            _parts(profile, [track for track in tracks if track.role == role])
            for tracks in (profile.tracks, profile.predicted)
        )
        for key in dict.fromkeys((*measured, *predicted)):
            kind, activity = key
            rows.append(Row(role, activity, kind, measured.get(key), predicted.get(key)))
    predicted_period = profile.find_period(profile.predicted) if profile.predicted else None
    return Summary(rows, profile.find_period(), predicted_period)


def _parts(profile: Profile, tracks: Sequence[Track]) -> dict[tuple[str, str], Part]:
    spans: dict[tuple[str, str], list[Span]] = {}
    for track in tracks:
        for span in profile.spans(track):
            if span.event.kind != "end":
                spans.setdefault((span.event.kind, span.event.name), []).append(span)
    total = sum(span.clocks for each in spans.values() for span in each)
    return {
        key: Part(
            sum(span.clocks for span in each) / max(1, total),
            median(span.clocks for span in each),
            len(each),
        )
        for key, each in spans.items()
    }


# Traces in the format of Chrome, which Perfetto reads as well: a process for each CTA, and one for
# what was predicted; a thread for each warp.


COLOURS: Final = {
    "start": "grey",
    "wait": "terrible",
    "load": "thread_state_iowait",
    "mma": "good",
    "compute": "thread_state_running",
    "store": "vsync_highlight_color",
}
"""What Chrome calls the colours of kinds of events."""

PREDICTED_PROCESS: Final = 1_000_000
"""The number of the process of what was predicted."""


def make_trace(profile: Profile) -> dict[str, Any]:
    """What a trace file has, as dictionaries and lists."""
    gigahertz = profile.gigahertz or 1.0
    times = [track.begin_time for track in profile.tracks if track.begin_time]
    first = min(times, default=0)
    events: list[dict[str, Any]] = []
    for cta in profile.ctas:
        tracks = [track for track in profile.tracks if track.cta == cta]
        sm = "" if tracks[0].sm is None else f" on SM {tracks[0].sm}"
        events += _process(cta, f"CTA {cta}{sm}", tracks)
        # Clocks of an SM are exact, the timer of the GPU tells when they began.
        begin = tracks[0].begin_time - first if tracks[0].begin_time else 0
        start = begin - tracks[0].clocks[0] / gigahertz if tracks[0].clocks else begin
        for track in tracks:
            events += _spans(profile, track, cta, start / 1000, gigahertz)
    if profile.predicted:
        events += _process(PREDICTED_PROCESS, "predicted", profile.predicted)
        for track in profile.predicted:
            events += _spans(profile, track, PREDICTED_PROCESS, 0.0, gigahertz)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"title": "; ".join(profile.describe())},
    }


def _process(number: int, name: str, tracks: Sequence[Track]) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}}
    for track in tracks:
        label = f"{track.role}, warp {track.warp}"
        place = {"pid": number, "tid": track.warp}
        yield {"ph": "M", "name": "thread_name", **place, "args": {"name": label}}


def _spans(
    profile: Profile, track: Track, process: int, start: float, gigahertz: float
) -> Iterator[dict[str, Any]]:
    """Complete events, in microseconds."""
    scale = 1 / (1000 * gigahertz)
    for span in profile.spans(track):
        if span.event.kind != "end":
            yield {
                "ph": "X",
                "name": span.event.name,
                "cat": span.event.kind,
                "cname": COLOURS[span.event.kind],
                "pid": process,
                "tid": track.warp,
                "ts": start + span.start * scale,
                "dur": span.clocks * scale,
                "args": {"clocks": span.clocks, "place": span.event.place},
            }
