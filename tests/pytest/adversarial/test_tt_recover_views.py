"""Pointers of Triton that are no view as they stand: they go backwards, or masks leave nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.interpreter.run import run

from ..strategies.pointer_programs import random_pointer_program

HEAD = """
tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %s: i32, %n: i32) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %c8 = arith.constant 8 : i32
  %c24 = arith.constant 24 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c8 : i32
  %back = arith.subi %c24, %start : i32
  %steps = tt.splat %s : i32 -> tensor<8x1xi32>
  %rows = arith.muli %row, %steps : tensor<8x1xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %lines = tt.addptr %base, %rows : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  %wide = tt.broadcast %lines : tensor<8x1x!tt.ptr<f32>> -> tensor<8x8x!tt.ptr<f32>>
  %backs = tt.splat %back : i32 -> tensor<1x8xi32>
  %place = arith.addi %backs, %column : tensor<1x8xi32>
  %places = tt.broadcast %place : tensor<1x8xi32> -> tensor<8x8xi32>
  %p = tt.addptr %wide, %places : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
"""
TAIL = """
  %d8 = arith.constant dense<8> : tensor<8x1xi32>
  %starts = tt.splat %start : i32 -> tensor<8x1xi32>
  %global = arith.addi %starts, %row : tensor<8x1xi32>
  %flat = arith.muli %global, %d8 : tensor<8x1xi32>
  %to = tt.splat %o : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %tos = tt.addptr %to, %flat : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  %towide = tt.broadcast %tos : tensor<8x1x!tt.ptr<f32>> -> tensor<8x8x!tt.ptr<f32>>
  %columns = tt.broadcast %column : tensor<1x8xi32> -> tensor<8x8xi32>
  %q = tt.addptr %towide, %columns : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  tt.store %q, %v : tensor<8x8x!tt.ptr<f32>>
  tt.return
}
"""
STARTS_BACKWARDS = "%v = tt.load %p : tensor<8x8x!tt.ptr<f32>>"
MOVES_BACKWARDS = """
  %less = arith.constant dense<-8> : tensor<8x8xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %two = arith.constant dense<2.0> : tensor<8x8xf32>
  %end:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %p, %sum = %zero)
      -> (tensor<8x8x!tt.ptr<f32>>, tensor<8x8xf32>) : i32 {
    %twice = arith.mulf %sum, %two : tensor<8x8xf32>
    %e = tt.load %a : tensor<8x8x!tt.ptr<f32>>
    %next = arith.addf %twice, %e : tensor<8x8xf32>
    %b = tt.addptr %a, %less : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
    scf.yield %b, %next : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xf32>
  }
  %v = arith.addf %end#1, %zero : tensor<8x8xf32>
"""
NOTHING_IS_LEFT = """
  %c20 = arith.constant dense<20> : tensor<8x1xi32>
  %later = arith.addi %row, %c20 : tensor<8x1xi32>
  %limit = tt.splat %n : i32 -> tensor<8x1xi32>
  %below = arith.cmpi slt, %later, %limit : tensor<8x1xi32>
  %mask = tt.broadcast %below : tensor<8x1xi1> -> tensor<8x8xi1>
  %v = tt.load %p, %mask, %zero : tensor<8x8x!tt.ptr<f32>>
"""


@pytest.mark.parametrize("body", [STARTS_BACKWARDS, MOVES_BACKWARDS, NOTHING_IS_LEFT])
def test_backwards(body: str):
    x = np.random.default_rng(1).random((8, 33), np.float32)
    grid = 1 if body == MOVES_BACKWARDS else 4
    o = np.full((8 * grid, 8), np.nan, np.float32)
    run(HEAD + body + TAIL, grid, (x, o, 33, 10), check=True)
    tiles = [x[:, 24 - 8 * pid :][:, :8] for pid in range(4)]
    if body == MOVES_BACKWARDS:
        total = np.zeros((8, 8), np.float32)
        for tile in tiles:
            total = total * np.float32(2) + tile
        tiles = [total]
    if body == NOTHING_IS_LEFT:
        tiles = [np.zeros((8, 8), np.float32)] * 4
    np.testing.assert_array_equal(o, np.concatenate(tiles))


SEEDS = range(10)
"""Of programs that move indices by negative numbers; `benchmarks/pointer_programs.py` has more."""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_pointers(seed: int):
    program = random_pointer_program(seed)
    assert program.is_right(run), program.text


def test_random_pointers_are_views():
    """Most have views, and some load and store through one array."""
    programs = [random_pointer_program(seed) for seed in SEEDS]
    assert sum(program.has_views for program in programs) > 5
    assert any(program.shares for program in programs)
