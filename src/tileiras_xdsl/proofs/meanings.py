"""The meaning of all ops that have one, by their names."""

from __future__ import annotations

from . import accesses, floats, integers, machine, shapes

MODULES = (accesses, floats, integers, shapes)
"""The modules that say what ops mean."""

EVALUATORS = machine.EVALUATORS
