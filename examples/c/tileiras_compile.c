/* The other end is src/tileiras_xdsl/driver/service/request.py: a request is the surroundings of a command, which the
   server runs in a process of its own. Its standard streams are files in memory here. */

#define _GNU_SOURCE
#include "tileiras_compile.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { INPUT, OUTPUT, LOG, STREAMS, PATIENCE = 60 };

extern char **environ;

struct tileiras_service {
    char *start; /* The command that starts a server, and prints its address and identity. */
    char *path, *identity;
};

/* Bytes that are appended to. */
typedef struct {
    char *data;
    size_t size;
} buffer;

static int append(buffer *to, const void *bytes, size_t size) {
    char *data = realloc(to->data, to->size + size + 1);
    if (data == NULL) return -1;
    memcpy(data + to->size, bytes, size);
    to->data = data;
    to->size += size;
    data[to->size] = 0;
    return 0;
}

/* Fields end in NUL, but for the last. */
static int put(buffer *to, const char *field) { return append(to, "", 1) || append(to, field, strlen(field)) ? -1 : 0; }

static int put_number(buffer *to, size_t number) {
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    return put(to, text);
}

static int put_list(buffer *to, const char *const *first, const char *const *then) {
    size_t count = 0;
    for (const char *const *each = first; *each != NULL; each++) count++;
    for (const char *const *each = then; *each != NULL; each++) count++;
    int failed = put_number(to, count);
    for (const char *const *each = first; *each != NULL; each++) failed |= put(to, *each);
    for (const char *const *each = then; *each != NULL; each++) failed |= put(to, *each);
    return failed;
}

/* The whole of a file from its beginning, with a NUL behind it. */
static buffer read_all(int fd) {
    buffer all = {NULL, 0};
    struct stat status;
    char chunk[1 << 16];
    ssize_t count;
    if (fstat(fd, &status) != 0) return all;
    while ((count = pread(fd, chunk, sizeof chunk, (off_t)all.size)) > 0)
        if (append(&all, chunk, (size_t)count) != 0) break;
    return all;
}

static int run_start(const char *command, buffer *answer) {
    char chunk[1 << 12];
    size_t count;
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return -1;
    while ((count = fread(chunk, 1, sizeof chunk, pipe)) > 0) append(answer, chunk, count);
    return pclose(pipe) == 0 && answer->data != NULL ? 0 : -1;
}

tileiras_service *tileiras_open(const char *command) {
    buffer start = {NULL, 0}, answer = {NULL, 0};
    tileiras_service *service = calloc(1, sizeof *service);
    char *end = NULL;
    if (service != NULL && append(&start, "'", 1) == 0 && append(&start, command, strlen(command)) == 0 &&
        append(&start, "' --server start", 16) == 0 && run_start(start.data, &answer) == 0)
        end = strchr(answer.data, '\n');
    if (end == NULL) {
        free(start.data);
        free(answer.data);
        free(service);
        return NULL;
    }
    *end = 0;
    answer.data[answer.size - 1] = 0; /* the end of the last line */
    *service = (tileiras_service){start.data, answer.data, end + 1};
    return service;
}

void tileiras_close(tileiras_service *service) {
    if (service == NULL) return;
    free(service->start);
    free(service->path);
    free(service);
}

static int connect_to(const tileiras_service *service) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {PATIENCE, 0};
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(service->path) >= sizeof address.sun_path) return fd < 0 ? -1 : (close(fd), -1);
    strcpy(address.sun_path, service->path);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != getuid())
        return close(fd), -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static int make_request(const tileiras_service *service, const char *const *options, buffer *request) {
    static const char *const command[] = {"tileiras", "-", "-o", "-", NULL};
    static const char *const fds[] = {"-1", "0", "1", "2", NULL}, *const none[] = {NULL};
    char niceness[32], cpus[8 * CPU_SETSIZE] = "cpus=";
    const char *const limits[] = {"umask=63", niceness, cpus, NULL};
    cpu_set_t set;
    size_t used = strlen(cpus);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set)) used += (size_t)sprintf(cpus + used, cpus[used - 1] == '=' ? "%d" : ",%d", i);
    snprintf(niceness, sizeof niceness, "nice=%d", getpriority(PRIO_PROCESS, 0));
    return append(request, service->identity, strlen(service->identity)) | put_list(request, command, options) |
           put_list(request, (const char *const *)environ, none) | put_list(request, fds, none) |
           put_list(request, limits, none);
}

