/* From here to the tables, the same in every exported file: it loads and launches what these list. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_RANK = 5, MAP_BYTES = 128, MAX_DEVICES = 64 };
enum { SM_COUNT = 16, MAX_DYNAMIC_SHARED = 8, DEFAULT_SHARED = 48 * 1024 };

static const uint32_t max_grid[3] = {INT32_MAX, 65535, 65535};

/* A number that is known at launch: `value`, or `value` times a parameter. Behind the parameters are the sizes of the
   grid. */
typedef struct {
    int64_t value;
    int32_t parameter; /* -1 for none */
} quantity;

/* How a tensor map is encoded; dimensions from the innermost outwards. */
typedef struct {
    int32_t data_type;
    uint32_t rank, base;
    quantity sizes[MAX_RANK], strides[MAX_RANK];
    uint32_t box[MAX_RANK], steps[MAX_RANK];
    int32_t swizzle, l2_promotion, fill;
} tensor_map;

/* A kernel as it was compiled for an architecture. */
typedef struct {
    const char *name;
    uint32_t threads[3], cluster[3], shared, persistent;
    int blocks_are_clusters;
    uint32_t map_count;
    const tensor_map *maps;
} record;

/* What a version relies on: a parameter is a multiple of `divisor`, and from `low` to `high`. */
typedef struct {
    int64_t divisor, low, high;
} fact;

/* A kernel of the library, and a fact for each of its parameters; none if it relies on nothing. */
typedef struct {
    uint32_t kernel;
    const fact *facts;
} version;

typedef struct {
    int (*cuInit)(unsigned);
    int (*cuGetErrorString)(int, const char **);
    int (*cuLibraryLoadData)(void **, const void *, void *, void *, unsigned, void *, void *, unsigned);
    int (*cuLibraryUnload)(void *);
    int (*cuLibraryGetKernel)(void **, void *, const char *);
    int (*cuKernelSetAttribute)(int, int, void *, int);
    int (*cuCtxGetDevice)(int *);
    int (*cuDeviceGetAttribute)(int *, int, int);
    int (*cuTensorMapEncodeTiled)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                                  const uint32_t *, int, int, int, int);
    int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                          void **);
} driver_functions;

static const char *const driver_names[] = {
    "cuInit",         "cuGetErrorString",     "cuLibraryLoadData",      "cuLibraryUnload", "cuLibraryGetKernel",
    "cuKernelSetAttribute", "cuCtxGetDevice", "cuDeviceGetAttribute", "cuTensorMapEncodeTiled", "cuLaunchKernel",
};

static driver_functions driver;

static int open_driver(void) {
    void *functions[sizeof driver_names / sizeof *driver_names];
    void *file = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (file == NULL) return TILEIRAS_NO_DRIVER;
    for (size_t i = 0; i < sizeof driver_names / sizeof *driver_names; i++) {
        functions[i] = dlsym(file, driver_names[i]);
        if (functions[i] == NULL) return TILEIRAS_OLD_DRIVER;
    }
    memcpy(&driver, functions, sizeof driver);
    return driver.cuInit(0);
}

static const char *text_of(int status) {
    const char *text = NULL;
    switch (status) {
    case TILEIRAS_SUCCESS: return "no error";
    case TILEIRAS_NO_DRIVER: return "the CUDA driver libcuda.so.1 was not found";
    case TILEIRAS_OLD_DRIVER: return "the CUDA driver is older than 12.0";
    case TILEIRAS_NO_CODE: return "there is no code for this GPU";
    case TILEIRAS_BAD_GRID: return "the grid is empty, too large, or no multiple of the cluster";
    case TILEIRAS_BAD_ARRAY: return "an array has another element type or rank than the kernel was exported for";
    case TILEIRAS_NOT_ON_GPU: return "an array is not in the memory of a GPU";
    case TILEIRAS_NO_VERSION: return "no version was exported for these sizes, strides and addresses";
    case TILEIRAS_EMPTY_ARRAY: return "an array that is copied by TMA has no elements";
    default: break;
    }
    if (driver.cuGetErrorString != NULL) driver.cuGetErrorString(status, &text);
    return text != NULL ? text : "unknown error";
}

/* Loading */

