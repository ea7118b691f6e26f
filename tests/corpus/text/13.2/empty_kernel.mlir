entry @empty_kernel() optimization_hints=<sm_90 = {}> {
  return
}
