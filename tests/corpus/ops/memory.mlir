// Tokens, memory behind pointers, atomics and printing: every ordering, scope, mode and operand.

entry @tokens() {
  %a = make_token : token
  %b = make_token : token
  %two = join_tokens %a, %b : token
  %three = join_tokens %a, %b, %two : token
  return
}

entry @loads(%p: tile<ptr<f32>>, %m: tile<i1>, %d: tile<f32>) {
  %t = make_token : token
  %weak, %weak_token = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %relaxed_tl_blk, %relaxed_tl_blk_token = load_ptr_tko relaxed tl_blk %p : tile<ptr<f32>> -> tile<f32>, token
  %relaxed_device, %relaxed_device_token = load_ptr_tko relaxed device %p : tile<ptr<f32>> -> tile<f32>, token
  %relaxed_sys, %relaxed_sys_token = load_ptr_tko relaxed sys %p : tile<ptr<f32>> -> tile<f32>, token
  %acquire_tl_blk, %acquire_tl_blk_token = load_ptr_tko acquire tl_blk %p : tile<ptr<f32>> -> tile<f32>, token
  %acquire_device, %acquire_device_token = load_ptr_tko acquire device %p : tile<ptr<f32>> -> tile<f32>, token
  %acquire_sys, %acquire_sys_token = load_ptr_tko acquire sys %p : tile<ptr<f32>> -> tile<f32>, token
  %masked, %masked_token = load_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
  %padded, %padded_token = load_ptr_tko weak %p, %m, %d : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %after, %after_token = load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
  %masked_after, %masked_after_token = load_ptr_tko weak %p, %m token=%t : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
  %hinted, %hinted_token = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 3}> : tile<ptr<f32>> -> tile<f32>, token
  %all, %all_token = load_ptr_tko acquire sys %p, %m, %d token=%t optimization_hints = <default = {latency = 1}, sm_100 = {latency = 10}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  return
}

entry @stores(%p: tile<ptr<f32>>, %m: tile<i1>, %v: tile<f32>) {
  %t = make_token : token
  %weak = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %relaxed_tl_blk = store_ptr_tko relaxed tl_blk %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %relaxed_device = store_ptr_tko relaxed device %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %relaxed_sys = store_ptr_tko relaxed sys %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %release_tl_blk = store_ptr_tko release tl_blk %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %release_device = store_ptr_tko release device %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %release_sys = store_ptr_tko release sys %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %masked = store_ptr_tko weak %p, %v, %m : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
  %after = store_ptr_tko weak %p, %v token=%t : tile<ptr<f32>>, tile<f32> -> token
  %hinted = store_ptr_tko weak %p, %v optimization_hints = <sm_90 = {latency = 3}> : tile<ptr<f32>>, tile<f32> -> token
  %no_hints = store_ptr_tko weak %p, %v optimization_hints = <> : tile<ptr<f32>>, tile<f32> -> token
  %all = store_ptr_tko release device %p, %v, %m token=%t optimization_hints = <sm_100 = {latency = 10}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
  return
}

entry @compare_and_swap(%p: tile<ptr<f32>>, %q: tile<ptr<i64>>, %m: tile<i1>, %f: tile<f32>, %i: tile<i64>) {
  %t = make_token : token
  %relaxed_tl_blk, %relaxed_tl_blk_token = atomic_cas_tko relaxed tl_blk %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %relaxed_device, %relaxed_device_token = atomic_cas_tko relaxed device %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %relaxed_sys, %relaxed_sys_token = atomic_cas_tko relaxed sys %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acquire_tl_blk, %acquire_tl_blk_token = atomic_cas_tko acquire tl_blk %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acquire_device, %acquire_device_token = atomic_cas_tko acquire device %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acquire_sys, %acquire_sys_token = atomic_cas_tko acquire sys %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %release_tl_blk, %release_tl_blk_token = atomic_cas_tko release tl_blk %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %release_device, %release_device_token = atomic_cas_tko release device %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %release_sys, %release_sys_token = atomic_cas_tko release sys %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acq_rel_tl_blk, %acq_rel_tl_blk_token = atomic_cas_tko acq_rel tl_blk %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acq_rel_device, %acq_rel_device_token = atomic_cas_tko acq_rel device %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %acq_rel_sys, %acq_rel_sys_token = atomic_cas_tko acq_rel sys %p, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %masked, %masked_token = atomic_cas_tko relaxed device %q, %i, %i, %m : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
  %after, %after_token = atomic_cas_tko relaxed device %q, %i, %i token=%t : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
  %both, %both_token = atomic_cas_tko relaxed device %q, %i, %i, %m token=%t : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
  return
}

