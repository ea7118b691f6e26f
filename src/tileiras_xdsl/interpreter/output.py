"""
What runs show: where kernels print to, standard output or what the thread that runs them says, and
a bar that shows how far a long run is.
"""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import is_float

from .elements import bit_width, widen
from .values import Value

Write: TypeAlias = Callable[[str], object]

_WRITE: ContextVar[Write | None] = ContextVar("_WRITE", default=None)


def get_writer() -> Write:
    """What prints text of the kernels that this thread runs."""
    return _WRITE.get() or sys.stdout.write


@contextmanager
def printing_to(write: Write) -> Generator[None]:
    """Kernels that this thread runs within it print by a function."""
    token = _WRITE.set(write)
    try:
        yield
    finally:
        _WRITE.reset(token)


WIDTH = 40
DELAY = 1.0
"""Seconds after which it appears, unless it was asked for."""
INTERVAL = 0.1


class ProgressBar:
    """
    Counts CTAs. Asked for or not, or by default on a terminal: then it appears when a run
    takes long.
    """

    def __init__(self, total: int, wanted: bool | None):
        self.total, self.done = total, 0
        self.enabled = sys.stderr.isatty() if wanted is None else wanted
        self._start = time.monotonic()
        self._next = self._start + (0.0 if wanted else DELAY)
        self._shown = False

    def advance(self, count: int = 1) -> None:
        """Some CTAs have been run."""
        self.done += count
        if self.enabled and (now := time.monotonic()) >= self._next:
            self._next = now + INTERVAL
            self._show(now)

    def finish(self) -> None:
        """Takes the bar away from a terminal, or ends its line."""
        if self._shown:
            self._show(time.monotonic())
            sys.stderr.write("\r\x1b[K" if sys.stderr.isatty() else "\n")
            sys.stderr.flush()

    def _show(self, now: float) -> None:
        self._shown = True
        filled = WIDTH * self.done // self.total
        left = (now - self._start) * (self.total - self.done) / max(self.done, 1)
        sys.stderr.write(
            f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {self.done}/{self.total} CTAs, "
            f"{left:.0f} s left "
        )
        sys.stderr.flush()


# What `print` writes: numbers as C's `printf` prints them, tiles as lists.
#
# A conversion that takes a tile writes the list of its elements, each of them converted, nested
# by dimension: `%d` writes `[[1, 2], [3, 4]]` for a tile of two rows. Numbers have the size of
# their element type, at least 32 bits as in C, whatever `h`, `l` or `ll` say; only `hh` and `h`
# cut them. What C leaves undefined, such as a float for `%d`, is converted first.

CONVERSION = re.compile(r"%(%|[^diuoxXeEfFgGaAcsSpn%]*[diuoxXeEfFgGaAcsSpn])")
PARTS = re.compile(
    r"(?P<flags>[-+ #0']*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<size>.*)(?P<kind>.)"
)
SIGNED, UNSIGNED, FLOATS, HEX_FLOATS = "di", "uoxX", "eEfFgG", "aA"
SIZES = {"hh": 8, "h": 16}
INT_BITS = 32
MANTISSA_DIGITS = 13
"""Hexadecimal digits of a float64 after the point."""


def format_values(fmt: str, values: Sequence[Value], elements: Sequence[Attribute]) -> str:
    """The text that `print` writes. As in C, a format ends at a NUL; nvcc writes one."""
    remaining = iter(zip(values, elements, strict=True))

    def replace(match: re.Match[str]) -> str:
        if match.group(1) == "%":
            return "%"
        value, element = next(remaining)
        conversion = Conversion.of(match.group(1), element)
        array = np.asarray(value)
        return _list(conversion, widen(array, element) if is_float(element) else array)

    return CONVERSION.sub(replace, fmt.partition("\0")[0])


def _list(conversion: Conversion, values: Value) -> str:
    if values.ndim == 0:
        return conversion.text(values.item())
    return f"[{', '.join(_list(conversion, np.asarray(part)) for part in values)}]"


