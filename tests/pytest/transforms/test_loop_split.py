"""What `loop-split` makes of programs that the verifier would not let through."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass

from ..harness.modules import parse_unverified
from ..harness.passes import applied


def run(text: str) -> tuple[ModuleOp, ModuleOp]:
    """The module of a text before and after the pass, neither of them verified."""
    module = parse_unverified(text)
    return module, applied(module, LoopSplitPass(), check="never")


@pytest.mark.parametrize("terminator", ["return", "break"])
def test_branches_that_leave_the_loop_stay(terminator: str):
    """A loop left early must not go on with its second half."""
    module, result = run(f"""
cuda_tile.module @m {{
  testing$func @f(%n: tile<i32>, %v: tile<i32>, %x: tile<i1>) {{
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {{
      %c = cmpi less_than %i, %v, signed : tile<i32> -> tile<i1>
      if %c {{
        {terminator}
      }}
      assert %x, "after" : tile<i1>
    }}
    return
  }}
}}
""")
    assert result.is_structurally_equivalent(module)


@pytest.mark.parametrize("attribute", ['"much"', "2.0 : f32"])
def test_attributes_other_than_integers_are_no_threshold(attribute: str):
    module, result = run(f"""
cuda_tile.module @m {{
  testing$func @f(%n: tile<i32>, %v: tile<i32>, %x: tile<i1>) {{
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {{
      %c = cmpi less_than %i, %v, signed : tile<i32> -> tile<i1>
      if %c {{
        assert %x, "then" : tile<i1>
      }} {{cuda_tile.loop_split = {attribute}}}
    }}
    return
  }}
}}
""")
    result.verify()
    assert not result.is_structurally_equivalent(module)