entry @read_modify_write(%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %h: tile<ptr<f16>>, %m: tile<i1>, %f: tile<f32>, %i: tile<i32>, %g: tile<f16>) {
  %t = make_token : token
  %relaxed_tl_blk, %relaxed_tl_blk_token = atomic_rmw_tko relaxed tl_blk %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %relaxed_device, %relaxed_device_token = atomic_rmw_tko relaxed device %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %relaxed_sys, %relaxed_sys_token = atomic_rmw_tko relaxed sys %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acquire_tl_blk, %acquire_tl_blk_token = atomic_rmw_tko acquire tl_blk %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acquire_device, %acquire_device_token = atomic_rmw_tko acquire device %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acquire_sys, %acquire_sys_token = atomic_rmw_tko acquire sys %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %release_tl_blk, %release_tl_blk_token = atomic_rmw_tko release tl_blk %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %release_device, %release_device_token = atomic_rmw_tko release device %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %release_sys, %release_sys_token = atomic_rmw_tko release sys %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acq_rel_tl_blk, %acq_rel_tl_blk_token = atomic_rmw_tko acq_rel tl_blk %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acq_rel_device, %acq_rel_device_token = atomic_rmw_tko acq_rel device %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %acq_rel_sys, %acq_rel_sys_token = atomic_rmw_tko acq_rel sys %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %and, %and_token = atomic_rmw_tko relaxed device %q, and, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %or, %or_token = atomic_rmw_tko relaxed device %q, or, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %xor, %xor_token = atomic_rmw_tko relaxed device %q, xor, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %add, %add_token = atomic_rmw_tko relaxed device %q, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %max, %max_token = atomic_rmw_tko relaxed device %q, max, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %min, %min_token = atomic_rmw_tko relaxed device %q, min, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %umax, %umax_token = atomic_rmw_tko relaxed device %q, umax, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %umin, %umin_token = atomic_rmw_tko relaxed device %q, umin, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %xchg, %xchg_token = atomic_rmw_tko relaxed device %q, xchg, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %addf, %addf_token = atomic_rmw_tko relaxed device %p, addf, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %addh, %addh_token = atomic_rmw_tko relaxed device %h, addf, %g : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
  %swap, %swap_token = atomic_rmw_tko relaxed device %p, xchg, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %masked, %masked_token = atomic_rmw_tko relaxed device %q, add, %i, %m : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
  %after, %after_token = atomic_rmw_tko relaxed device %q, add, %i token=%t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %both, %both_token = atomic_rmw_tko relaxed device %q, add, %i, %m token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
  return
}

entry @printing(%i: tile<i32>, %f: tile<f32>) {
  %0 = print_tko "" -> token
  %1 = print_tko "100%% \22plain\22 \\ \09\0A" -> token
  %2 = print_tko "i=%d f=%f\0A", %i, %f : tile<i32>, tile<f32> -> token
  return
}

// -----
// before 13.2: 'cuda_tile.print_tko' op optional operand 'token' is provided but requires bytecode version 13.2, targeting {version}

entry @printing_after(%i: tile<i32>) {
  %0 = make_token : token
  %1 = print_tko "after" token=%0 -> token
  %2 = print_tko "%i", %i token=%0 : tile<i32> -> token
  return
}

// -----
// before 13.2: 'cuda_tile.print_tko' op result 'result_token' requires bytecode version 13.2 but is being used and targeting {version}

entry @printing_before(%i: tile<i32>) {
  %0 = print_tko "first" -> token
  %1 = make_token : token
  %2 = join_tokens %0, %1 : token
  return
}

// -----
// before 13.3: 'cuda_tile.alloca' op requires bytecode version 13.3+, targeting {version}

entry @allocation() {
  %0 = alloca num_elem = 64, alignment = 128 : tile<ptr<f32>>
  %1 = alloca num_elem = 64, alignment = 128 global : tile<ptr<f32>>
  %2 = alloca num_elem = 0, alignment = 1 : tile<ptr<i1>>
  %3 = alloca num_elem = 9223372036854775807, alignment = 4611686018427387904 : tile<ptr<f64>>
  return
}

// -----
// before 13.4: 'cuda_tile.gdc_launch_dependents_tko' op requires bytecode version 13.4+, targeting {version}

entry @launching_dependents() {
  %0 = gdc_launch_dependents_tko -> token
  %1 = gdc_launch_dependents_tko token = %0 -> token
  return
}

// -----
// before 13.4: 'cuda_tile.gdc_wait_tko' op requires bytecode version 13.4+, targeting {version}

entry @waiting() {
  %0 = gdc_wait_tko -> token
  %1 = gdc_wait_tko token = %0 -> token
  return
}

// -----
// before 13.4: 'cuda_tile.memory_fence_alias_tko' op requires bytecode version 13.4+, targeting {version}

entry @alias_fence() {
  %0 = make_token : token
  %1 = memory_fence_alias_tko %0
  return
}
