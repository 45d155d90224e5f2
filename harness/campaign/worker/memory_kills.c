#include "campaign/worker/memory_kills.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t memory_kills_in(const char *path) {
    char line[256];
    int64_t count = -1;
    FILE *file = fopen(path, "re");
    if (!file) {
        return -1;
    }
    while (count < 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "oom_kill %" SCNd64, &count) != 1) {
            count = -1;
        }
    }
    (void)fclose(file);
    return count;
}

/* Of a control group at `path` below the place where its kind is mounted. In a container the path
 * may be that of the host, and the group itself what is mounted. */
static int64_t kills_of_group(const char *mount, const char *path, const char *name) {
    char file[4096 + 128];
    (void)snprintf(file, sizeof file, "%s%s/%s", mount, path, name);
    const int64_t count = memory_kills_in(file);
    (void)snprintf(file, sizeof file, "%s/%s", mount, name);
    return count >= 0 ? count : memory_kills_in(file);
}

/* By a line of /proc/self/cgroup: "0::/path" (cgroup v2) or "4:memory:/path" (v1). */
static int64_t kills_by_line(char *line) {
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) {
        return -1;
    }
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (controllers[1] == '\0') {
        return kills_of_group("/sys/fs/cgroup", path, "memory.events");
    }
    return strcmp(controllers + 1, "memory") == 0
               ? kills_of_group("/sys/fs/cgroup/memory", path, "memory.oom_control")
               : -1;
}

static int64_t kills_of_own_group(void) {
    char line[4096];
    int64_t count = -1;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && count < 0 && fgets(line, sizeof line, file)) {
        count = kills_by_line(line);
    }
    if (file) {
        (void)fclose(file);
    }
    return count;
}

int64_t memory_kills(void) {
    const int64_t of_own_group = kills_of_own_group();
    return of_own_group >= 0 ? of_own_group : memory_kills_in("/proc/vmstat");
}
