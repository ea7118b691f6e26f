/* Launches exported kernels from C on a GPU: exported.py builds and runs it. */

#include "gemm.h"
#include "softmax.h"
#include "vector_add.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);
static int (*allocate)(uint64_t *, size_t), (*synchronize)(void);
static int wrong = 0;

static void must(int status, const char *what) {
    if (status != 0) exit((fprintf(stderr, "%s: error %d\n", what, status), 1));
}

static void *function(void *driver, const char *name) {
    void *found = dlsym(driver, name);
    must(found == NULL, name);
    return found;
}

/* A matrix on the GPU, `shift` elements behind an aligned address, with a copy. */
typedef struct {
    int64_t shape[2];
    DLTensor tensor;
    void *host;
    size_t count, bytes;
} array;

static void make(array *a, int64_t rows, int64_t columns, int rank, int bits, int shift) {
    uint64_t address = 0;
    a->count = (size_t)(rows * columns), a->bytes = (size_t)bits / 8;
    a->shape[0] = rows, a->shape[1] = columns;
    must(allocate(&address, (a->count + (size_t)shift) * a->bytes), "cuMemAlloc");
    a->tensor = (DLTensor){(void *)(uintptr_t)address, {kDLCUDA, 0}, rank, {2, (uint8_t)bits, 1}, NULL, NULL, 0};
    a->tensor.shape = a->shape + (rank == 1), a->tensor.byte_offset = (size_t)shift * a->bytes;
    a->host = malloc(a->count * a->bytes);
    for (size_t i = 0; i < a->count; i++) {
        int number = rand() % 2001 - 1000;
        if (bits == 32) ((float *)a->host)[i] = (float)number / 500;
        if (bits == 16) ((_Float16 *)a->host)[i] = (_Float16)((float)number / 500);
    }
    must(to_device(address + a->tensor.byte_offset, a->host, a->count * a->bytes), "cuMemcpyHtoD");
}

static double at(const array *a, size_t i) {
    return a->bytes == 4 ? (double)((float *)a->host)[i] : (double)((_Float16 *)a->host)[i];
}

static void compare(const char *name, int status, array *out, const double *exact, const char *text, double limit) {
    double difference = 0, norm = 0;
    if (status == 0) status = synchronize();
    must(to_host(out->host, (uintptr_t)out->tensor.data + out->tensor.byte_offset, out->count * out->bytes), name);
    for (size_t i = 0; i < out->count; i++) {
        double error = at(out, i) - exact[i];
        difference += error * error, norm += exact[i] * exact[i];
    }
    double error = sqrt(difference / norm);
    int is_right = status == 0 && error <= limit;
    wrong += !is_right;
    printf("  %-40s%s %.1e %s\n", name, is_right ? "right" : "WRONG", error, text);
}

static void check_add(int n, int shift) {
    array a, b, c;
    char name[80];
    double *exact = malloc((size_t)n * sizeof(double));
    make(&a, 1, n, 1, 32, shift), make(&b, 1, n, 1, 32, shift), make(&c, 1, n, 1, 32, shift);
    for (int i = 0; i < n; i++) exact[i] = (double)(((float *)a.host)[i] + ((float *)b.host)[i]);
    uint32_t grid[3] = {(uint32_t)(n + 1023) / 1024, 1, 1};
    int status = vector_add_launch(grid, NULL, &a.tensor, &b.tensor, &c.tensor);
    snprintf(name, sizeof name, "vector_add of %d, shifted by %d", n, shift);
    compare(name, status, &c, exact, vector_add_error_text(status), 0);
}

static void check_gemm(int m, int n, int k, int shift) {
    array a, b, c;
    char name[80];
    double *exact = calloc((size_t)m * (size_t)n, sizeof(double));
    make(&a, m, k, 2, 16, shift), make(&b, k, n, 2, 16, shift), make(&c, m, n, 2, 16, shift);
    for (int i = 0; i < m; i++)
        for (int t = 0; t < k; t++)
            for (int j = 0; j < n; j++)
                exact[i * n + j] += at(&a, (size_t)(i * k + t)) * at(&b, (size_t)(t * n + j));
    uint32_t grid[3] = {(uint32_t)((m + 127) / 128 * ((n + 127) / 128)), 1, 1};
    int status = matmul_launch(grid, NULL, &a.tensor, &b.tensor, &c.tensor);
    snprintf(name, sizeof name, "gemm of %d x %d x %d, shifted by %d", m, n, k, shift);
    compare(name, status, &c, exact, gemm_error_text(status), 1e-3);
    wrong += matmul_launch(grid, NULL, &a.tensor, &b.tensor, &(DLTensor){.ndim = 1}) != TILEIRAS_BAD_ARRAY;
}

static void check_softmax(int columns, int shift) {
    array x, out;
    char name[80];
    const int rows = 50;
    double *exact = malloc((size_t)(rows * columns) * sizeof(double));
    make(&x, rows, columns, 2, 16, shift), make(&out, rows, columns, 2, 16, shift);
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += exact[i * columns + j] = exp(at(&x, (size_t)(i * columns + j)));
        for (int j = 0; j < columns; j++) exact[i * columns + j] /= sum;
    }
    uint32_t grid[3] = {(uint32_t)rows, 1, 1};
    int status = softmax_launch(grid, NULL, &x.tensor, &out.tensor);
    snprintf(name, sizeof name, "softmax of %d, shifted by %d", columns, shift);
    compare(name, status, &out, exact, softmax_error_text(status), 1e-3);
}

int main(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    must(driver == NULL, "libcuda.so.1");
    int (*init)(unsigned), (*retain)(void **, int), (*set)(void *);
    *(void **)&init = function(driver, "cuInit"), *(void **)&set = function(driver, "cuCtxSetCurrent");
    *(void **)&retain = function(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&allocate = function(driver, "cuMemAlloc_v2");
    *(void **)&to_device = function(driver, "cuMemcpyHtoD_v2"), *(void **)&to_host = function(driver, "cuMemcpyDtoH_v2");
    *(void **)&synchronize = function(driver, "cuCtxSynchronize");
    must(init(0), "cuInit"), must(retain(&context, 0), "context"), must(set(context), "context");
    check_add(100000, 0), check_add(99999, 1);
    check_gemm(528, 400, 336, 0), check_gemm(300, 200, 101, 1);
    check_softmax(1024, 0), check_softmax(999, 1);
    return wrong;
}
