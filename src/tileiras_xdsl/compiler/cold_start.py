"""
What a process does before it imports the compiler, to compile one program and end, or many.

A cold start is imports for the most part, and imports are classes for the most part: dataclasses,
and ops with their definitions. A program needs few of them whole.
"""

from __future__ import annotations

import abc
import dataclasses
import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field
from threading import get_ident
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
    use_plain_functions()
    # Each before what the next imports.
    from tileiras_xdsl.xdsl_extras.lazy_definitions import use_lazy_definitions

    use_lazy_definitions()
    from tileiras_xdsl.xdsl_extras.quick_ir import use_quick_ir

    use_quick_ir()
    from tileiras_xdsl.xdsl_extras.lazy_formats import use_lazy_formats

    use_lazy_formats()


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


def use_plain_functions() -> None:
    """
    `dataclass` writes source for `__repr__`, and for `__setattr__` and `__delattr__` of frozen
    classes. Functions that do the same without are made at once. To find out whether a field is
    one, it matches the text of its type with a pattern; here, only text that could say otherwise.
    And it looks for abstract methods among all that a class has; one that has none gets none.
    """
    module = dataclasses.__dict__
    if module.get("_repr_fn") is None or module.get("_is_type") is None:
        return
    module["_repr_fn"] = _make_repr
    if module.get("_frozen_get_del_attr") is not None:
        module["_frozen_get_del_attr"] = _make_frozen
    match_type = module["_is_type"]

    def is_type(annotation: str, cls: type, *rest: Any) -> bool:
        return ("Var" in annotation or "KW_ONLY" in annotation) and match_type(
            annotation, cls, *rest
        )

    module["_is_type"] = is_type
    look_for_abstract: Callable[[type[Any]], type[Any]] = abc.update_abstractmethods

    def update_abstractmethods(cls: type[Any]) -> type[Any]:
        return look_for_abstract(cls) if getattr(cls, "__abstractmethods__", True) else cls

    module["abc"] = SimpleNamespace(
        **{**vars(abc), "update_abstractmethods": update_abstractmethods}
    )


def _make_repr(fields: Sequence[Field[Any]], _: Any) -> Callable[[Any], str]:
    names = [field.name for field in fields]
    running: set[tuple[int, int]] = set()

    def __repr__(self: Any) -> str:
        key = id(self), get_ident()
        if key in running:
            return "..."
        running.add(key)
        try:
            values = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        finally:
            running.discard(key)
        return f"{self.__class__.__qualname__}({values})"

    return __repr__


def _make_frozen(
    cls: type, fields: Sequence[Field[Any]], _: Any
) -> tuple[Callable[[Any, str, Any], None], Callable[[Any, str], None]]:
    names = frozenset(field.name for field in fields)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


def import_compiler() -> None:
    """
    Imports what compilations need, for processes that run many of them: unlike `prepare`, all ops
    are defined at once. Before any dialect is imported.
    """
    from importlib import import_module

    from .module_cache import save_module_cache, use_module_cache

    use_module_cache()
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
    save_module_cache()
