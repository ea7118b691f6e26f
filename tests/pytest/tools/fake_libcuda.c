/* A CUDA driver that has one GPU of the architecture $FAKE_ARCH and writes what is encoded and launched into the file
   $FAKE_LOG: kernels by their names, and the bytes of parameters, whose sizes $FAKE_SIZES lists. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 128, NOT_FOUND = 500, NO_CONTEXT = 201 };

static FILE *log_file(void) {
    static FILE *file;
    if (file == NULL) file = fopen(getenv("FAKE_LOG"), "a");
    return file;
}

/* What does nothing. */
int cuInit(unsigned flags) { return (int)flags; }
int cuCtxSetCurrent(void *context) { return context == NULL; }
int cuThreadExchangeStreamCaptureMode(int *mode) { return mode == NULL; }
int cuModuleUnload(void *module) { return module == NULL; }
int cuLibraryUnload(void *library) { return fprintf(log_file(), "unload\n"), library == NULL; }

static int give(void **result, const void *value) { return *result = (void *)(uintptr_t)value, 0; }

int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int index) { return *device = index, 0; }
int cuCtxGetDevice(int *device) { return *device = 0, getenv("FAKE_NO_CONTEXT") != NULL ? NO_CONTEXT : 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return give(context, "context" + device); }
int cuModuleLoadData(void **module, const void *image) { return give(module, image); }

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    const char *number = getenv("FAKE_ARCH") + strlen("sm_");
    int capability = atoi(number);
    *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : 132;
    return device;
}

int cuGetErrorString(int status, const char **text) {
    *text = status == NO_CONTEXT ? "invalid device context" : "another error";
    return 0;
}

int cuGetErrorName(int status, const char **text) { return cuGetErrorString(status, text); }

/* Only a fat binary may be loaded. */
int cuLibraryLoadData(void **library, const void *image, void *a, void *b, unsigned c, void *d, void *e, unsigned f) {
    static const unsigned char magic[4] = {0x50, 0xED, 0x55, 0xBA};
    if (a != NULL || b != NULL || c != 0 || d != NULL || e != NULL || f != 0) return 1;
    if ((uintptr_t)image % 16 != 0 || memcmp(image, magic, 4) != 0) return 200;
    fprintf(log_file(), "load\n");
    return give(library, image);
}

static int find(void **kernel, const char *name) {
    const char *arch = getenv("FAKE_ARCH");
    size_t length = strlen(name), wanted = strlen(arch);
    if (length < wanted || strcmp(name + length - wanted, arch) != 0) return NOT_FOUND;
    return give(kernel, strdup(name));
}

int cuLibraryGetKernel(void **kernel, void *library, const char *name) { return library == NULL ? 1 : find(kernel, name); }
int cuModuleGetFunction(void **kernel, void *module, const char *name) { return module == NULL ? 1 : find(kernel, name); }

int cuKernelSetAttribute(int attribute, int value, void *kernel, int device) {
    fprintf(log_file(), "attribute %d %d %s\n", attribute, value, (const char *)kernel);
    return device;
}

int cuFuncSetAttribute(void *kernel, int attribute, int value) {
    return cuKernelSetAttribute(attribute, value, kernel, 0);
}

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
    static unsigned char number;
    FILE *log = log_file();
    if ((uintptr_t)map % 64 != 0) return 1;
    fprintf(log, "map %d %u %p %d %d %d %d:", type, rank, base, interleave, swizzle, promotion, fill);
    for (uint32_t i = 0; i < rank; i++)
        fprintf(log, " %llu %llu %u %u", (unsigned long long)sizes[i], (unsigned long long)(i + 1 < rank ? strides[i] : 0),
                box[i], steps[i]);
    fprintf(log, "\n");
    memset(map, ++number, MAP_BYTES);
    return 0;
}

int cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    FILE *log = log_file();
    char *sizes = strdup(getenv("FAKE_SIZES"));
    fprintf(log, "launch %s %u %u %u %u %u %u %u %p", (const char *)kernel, gx, gy, gz, bx, by, bz, shared, stream);
    for (char *size = strtok(sizes, ","); size != NULL; size = strtok(NULL, ",")) {
        const unsigned char *bytes = *parameters++;
        fprintf(log, " ");
        for (int i = 0; i < atoi(size); i++) fprintf(log, "%02x", bytes[i]);
    }
    fprintf(log, "\n");
    fflush(log);
    free(sizes);
    return extra != NULL;
}
