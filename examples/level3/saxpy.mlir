// y = a * x + y, for any n. Each thread takes four elements at a time, all threads of the grid
// together walk through the vectors; the last vector may be cut off.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, !llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%a: f32, %x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32):
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %end = arith.index_cast %n : i32 to index
    %id = gpu.global_id x
    %threads = gpu.block_dim x
    %blocks = gpu.grid_dim x
    %start = arith.muli %id, %c4 : index
    %all = arith.muli %threads, %blocks : index
    %step = arith.muli %all, %c4 : index
    %factors = vector.broadcast %a : f32 to vector<4xf32>
    scf.for %i = %start to %end step %step {
      %next = arith.addi %i, %c4 : index
      %is_whole = arith.cmpi sle, %next, %end : index
      scf.if %is_whole {
        %at = arith.index_cast %i : index to i64
        %px = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %py = llvm.getelementptr inbounds %y[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %vx = llvm.load %px {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %vy = llvm.load %py {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %r = vector.fma %factors, %vx, %vy : vector<4xf32>
        llvm.store %r, %py {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
      } else {
        scf.for %j = %i to %end step %c1 {
          %at = arith.index_cast %j : index to i64
          %px = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
          %py = llvm.getelementptr inbounds %y[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
          %sx = llvm.load %px : !llvm.ptr<1> -> f32
          %sy = llvm.load %py : !llvm.ptr<1> -> f32
          %r = math.fma %a, %sx, %sy : f32
          llvm.store %r, %py : f32, !llvm.ptr<1>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "saxpy", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()