@dataclass(frozen=True)
class Conversion:
    """A conversion of a format, and the bits of the integers it takes."""

    flags: str
    width: int
    precision: int | None
    kind: str
    bits: int

    @staticmethod
    def of(text: str, element: Attribute) -> Conversion:
        """Reads a conversion."""
        parts = PARTS.fullmatch(text)
        if parts is None:
            return Conversion("", 0, None, text[-1], 64)
        precision = parts["precision"]
        is_integer = isinstance(element, IntegerType)
        return Conversion(
            parts["flags"],
            int(parts["width"] or 0),
            None if precision is None else int(precision or 0),
            parts["kind"],
            SIZES.get(parts["size"], max(INT_BITS, bit_width(element) if is_integer else 64)),
        )

    def text(self, number: float | bool) -> str:
        """One number."""
        match self.kind:
            case kind if kind in SIGNED + UNSIGNED:
                return self._integer(_whole(number))
            case kind if kind in FLOATS + HEX_FLOATS:
                return self._float(float(number))
            case "c":
                return self._padded("", "", chr(_whole(number) & 0xFF), fills=False)
            case "p":
                return self._padded("", "", f"{_whole(number) % (1 << 64):#x}", fills=False)
            case "n":
                return ""
            case _:
                return self._padded("", "", str(number), fills=False)

    def _integer(self, number: int) -> str:
        number %= 1 << self.bits
        if self.kind in SIGNED:
            number -= (number >> (self.bits - 1)) << self.bits
        digits = format(abs(number), {"o": "o", "x": "x", "X": "X"}.get(self.kind, "d"))
        if self.precision is not None:
            digits = "" if self.precision == number == 0 else digits.rjust(self.precision, "0")
        prefix = ""
        if "#" in self.flags:
            if self.kind == "o" and not digits.startswith("0"):
                digits = f"0{digits}"
            elif self.kind in "xX" and number:
                prefix = f"0{self.kind}"
        sign = self._sign(number < 0) if self.kind in SIGNED else ""
        return self._padded(sign, prefix, digits, fills=self.precision is None)

    def _float(self, number: float) -> str:
        sign, magnitude = self._sign(math.copysign(1.0, number) < 0), abs(number)
        is_upper = self.kind.isupper()
        if not math.isfinite(number):
            word = "nan" if math.isnan(number) else "inf"
            return self._padded(sign, "", word.upper() if is_upper else word, fills=False)
        if self.kind in HEX_FLOATS:
            digits = self._hexadecimal(magnitude)
            return self._padded(sign, "0X" if is_upper else "0x", digits)
        alternate = "#" if "#" in self.flags else ""
        precision = 6 if self.precision is None else self.precision
        return self._padded(sign, "", f"%{alternate}.{precision}{self.kind}" % magnitude)

    def _hexadecimal(self, magnitude: float) -> str:
        """Digits and exponent of a float, without `0x`."""
        exponent = max(math.frexp(magnitude)[1] - 1, -1022) if magnitude else 0
        units = int(math.ldexp(magnitude, 4 * MANTISSA_DIGITS - exponent)) if magnitude else 0
        places = MANTISSA_DIGITS if self.precision is None else self.precision
        if places < MANTISSA_DIGITS:
            shift = 4 * (MANTISSA_DIGITS - places)
            half, rest = 1 << (shift - 1), units % (1 << shift)
            units >>= shift
            units += rest > half or (rest == half and units & 1)
        else:
            units <<= 4 * (places - MANTISSA_DIGITS)
        whole, behind = divmod(units, 1 << 4 * places)
        digits = format(behind, f"0{places}x") if places else ""
        if self.precision is None:
            digits = digits.rstrip("0")
        point = "." if digits or "#" in self.flags else ""
        text = f"{whole}{point}{digits}p{exponent:+d}"
        return text.upper() if self.kind.isupper() else text

    def _sign(self, is_negative: bool) -> str:
        if is_negative:
            return "-"
        return "+" if "+" in self.flags else " " if " " in self.flags else ""

    def _padded(self, sign: str, prefix: str, digits: str, *, fills: bool = True) -> str:
        """Brings a number to the width: on either side, or by zeros between sign and digits."""
        length = len(sign) + len(prefix) + len(digits)
        if "-" in self.flags:
            return f"{sign}{prefix}{digits}".ljust(self.width)
        if "0" in self.flags and fills:
            return f"{sign}{prefix}{'0' * (self.width - length)}{digits}"
        return f"{sign}{prefix}{digits}".rjust(self.width)


def _whole(number: float | bool) -> int:
    """An integer for what C expects to be one."""
    return int(number) if math.isfinite(number) else 0
