"""
Transfers and masked accesses of `vector`, run on this machine and compared with Python. What has a
predicate on a GPU is an access of other memory here where the predicate is false.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pytest
from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, FragmentStoreOp, count_lanes

from .host_llvm import HostModule, convert

ROWS, COLUMNS = 6, 5
PADDING = -7


def lane(builder: Builder, value: SSAValue, number: int) -> SSAValue:
    """An element of a vector."""
    index = builder.insert(llvm.ConstantOp(IntegerAttr(number, i64), i64)).result
    return builder.insert(own_llvm.ExtractElementOp(value, index)).res


def without_predicates(module: ModuleOp) -> ModuleOp:
    """The module with accesses of the last argument instead of those that are masked."""
    for op in list(module.walk()):
        if not isinstance(op, FragmentLoadOp | FragmentStoreOp):
            continue
        block = op.parent
        assert block is not None
        assert op.mask is not None
        builder = Builder(InsertPoint.before(op))
        value = op.other if isinstance(op, FragmentLoadOp) else op.value
        assert value is not None
        for number in range(count_lanes(op.addresses.type)):
            mask = lane(builder, op.mask, number)
            address = lane(builder, op.addresses, number)
            select = own_llvm.SelectOp(mask, address, block.args[-1])
            address = builder.insert(select).res
            element = lane(builder, value, number)
            if isinstance(op, FragmentStoreOp):
                builder.insert(own_llvm.StoreOp(element, address))
                continue
            loaded = builder.insert(own_llvm.LoadOp(address, element.type)).results[0]
            element = builder.insert(own_llvm.SelectOp(mask, loaded, element)).res
            index = builder.insert(llvm.ConstantOp(IntegerAttr(number, i64), i64)).result
            value = builder.insert(llvm.InsertElementOp(value, element, index)).res
        if isinstance(op, FragmentLoadOp):
            op.result.replace_all_uses_with(value)
        op.detach()
        op.erase()
    module.verify()
    return module


@dataclass(frozen=True)
class Case:
    """A transfer of a vector from or to a matrix."""

    shape: tuple[int, ...]
    axes: tuple[int | None, ...]
    """For each dimension of the vector that of the matrix, unless it repeats elements."""
    in_bounds: tuple[bool, ...]
    masked: bool = False

    @property
    def used(self) -> list[int]:
        """The dimensions of the vector in the order of those of the matrix."""
        axes = [(axis, number) for number, axis in enumerate(self.axes) if axis is not None]
        return [number for _, number in sorted(axes)]

    @property
    def attributes(self) -> str:
        results = ", ".join("0" if axis is None else f"d{axis}" for axis in self.axes)
        in_bounds = ", ".join(str(each).lower() for each in self.in_bounds)
        return (
            f"{{in_bounds = [{in_bounds}], permutation_map = affine_map<(d0, d1) -> ({results})>}}"
        )

    def write(self) -> str:
        """Functions that read and write such a vector."""
        shape = "x".join(map(str, self.shape))
        mask_shape = "x".join(str(self.shape[number]) for number in self.used)
        count, mask_count = prod(self.shape), prod(self.shape[number] for number in self.used)
        mask = ", %mask" if self.masked else ""
        prologue = f"""
          %c0 = arith.constant 0 : index
          %padding = arith.constant {PADDING} : i32
          %zero = arith.constant dense<0> : vector<{mask_count}xi32>
          %bits = vector.load %k[%c0] : memref<{mask_count}xi32>, vector<{mask_count}xi32>
          %flat = arith.cmpi ne, %bits, %zero : vector<{mask_count}xi32>
          %mask = vector.shape_cast %flat : vector<{mask_count}xi1> to vector<{mask_shape}xi1>
        """
        arguments = (
            f"%m: memref<{ROWS}x{COLUMNS}xi32>, %z: memref<{count}xi32>, "
            f"%k: memref<{mask_count}xi32>, %i: index, %j: index, %elsewhere: memref<1xi32>"
        )
        write = (
            ""
            if None in self.axes
            else (
                f"func.func @write({arguments}) {{{prologue}"
                f"%f = vector.load %z[%c0] : memref<{count}xi32>, vector<{count}xi32>\n"
                f"%v = vector.shape_cast %f : vector<{count}xi32> to vector<{shape}xi32>\n"
                f"vector.transfer_write %v, %m[%i, %j]{mask} {self.attributes} : "
                f"vector<{shape}xi32>, memref<{ROWS}x{COLUMNS}xi32>\nfunc.return\n}}\n"
            )
        )
        return (
            f"{write}func.func @read({arguments}) {{{prologue}"
            f"%v = vector.transfer_read %m[%i, %j], %padding{mask} {self.attributes} : "
            f"memref<{ROWS}x{COLUMNS}xi32>, vector<{shape}xi32>\n"
            f"%f = vector.shape_cast %v : vector<{shape}xi32> to vector<{count}xi32>\n"
            f"vector.store %f, %z[%c0] : memref<{count}xi32>, vector<{count}xi32>\n"
            "func.return\n}\n"
        )

    def places(self, start: tuple[int, int], mask: list[int]) -> list[tuple[int, int] | None]:
        """For each element of the vector, its place in the matrix, if it has one."""
        strides = [
            prod(self.shape[other] for other in self.used[position + 1 :])
            for position in range(len(self.used))
        ]
        places: list[tuple[int, int] | None] = []
        for indices in product(*map(range, self.shape)):
            place = list(start)
            for index, axis in zip(indices, self.axes, strict=True):
                if axis is not None:
                    place[axis] += index
            number = sum(
                indices[dimension] * stride
                for dimension, stride in zip(self.used, strides, strict=True)
            )
            is_there = place[0] < ROWS and place[1] < COLUMNS
            is_there &= not self.masked or bool(mask[number])
            places.append((place[0], place[1]) if is_there else None)
        return places


CASES = [
    Case((4,), (1,), (True,)),
    Case((4,), (1,), (False,)),
    Case((3,), (0,), (True,)),
    Case((3,), (0,), (False,)),
    Case((2, 3), (0, 1), (True, True)),
    Case((2, 3), (0, 1), (False, False)),
    Case((2, 3), (1, 0), (True, True)),
    Case((2, 3), (1, 0), (False, True)),
    Case((2, 3), (1, 0), (False, False), masked=True),
    Case((2, 3), (0, 1), (True, True), masked=True),
    Case((4,), (1,), (False,), masked=True),
    Case((2, 4), (None, 1), (True, True)),
    Case((2, 4), (None, 1), (True, False)),
    Case((3, 2), (0, None), (False, True), masked=True),
]


@pytest.mark.every(3)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_transfers_move_the_same_elements(case: Case):
    host = HostModule(without_predicates(convert(case.write())))
    generator = np.random.default_rng(len(str(case)))
    # What is said to be in bounds is.
    safe = {axis for axis, is_safe in zip(case.axes, case.in_bounds, strict=True) if is_safe}
    for row, column in ((0, 1), (4, 3), (5, 4)):
        start = (0 if 0 in safe else row, 0 if 1 in safe else column)
        matrix = generator.integers(0, 1000, (ROWS, COLUMNS)).astype(np.int32)
        mask = generator.integers(0, 2, prod(case.shape)).astype(np.int32)
        elsewhere = np.zeros(1, np.int32)
        places = case.places(start, mask.tolist())
        result = np.zeros(prod(case.shape), np.int32)
        host.get("read")(matrix, result, mask, *start, elsewhere)
        wanted = [PADDING if place is None else matrix[place] for place in places]
        np.testing.assert_array_equal(result, wanted)
        if None in case.axes:
            continue
        values = generator.integers(1000, 2000, prod(case.shape)).astype(np.int32)
        expected = matrix.copy()
        for place, value in zip(places, values, strict=True):
            if place is not None:
                expected[place] = value
        host.get("write")(matrix, values, mask, *start, elsewhere)
        np.testing.assert_array_equal(matrix, expected)


def test_masked_accesses_and_copies():
    text = """
