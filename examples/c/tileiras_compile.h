/* Compiles Tile IR in the compile server of tileiras-xdsl, for programs that make kernels while they run. Linux only;
   link tileiras_compile.c. Threads may compile at once. */

#ifndef TILEIRAS_COMPILE_H
#define TILEIRAS_COMPILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tileiras_service tileiras_service;

typedef struct {
    void *cubin; /* NULL if there is none */
    size_t size;
    char *log; /* what the compiler said: errors, warnings and remarks; never NULL */
} tileiras_result;

/* Finds the server that a command belongs to, `tileiras-xdsl` or a path, and starts it if there is none. NULL if there
   can be none. */
tileiras_service *tileiras_open(const char *command);
void tileiras_close(tileiras_service *service);

/* Compiles bytecode, or text, with options of `tileiras` such as "--gpu-name=sm_90", of which the last is NULL. Returns
   0, an exit code of `tileiras`, 128 and the number of a signal that ended the compiler, or -1 if no server answers.
   `tileiras_free` frees the result of any. */
int tileiras_compile(tileiras_service *service, const void *program, size_t size, const char *const *options,
                     tileiras_result *result);
void tileiras_free(tileiras_result *result);

#ifdef __cplusplus
}
#endif
#endif
