// Prints the first element of each block, and ends the grid if an element is negative.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%x: !llvm.ptr<1>, %n: i32):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %end = arith.index_cast %n : i32 to index
    %i = gpu.global_id x
    %in = arith.cmpi slt, %i, %end : index
    scf.if %in {
      %at = arith.index_cast %i : index to i64
      %p = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %is_first = arith.cmpi eq, %thread, %c0 : index
      scf.if %is_first {
        gpu.printf "block %lld of %d elements begins with %.3f\n", %block, %n, %v : index, i32, f32
      }
      %is_fine = arith.cmpf oge, %v, %zero : f32
      cf.assert %is_fine, "elements must not be negative"
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "assert_printf", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
