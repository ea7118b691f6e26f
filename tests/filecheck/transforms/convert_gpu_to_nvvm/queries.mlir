// RUN: tileiras-opt %s -p convert-gpu-to-nvvm | filecheck %s

// Each query is one read of a special register and one cast.
// REQ: G-05, G-06, G-07, G-08, G-09, G-10, G-11, G-12, G-13, G-14, G-15

func.func @one() -> index {
  %i = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
  func.return %i : index
}
// CHECK-LABEL: func.func @one() -> index {
// CHECK-NEXT: %0 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %i = arith.index_cast %0 : i32 to index
// CHECK-NEXT: func.return %i : index
// CHECK-NEXT: }

func.func @all() {
  %thread_id_x = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
  %thread_id_y = "gpu.thread_id"() {dimension = #gpu<dim y>} : () -> index
  %thread_id_z = "gpu.thread_id"() {dimension = #gpu<dim z>} : () -> index
  %block_id_x = "gpu.block_id"() {dimension = #gpu<dim x>} : () -> index
  %block_id_y = "gpu.block_id"() {dimension = #gpu<dim y>} : () -> index
  %block_id_z = "gpu.block_id"() {dimension = #gpu<dim z>} : () -> index
  %block_dim_x = "gpu.block_dim"() {dimension = #gpu<dim x>} : () -> index
  %block_dim_y = "gpu.block_dim"() {dimension = #gpu<dim y>} : () -> index
  %block_dim_z = "gpu.block_dim"() {dimension = #gpu<dim z>} : () -> index
  %grid_dim_x = "gpu.grid_dim"() {dimension = #gpu<dim x>} : () -> index
  %grid_dim_y = "gpu.grid_dim"() {dimension = #gpu<dim y>} : () -> index
  %grid_dim_z = "gpu.grid_dim"() {dimension = #gpu<dim z>} : () -> index
  %cluster_id_x = "gpu.cluster_id"() {dimension = #gpu<dim x>} : () -> index
  %cluster_id_y = "gpu.cluster_id"() {dimension = #gpu<dim y>} : () -> index
  %cluster_id_z = "gpu.cluster_id"() {dimension = #gpu<dim z>} : () -> index
  %cluster_dim_x = "gpu.cluster_dim"() {dimension = #gpu<dim x>} : () -> index
  %cluster_dim_y = "gpu.cluster_dim"() {dimension = #gpu<dim y>} : () -> index
  %cluster_dim_z = "gpu.cluster_dim"() {dimension = #gpu<dim z>} : () -> index
  %cluster_block_id_x = "gpu.cluster_block_id"() {dimension = #gpu<dim x>} : () -> index
  %cluster_block_id_y = "gpu.cluster_block_id"() {dimension = #gpu<dim y>} : () -> index
  %cluster_block_id_z = "gpu.cluster_block_id"() {dimension = #gpu<dim z>} : () -> index
  %cluster_dim_blocks_x = "gpu.cluster_dim_blocks"() {dimension = #gpu<dim x>} : () -> index
  %cluster_dim_blocks_y = "gpu.cluster_dim_blocks"() {dimension = #gpu<dim y>} : () -> index
  %cluster_dim_blocks_z = "gpu.cluster_dim_blocks"() {dimension = #gpu<dim z>} : () -> index
  %size = "gpu.subgroup_size"() : () -> index
  %lane = "gpu.lane_id"() : () -> index
  func.return
}
// CHECK-LABEL: func.func @all() {
// CHECK-NEXT: %0 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %thread_id_x = arith.index_cast %0 : i32 to index
// CHECK-NEXT: %1 = nvvm.read.ptx.sreg.tid.y : i32
// CHECK-NEXT: %thread_id_y = arith.index_cast %1 : i32 to index
// CHECK-NEXT: %2 = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT: %thread_id_z = arith.index_cast %2 : i32 to index
// CHECK-NEXT: %3 = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-NEXT: %block_id_x = arith.index_cast %3 : i32 to index
// CHECK-NEXT: %4 = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK-NEXT: %block_id_y = arith.index_cast %4 : i32 to index
// CHECK-NEXT: %5 = nvvm.read.ptx.sreg.ctaid.z : i32
// CHECK-NEXT: %block_id_z = arith.index_cast %5 : i32 to index
// CHECK-NEXT: %6 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT: %block_dim_x = arith.index_cast %6 : i32 to index
// CHECK-NEXT: %7 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %block_dim_y = arith.index_cast %7 : i32 to index
// CHECK-NEXT: %8 = nvvm.read.ptx.sreg.ntid.z : i32
// CHECK-NEXT: %block_dim_z = arith.index_cast %8 : i32 to index
// CHECK-NEXT: %9 = nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK-NEXT: %grid_dim_x = arith.index_cast %9 : i32 to index
// CHECK-NEXT: %10 = nvvm.read.ptx.sreg.nctaid.y : i32
// CHECK-NEXT: %grid_dim_y = arith.index_cast %10 : i32 to index
// CHECK-NEXT: %11 = nvvm.read.ptx.sreg.nctaid.z : i32
// CHECK-NEXT: %grid_dim_z = arith.index_cast %11 : i32 to index
// CHECK-NEXT: %12 = nvvm.read.ptx.sreg.clusterid.x : i32
// CHECK-NEXT: %cluster_id_x = arith.index_cast %12 : i32 to index
// CHECK-NEXT: %13 = nvvm.read.ptx.sreg.clusterid.y : i32
// CHECK-NEXT: %cluster_id_y = arith.index_cast %13 : i32 to index
// CHECK-NEXT: %14 = nvvm.read.ptx.sreg.clusterid.z : i32
// CHECK-NEXT: %cluster_id_z = arith.index_cast %14 : i32 to index
// CHECK-NEXT: %15 = nvvm.read.ptx.sreg.nclusterid.x : i32
// CHECK-NEXT: %cluster_dim_x = arith.index_cast %15 : i32 to index
// CHECK-NEXT: %16 = nvvm.read.ptx.sreg.nclusterid.y : i32
// CHECK-NEXT: %cluster_dim_y = arith.index_cast %16 : i32 to index
// CHECK-NEXT: %17 = nvvm.read.ptx.sreg.nclusterid.z : i32
// CHECK-NEXT: %cluster_dim_z = arith.index_cast %17 : i32 to index
// CHECK-NEXT: %18 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
// CHECK-NEXT: %cluster_block_id_x = arith.index_cast %18 : i32 to index
// CHECK-NEXT: %19 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
// CHECK-NEXT: %cluster_block_id_y = arith.index_cast %19 : i32 to index
// CHECK-NEXT: %20 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
// CHECK-NEXT: %cluster_block_id_z = arith.index_cast %20 : i32 to index
// CHECK-NEXT: %21 = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
// CHECK-NEXT: %cluster_dim_blocks_x = arith.index_cast %21 : i32 to index
// CHECK-NEXT: %22 = nvvm.read.ptx.sreg.cluster.nctaid.y : i32
// CHECK-NEXT: %cluster_dim_blocks_y = arith.index_cast %22 : i32 to index
// CHECK-NEXT: %23 = nvvm.read.ptx.sreg.cluster.nctaid.z : i32
// CHECK-NEXT: %cluster_dim_blocks_z = arith.index_cast %23 : i32 to index
// CHECK-NEXT: %24 = nvvm.read.ptx.sreg.warpsize : i32
// CHECK-NEXT: %size = arith.index_cast %24 : i32 to index
// CHECK-NEXT: %25 = nvvm.read.ptx.sreg.laneid : i32
// CHECK-NEXT: %lane = arith.index_cast %25 : i32 to index
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// What takes several registers.
func.func @derived() {
  %global = "gpu.global_id"() {dimension = #gpu<dim y>} : () -> index
  %count = "gpu.num_subgroups"() : () -> index
  %warp = "gpu.subgroup_id"() : () -> index
  func.return
}
// CHECK-LABEL: func.func @derived() {
// CHECK-NEXT: %0 = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK-NEXT: %1 = arith.index_cast %0 : i32 to index
// CHECK-NEXT: %2 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %3 = arith.index_cast %2 : i32 to index
// CHECK-NEXT: %4 = nvvm.read.ptx.sreg.tid.y : i32
// CHECK-NEXT: %5 = arith.index_cast %4 : i32 to index
// CHECK-NEXT: %6 = arith.muli %1, %3 : index
// CHECK-NEXT: %global = arith.addi %6, %5 : index
// CHECK-NEXT: %7 = nvvm.read.ptx.sreg.ntid.z : i32
// CHECK-NEXT: %8 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %9 = llvm.mul %7, %8 : i32
// CHECK-NEXT: %10 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT: %11 = llvm.mul %9, %10 : i32
// CHECK-NEXT: %12 = arith.constant 31 : i32
// CHECK-NEXT: %13 = llvm.add %11, %12 : i32
// CHECK-NEXT: %14 = arith.constant 5 : i32
// CHECK-NEXT: %15 = llvm.lshr %13, %14 : i32
// CHECK-NEXT: %count = arith.index_cast %15 : i32 to index
// CHECK-NEXT: %16 = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT: %17 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %18 = llvm.mul %16, %17 : i32
// CHECK-NEXT: %19 = nvvm.read.ptx.sreg.tid.y : i32
// CHECK-NEXT: %20 = llvm.add %18, %19 : i32
// CHECK-NEXT: %21 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT: %22 = llvm.mul %20, %21 : i32
// CHECK-NEXT: %23 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %24 = llvm.add %22, %23 : i32
// CHECK-NEXT: %25 = arith.constant 5 : i32
// CHECK-NEXT: %26 = llvm.lshr %24, %25 : i32
// CHECK-NEXT: %warp = arith.index_cast %26 : i32 to index
// CHECK-NEXT: func.return
// CHECK-NEXT: }
