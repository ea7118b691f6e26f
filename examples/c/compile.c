/* Compiles a file in the compile server, a number of times, and says how long each took:

       compile COMMAND FILE OUTPUT TIMES OPTION… */

#define _POSIX_C_SOURCE 200809L
#include "tileiras_compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    void *data = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        data = malloc(*size + 1);
        if (data != NULL && fread(data, 1, *size, file) != *size) *size = 0;
        fclose(file);
    }
    return data;
}

static int write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return -1;
    int failed = fwrite(data, 1, size, file) != size;
    return fclose(file) != 0 || failed ? -1 : 0;
}

int main(int count, char **words) {
    size_t size = 0;
    int code = 0;
    if (count < 5) return fprintf(stderr, "usage: compile COMMAND FILE OUTPUT TIMES OPTION…\n"), 1;
    void *program = read_file(words[2], &size);
    if (program == NULL) return fprintf(stderr, "%s cannot be read\n", words[2]), 1;
    tileiras_service *service = tileiras_open(words[1]);
    if (service == NULL) return fprintf(stderr, "there is no compile server\n"), 1;
    for (int i = 0; code == 0 && i < atoi(words[4]); i++) {
        tileiras_result result;
        double start = now();
        code = tileiras_compile(service, program, size, (const char *const *)words + 5, &result);
        fputs(result.log, stderr);
        if (code == 0 && write_file(words[3], result.cubin, result.size) != 0) code = 1;
        if (code == 0) printf("%zu bytes in %.3f s\n", result.size, now() - start);
        tileiras_free(&result);
    }
    tileiras_close(service);
    free(program);
    return code & 255;
}
