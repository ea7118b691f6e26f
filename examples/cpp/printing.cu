// printf and assert in tile code.
#include <cuda_tile.h>
#include <cassert>
#include <cstdio>

__tile_global__ void check_range(const float* in, float low, float high, int n) {
  namespace ct = cuda::tiles;
  auto i = ct::iota<ct::tile<int, ct::shape<64>>>() + int(ct::bid().x) * 64;
  auto x = ct::load_masked(in + i, i < n, low);
  auto good = (x >= low) & (x <= high);
  printf("block %d of %d: low %f\n", int(ct::bid().x), n, low);
  assert(static_cast<bool>(ct::all_of(good, ct::integral_constant<0>{})));
}
