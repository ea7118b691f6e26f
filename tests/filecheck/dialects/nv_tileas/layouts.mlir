// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s

// What stays of other dialects at level 2 takes layouts.

// CHECK: builtin.module
#l = #nv_tileas.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>
!t4xi32_l = tensor<4xi32, #l>
!t4xf32_l = tensor<4xf32, #l>
!t4xptr_l = tensor<4x!llvm.ptr<1>, #l>
// CHECK-NEXT: %a, %b, %f, %p, %h = "test.op"()
%a, %b, %f, %p, %h = "test.op"() : () -> (!t4xi32_l, tensor<4xi1, #l>, !t4xf32_l, !t4xptr_l, tensor<4xi64, #l>)
// CHECK-NEXT: %c = arith.cmpi slt, %a, %a : tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%c = arith.cmpi slt, %a, %a : !t4xi32_l
// CHECK-NEXT: %c2 = arith.andi %c, %b : tensor<4xi1, #nv_tileas.layout<{{.*}}>>
%c2 = arith.andi %c, %b : tensor<4xi1, #l>
// CHECK-NEXT: %d = arith.select %b, %a, %a : tensor<4xi1, #nv_tileas.layout<{{.*}}>>, tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%d = arith.select %b, %a, %a : tensor<4xi1, #l>, !t4xi32_l
// CHECK-NEXT: %e = arith.extsi %a : tensor<4xi32, #nv_tileas.layout<{{.*}}>> to tensor<4xi64, #nv_tileas.layout<{{.*}}>>
%e = arith.extsi %a : !t4xi32_l to tensor<4xi64, #l>
// CHECK-NEXT: %g = arith.sitofp %a : tensor<4xi32, #nv_tileas.layout<{{.*}}>> to tensor<4xf32, #nv_tileas.layout<{{.*}}>>
%g = arith.sitofp %a : !t4xi32_l to !t4xf32_l
// CHECK-NEXT: %i = arith.fptosi %f : tensor<4xf32, #nv_tileas.layout<{{.*}}>> to tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%i = arith.fptosi %f : !t4xf32_l to !t4xi32_l
// CHECK-NEXT: %j = nv_tileaa.addptr %p, %a {elem_type = f32} : tensor<4x!llvm.ptr<1>, #nv_tileas.layout<{{.*}}>>, tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%j = nv_tileaa.addptr %p, %a {elem_type = f32} : !t4xptr_l, !t4xi32_l
// CHECK-NEXT: %k = nv_tileaa.atomic_rmw %p, %f {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>, #nv_tileas.layout<{{.*}}>>, tensor<4xf32, #nv_tileas.layout<{{.*}}>> -> tensor<4xf32, #nv_tileas.layout<{{.*}}>>
%k = nv_tileaa.atomic_rmw %p, %f {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr_l, !t4xf32_l -> !t4xf32_l
// CHECK-NEXT: %m = nv_tileaa.fp_to_fp %f : tensor<4xf32, #nv_tileas.layout<{{.*}}>> to tensor<4xf16, #nv_tileas.layout<{{.*}}>>
%m = nv_tileaa.fp_to_fp %f : !t4xf32_l to tensor<4xf16, #l>
// CHECK-NEXT: %n = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%n = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !t4xi32_l
// CHECK-NEXT: %z = arith.constant 0 : i32
%z = arith.constant 0 : i32
// CHECK-NEXT: %o = nv_tileaa.make_range %z, %z : i32 to tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%o = nv_tileaa.make_range %z, %z : i32 to !t4xi32_l
// CHECK-NEXT: %q = arith.maxsi %a, %a : tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%q = arith.maxsi %a, %a : !t4xi32_l
// CHECK-NEXT: %r = nv_tileaa.fma %f, %f, %f : tensor<4xf32, #nv_tileas.layout<{{.*}}>>
%r = nv_tileaa.fma %f, %f, %f : !t4xf32_l
// CHECK-NEXT: %s = nv_tileaa.bitcast %f : tensor<4xf32, #nv_tileas.layout<{{.*}}>> to tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%s = nv_tileaa.bitcast %f : !t4xf32_l to !t4xi32_l
// CHECK-NEXT: %t = nv_tileaa.int_to_ptr %h : tensor<4xi64, #nv_tileas.layout<{{.*}}>> to tensor<4x!llvm.ptr<1>, #nv_tileas.layout<{{.*}}>>
%t = nv_tileaa.int_to_ptr %h : tensor<4xi64, #l> to !t4xptr_l
// CHECK-NEXT: %u = nv_tileaa.splat %z : i32 to tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%u = nv_tileaa.splat %z : i32 to !t4xi32_l
// CHECK-NEXT: %v = nv_tileaa.cat %a, %a {dim = 0 : i64} : tensor<4xi32, #nv_tileas.layout<{{.*}}>>, tensor<4xi32, #nv_tileas.layout<{{.*}}>> -> tensor<8xi32>
%v = nv_tileaa.cat %a, %a {dim = 0 : i64} : !t4xi32_l, !t4xi32_l -> tensor<8xi32>
// CHECK-NEXT: %w = nv_tileas.load %p mask(%b : tensor<4xi1, #nv_tileas.layout<{{.*}}>>) other(%f : tensor<4xf32, #nv_tileas.layout<{{.*}}>>) : tensor<4x!llvm.ptr<1>, #nv_tileas.layout<{{.*}}>> -> tensor<4xf32, #nv_tileas.layout<{{.*}}>>
%w = nv_tileas.load %p mask(%b : tensor<4xi1, #l>) other(%f : !t4xf32_l) : !t4xptr_l -> !t4xf32_l
// CHECK-NEXT: %x = nv_tileaa.atomic_cas %p, %f, %f {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>, #nv_tileas.layout<{{.*}}>> -> tensor<4xf32, #nv_tileas.layout<{{.*}}>>
%x = nv_tileaa.atomic_cas %p, %f, %f {mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr_l -> !t4xf32_l
// CHECK-NEXT: %y = nv_tileaa.trunci %h : tensor<4xi64, #nv_tileas.layout<{{.*}}>> to tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%y = nv_tileaa.trunci %h : tensor<4xi64, #l> to !t4xi32_l
// CHECK-NEXT: %aa = arith.constant dense<1> : tensor<4xi32, #nv_tileas.layout<{{.*}}>>
%aa = arith.constant dense<1> : tensor<4xi32, #l>
// CHECK-NEXT: nv_tileaa.print "%d", %a : tensor<4xi32, #nv_tileas.layout<{{.*}}>>
nv_tileaa.print "%d", %a : !t4xi32_l
