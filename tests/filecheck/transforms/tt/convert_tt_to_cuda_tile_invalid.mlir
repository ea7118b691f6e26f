// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --verify-diagnostics --split-input-file | filecheck %s

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'bfind.u32'
tt.func public @assembly(%x: tensor<8xi32>) {
  %0 = tt.elementwise_inline_asm "bfind.u32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for 'add.s32 $0, $1'
tt.func public @operands(%x: tensor<8xi32>) {
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'add.sat.s32'
tt.func public @add_sat_s32(%x: tensor<8xi32>) {
  %0 = tt.elementwise_inline_asm "add.sat.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %x : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'fma.rn.relu.f16'
tt.func public @fma_rn_relu_f16(%x: tensor<8xf16>) {
  %0 = tt.elementwise_inline_asm "fma.rn.relu.f16 $0, $1, $2, $3;" {constraints = "=h,h,h,h", packed_element = 1 : i32, pure = true} %x, %x, %x : tensor<8xf16>, tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'max.xorsign.abs.f32'
tt.func public @max_xorsign_abs_f32(%x: tensor<8xf32>) {
  %0 = tt.elementwise_inline_asm "max.xorsign.abs.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'fma.rn.f32x2'
tt.func public @fma_rn_f32x2(%x: tensor<8xi64>) {
  %0 = tt.elementwise_inline_asm "fma.rn.f32x2 $0, $1, $2, $3;" {constraints = "=l,l,l,l", packed_element = 1 : i32, pure = true} %x, %x, %x : tensor<8xi64>, tensor<8xi64>, tensor<8xi64> -> tensor<8xi64>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the instruction 'shr.wrap.u32'
tt.func public @shr_wrap_u32(%x: tensor<8xi32>) {
  %0 = tt.elementwise_inline_asm "shr.wrap.u32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %x : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

// CHECK: 'tt.elementwise_inline_asm' op has no conversion for the operand '%smid'
tt.func public @register() {
  %0 = tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return
}

// -----

// CHECK: 'tt.extern_elementwise' op has no conversion for the function '__nv_j0f'
tt.func public @library(%x: f32) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (f32) -> f32
  tt.return
}

// -----

// CHECK: 'tt.atomic_rmw' op has no conversion: 'add' works only with integers i32 and i64
tt.func public @atomic(%p: !tt.ptr<i16>, %x: i16) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i16>, i16) -> i16
  tt.return
}

// -----

// CHECK: 'tt.func' op has no conversion for values of type 'i24'
tt.func public @type(%x: i24) {
  tt.return
}

// -----

// CHECK: 'tt.call' op calls 'f', which calls itself
tt.func public @recursion() {
  tt.call @f() : () -> ()
  tt.return
}
tt.func private @f() {
  tt.call @f() : () -> ()
  tt.return
}

// -----

// CHECK: 'scf.if' op has no conversion for accesses of some of the elements
tt.func public @store_of_some(%p: !tt.ptr<i32>, %x: tensor<8xi32>) {
  %c0 = arith.constant 0 : i32
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: i32):
    %is = arith.cmpi sgt, %e, %c0 : i32
    scf.if %is {
      tt.store %p, %e : !tt.ptr<i32>
    }
    tt.map_elementwise.return %e : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
