"""
Notebooks as pages. What cells show is put into the finished page, at the place of an empty element:
Markdown would change it. A report is a page of its own, in a frame.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any, Final

_FRAME: Final = re.compile(
    r'<iframe class="tileiras-report"[^>]*?\ssrcdoc="([^"]*)"[^>]*></iframe>'
)
_FOLDED: Final = '<details markdown="1"><summary>Solution</summary>'
_PLACE: Final = re.compile(r'<div data-fragment="(\d+)"></div>')


@dataclass
class Fragments:
    """What is put into finished pages."""

    texts: list[str] = field(default_factory=list[str])
    reports: dict[str, str] = field(default_factory=dict[str, str])
    """Pages of their own, by their names in the folder `reports`."""

    def add(self, text: str) -> str:
        """The element that stands for a text."""
        self.texts.append(text)
        return f'<div data-fragment="{len(self.texts) - 1}"></div>'

    def fill(self, page: str) -> str:
        """A finished page with the texts."""
        return _PLACE.sub(lambda match: self.texts[int(match[1])], page)


def to_markdown(name: str, notebook: dict[str, Any], fragments: Fragments) -> str:
    """The page of a notebook."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        shown = [fragments.add(_show(name, each, fragments)) for each in cell.get("outputs", ())]
        code = [f"```python\n{source}\n```", *shown]
        is_solution = "solution" in cell.get("metadata", {}).get("tags", ())
        parts += [_FOLDED, *code, "</details>"] if is_solution else code
    return "\n\n".join(parts) + "\n"


def _show(name: str, output: dict[str, Any], fragments: Fragments) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "image/svg+xml" in data:
        shown = "".join(data["image/svg+xml"])
    elif "text/html" in data:
        shown = _FRAME.sub(lambda match: _frame(name, match, fragments), "".join(data["text/html"]))
    else:
        shown = f"<pre>{html.escape(''.join(data['text/plain']), quote=False)}</pre>"
    return f'<div class="output">{shown}</div>'


def _frame(name: str, match: re.Match[str], fragments: Fragments) -> str:
    file = f"{name}-{len(fragments.reports)}.html"
    fragments.reports[file] = html.unescape(match[1])
    return make_frame(f"../reports/{file}", f"report of {name}")


def make_frame(path: str, title: str) -> str:
    """A report in a page, and a link to it alone."""
    title = html.escape(title)
    return (
        f'<iframe class="report" src="{path}" title="{title}" loading="lazy"></iframe>'
        f'<p><a href="{path}" target="_blank">{title}, in a page of its own</a></p>'
    )
