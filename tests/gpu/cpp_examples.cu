// The kernels of examples/cpp in a program that nvcc builds, on a GPU: results are compared with the CPU in double.
//
//     nvcc --enable-tile -std=c++20 -arch=sm_90 -DWHOLE cpp_examples.cu -o whole
//     nvcc --enable-tile -std=c++20 -arch=sm_90 cpp_examples.cu vector_add.cu gemm.cu atomics.cu printing.cu -o linked
//
// The second program has kernels in objects of their own, for which KERNELS_ONLY leaves out the `main` of vector_add.cu.
// Templates are launched where they are instantiated, in the first. Both are run on every way to launch that a program
// has: `<<<>>>`, `cudaLaunchKernelExC`, and a captured graph. The exit code is the number of wrong results.
#include <cuda_tile.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#ifdef WHOLE
#define KERNELS_ONLY
#include "../../examples/cpp/atomics.cu"
#include "../../examples/cpp/attention.cu"
#include "../../examples/cpp/gemm.cu"
#include "../../examples/cpp/printing.cu"
#include "../../examples/cpp/softmax.cu"
#include "../../examples/cpp/vector_add.cu"
#else
__tile_global__ void vector_add(const float*, const float*, float*, int);
extern "C" __tile_global__ void gemm(const __half*, const __half*, __half*, int, int, int);
__tile_global__ void histogram(const unsigned char*, unsigned*, int);
__tile_global__ void column_sum(const float*, float*, int);
__tile_global__ void once(int*, int*);
__tile_global__ void check_range(const float*, float, float, int);
#endif

static int wrong = 0;
static std::mt19937 random_bits(1);

template <typename T>
static std::vector<T> numbers(size_t count) {
  std::normal_distribution<float> normal;
  std::vector<T> values(count);
  for (T& each : values) each = T(normal(random_bits));
  return values;
}

// An array on the GPU: a copy of a vector, or bytes that no kernel should leave there.
template <typename T>
struct Array {
  T* data = nullptr;
  size_t count;

  explicit Array(size_t count) : count(count) {
    cudaMalloc(&data, count * sizeof(T));
    cudaMemset(data, 0xff, count * sizeof(T));
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  Array(const Array&) = delete;
  ~Array() { cudaFree(data); }
  void fill(int byte) { cudaMemset(data, byte, count * sizeof(T)); }
  std::vector<T> get() const {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};

static void say(const char* name, bool is_right, const char* detail = "") {
  cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
  is_right &= launched == cudaSuccess && ran == cudaSuccess;
  wrong += !is_right;
  printf("%-24s %s %s%s%s\n", name, is_right ? "right" : "WRONG", detail,
         launched == cudaSuccess ? "" : cudaGetErrorString(launched), ran == cudaSuccess ? "" : cudaGetErrorString(ran));
}

// Compares with what double says, by the norm of the difference.
template <typename T>
static void compare(const char* name, const Array<T>& found, const std::function<double(size_t)>& exact, double limit) {
  double difference = 0, norm = 0;
  std::vector<T> values = found.get();
  for (size_t i = 0; i < values.size(); i++) {
    double right = exact(i), value = double(float(values[i]));
    difference += (value - right) * (value - right), norm += right * right;
  }
  double error = std::sqrt(difference / norm);
  char text[40];
  snprintf(text, sizeof text, "error %.1e ", error);
  say(name, error <= limit, text);
}

static void check_vector_add() {
  const int n = 100001;
  auto a = numbers<float>(n), b = numbers<float>(n);
  Array<float> da(a), db(b), dc(n);
  const int grid = (n + 1023) / 1024;
  auto exact = [&](size_t i) { return double(a[i] + b[i]); };
  vector_add<<<grid, 1>>>(da.data, db.data, dc.data, n);
  compare("vector_add", dc, exact, 0);

  dc.fill(0xff);
  const float *pa = da.data, *pb = db.data;
  float* pc = dc.data;
  int size = n;
  void* arguments[] = {&pa, &pb, &pc, &size};
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid), config.blockDim = dim3(1), config.attrs = &attribute, config.numAttrs = 1;
  cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(vector_add), arguments);
  compare("vector_add, by ExC", dc, exact, 0);

