/* A program that compiles a kernel while it runs, by the compile server, and launches it on a GPU:

       cc -std=c11 -I examples/c tests/gpu/jit.c examples/c/tileiras_compile.c -o jit -ldl
       ./jit tileiras-xdsl examples/cpp/vector_add.tilebc sm_90 */

#define _POSIX_C_SOURCE 200809L
#include "tileiras_compile.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 100001, BLOCK = 1024, TIMES = 5 };

static void must(int status, const char *what) {
    if (status != 0) exit((fprintf(stderr, "%s: error %d\n", what, status), 1));
}

static void *function(void *driver, const char *name) {
    void *found = dlsym(driver, name);
    must(found == NULL, name);
    return found;
}

int main(int count, char **words) {
    static float a[COUNT], b[COUNT], c[COUNT];
    static char program[1 << 16];
    if (count != 4) return fprintf(stderr, "usage: jit COMMAND FILE ARCHITECTURE\n"), 1;
    FILE *file = fopen(words[2], "rb");
    must(file == NULL, words[2]);
    size_t size = fread(program, 1, sizeof program, file);
    fclose(file);

    tileiras_service *service = tileiras_open(words[1]);
    must(service == NULL, "no compile server");
    char gpu[40];
    snprintf(gpu, sizeof gpu, "--gpu-name=%s", words[3]);
    tileiras_result result;
    for (int i = 0; i < TIMES; i++) {
        struct timespec start, end;
        const char *options[] = {gpu, i % 2 ? "-O2" : "-O3", NULL};
        clock_gettime(CLOCK_MONOTONIC, &start);
        int code = tileiras_compile(service, program, size, options, &result);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        printf("  %zu bytes in %.3f s%s\n", result.size, seconds, result.log);
        must(code, "compiling");
        if (i < TIMES - 1) tileiras_free(&result);
    }

    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *kernel;
    must(driver == NULL, "libcuda.so.1");
    int (*init)(unsigned), (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *);
    int (*get)(void **, void *, const char *), (*allocate)(uint64_t *, size_t), (*synchronize)(void);
    int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    *(void **)&init = function(driver, "cuInit"), *(void **)&retain = function(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&set = function(driver, "cuCtxSetCurrent"), *(void **)&load = function(driver, "cuModuleLoadData");
    *(void **)&get = function(driver, "cuModuleGetFunction"), *(void **)&allocate = function(driver, "cuMemAlloc_v2");
    *(void **)&to_device = function(driver, "cuMemcpyHtoD_v2"), *(void **)&to_host = function(driver, "cuMemcpyDtoH_v2");
    *(void **)&synchronize = function(driver, "cuCtxSynchronize"), *(void **)&launch = function(driver, "cuLaunchKernel");
    must(init(0), "cuInit"), must(retain(&context, 0), "context"), must(set(context), "context");
    must(load(&module, result.cubin), "cuModuleLoadData");
    must(get(&kernel, module, "_Z10vector_addPKfS0_Pfi"), "cuModuleGetFunction");

    uint64_t at[3];
    for (int i = 0; i < COUNT; i++) a[i] = (float)rand(), b[i] = (float)rand();
    for (int i = 0; i < 3; i++) must(allocate(&at[i], sizeof a), "cuMemAlloc");
    must(to_device(at[0], a, sizeof a), "copy"), must(to_device(at[1], b, sizeof b), "copy");
    int n = COUNT, wrong = 0;
    void *arguments[] = {&at[0], &at[1], &at[2], &n};
    /* A block of one thread, as all clients launch. */
    must(launch(kernel, (COUNT + BLOCK - 1) / BLOCK, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
    must(synchronize(), "running"), must(to_host(c, at[2], sizeof c), "copy");
    for (int i = 0; i < COUNT; i++) wrong += c[i] != a[i] + b[i];
    printf("jit: %d wrong of %d\n", wrong, COUNT);
    tileiras_free(&result);
    tileiras_close(service);
    return wrong != 0;
}
