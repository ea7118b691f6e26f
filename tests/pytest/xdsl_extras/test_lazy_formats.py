"""Formats that are parsed late mean the same."""

from importlib.resources import files

from ..harness.commands import python

CODE = """
import sys
if sys.argv[1] == "lazy":
    from tileiras_xdsl.xdsl_extras.lazy_formats import use_lazy_formats
    use_lazy_formats()
from tileiras_xdsl.frontend import load
module = load(sys.argv[2])
assert ("xdsl.irdl.declarative_assembly_format_parser" in sys.modules) != (sys.argv[1] == "lazy")
print(load(str(module)))
"""


def test_bytecode_needs_no_formats_and_text_gets_the_same():
    program = str(files("tileiras_xdsl.demos") / "matmul.tileirbc")
    eager, lazy = (python("-c", CODE, how, program).out for how in ("eager", "lazy"))
    assert "cuda_tile.mmaf" in eager
    assert lazy == eager