func.func @f(%m: memref<3x4xi32>, %n: memref<3x2xi32, strided<[4, 1]>>, %c: memref<3x2xi32>,
             %i: index, %elsewhere: memref<1xi32>) {
  %bits = arith.constant dense<[1, 0, 1]> : vector<3xi32>
  %one = arith.constant dense<1> : vector<3xi32>
  %mask = arith.cmpi eq, %bits, %one : vector<3xi32>
  %other = arith.constant dense<[7, 8, 9]> : vector<3xi32>
  %v = vector.maskedload %m[%i, %i], %mask, %other
      : memref<3x4xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>
  %c0 = arith.constant 0 : index
  vector.maskedstore %m[%c0, %i], %mask, %v : memref<3x4xi32>, vector<3xi1>, vector<3xi32>
  "memref.copy"(%n, %c) : (memref<3x2xi32, strided<[4, 1]>>, memref<3x2xi32>) -> ()
  func.return
}
"""
    matrix = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = matrix.copy()
    expected[0, 1], expected[0, 3] = matrix[1, 1], matrix[1, 3]
    copy, elsewhere = np.zeros((3, 2), np.int32), np.zeros(1, np.int32)
    HostModule(without_predicates(convert(text))).get("f")(matrix, matrix, copy, 1, elsewhere)
    np.testing.assert_array_equal(matrix, expected)
    np.testing.assert_array_equal(copy, expected[:, :2])
