"""
Attributes of `nv_tileas`: copy and MMA atoms, memory spaces, and ignored hints.

    #nv_tileas.atom<ldgsts>      cp.async, from global to shared memory
    #nv_tileas.memory<shared>    where a buffer lies
    #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one CTA">
                                 a hint that is not followed, and why

Layouts, the encodings of tensors, are in `layout`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import VerificationContext, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.constraints import Kind

COPY_ATOMS = {
    "ldg": ("global", "register"),
    "stg": ("register", "global"),
    "lds": ("shared", "register"),
    "sts": ("register", "shared"),
    "ldsm": ("shared", "register"),
    "stsm": ("register", "shared"),
    "ldgsts": ("global", "shared"),
    "tma_load": ("global", "shared"),
    "tma_store": ("shared", "global"),
    "tma_redg": ("shared", "global"),
}
"""Instructions that copy, with the memory they read and the memory they write."""

ANY_COPY = "unknown_copy"
"""A copy whose instruction is chosen later."""

DOT_ATOMS = ("mma.sm80", "mma.sm90", "mma.sm100", "fma")

ATOMS = (*COPY_ATOMS, ANY_COPY, *DOT_ATOMS)

MEMORIES = ("register", "shared", "global", "tmem")

MEMORY_PAIRS = frozenset(
    {
        *(("global", "register"), ("global", "shared"), ("register", "global")),
        *(("register", "shared"), ("register", "tmem"), ("shared", "global")),
        *(("shared", "register"), ("shared", "tmem"), ("tmem", "register")),
        # A copy between registers moves data between threads or renames it.
        ("register", "register"),
    }
)
"""Which memory can be copied to which."""


def _parse_word(parser: AttrParser, what: str, words: tuple[str, ...]) -> str:
    with parser.in_angle_brackets():
        position = parser.pos
        word = parser.parse_identifier(f", the {what},")
        if word not in words:
            parser.raise_error(
                f"unknown {what} '{word}' (expected one of {', '.join(words)})", position
            )
    return word


@irdl_attr_definition
class AtomAttr(Data[str]):
    """The copy or MMA instruction that an op is lowered to: `#nv_tileas.atom<mma.sm80>`."""

    name = "nv_tileas.atom"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return _parse_word(parser, "atom", ATOMS)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class MemoryAttr(Data[str]):
    """A kind of memory: `#nv_tileas.memory<shared>`."""

    name = "nv_tileas.memory"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return _parse_word(parser, "memory", MEMORIES)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@dataclass(frozen=True)
class Atom(Kind[AtomAttr]):
    """An atom that an op can be lowered to."""

    kinds: tuple[str, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, AtomAttr) or attr.data not in self.kinds:
            raise VerifyException(
                f"unsupported atom: {attr} (expected one of {', '.join(self.kinds)})"
            )


LOAD_ATOM = Atom(("ldg", "ldgsts", "tma_load", ANY_COPY))
STORE_ATOM = Atom(("stg", "tma_store", ANY_COPY))
UPDATE_ATOM = Atom(("tma_redg", ANY_COPY))
COPY_ATOM = Atom((*COPY_ATOMS, ANY_COPY))
DOT_ATOM = Atom(DOT_ATOMS)

_MEMORY_OF_ENCODING = {
    "nv_tileas.layout": "register",
    "nv_tileas.shared": "shared",
    "nv_tileas.tensor_memory": "tmem",
}


def get_memory(ty: Attribute) -> str | None:
    """The memory that a layout puts a tensor into; `None` if it has no layout."""
    encoding = ty.encoding if isinstance(ty, TensorType) else None
    return None if encoding is None else _MEMORY_OF_ENCODING.get(encoding.name)
