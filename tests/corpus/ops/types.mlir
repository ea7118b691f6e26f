// Every type, in every place it may stand.

entry @pointers(%a: tile<ptr<i1>>, %b: tile<ptr<i8>>, %c: tile<ptr<i16>>, %d: tile<ptr<i32>>, %e: tile<ptr<i64>>, %f: tile<ptr<f16>>, %g: tile<ptr<bf16>>, %h: tile<ptr<f32>>, %i: tile<ptr<tf32>>, %j: tile<ptr<f64>>, %k: tile<ptr<f8E4M3FN>>, %l: tile<ptr<f8E5M2>>) {
  %wide = reshape %a : tile<ptr<i1>> -> tile<1x1x1x1x1x1xptr<i1>>
  return
}

entry @arguments(%t: token, %tv: tensor_view<?x4xi32, strides=[4,1]>, %pv: partition_view<tile=(2x2), padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>, dim_map=[1, 0]>) {
  %u = make_token : token
  %v = join_tokens %t, %u : token
  return
}

entry @tensor_views(%a: tile<ptr<i1>>, %b: tile<ptr<i8>>, %c: tile<ptr<i16>>, %d: tile<ptr<i64>>, %e: tile<ptr<f16>>, %f: tile<ptr<bf16>>, %g: tile<ptr<tf32>>, %h: tile<ptr<f64>>, %i: tile<ptr<f8E4M3FN>>, %j: tile<ptr<f8E5M2>>) {
  %0 = make_tensor_view %a, shape = [3], strides = [1] : tensor_view<3xi1, strides=[1]>
  %1 = make_tensor_view %b, shape = [3], strides = [2] : tensor_view<3xi8, strides=[2]>
  %2 = make_tensor_view %c, shape = [3], strides = [1] : tensor_view<3xi16, strides=[1]>
  %3 = make_tensor_view %d, shape = [3], strides = [1] : tensor_view<3xi64, strides=[1]>
  %4 = make_tensor_view %e, shape = [3], strides = [1] : tensor_view<3xf16, strides=[1]>
  %5 = make_tensor_view %f, shape = [3], strides = [1] : tensor_view<3xbf16, strides=[1]>
  %6 = make_tensor_view %g, shape = [3], strides = [1] : tensor_view<3xtf32, strides=[1]>
  %7 = make_tensor_view %h, shape = [3], strides = [1] : tensor_view<3xf64, strides=[1]>
  %8 = make_tensor_view %i, shape = [3], strides = [1] : tensor_view<3xf8E4M3FN, strides=[1]>
  %9 = make_tensor_view %j, shape = [9223372036854775807], strides = [1] : tensor_view<9223372036854775807xf8E5M2, strides=[1]>
  return
}

// -----
// before 13.2: 'cuda_tile.entry' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}

entry @exponents(%a: tile<f8E8M0FNU>, %b: tile<ptr<f8E8M0FNU>>, %c: tensor_view<4xf8E8M0FNU, strides=[1]>) {
  return
}

// -----
// before 13.3: 'cuda_tile.entry' op type 'Float4E2M1FN' requires bytecode version 13.3+, targeting {version}

entry @fp4(%b: tile<ptr<f4E2M1FN>>, %c: tensor_view<3xf4E2M1FN, strides=[1]>) {
  return
}

// -----
// before 13.3: 'cuda_tile.entry' op type 'StridedViewType' requires bytecode version 13.3+, targeting {version}

entry @strided(%a: strided_view<tile=(8x8), traversal_strides=[4,3], padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>, dim_map=[1, 0]>) {
  return
}

// -----
// before 13.3: 'cuda_tile.entry' op type 'GatherScatterViewType' requires bytecode version 13.3+, targeting {version}

entry @gather_scatter(%a: gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<?x4xi32, strides=[4,1]>, sparse_dim=1>) {
  return
}

// -----
// before 13.4: 'cuda_tile.entry' op type 'FloatNV8E5M3FNU' requires bytecode version 13.4+, targeting {version}

entry @e5m3(%a: tile<fnv8E5M3FNU>, %b: tile<ptr<fnv8E5M3FNU>>, %c: tensor_view<4xfnv8E5M3FNU, strides=[1]>) {
  return
}

// -----
// before 13.4: 'cuda_tile.entry' op ptr_attr requires bytecode version 13.4+, targeting {version}

entry @pointer_attribute(%a: tile<ptr<f32, <none>>>) {
  return
}

// -----
// before 13.4: 'cuda_tile.entry' op ptr_attr requires bytecode version 13.4+, targeting {version}

entry @view_attribute(%a: tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>) {
  return
}

// -----
// before 13.3: 'cuda_tile.if' op type 'Int4' requires bytecode version 13.3+, targeting {version}
// The type is first used by a result of an op with regions.

entry @through_a_branch(%c: tile<i1>) {
  %0 = if %c -> (tile<i4>) {
    return
  } else {
    return
  }
  return
}
