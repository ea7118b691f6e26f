// RUN: TILEIRAS_PARSE_INVALID

// -----

// Numbers of values and of types.

// CHECK: [[mismatch:mismatch in number of loop-carried values and defined values]]
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %f32) {
}

// CHECK: [[mismatch]]
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %f32) -> () {
}

// CHECK: [[mismatch]]
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %f32) -> (!f32, !f32) {
}

// CHECK: [[mismatch]]
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 -> (!f32) {
}

// CHECK: [[different:found different number of iter_values and types]]
cuda_tile.loop iter_values(%x = %f32) {
}

// CHECK: [[different]]
cuda_tile.loop iter_values(%x = %f32) : !f32, !f32 {
}

// CHECK: [[different]]
cuda_tile.loop iter_values(%x = %f32, %y = %i32) : !f32 -> !f32 {
}

// CHECK: Expected '{'
cuda_tile.loop : !f32 -> !f32 {
}

// The condition is a `tile<i1>`, its type is not written.

// CHECK: operand is used with type !i1, but has been previously used or defined with type !i32
cuda_tile.if %i32 {
}

// Values of a body are not visible outside.

// CHECK: values used but not defined: [%x]
cuda_tile.loop iter_values(%x = %f32) : !f32 {
  continue %x : !f32
}
"test.op"(%x) : (!f32) -> ()
