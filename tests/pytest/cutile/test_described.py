"""Arguments of kernels as words of a command line."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl.cutile.described import parse_arguments
from tileiras_xdsl.frontend.cutile_kernels import Array, KernelError, array


def make_kernel(function: Any, *constants: str) -> Any:
    """As cuTile has it, as far as that is asked for."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    annotations = [SimpleNamespace(KIND="leaf", constant=name in constants) for name in names]
    annotated = SimpleNamespace(pyfunc=function, parameter_annotations=annotations)
    return SimpleNamespace(_annotated_function=annotated)


def kernel(a: Any, b: Any, factor: Any, tile: Any = 64) -> None: ...


KERNEL = make_kernel(kernel, "tile")


def test_arrays():
    a, b, *_ = parse_arguments("f16[4096, 64], bf16[64,128]:[1,64], 1", KERNEL)
    assert a == Array("float16", 2, (4096, 64), (64, 1))
    assert b == Array("bfloat16", 2, (64, 128), (1, 64))
    a, b, *_ = parse_arguments("f32[?,?], e4m3[?,128], 1", KERNEL)
    assert a == array("float32", 2)
    assert b == Array("float8_e4m3fn", 2, (None, 128), (None, 1), 16)


def test_numbers_and_names():
    assert parse_arguments("1, 2.5, tile=0x20, factor=true", KERNEL) == [1, 2.5, True, 32]
    assert parse_arguments("(1, (2.0, f32[16])), None, 'a, b'", KERNEL) == [
        (1, (2.0, Array("float32", 1, (16,), (1,)))),
        None,
        "a, b",
        64,
    ]
    typed = parse_arguments("i64(5), bf16, u8", KERNEL)
    assert [np.dtype(type(each)).name for each in typed[:3]] == ["int64", "bfloat16", "uint8"]
    assert typed[0] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f17[4], 1, 1", "parameter 'a': 'f17' is no type, did you mean 'f16'?"),
        ("1, f16[4,x], 1", "parameter 'b': 'x' is no size of an array"),
        ("1, f16[4,4]:[1], 1", "parameter 'b': an array of 2 dimensions has no 1 strides"),
        (
            "1, flot32, 1",
            "parameter 'b': 'flot32' is no array, type or number, did you mean 'float32'",
        ),
        ("1, (2, x), 1", r"parameter 'b[1]': 'x' is no array, type or number: "),
        ("1, , 1", "parameter 'b': nothing is given"),
        (
            "1, 2, 3, f32",
            "parameter 'tile' is a constant of the kernel: give its value, not a type",
        ),
        ("1, 2, 3, f32[1]", "parameter 'tile' is a constant of the kernel: give its value, not 'f"),
        ("1, 2", "--args says nothing about parameter 'factor' of kernel(a, b, factor, tile): "),
        (
            "1, 2, 3, 4, 5",
            "--args has 5 arguments, but kernel(a, b, factor, tile) takes 4: what is",
        ),
        ("1, 2, other=3", "kernel(a, b, factor, tile) has no parameter 'other'"),
        ("1, 2, a=3", "parameter 'a' of kernel(a, b, factor, tile) is given twice"),
        ("f16[4", "--args ends inside of brackets"),
        ("'f16", "--args ends inside of a text"),
    ],
)
def test_mistakes(text: str, message: str):
    with pytest.raises(KernelError) as error:
        parse_arguments(text, KERNEL)
    assert str(error.value).startswith(message)
