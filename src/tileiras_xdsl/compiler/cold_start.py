"""
What a process does before it imports the compiler, to compile one program and end, or many.

A cold start is imports for the most part, and imports are classes for the most part: dataclasses,
and ops with their definitions. A program needs few of them whole.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import SimpleNamespace
from typing import Any, NoReturn


def prepare() -> None:
    """
    Makes the imports that follow short, for the whole process. For commands only: mistakes in the
    definition of an op are found when it is used, and docstrings lack signatures.
    """
    from .code_cache import use_code_cache

    use_code_cache()
    leave_out_signatures()
    from tileiras_xdsl.xdsl_extras.lazy_definitions import use_lazy_definitions
    from tileiras_xdsl.xdsl_extras.lazy_formats import use_lazy_formats
    from tileiras_xdsl.xdsl_extras.quick_ir import use_quick_ir

    use_quick_ir()
    use_lazy_formats()
    use_lazy_definitions()


def leave_out_signatures() -> None:
    """
    Dataclasses that have no docstring get one with the signature of the class, which takes as long
    as the rest of them. Python does without where there is no signature, so here there is none.
    """

    def signature(*_: Any, **__: Any) -> NoReturn:
        raise ValueError("not for docstrings")

    if dataclasses.__dict__.get("inspect") is inspect:
        dataclasses.__dict__["inspect"] = SimpleNamespace(
            **{**vars(inspect), "signature": signature}
        )


def import_compiler() -> None:
    """
    Imports what compilations need, for processes that run many of them: unlike `prepare`, all ops
    are defined at once. Before any dialect is imported.
    """
    from importlib import import_module

    from .code_cache import save_code_cache, use_code_cache

    use_code_cache()
    from tileiras_xdsl.xdsl_extras.lazy_formats import use_lazy_formats
    from tileiras_xdsl.xdsl_extras.quick_ir import use_quick_ir

    use_quick_ir()
    use_lazy_formats()
    for name in ("nvptx", "ptxas", "entries", "translate", "worker"):
        import_module(f"tileiras_xdsl.backend.{name}")

    from tileiras_xdsl.pipeline import PIPELINE, make_pass

    from .options import Options

    options = Options("sm_90")
    for step in PIPELINE:
        make_pass(step, options.arch, options.abi)
    save_code_cache()
