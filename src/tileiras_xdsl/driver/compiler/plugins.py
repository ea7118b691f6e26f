"""
What xDSL, this package and plugins have together.

A plugin is an entry point `xdsl.universe` of a package. One that cannot be imported, or that has a
name which is taken, is left out with a warning; xDSL's own `get_multiverse` raises instead.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from tileiras_xdsl.xdsl_extras.usage import PluginWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from xdsl.universe import Universe

_GROUP: Final = "xdsl.universe"
_KINDS: Final = {"all_dialects": "dialect", "all_passes": "pass", "all_targets": "target"}
_WARNED: Final[dict[Any, Any]] = {}
"""Where Python keeps what it has warned of, as it does so once."""


def find_universe() -> Universe:
    """All dialects, passes and targets; a `PluginWarning` for each plugin that is left out."""
    from importlib.metadata import entry_points

    from xdsl.universe import XDSL_UNIVERSE, Universe

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    whole = Universe()
    _add(whole, XDSL_UNIVERSE)
    _add(whole, TILEIRAS_UNIVERSE)
    for plugin in sorted(entry_points(group=_GROUP), key=lambda each: each.name):
        try:
            found: object = plugin.load()
        except Exception as error:
            _leave_out(plugin, f"it cannot be imported: {locate_error(error)}")
            continue
        if found is XDSL_UNIVERSE or found is TILEIRAS_UNIVERSE:
            continue
        if not isinstance(found, Universe):
            _leave_out(plugin, f"'{plugin.value}' is no Universe of xDSL")
        elif taken := _find_taken(whole, found):
            _leave_out(plugin, f"{taken} is there already")
        else:
            _add(whole, found)
    return whole


def _add(whole: Universe, part: Universe) -> None:
    for kind in _KINDS:
        getattr(whole, kind).update(getattr(part, kind))


def _find_taken(whole: Universe, part: Universe) -> str:
    """The first name that both have, if there is one."""
    for kind, noun in _KINDS.items():
        for name in getattr(part, kind):
            if name in getattr(whole, kind):
                return f"the {noun} '{name}'"
    return ""


def _leave_out(plugin: EntryPoint, reason: str) -> None:
    owner = "" if plugin.dist is None else f" of the package {plugin.dist.name}"
    text = f"plugin '{plugin.name}'{owner} is left out: {reason}"
    warnings.warn_explicit(text, PluginWarning, plugin.module, 1, registry=_WARNED)


def locate_error(error: BaseException) -> str:
    """The line of code that raised an exception, and what it says."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename}:{frame.lineno}"
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"
