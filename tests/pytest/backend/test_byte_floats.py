"""Bytes as floats, by their place in a large number: what the instructions compute of all bytes."""

import re

import numpy as np
import pytest

from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.interpreter.threads.vectors import run_prmt

from .translate_cases import Case, build

TYPES = {"f32": np.float32, "f16": np.float16}


@pytest.mark.parametrize("word", ["sitofp", "uitofp"])
@pytest.mark.parametrize("name", TYPES)
def test_bytes_become_floats(word: str, name: str):
    text = f"%0 = llvm.{word} %v4i8 : vector<4xi8> to vector<4x{name}>"
    code = translate_module(build([Case(text, (), "sm_80")]), NvptxTarget.parse("sm_80"))
    assert f" {word} " not in code
    flips = [int(each) for each in re.findall(r"xor i32 %\w+, (-?\d+)", code)]
    assert len(flips) == (word == "sitofp")
    taken = {
        float(each) for each in re.findall(r"fsub [^,]*?(?:%\w+), <?(?:half )?([\d.e+]+)", code)
    }
    (number,) = taken
    numbers = np.arange(256, dtype=np.uint8)
    words = numbers.view(np.int32) ^ np.int32(sum(flips))
    found: list[np.ndarray] = []
    for upper, selector in re.findall(r"prmt\(i32 %\w+, i32 (\d+), i32 (\d+)\)", code):
        bits = run_prmt(words, np.array(int(upper), np.int32), np.array(int(selector), np.int32))
        found.append(bits.view(TYPES[name]).reshape(64, -1) - TYPES[name](number))
    expected = numbers.view(np.int8 if word == "sitofp" else np.uint8)
    np.testing.assert_array_equal(np.concatenate(found, 1).ravel(), expected.astype(TYPES[name]))
