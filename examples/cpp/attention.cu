// Attention over (heads, S, 64) with online softmax, without a mask. S is part of the type.
// Softmax is by powers of two: the scale is that of the scores times log2(e).
#include <cuda_tile.h>
#include <cuda_bf16.h>

template <typename T, int S>
__tile_global__ void attention(const T* __restrict__ q, const T* __restrict__ k,
                               const T* __restrict__ v, T* __restrict__ out,
                               float scale) {
  namespace ct = cuda::tiles;
  using namespace ct::literals;
  constexpr int M = 128, N = 64, D = 64;
  auto head = size_t(ct::bid().y) * S * D;
  auto view = [&](auto* p, auto tile) {
    return ct::partition_view{
        ct::tensor_span{ct::assume_aligned<16>(p + head), ct::extents<unsigned, S, D>{}},
        tile};
  };
  auto vq = view(q, ct::shape<M, D>{});
  auto vk = view(k, ct::shape<N, D>{});
  auto vv = view(v, ct::shape<N, D>{});
  auto vo = view(out, ct::shape<M, D>{});
  int row = ct::bid().x;
  auto tq = vq.load(row, 0);
  auto top = ct::full<ct::tile<float, ct::shape<M, 1>>>(-1e30f);
  auto total = ct::zeros<ct::tile<float, ct::shape<M, 1>>>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<M, D>>>();
  for (auto j : ct::irange(0, S / N)) {
    auto s = ct::mma(tq, ct::transpose(vk.load(j, 0)),
                     ct::zeros<ct::tile<float, ct::shape<M, N>>>()) * scale;
    auto newtop = ct::max(top, ct::reduce_max(s, 1_ic));
    auto p = ct::exp2(s - newtop);
    auto shrink = ct::exp2(top - newtop);
    total = total * shrink + ct::sum(p, 1_ic);
    sum = ct::mma(ct::element_cast<T>(p), vv.load(j, 0), sum * shrink);
    top = newtop;
  }
  vo.store(ct::element_cast<T>(sum / total), row, 0);
}

template __tile_global__ void attention<__nv_bfloat16, 256>(
    const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, float);
