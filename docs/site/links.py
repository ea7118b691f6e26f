"""Links of Markdown pages: what they lead to, and the anchors that headings have."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

LINK: Final = re.compile(r"(?<!\\)(\]\()([^)\s]+)(\))")
_FENCE: Final = re.compile(r"^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(?:[^`\n]|\n(?!\n))+\1(?!`)")
_HEADING: Final = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$", re.MULTILINE)
_ID: Final = re.compile(r"""<\w+[^>]*\sid=["']([^"']+)["']""")
_WEB: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def slug(text: str, separator: str = "-") -> str:
    """The anchor of a heading, as GitHub makes it and MkDocs is told to."""
    plain = re.sub(r"<[^>]*>|[^\w\- ]", "", text.lower())
    return plain.strip().replace(" ", separator)


def without_code(text: str) -> str:
    """A page with blanks in place of code, so that what is left is where it was."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    return _CODE.sub(blank, _FENCE.sub(blank, text))


def anchors(text: str) -> set[str]:
    """What can be linked to in a page."""
    outside = _FENCE.sub("", text)
    found = {slug(_unlink(heading)) for heading in _HEADING.findall(outside)}
    return found | set(_ID.findall(outside))


def _unlink(heading: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)


def rewrite_links(text: str, change: Callable[[str], str]) -> str:
    """A page with other links; those in code are none."""
    outside = without_code(text)
    pieces: list[str] = []
    at = 0
    for match in LINK.finditer(outside):
        pieces += [text[at : match.start(2)], change(match[2])]
        at = match.end(2)
    return "".join((*pieces, text[at:]))


def links(text: str) -> list[str]:
    """The links of a page to others of the site."""
    found = [match[2] for match in LINK.finditer(without_code(text))]
    return [link for link in found if not is_external(link)]


def is_external(link: str) -> bool:
    """Whether a link leads elsewhere."""
    return _WEB.match(link) is not None


@dataclass(frozen=True)
class BrokenLink:
    """A link that leads nowhere."""

    page: str
    link: str

    def __str__(self) -> str:
        return f"{self.page}: {self.link}"


def broken_links(pages: dict[str, str], files: set[str]) -> Iterator[BrokenLink]:
    """
    The links of a site that lead nowhere: pages are texts by their paths, files the paths of all
    other things.
    """
    known = {path: anchors(text) for path, text in pages.items()}
    for path, text in pages.items():
        for link in links(text):
            name, _, fragment = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            target = target if name else path
            if target not in known and target not in files:
                yield BrokenLink(path, link)
            elif fragment and fragment not in known.get(target, ()):
                yield BrokenLink(path, link)
