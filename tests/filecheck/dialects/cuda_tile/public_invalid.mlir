// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir -t cuda-tile-public --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines
// RUN: xdsl-opt %t.mlir -t cuda-tile-public --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

// -----

// What the public form has no words for is refused, not left out.

// REQ: P-12
// CHECK: cannot print 'func.func' in the public form: expected cuda_tile.module
func.func private @f()

// REQ: P-12
// CHECK: cannot print 2 modules in the public form without 'module=true'
cuda_tile.module @a { }
cuda_tile.module @b { }

// REQ: P-12
// CHECK: cannot print 'arith.constant' in the public form: expected an op of cuda_tile
cuda_tile.module @m {
  entry @k() {
    %0 = arith.constant 4 : i32
    return
  }
}

// REQ: P-12
// CHECK: cannot print memory scope 'cluster' of 'cuda_tile.load_ptr_tko' in the public form
cuda_tile.module @m {
  entry @k(%p: !ptr_f32) {
    %v, %t = load_ptr_tko acquire cluster %p : !ptr_f32 -> !f32, token
    return
  }
}

// REQ: P-12
// CHECK: cannot print memory ordering 'seq_cst' of 'cuda_tile.atomic_cas_tko' in the public form
cuda_tile.module @m {
  entry @k(%p: !ptr_i32, %x: !i32) {
    %v, %t = atomic_cas_tko seq_cst gpu %p, %x, %x : !ptr_i32, !i32 -> !i32, token
    return
  }
}

// REQ: P-12
// CHECK: cannot print mode 'addu' of 'cuda_tile.atomic_rmw_tko' in the public form
cuda_tile.module @m {
  entry @k(%p: !ptr_i32, %x: !i32) {
    %v, %t = atomic_rmw_tko relaxed gpu addu %p, %x : !ptr_i32, !i32 -> !i32, token
    return
  }
}

// REQ: P-12
// CHECK: cannot print a mask of 'cuda_tile.store_view_tko' in the public form
cuda_tile.module @m {
  testing$func @f(%v: partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, %i: !i32, %x: !t8xf32, %c: !t8xi1) {
    %t = store_view_tko weak %v[%i], %x, %c : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, !t8xf32, !t8xi1 -> token
    return
  }
}

// REQ: P-12
// CHECK: cannot print 'align' of 'cuda_tile.load_view_tko' in the public form
cuda_tile.module @m {
  testing$func @f(%v: partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, %i: !i32) {
    %x, %t = load_view_tko weak %v[%i] align = 16 : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> -> !t8xf32, token
    return
  }
}

// REQ: P-12
// CHECK: cannot print a join of fewer than two tokens of 'cuda_tile.token.join' in the public form
cuda_tile.module @m {
  entry @k() {
    %t = token.join [] : token
    return
  }
}

// REQ: P-12
// CHECK: cannot print missing identities of 'cuda_tile.reduce' in the public form
cuda_tile.module @m {
  testing$func @f(%x: !t8xf32) {
    %r = reduce %x dim=0 : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
      yield %a : !f32
    }
    return
  }
}