static atomic_flag is_locked = ATOMIC_FLAG_INIT;
static atomic_int is_loaded;
static void *library;
static void *kernels[KERNELS];
static const record *records;                 /* Of the architecture that the driver chose. */
static atomic_uint_fast64_t is_ready[KERNELS]; /* A bit for each GPU. */

static const record image_records[IMAGES][KERNELS];
_Alignas(16) static const unsigned char fat_binary[FAT_BINARY_BYTES];

/* The driver chooses among the architectures of a fat binary. Names of kernels say which one it was. */
static int find_kernels(void) {
    for (int image = 0; image < IMAGES; image++) {
        if (driver.cuLibraryGetKernel(&kernels[0], library, image_records[image][0].name) != 0) continue;
        records = image_records[image];
        for (int i = 1; i < KERNELS; i++) {
            int status = driver.cuLibraryGetKernel(&kernels[i], library, records[i].name);
            if (status != 0) return status;
        }
        return TILEIRAS_SUCCESS;
    }
    return TILEIRAS_NO_CODE;
}

static int load_locked(void) {
    int status = driver.cuInit == NULL ? open_driver() : TILEIRAS_SUCCESS;
    if (status == TILEIRAS_SUCCESS)
        status = driver.cuLibraryLoadData(&library, fat_binary, NULL, NULL, 0, NULL, NULL, 0);
    if (status != TILEIRAS_SUCCESS) return status;
    status = find_kernels();
    if (status != TILEIRAS_SUCCESS) driver.cuLibraryUnload(library);
    else atomic_store(&is_loaded, 1);
    return status;
}

static int load(void) {
    if (atomic_load(&is_loaded)) return TILEIRAS_SUCCESS;
    while (atomic_flag_test_and_set(&is_locked)) continue;
    int status = atomic_load(&is_loaded) ? TILEIRAS_SUCCESS : load_locked();
    atomic_flag_clear(&is_locked);
    return status;
}

static int unload(void) {
    if (!atomic_exchange(&is_loaded, 0)) return TILEIRAS_SUCCESS;
    for (int i = 0; i < KERNELS; i++) atomic_store(&is_ready[i], 0);
    return driver.cuLibraryUnload(library);
}

/* Launching. Parameters are 8 bytes each, of which a kernel reads the low ones. */

static int64_t number(quantity it, const int64_t *values) {
    return it.parameter < 0 ? it.value : it.value * values[it.parameter];
}

static int encode(void *map, const tensor_map *how, const int64_t *values) {
    uint64_t sizes[MAX_RANK], strides[MAX_RANK];
    for (uint32_t i = 0; i < how->rank; i++) {
        sizes[i] = (uint64_t)number(how->sizes[i], values);
        if (sizes[i] == 0) return TILEIRAS_EMPTY_ARRAY;
    }
    for (uint32_t i = 0; i + 1 < how->rank; i++) strides[i] = (uint64_t)number(how->strides[i], values);
    void *base = (void *)(uintptr_t)values[how->base];
    return driver.cuTensorMapEncodeTiled(map, how->data_type, how->rank, base, sizes, strides, how->box, how->steps, 0,
                                         how->swizzle, how->l2_promotion, how->fill);
}

/* A persistent kernel is launched with as many CTAs as the GPU holds at once, which loop over the grid. */
static int find_grid(const record *kernel, const uint32_t grid[3], int sm_count, uint32_t launched[3]) {
    uint64_t size = kernel->cluster[0], total = 1, clusters, running;
    for (int i = 0; i < 3; i++) {
        int is_free = kernel->blocks_are_clusters || kernel->persistent;
        if (grid[i] == 0 || grid[i] > max_grid[i]) return TILEIRAS_BAD_GRID;
        if (!is_free && grid[i] % kernel->cluster[i] != 0) return TILEIRAS_BAD_GRID;
        launched[i] = grid[i];
        total *= grid[i];
    }
    if (!kernel->persistent) return TILEIRAS_SUCCESS;
    if (total > INT32_MAX) return TILEIRAS_BAD_GRID;
    if (kernel->blocks_are_clusters) total *= size;
    clusters = (total + size - 1) / size;
    running = (uint64_t)kernel->persistent * (uint64_t)sm_count / size;
    if (running == 0) running = 1;
    if (clusters > running) clusters = running;
    if (total + clusters * size > INT32_MAX) return TILEIRAS_BAD_GRID;
    launched[0] = (uint32_t)(kernel->blocks_are_clusters ? clusters : clusters * size);
    launched[1] = launched[2] = 1;
    return TILEIRAS_SUCCESS;
}

