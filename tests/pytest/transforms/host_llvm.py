"""Functions of `llvm`, translated to LLVM IR and run on this machine."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass

from ..harness.modules import parse
from ..harness.passes import apply

binding: Any = import_module("llvmlite.binding")  # It has no types.


def convert(text: str) -> ModuleOp:
    """What `convert-to-llvm` makes of a text."""
    return apply(parse(text), ConvertToLlvmPass())


@cache
def _initialize() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


class HostModule:
    """Functions that take addresses, and numbers of 64 bits."""

    def __init__(self, module: ModuleOp):
        _initialize()
        text = translate_module(module, NvptxTarget.parse("sm_90"))
        lines = [line for line in text.splitlines() if not line.startswith("target ")]
        compiled = binding.parse_assembly("\n".join(lines))
        compiled.verify()
        machine = binding.Target.from_default_triple().create_target_machine()
        self._engine = binding.create_mcjit_compiler(compiled, machine)
        self._engine.finalize_object()

    def get(self, name: str) -> Callable[..., None]:
        """A function by name; arrays are passed by address."""
        address: int = self._engine.get_function_address(name)
        assert address, name
        # The method keeps the code alive.
        return partial(self._call, address)

    def _call(self, address: int, *arguments: np.ndarray[Any, Any] | int) -> None:
        values = [
            argument.ctypes.data if isinstance(argument, np.ndarray) else argument
            for argument in arguments
        ]
        ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(values))(address)(*values)
