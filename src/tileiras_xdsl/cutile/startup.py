"""
What the environment says about cuTile in programs that say nothing themselves.

    TILEIRAS_XDSL_CUTILE=1                  use()
    TILEIRAS_XDSL_CUTILE=matmul,softmax     use(only=["matmul", "softmax"])
    TILEIRAS_XDSL_CUTILE_LAUNCHER=1         with launcher=True
    TILEIRAS_XDSL_CUTILE_DEVICE=cpu         with device="cpu"

The wheel has a file `tileiras_xdsl_cutile.pth` with one line, which Python runs at its start: if
the first variable is set, it imports this module and calls `install`. Nothing else happens before
the program imports `cuda.tile`.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from tileiras_xdsl.frontend.uses import find_names, is_on

VARIABLE: Final = "TILEIRAS_XDSL_CUTILE"
LAUNCHER_VARIABLE: Final = "TILEIRAS_XDSL_CUTILE_LAUNCHER"
DEVICE_VARIABLE: Final = "TILEIRAS_XDSL_CUTILE_DEVICE"
_PACKAGE: Final = "cuda.tile"


class Waiting:
    """Waits, as a finder of `sys.meta_path`, for `cuda.tile` to be imported, and then acts."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that others find, with a loader that calls `use` when it is done."""
        if name != _PACKAGE:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec: Any = find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_use(module: Any) -> None:
                load(module)
                use_as_told(os.environ)

            spec.loader.exec_module = load_and_use
        return spec


def install() -> None:
    """Has `use` called as the environment says, as soon as the program imports `cuda.tile`."""
    if not is_on(os.environ, VARIABLE):
        return
    if _PACKAGE in sys.modules:
        use_as_told(os.environ)
    elif not any(isinstance(finder, Waiting) for finder in sys.meta_path):
        # Python may run the line more than once: a folder can be a site folder by several ways.
        sys.meta_path.insert(0, Waiting())


def use_as_told(environment: Mapping[str, str]) -> None:
    """Calls `use` as an environment says."""
    from tileiras_xdsl.cutile.redirect import use

    if not is_on(environment, VARIABLE):
        return
    launcher = is_on(environment, LAUNCHER_VARIABLE)
    device: Any = environment.get(DEVICE_VARIABLE) or None
    use(find_names(environment, VARIABLE), launcher=launcher, device=device)
    if not launcher and device is None:
        explain_missing_driver()


def explain_missing_driver() -> None:
    """
    Where there is no driver, has launches say so, and what runs kernels without one, before cuTile
    fails to load it.
    """
    from tileiras_xdsl.backend.driver import load_library
    from tileiras_xdsl.backend.errors import MissingToolError

    try:
        load_library()
    except MissingToolError:
        package: Any = import_module(_PACKAGE)
        theirs = package.launch

        @functools.wraps(theirs)
        def launch(*args: Any, **kwargs: Any) -> Any:
            try:
                load_library()
            except MissingToolError as error:
                raise error.with_traceback(None) from None
            return theirs(*args, **kwargs)

        package.launch = launch