/* More than 48 KiB of dynamic shared memory have to be asked for once, on each GPU. */
static int prepare(uint32_t index, int device) {
    uint_fast64_t bit = device < MAX_DEVICES ? (uint_fast64_t)1 << device : 0;
    if (records[index].shared <= DEFAULT_SHARED || (atomic_load(&is_ready[index]) & bit)) return TILEIRAS_SUCCESS;
    int status = driver.cuKernelSetAttribute(MAX_DYNAMIC_SHARED, (int)records[index].shared, kernels[index], device);
    if (status == 0) atomic_fetch_or(&is_ready[index], bit);
    return status;
}

static int launch_kernel(uint32_t index, uint32_t count, int64_t *values, const uint32_t grid[3], void *stream) {
    const record *kernel = &records[index];
    _Alignas(64) unsigned char maps[MAX_MAPS][MAP_BYTES];
    void *parameters[PARAMETERS];
    uint32_t launched[3], used = 0;
    int device, sm_count = 0, status = driver.cuCtxGetDevice(&device);
    if (status == 0 && kernel->persistent) status = driver.cuDeviceGetAttribute(&sm_count, SM_COUNT, device);
    if (status == 0) status = find_grid(kernel, grid, sm_count, launched);
    if (status == 0) status = prepare(index, device);
    for (int i = 0; i < 3; i++) values[count + (uint32_t)i] = grid[i];
    for (; used < count + (kernel->persistent ? 3 : 0); used++) parameters[used] = &values[used];
    for (uint32_t i = 0; status == 0 && i < kernel->map_count; i++) {
        status = encode(maps[i], &kernel->maps[i], values);
        parameters[used++] = maps[i];
    }
    if (status != 0) return status;
    return driver.cuLaunchKernel(kernels[index], launched[0], launched[1], launched[2], kernel->threads[0],
                                 kernel->threads[1], kernel->threads[2], kernel->shared, stream, parameters, NULL);
}

static int holds(const fact *facts, uint32_t count, const int64_t *values) {
    for (uint32_t i = 0; facts != NULL && i < count; i++)
        if (values[i] % facts[i].divisor != 0 || values[i] < facts[i].low || values[i] > facts[i].high) return 0;
    return 1;
}

/* Launches the first version that may be used. There is room for three numbers behind the values. */
static int launch(const version *versions, uint32_t version_count, uint32_t count, int64_t *values,
                  const uint32_t grid[3], void *stream) {
    for (uint32_t i = 0; i < version_count; i++) {
        if (!holds(versions[i].facts, count, values)) continue;
        int status = load();
        return status != 0 ? status : launch_kernel(versions[i].kernel, count, values, grid, stream);
    }
    return TILEIRAS_NO_VERSION;
}

/* Appends the address, the sizes and the strides of an array to the parameters. */
static inline int put_array(int64_t **next, const DLTensor *array, int code, int bits, int rank) {
    int64_t *values = *next, compact = 1;
    if (array->ndim != rank || array->dtype.code != code || array->dtype.bits != bits || array->dtype.lanes != 1)
        return TILEIRAS_BAD_ARRAY;
    if (array->device.device_type != kDLCUDA && array->device.device_type != kDLCUDAManaged) return TILEIRAS_NOT_ON_GPU;
    values[0] = (int64_t)((uintptr_t)array->data + array->byte_offset);
    for (int i = rank - 1; i >= 0; i--) {
        values[1 + i] = array->shape[i];
        values[1 + rank + i] = array->strides != NULL ? array->strides[i] : compact;
        compact *= array->shape[i];
    }
    *next += 1 + 2 * rank;
    return TILEIRAS_SUCCESS;
}

/* Appends a number, by its bytes, so that no other than the integers are converted. */
static inline void put_bytes(int64_t **next, const void *bytes, size_t size) {
    **next = 0;
    memcpy((*next)++, bytes, size);
}
