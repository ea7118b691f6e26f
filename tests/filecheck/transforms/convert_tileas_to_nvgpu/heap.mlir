// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90}' %s | filecheck %s

gpu.module @m {
  // One allocation has all memory of a CTA on the heap. While there is none, its first thread sleeps
  // and asks again: the CTA holds no other memory of the heap meanwhile, so that others can end.
  gpu.func @two(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %m = nv_tileaa.alloca {num_elem = 3 : i64, alignment = 4 : i64, elem_type = i32, global} : !llvm.ptr<1>
    %n = nv_tileaa.alloca {num_elem = 256 : i64, alignment = 16 : i64, elem_type = i32, global} : !llvm.ptr<1>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @two(
  // CHECK-SAME: nvgpu.heap = 1040 : i64
  // CHECK:      [[SIZE:%.*]] = arith.constant 1040 : i64
  // CHECK:        [[LOOP:%.*]], {{%.*}} = scf.while ([[TRY:%.*]] = {{%.*}}) : (i32) -> (i64, i32) {
  // CHECK-NEXT:     [[MEMORY:%.*]] = llvm.call @malloc([[SIZE]]) : (i64) -> !llvm.ptr
  // CHECK:          [[ADDRESS:%.*]] = llvm.ptrtoint [[MEMORY]] : !llvm.ptr to i64
  // CHECK:          [[NONE:%.*]] = arith.cmpi eq, [[ADDRESS]]
  // CHECK:          [[MAY:%.*]] = arith.cmpi ult, [[TRY]]
  // CHECK:          [[AGAIN:%.*]] = arith.andi [[NONE]], [[MAY]] : i1
  // CHECK-NEXT:     scf.condition([[AGAIN]]) [[ADDRESS]], [[TRY]] : i64, i32
  // CHECK-NEXT:   } do {
  // CHECK:          nvvm.nanosleep
  // CHECK:          scf.yield {{%.*}} : i32
  // CHECK:        cf.assert {{%.*}}, "the heap of the device has no 1040 bytes left"
  // CHECK-NEXT:   scf.yield [[LOOP]] : i64
  // CHECK-NOT:  @malloc
  // CHECK:      llvm.call @free
  // CHECK-NOT:  @free
  // CHECK:      gpu.return
}
