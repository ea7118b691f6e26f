// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// REQ: B-35
// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'pluto'
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>)
%0 = cuda_tile.mmai %l, %r, %a pluto signed : tile<2x2xi8>, tile<2x2xi8>, tile<2x2xi32>

// -----

// REQ: B-35
// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'pluto'
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>)
%0 = cuda_tile.mmai %l, %r, %a signed pluto : tile<2x2xi8>, tile<2x2xi8>, tile<2x2xi32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>)
%0 = cuda_tile.mmai %l, %r, %a signed : tile<2x2xi8>, tile<2x2xi8>, tile<2x2xi32>

// -----

// CHECK: Expected ':'
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>)
%0 = cuda_tile.mmaf %l, %r, %a signed signed : tile<2x2xf32>, tile<2x2xf32>, tile<2x2xf32>

// -----

// CHECK: Expected ':'
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>)
%0 = cuda_tile.mmaf %l, %r, %a slow_acc : tile<2x2xf32>, tile<2x2xf32>, tile<2x2xf32>

// -----

// CHECK: operand is used with type !cuda_tile.tile<2x2xf64>, but has been previously used or defined with type !cuda_tile.tile<2x2xf32>
%l, %r, %a = "test.op"() : () -> (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>)
%0 = cuda_tile.mmaf %l, %r, %a : tile<2x2xf32>, tile<2x2xf64>, tile<2x2xf32>
