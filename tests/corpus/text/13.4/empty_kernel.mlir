entry @empty_kernel() optimization_hints=<default = {}> {
  return
}