  dc.fill(0xff);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  vector_add<<<grid, 1, 0, stream>>>(da.data, db.data, dc.data, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  compare("vector_add, by a graph", dc, exact, 0);

  cudaFuncAttributes about{};
  cudaError_t status = cudaFuncGetAttributes(&about, reinterpret_cast<const void*>(vector_add));
  printf("attributes: %s, %d threads, %d registers, %zu bytes shared, binary %d\n", cudaGetErrorString(status),
         about.maxThreadsPerBlock, about.numRegs, about.sharedSizeBytes, about.binaryVersion);
  vector_add<<<grid, 128>>>(da.data, db.data, dc.data, n);
  printf("a launch of 128 threads: %s\n", cudaGetErrorString(cudaGetLastError()));
  printf("its run: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

static void check_gemm() {
  const int m = 528, n = 400, k = 336;
  auto a = numbers<__half>(m * k), b = numbers<__half>(k * n);
  Array<__half> da(a), db(b), dc(m * n);
  gemm<<<dim3((m + 127) / 128, (n + 127) / 128), 1>>>(da.data, db.data, dc.data, m, n, k);
  compare(
      "gemm", dc,
      [&](size_t at) {
        double sum = 0;
        for (int t = 0; t < k; t++) sum += double(float(a[at / n * k + t])) * double(float(b[t * n + at % n]));
        return sum;
      },
      1e-3);
}

static void check_atomics() {
  const int n = 50001, rows = 1000, columns = 512;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> right(256);
  for (auto& each : data) right[each = static_cast<unsigned char>(random_bits())]++;
  Array<unsigned char> dd(data);
  Array<unsigned> bins(256);
  bins.fill(0);
  histogram<<<(n + 255) / 256, 1>>>(dd.data, bins.data, n);
  say("histogram", bins.get() == right);

  std::vector<float> in(rows * columns), sums(columns);
  for (size_t i = 0; i < in.size(); i++) sums[i % columns] += in[i] = float(int(random_bits() % 19) - 9);
  Array<float> di(in), out(columns);
  out.fill(0);
  column_sum<<<dim3((rows + 15) / 16, columns / 128), 1>>>(di.data, out.data, rows);
  say("column_sum", out.get() == sums);

  Array<int> lock(std::vector<int>{0}), winner(1);
  once<<<100, 1>>>(lock.data, winner.data);
  int won = winner.get()[0];
  say("once", lock.get()[0] == 1 && won >= 0 && won < 100);
}

// Last: an assertion that fails is the end of the context.
static void check_printing() {
  const int n = 100;
  std::vector<float> values(n, 0.5f);
  Array<float> in(values);
  check_range<<<2, 1>>>(in.data, 0.f, 1.f, n);
  say("check_range", true, "(two lines of printf above) ");
  check_range<<<2, 1>>>(in.data, 0.7f, 1.f, n);
  cudaError_t status = cudaDeviceSynchronize();
  bool is_right = status == cudaErrorAssert || status == cudaErrorLaunchFailure || status == cudaErrorIllegalInstruction;
  wrong += !is_right;
  printf("%-24s %s %s\n", "check_range, failing", is_right ? "right" : "WRONG", cudaGetErrorString(status));
}

#ifdef WHOLE
template <typename T, int N>
static void check_softmax(const char* name, int columns, double limit) {
  const int rows = 77;
  auto in = numbers<T>(rows * columns);
  Array<T> di(in), out(rows * columns);
  softmax<T, N><<<rows, 1>>>(out.data, di.data, columns);
  std::vector<double> sums(rows);
  for (int i = 0; i < rows * columns; i++) sums[i / columns] += std::exp(double(float(in[i])));
  compare(name, out, [&](size_t at) { return std::exp(double(float(in[at]))) / sums[at / columns]; }, limit);
}

static void check_attention() {
  const int heads = 6, length = 256, depth = 64;
  const float scale = 0.125f * 1.44269504f;
  const size_t count = size_t(heads) * length * depth;
  auto q = numbers<__nv_bfloat16>(count), k = numbers<__nv_bfloat16>(count), v = numbers<__nv_bfloat16>(count);
  Array<__nv_bfloat16> dq(q), dk(k), dv(v), out(count);
  attention<__nv_bfloat16, length><<<dim3(length / 128, heads), 1>>>(dq.data, dk.data, dv.data, out.data, scale);
  std::vector<double> right(count);
  for (int row = 0; row < heads * length; row++) {
    double total = 0;
    std::vector<double> sum(depth);
    for (int j = 0; j < length; j++) {
      size_t other = size_t(row / length * length + j) * depth;
      double score = 0;
      for (int d = 0; d < depth; d++) score += double(float(q[size_t(row) * depth + d])) * double(float(k[other + d]));
      double power = std::exp2(score * scale);
      total += power;
      for (int d = 0; d < depth; d++) sum[d] += power * double(float(v[other + d]));
    }
    for (int d = 0; d < depth; d++) right[size_t(row) * depth + d] = sum[d] / total;
  }
  compare("attention", out, [&](size_t at) { return right[at]; }, 8e-3);
}
#endif

int main() {
  check_vector_add();
  check_gemm();
  check_atomics();
#ifdef WHOLE
  check_softmax<__half, 1024>("softmax of f16", 1000, 1e-3);
  check_softmax<float, 2048>("softmax of f32", 1999, 1e-6);
  check_attention();
#endif
  check_printing();
  printf("%d wrong\n", wrong);
  return wrong;
}
