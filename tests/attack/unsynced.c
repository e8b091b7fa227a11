/* Notes what a process writes to the files of a folder and when it syncs them, for a power cut to be played later.
   Records go to UNSYNCED_LOG: kind, inode number of the file, offset, length, then the path or the bytes written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int notes = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

static int watched(int descriptor, char *path, size_t size) {
    char link[64];
    const char *folder = getenv("UNSYNCED_FOLDER");
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, size - 1);
    if (!folder || length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static void note(char kind, const char *path, int64_t offset, const void *data, int64_t length) {
    ssize_t (*real_write)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    int64_t head[4] = {kind, (int64_t)strlen(path), offset, length};
    pthread_mutex_lock(&mutex);
    if (notes < 0) notes = open(getenv("UNSYNCED_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    real_write(notes, head, sizeof head);
    real_write(notes, path, head[1]);
    if (data) real_write(notes, data, length);
    pthread_mutex_unlock(&mutex);
}

static ssize_t write_noted(const char *name, int descriptor, const void *data, size_t length, int64_t offset) {
    ssize_t (*real)(int, const void *, size_t, int64_t) = dlsym(RTLD_NEXT, name);
    ssize_t done = real(descriptor, data, length, offset);
    char path[4096];
    if (!inside && done > 0) {
        inside = 1;
        if (watched(descriptor, path, sizeof path)) note('w', path, offset, data, done);
        inside = 0;
    }
    return done;
}

ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
    return write_noted("pwrite", descriptor, data, length, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t offset) {
    return write_noted("pwrite64", descriptor, data, length, offset);
}

ssize_t write(int descriptor, const void *data, size_t length) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    char path[4096];
    int seen = 0;
    int64_t offset = 0;
    if (!inside) {
        inside = 1;
        if (descriptor == 1) note('a', "", 0, data, length);
        else if ((seen = watched(descriptor, path, sizeof path))) offset = lseek(descriptor, 0, SEEK_CUR);
        inside = 0;
    }
    ssize_t done = real(descriptor, data, length);
    if (seen && done > 0) note('w', path, offset, data, done);
    return done;
}

static int sync_noted(const char *name, int descriptor) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    char path[4096];
    int done = real(descriptor);
    if (!inside) {
        inside = 1;
        if (watched(descriptor, path, sizeof path)) note('s', path, 0, NULL, 0);
        inside = 0;
    }
    return done;
}

int fsync(int descriptor) { return sync_noted("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_noted("fdatasync", descriptor); }

static int cut_noted(const char *name, int descriptor, int64_t length) {
    int (*real)(int, int64_t) = dlsym(RTLD_NEXT, name);
    char path[4096];
    int done = real(descriptor, length);
    if (!inside) {
        inside = 1;
        if (watched(descriptor, path, sizeof path)) note('t', path, length, NULL, 0);
        inside = 0;
    }
    return done;
}

int ftruncate(int descriptor, off_t length) { return cut_noted("ftruncate", descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return cut_noted("ftruncate64", descriptor, length); }

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    const char *folder = getenv("UNSYNCED_FOLDER");
    int done = real(path);
    if (done == 0 && folder && strncmp(path, folder, strlen(folder)) == 0) note('u', path, 0, NULL, 0);
    return done;
}
