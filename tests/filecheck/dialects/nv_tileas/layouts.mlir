// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s

// What stays of other dialects at level 2 takes layouts.

// CHECK: builtin.module
#blocked = #nv_tileas.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>
!t4xi32 = tensor<4xi32, #blocked>
!t4xf32 = tensor<4xf32, #blocked>
!t4xptr = tensor<4x!llvm.ptr<1>, #blocked>
// CHECK-NEXT: %a, %b, %f, %p, %h = "test.op"()
%a, %b, %f, %p, %h = "test.op"() : () -> (!t4xi32, tensor<4xi1, #blocked>, !t4xf32, !t4xptr, tensor<4xi64, #blocked>)
// CHECK-NEXT: %c = arith.cmpi slt, %a, %a : tensor<4xi32, [[layout:#nv_tileas.layout<.*>]]>
%c = arith.cmpi slt, %a, %a : !t4xi32
// CHECK-NEXT: %c2 = arith.andi %c, %b : tensor<4xi1, [[layout]]>
%c2 = arith.andi %c, %b : tensor<4xi1, #blocked>
// CHECK-NEXT: %d = arith.select %b, %a, %a : tensor<4xi1, [[layout]]>, tensor<4xi32, [[layout]]>
%d = arith.select %b, %a, %a : tensor<4xi1, #blocked>, !t4xi32
// CHECK-NEXT: %e = arith.extsi %a : tensor<4xi32, [[layout]]> to tensor<4xi64, [[layout]]>
%e = arith.extsi %a : !t4xi32 to tensor<4xi64, #blocked>
// CHECK-NEXT: %g = arith.sitofp %a : tensor<4xi32, [[layout]]> to tensor<4xf32, [[layout]]>
%g = arith.sitofp %a : !t4xi32 to !t4xf32
// CHECK-NEXT: %i = arith.fptosi %f : tensor<4xf32, [[layout]]> to tensor<4xi32, [[layout]]>
%i = arith.fptosi %f : !t4xf32 to !t4xi32
// CHECK-NEXT: %j = nv_tileaa.addptr %p, %a {elem_type = f32} : tensor<4x!llvm.ptr<1>, [[layout]]>, tensor<4xi32, [[layout]]>
%j = nv_tileaa.addptr %p, %a {elem_type = f32} : !t4xptr, !t4xi32
// CHECK-NEXT: %k = nv_tileaa.atomic_rmw %p, %f {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>, [[layout]]>, tensor<4xf32, [[layout]]> -> tensor<4xf32, [[layout]]>
%k = nv_tileaa.atomic_rmw %p, %f {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr, !t4xf32 -> !t4xf32
// CHECK-NEXT: %m = nv_tileaa.fp_to_fp %f : tensor<4xf32, [[layout]]> to tensor<4xf16, [[layout]]>
%m = nv_tileaa.fp_to_fp %f : !t4xf32 to tensor<4xf16, #blocked>
// CHECK-NEXT: %n = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : tensor<4xi32, [[layout]]>
%n = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !t4xi32
// CHECK-NEXT: %z = arith.constant 0 : i32
%z = arith.constant 0 : i32
// CHECK-NEXT: %o = nv_tileaa.make_range %z, %z : i32 to tensor<4xi32, [[layout]]>
%o = nv_tileaa.make_range %z, %z : i32 to !t4xi32
// CHECK-NEXT: %q = arith.maxsi %a, %a : tensor<4xi32, [[layout]]>
%q = arith.maxsi %a, %a : !t4xi32
// CHECK-NEXT: %r = nv_tileaa.fma %f, %f, %f : tensor<4xf32, [[layout]]>
%r = nv_tileaa.fma %f, %f, %f : !t4xf32
// CHECK-NEXT: %s = nv_tileaa.bitcast %f : tensor<4xf32, [[layout]]> to tensor<4xi32, [[layout]]>
%s = nv_tileaa.bitcast %f : !t4xf32 to !t4xi32
// CHECK-NEXT: %t = nv_tileaa.int_to_ptr %h : tensor<4xi64, [[layout]]> to tensor<4x!llvm.ptr<1>, [[layout]]>
%t = nv_tileaa.int_to_ptr %h : tensor<4xi64, #blocked> to !t4xptr
// CHECK-NEXT: %u = nv_tileaa.splat %z : i32 to tensor<4xi32, [[layout]]>
%u = nv_tileaa.splat %z : i32 to !t4xi32
// CHECK-NEXT: %v = nv_tileaa.cat %a, %a {dim = 0 : i64} : tensor<4xi32, [[layout]]>, tensor<4xi32, [[layout]]> -> tensor<8xi32>
%v = nv_tileaa.cat %a, %a {dim = 0 : i64} : !t4xi32, !t4xi32 -> tensor<8xi32>
// CHECK-NEXT: %w = nv_tileas.load %p mask(%b : tensor<4xi1, [[layout]]>) other(%f : tensor<4xf32, [[layout]]>) : tensor<4x!llvm.ptr<1>, [[layout]]> -> tensor<4xf32, [[layout]]>
%w = nv_tileas.load %p mask(%b : tensor<4xi1, #blocked>) other(%f : !t4xf32) : !t4xptr -> !t4xf32
// CHECK-NEXT: %x = nv_tileaa.atomic_cas %p, %f, %f {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>, [[layout]]> -> tensor<4xf32, [[layout]]>
%x = nv_tileaa.atomic_cas %p, %f, %f {mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr -> !t4xf32
// CHECK-NEXT: %y = nv_tileaa.trunci %h : tensor<4xi64, [[layout]]> to tensor<4xi32, [[layout]]>
%y = nv_tileaa.trunci %h : tensor<4xi64, #blocked> to !t4xi32
// CHECK-NEXT: %aa = arith.constant dense<1> : tensor<4xi32, [[layout]]>
%aa = arith.constant dense<1> : tensor<4xi32, #blocked>
// CHECK-NEXT: nv_tileaa.print "%d", %a : tensor<4xi32, [[layout]]>
nv_tileaa.print "%d", %a : !t4xi32
