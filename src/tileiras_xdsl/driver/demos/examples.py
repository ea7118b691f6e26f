"""
`tileiras_xdsl.examples`: programs to try, with a grid, arrays and what to expect.

    gemm = tx.examples["gemm"]
    args = gemm.make_args()
    tx.run(gemm, grid=gemm.grid, args=args)
    gemm.check(args)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Example:
    """
    A kernel written in cuTile, as bytecode, with what it takes to run it. It stands for its file
    wherever a program is asked for.
    """

    name: str
    description: str
    grid: tuple[int, ...]
    shapes: tuple[tuple[tuple[int, ...], str], ...]
    """Sizes and type of each array; the last one is written."""
    reference: Callable[..., Array]
    """What the kernel computes, of inputs in float64."""
    tolerance: float
    """How far results may be from that."""
    function: str = ""
    """What the kernel is called in its source, if not as the example."""

    @property
    def path(self) -> Path:
        """The file with its bytecode."""
        return Path(str(files("tileiras_xdsl.driver.demos") / f"{self.name}.tileirbc"))

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def program(self) -> bytes:
        """Its bytecode."""
        return self.path.read_bytes()

    @property
    def source(self) -> Path:
        """The file with the kernel as it was written."""
        return Path(str(files("tileiras_xdsl.driver.demos") / "kernels.py"))

    def make_args(self, seed: int = 0) -> list[Any]:
        """Arguments of the kernel: random arrays, and an output that is NaN, with their sizes."""
        rng = np.random.default_rng(seed)
        arrays: list[Array] = [
            rng.standard_normal(shape).astype(dtype) for shape, dtype in self.shapes[:-1]
        ]
        shape, dtype = self.shapes[-1]
        return flatten_arrays([*arrays, np.full(shape, np.nan, dtype)])

    def error(self, args: Sequence[Any]) -> float:
        """How far the result of a run is from what it should be, at most."""
        *inputs, output = (value for value in args if isinstance(value, np.ndarray))
        expected = self.reference(*(each.astype(np.float64) for each in inputs))
        return float(np.max(np.abs(output.astype(np.float64) - expected)))

    def check(self, args: Sequence[Any]) -> None:
        """`AssertionError` if the result of a run is not what it should be."""
        error = self.error(args)
        if not error <= self.tolerance:
            raise AssertionError(
                f"{self.name} is {error:.1e} from what it should be (at most {self.tolerance:.0e})"
            )

    def __str__(self) -> str:
        return f"{self.name:12} {self.description}"


def flatten_arrays(arrays: Sequence[Array]) -> list[Any]:
    """What cuTile passes for arrays: for each the pointer, sizes and strides."""
    flat: list[Any] = []
    for array in arrays:
        flat += [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]
    return flat


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _attention(q: Array, k: Array, v: Array) -> Array:
    return _softmax(q @ k.T / np.sqrt(q.shape[1])) @ v


class Examples(Mapping[str, Example]):
    """The examples by name; as a string, a table of them."""

    def __init__(self, examples: Sequence[Example]):
        self._examples = {each.name: each for each in examples}

    def __getitem__(self, name: str) -> Example:
        if name not in self._examples:
            close = get_close_matches(name, self._examples, 1)
            hint = f", did you mean '{close[0]}'?" if close else ""
            raise KeyError(f"there is no example '{name}'{hint} ({', '.join(self)})")
        return self._examples[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._examples)

    def __len__(self) -> int:
        return len(self._examples)

    def __repr__(self) -> str:
        return "\n".join(map(str, self._examples.values()))


examples = Examples(
    [
        Example(
            "vector_add",
            "the sum of two vectors",
            (2,),
            (((131072,), "float32"),) * 3,
            np.add,
            1e-6,
        ),
        Example(
            "softmax",
            "the softmax of rows that fit into a tile",
            (2,),
            (((32, 4096), "float32"),) * 2,
            _softmax,
            # Quotients of a few roundings.
            1e-6,
        ),
        Example(
            "matmul",
            "a matrix product whose rows may be unaligned: mma.sync",
            (2, 2),
            (((256, 256), "float16"), ((256, 256), "float16"), ((256, 256), "float32")),
            np.matmul,
            # Sums of 256 products of size about 1, in f32.
            1e-3,
        ),
        Example(
            "gemm",
            "a matrix product by TMA and WGMMA, warp-specialized",
            (2, 2),
            (((256, 256), "float16"),) * 3,
            np.matmul,
            # Results below 128 are rounded to f16: half an ulp is 1/32.
            0.032,
            function="matmul",
        ),
        Example(
            "attention",
            "attention of one head, by an online softmax",
            (4,),
            (((256, 64), "float16"),) * 4,
            _attention,
            # Weights and results of size up to 4 in f16.
            0.004,
        ),
    ]
)
