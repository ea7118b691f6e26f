// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Numbers of values and of types.

// CHECK: mismatch in number of loop-carried values and defined values
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) {
}

// -----

// CHECK: mismatch in number of loop-carried values and defined values
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> () {
}

// -----

// CHECK: mismatch in number of loop-carried values and defined values
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>, tile<f32>) {
}

// -----

// CHECK: mismatch in number of loop-carried values and defined values
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> -> (tile<f32>) {
}

// -----

// CHECK: found different number of iter_values and types
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop iter_values(%x = %f) {
}

// -----

// CHECK: found different number of iter_values and types
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop iter_values(%x = %f) : tile<f32>, tile<f32> {
}

// -----

// CHECK: found different number of iter_values and types
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop iter_values(%x = %f, %y = %i) : tile<f32> -> tile<f32> {
}

// -----

// CHECK: Expected '{'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop : tile<f32> -> tile<f32> {
}

// -----

// The condition is a `tile<i1>`, its type is not written.

// CHECK: operand is used with type !cuda_tile.tile<i1>, but has been previously used or defined with type !cuda_tile.tile<i32>
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %i {
}

// -----

// Values of a body are not visible outside.

// CHECK: values used but not defined: [%x]
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop iter_values(%x = %f) : tile<f32> {
  continue %x : tile<f32>
}
"test.op"(%x) : (!cuda_tile.tile<f32>) -> ()
