"""Small kernels, run at both levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)

from ..harness.passes import applied


def levels_of(text: str) -> list[ModuleOp]:
    """A module at level 0 and at level 1."""
    module = load(text)
    return [module, applied(module, ConvertCudaTileToTileaaPass(compute_capability="sm_90"))]


def kernel(body: str, parameters: str = "%a: tile<ptr<i32>>") -> str:
    """
    A kernel around a body, in which `%p` are pointers to four elements of `%a`, `%lanes` counts
    them, `%x` is the CTA, and `%t0` a token.
    """
    return f"""
    entry @k({parameters}) {{
      %lanes = iota : tile<4xi32>
      %one = constant <i32: 1> : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %ones = constant <i32: 1> : tile<4xi32>
      %x, %y, %z = get_tile_block_id : tile<i32>
      %row = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
      %all = broadcast %row : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %p = offset %all, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
      %t0 = make_token : token
      {body}
      return
    }}
    """


POINTERS = "tile<4xptr<i32>>"
TILE = "tile<4xi32>"


def load_of(name: str, token: str, pointers: str = "%p", how: str = "weak", line: int = 0) -> str:
    """`%name, %name_t = load`, after a token."""
    return (
        f"%{name}, %{name}_t = load_ptr_tko {how} {pointers} token={token} : {POINTERS} -> "
        f'{TILE}, token loc("k.py":{line}:1)\n'
    )


def use_of(name: str) -> str:
    """`%name_use` is computed of `%name`."""
    return f"%{name}_use = addi %{name}, %{name} : {TILE}\n"


def store_of(
    name: str,
    token: str,
    value: str = "%lanes",
    pointers: str = "%p",
    how: str = "weak",
    line: int = 0,
) -> str:
    """`%name_t = store`, after a token."""
    return (
        f"%{name}_t = store_ptr_tko {how} {pointers}, {value} token={token} : {POINTERS}, {TILE} "
        f'-> token loc("k.py":{line}:1)\n'
    )


def add_of(name: str, token: str, pointers: str = "%p", how: str = "relaxed device") -> str:
    """`%name, %name_t = atomic_rmw`, after a token."""
    return (
        f"%{name}, %{name}_t = atomic_rmw_tko {how} {pointers}, add, %ones token={token} : "
        f"{POINTERS}, {TILE} -> {TILE}, token\n"
    )


def moved(name: str, by: str) -> str:
    """`%name`, the pointers `%p` moved by a scalar."""
    return f"""
      %{name}_r = reshape {by} : tile<i32> -> tile<1xi32>
      %{name}_b = broadcast %{name}_r : tile<1xi32> -> tile<4xi32>
      %{name} = offset %p, %{name}_b : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    """


def outcome(module: ModuleOp, args: Sequence[Any], **options: Any) -> ExecutionError | None:
    """What is reported when a kernel is run, if anything is."""
    options.setdefault("grid", 1)
    try:
        run(module, args=args, **options)
    except ExecutionError as error:
        return error
    return None


def report(
    module: ModuleOp, args: Sequence[Any], check: Sequence[str] | bool = True, **options: Any
) -> ExecutionError:
    """What is reported; something must be."""
    error = outcome(module, args, check=check, **options)
    assert error is not None
    return error


def is_clean(
    module: ModuleOp, args: Sequence[Any], check: Sequence[str] | bool = True, **options: Any
) -> bool:
    """Whether nothing is reported."""
    return outcome(module, args, check=check, **options) is None