static int send_all(int connection, const void *data, size_t size) {
    for (ssize_t count; size > 0; size -= (size_t)count, data = (const char *)data + count)
        if ((count = send(connection, data, size, MSG_NOSIGNAL)) <= 0) return -1;
    return 0;
}

static int send_request(int connection, const buffer *request, const int *fds, size_t count) {
    uint64_t size = request->size;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE((STREAMS + 1) * sizeof(int))] = {0};
    struct iovec head = {&size, sizeof size};
    struct msghdr message = {.msg_iov = &head, .msg_iovlen = 1, .msg_control = control};
    message.msg_controllen = sizeof control;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof *fds);
    memcpy(CMSG_DATA(rights), fds, count * sizeof *fds);
    if (sendmsg(connection, &message, MSG_NOSIGNAL) != sizeof size) return -1;
    return send_all(connection, request->data, request->size);
}

/* The kind of the next answer, and its number. */
static int receive(int connection, int *number) {
    unsigned char answer[5];
    if (recv(connection, answer, sizeof answer, MSG_WAITALL) != sizeof answer) return -1;
    *number = answer[1] | answer[2] << 8 | answer[3] << 16 | answer[4] << 24;
    return answer[0];
}

/* A connection over which a process of the server has said that it is ready; -1 if none did. */
static int begin(const tileiras_service *service, const buffer *request, const int *fds) {
    int number, connection = connect_to(service);
    if (connection >= 0 && (send_request(connection, request, fds, STREAMS + 1) != 0 ||
                            receive(connection, &number) != 'A')) {
        close(connection);
        return -1;
    }
    return connection;
}

static int ask(const tileiras_service *service, const char *const *options, const int *fds) {
    struct timeval forever = {0, 0};
    buffer request = {NULL, 0}, answer = {NULL, 0};
    int number, kind = -1, connection = -1;
    if (make_request(service, options, &request) == 0) {
        connection = begin(service, &request, fds);
        /* Servers end when they have nothing to do, and when their files change. */
        if (connection < 0 && run_start(service->start, &answer) == 0) connection = begin(service, &request, fds);
    }
    if (connection >= 0) {
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
        if (send_all(connection, "G", 1) == 0) kind = receive(connection, &number);
        close(connection);
    }
    free(request.data);
    free(answer.data);
    return kind == 'X' ? number : kind == 'K' ? 128 + number : -1;
}

int tileiras_compile(tileiras_service *service, const void *program, size_t size, const char *const *options,
                     tileiras_result *result) {
    int fds[STREAMS + 1] = {open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)}, *streams = fds + 1, code = -1, failed = 0;
    *result = (tileiras_result){NULL, 0, NULL};
    for (int i = 0; i < STREAMS; i++) failed |= (streams[i] = memfd_create("tileiras", MFD_CLOEXEC)) < 0;
    if (!failed && fds[0] >= 0 && pwrite(streams[INPUT], program, size, 0) == (ssize_t)size)
        code = ask(service, options, fds);
    buffer cubin = code == 0 ? read_all(streams[OUTPUT]) : (buffer){NULL, 0}, log = read_all(streams[LOG]);
    *result = (tileiras_result){cubin.data, cubin.size, log.data != NULL ? log.data : calloc(1, 1)};
    for (int i = 0; i <= STREAMS; i++) close(fds[i]);
    return code;
}

void tileiras_free(tileiras_result *result) {
    free(result->cubin);
    free(result->log);
}
