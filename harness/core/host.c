#include "core/host.h"

#include "core/strings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the clock ---- */

double clock_s(void) {
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* Linux always has it */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- memory ---- */

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t left_of(uint64_t limit, uint64_t taken) {
    return limit == UINT64_MAX ? limit : limit - lesser(limit, taken);
}

/* The number of the first line "NAME: 123" or "NAME 123" of a file of the system. */
static bool number_of_line(const char *path, const char *name, uint64_t *number) {
    char line[256];
    bool found = false;
    const size_t length = strlen(name);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *rest = line + length;
        found = strncmp(line, name, length) == 0 && (*rest == ':' || *rest == ' ') &&
                sscanf(rest + 1, "%" SCNu64, number) == 1;
    }
    if (file) {
        (void)fclose(file);
    }
    return found;
}

/* The number of a line "NAME: 123 kB", in bytes. */
static bool proc_kilobytes(const char *path, const char *name, uint64_t *bytes) {
    uint64_t kilobytes;
    if (!number_of_line(path, name, &kilobytes)) {
        return false;
    }
    *bytes = kilobytes * 1024;
    return true;
}

/* A file that holds one number; "max" and what cannot be read are no limit. */
static uint64_t number_in(const char *folder, const char *name) {
    char path[PATH_MAX];
    uint64_t number = UINT64_MAX;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        return number;
    }
    FILE *file = fopen(path, "re");
    if (file) {
        if (fscanf(file, "%" SCNu64, &number) != 1) {
            number = UINT64_MAX;
        }
        (void)fclose(file);
    }
    return number;
}

/* What one control group allows, of all and of what is left. Its page cache gives way: it does not
 * count as taken. */
static void bound_by_group(const char *folder, const char *limit, const char *usage, uint64_t *most,
                           uint64_t *available) {
    const uint64_t allowed = number_in(folder, limit);
    const uint64_t taken = number_in(folder, usage);
    if (allowed < *most) {
        *most = allowed;
    }
    if (allowed != UINT64_MAX && taken != UINT64_MAX) {
        char path[PATH_MAX];
        uint64_t cached = 0;
        (void)snprintf(path, sizeof path, "%.4000s/memory.stat", folder);
        if (!number_of_line(path, "total_inactive_file", &cached)) {
            (void)number_of_line(path, "inactive_file", &cached);
        }
        *available = lesser(*available, left_of(allowed, taken - lesser(taken, cached)));
    }
}

/* A group and those above it: each may have a limit. */
static void bound_by_groups(const char *root, const char *group, const char *limit,
                            const char *usage, uint64_t *most, uint64_t *available) {
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s%s", root, group) >= (int)sizeof folder) {
        return;
    }
    for (;;) {
        bound_by_group(folder, limit, usage, most, available);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(root)) {
            return;
        }
        *slash = '\0';
    }
}

/* A control group of this process that counts memory. */
struct memory_group {
    int version;
    const char *root;    /* where groups of this version are mounted */
    char path[PATH_MAX]; /* below it; "": the root itself */
};

/* The next of /proc/self/cgroup, whose lines are "ID:CONTROLLERS:PATH": 0::PATH is of version 2,
 * N:...memory...:PATH of version 1. */
static bool next_group(FILE *file, struct memory_group *group) {
    char line[PATH_MAX];
    while (file && fgets(line, sizeof line, file)) {
        const char *controllers = strchr(line, ':');
        const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        const char *memory = path ? strstr(controllers, "memory") : NULL;
        if (!path || (path > controllers + 1 && !(memory && memory < path))) {
            continue;
        }
        group->version = path == controllers + 1 ? 2 : 1;
        group->root = group->version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        (void)snprintf(group->path, sizeof group->path, "%.*s", (int)strcspn(path + 1, "\n"),
                       path + 1);
        if (strcmp(group->path, "/") == 0) {
            group->path[0] = '\0';
        }
        return true;
    }
    return false;
}

static void bound_by_control_groups(uint64_t *most, uint64_t *available) {
    struct memory_group group;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (next_group(file, &group)) {
        const bool second = group.version == 2;
        bound_by_groups(group.root, group.path, second ? "memory.max" : "memory.limit_in_bytes",
                        second ? "memory.current" : "memory.usage_in_bytes", most, available);
    }
    if (file) {
        (void)fclose(file);
    }
}

static void bounds(uint64_t *most, uint64_t *available) {
    uint64_t bytes;
    struct rlimit limit;
    *most = proc_kilobytes("/proc/meminfo", "MemTotal", &bytes) ? bytes : UINT64_MAX;
    *available = proc_kilobytes("/proc/meminfo", "MemAvailable", &bytes) ? bytes : *most;
    bound_by_control_groups(most, available);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const uint64_t taken = proc_kilobytes("/proc/self/status", "VmSize", &bytes) ? bytes : 0;
        *most = lesser(*most, limit.rlim_cur);
        *available = lesser(*available, left_of(limit.rlim_cur, taken));
    }
    *available = lesser(*available, *most);
}

uint64_t memory_most(void) {
    uint64_t most;
    uint64_t available;
    bounds(&most, &available);
    return most;
}

uint64_t memory_available(void) {
    uint64_t most;
    uint64_t available;
    bounds(&most, &available);
    return available;
}

int64_t memory_kills_in(const char *path) {
    uint64_t kills;
    return number_of_line(path, "oom_kill", &kills) ? (int64_t)kills : -1;
}

/* In a container the path of the group may be that of the host, and the group itself what is
 * mounted. */
static int64_t kills_of_group(const struct memory_group *group) {
    const char *name = group->version == 2 ? "memory.events" : "memory.oom_control";
    char file[PATH_MAX + 128];
    (void)snprintf(file, sizeof file, "%s%s/%s", group->root, group->path, name);
    const int64_t kills = memory_kills_in(file);
    (void)snprintf(file, sizeof file, "%s/%s", group->root, name);
    return kills >= 0 ? kills : memory_kills_in(file);
}

int64_t memory_kills(void) {
    struct memory_group group;
    int64_t kills = -1;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (kills < 0 && next_group(file, &group)) {
        kills = kills_of_group(&group);
    }
    if (file) {
        (void)fclose(file);
    }
    return kills >= 0 ? kills : memory_kills_in("/proc/vmstat");
}

void memory_words(double bytes, char *text, size_t size) {
    static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        unit++;
    }
    (void)snprintf(text, size, "%.3g %s", bytes, units[unit]);
}

/* ---- processors ---- */

/* One processor, as Linux numbers it; what is not known is 0 and `number`. */
struct processor {
    int number, package, core;
};

/* A number that the system has of a processor. */
static int topology_number(int number, const char *name, int otherwise) {
    char path[128];
    int value = otherwise;
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", number, name);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d", &value) != 1) {
            value = otherwise;
        }
        (void)fclose(file);
    }
    return value;
}

static int compare(int a, int b) {
    return (a > b) - (a < b);
}

static int compare_processors(const void *a, const void *b) {
    const struct processor *left = a;
    const struct processor *right = b;
    int order = compare(left->package, right->package);
    order = order ? order : compare(left->core, right->core);
    return order ? order : compare(left->number, right->number);
}

/* The processors of the set, neighbours beside each other. */
static size_t list_processors(const cpu_set_t *set, struct processor *list) {
    size_t count = 0;
    for (int number = 0; number < CPU_SETSIZE; number++) {
        if (CPU_ISSET((size_t)number, set)) {
            list[count++] =
                (struct processor){ .number = number,
                                    .package = topology_number(number, "physical_package_id", 0),
                                    .core = topology_number(number, "core_id", number) };
        }
    }
    qsort(list, count, sizeof *list, compare_processors);
    return count;
}

static bool begins_core(const struct processor *list, size_t i) {
    return i == 0 || list[i].package != list[i - 1].package || list[i].core != list[i - 1].core;
}

/* Chooses the processors of a share; cores stay whole where there are enough of them. */
static void choose_share(const struct processor *list, size_t count, size_t share, size_t shares,
                         cpu_set_t *chosen) {
    size_t cores = 0;
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        cores += begins_core(list, i);
    }
    const bool whole = cores >= shares;
    const size_t places = whole ? cores : count;
    CPU_ZERO(chosen);
    for (size_t i = 0; i < count; i++) {
        place += i > 0 && (!whole || begins_core(list, i));
        if (place * shares / places == share) {
            CPU_SET((size_t)list[i].number, chosen);
        }
    }
}

int processors_take_share(size_t share, size_t shares) {
    static const int this_thread = 0;
    cpu_set_t set;
    cpu_set_t chosen;
    CPU_ZERO(&set);
    if (shares == 0 || share >= shares || sched_getaffinity(this_thread, sizeof set, &set) != 0 ||
        (size_t)CPU_COUNT(&set) < shares) {
        return 0;
    }
    struct processor *list = calloc((size_t)CPU_COUNT(&set), sizeof *list);
    if (!list) {
        return 0;
    }
    choose_share(list, list_processors(&set, list), share, shares, &chosen);
    free(list);
    return sched_setaffinity(this_thread, sizeof chosen, &chosen) == 0 ? CPU_COUNT(&chosen) : 0;
}

/* ---- random bits ---- */

uint64_t draw_seed(void) {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        const double now = clock_s();
        memcpy(&bits, &now, sizeof bits);
    }
    return bits;
}

/* ---- other programs ---- */

/* Returns why it does not run; 0: it does. */
static int start_program(const char *folder, const char *const *words, bool with_errors, int output,
                         pid_t *child) {
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) {
        return failed;
    }
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, output, 1);
    failed = failed ? failed
             : with_errors
                 ? posix_spawn_file_actions_adddup2(&actions, output, 2)
                 : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_addchdir_np(&actions, folder);
    /* posix_spawnp() does not change the words. */
    failed = failed ? failed
                    : posix_spawnp(child, words[0], &actions, NULL, (char *const *)words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int program_run(const char *folder, const char *const *words, bool with_errors,
                struct strbuf *text) {
    char chunk[4096];
    int ends[2], status = 0;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    const int failed = start_program(folder, words, with_errors, ends[1], &child);
    (void)close(ends[1]);
    for (ssize_t got; !failed && ((got = read(ends[0], chunk, sizeof chunk)) > 0 ||
                                  (got < 0 && errno == EINTR));) {
        if (text && got > 0) {
            strbuf_append_bytes(text, chunk, (size_t)got);
        }
    }
    (void)close(ends[0]);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    errno = failed;
    return !failed && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- the terminal ---- */

enum { LEAST = 40, MOST = 10000 };

/* The descriptor behind a stream; a stream that wraps lines stands for standard output or error. */
static int descriptor_of(FILE *stream) {
    const int descriptor = fileno(stream);
    return descriptor >= 0 ? descriptor : stream == stderr ? STDERR_FILENO : STDOUT_FILENO;
}

int terminal_columns(FILE *stream) {
    const char *words = getenv("COLUMNS");
    struct winsize window;
    uint64_t columns = 0;
    const int descriptor = descriptor_of(stream);
    if (!words || !parse_count(words, &columns) || columns == 0 || columns > MOST) {
        columns =
            isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
    }
    if (columns == 0) {
        return TERMINAL_DEFAULT_COLUMNS;
    }
    return columns < LEAST ? LEAST : (int)columns;
}

bool terminal_rewrites(FILE *stream) {
    const char *name = getenv("TERM");
    return name && *name && strcmp(name, "dumb") != 0 && isatty(descriptor_of(stream));
}

/* Past the stream, which would wrap it. */
void terminal_clear_line(FILE *stream) {
    if (terminal_rewrites(stream)) {
        (void)fflush(stream);
        (void)dprintf(descriptor_of(stream), "\r\033[K");
    }
}

void terminal_show_line(FILE *stream, const char *text) {
    if (terminal_rewrites(stream)) {
        (void)fflush(stream);
        (void)dprintf(descriptor_of(stream), "\r\033[K%.*s", terminal_columns(stream) - 1, text);
    }
}

/* ---- lines that fit the terminal ---- */

/* Words are written as they come; what does not fit any more goes on in a new line, further in. */
struct wrapping {
    int descriptor, columns;
    int column, indent; /* of the line so far, and of its first word */
    int blanks;         /* before the next word */
    bool begun;         /* the line has a word */
    bool leaves_lines;
    FILE *stream;
};
static struct wrapping wrapped_streams[2];
static size_t wrapped_count;

/* The characters of a text: bytes of UTF-8 that begin one. */
static int width_of(const char *text, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return width;
}

static bool put(const struct wrapping *to, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(to->descriptor, text, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool put_word(struct wrapping *to, const char *word, size_t length) {
    static const char blanks[] = "                                        ";
    const int width = width_of(word, length);
    bool good = true;
    if (to->begun && to->blanks > 0 && to->column + to->blanks + width > to->columns) {
        good = put(to, "\n", 1);
        to->column = 0;
        to->blanks = to->indent + 2 < to->columns / 2 ? to->indent + 2 : 2;
    } else if (!to->begun) {
        to->indent = to->blanks;
    }
    to->begun = true;
    to->column += to->blanks + width;
    for (; good && to->blanks > 0; to->blanks -= (int)sizeof blanks - 1) {
        const size_t most = sizeof blanks - 1;
        good = put(to, blanks, (size_t)to->blanks < most ? (size_t)to->blanks : most);
    }
    to->blanks = 0;
    return good && put(to, word, length);
}

/* The length of a word, up to a blank or the end of the line. */
static size_t word_length(const char *text, size_t length) {
    size_t word = 0;
    while (word < length && text[word] != ' ' && text[word] != '\n') {
        word++;
    }
    return word;
}

static ssize_t write_wrapped(void *cookie, const char *text, size_t length) {
    struct wrapping *to = cookie;
    bool good = true;
    if (to->leaves_lines) {
        return put(to, text, length) ? (ssize_t)length : 0;
    }
    for (size_t i = 0; good && i < length;) {
        const size_t word = word_length(text + i, length - i);
        if (word > 0) {
            good = put_word(to, text + i, word);
            i += word;
        } else if (text[i++] == ' ') {
            to->blanks++;
        } else {
            good = put(to, "\n", 1);
            to->column = to->blanks = 0;
            to->begun = false;
        }
    }
    return good ? (ssize_t)length : 0;
}

FILE *terminal_wrapped(FILE *stream) {
    const int descriptor = fileno(stream);
    const size_t most = sizeof wrapped_streams / sizeof *wrapped_streams;
    if (!isatty(descriptor) || wrapped_count == most) {
        return stream;
    }
    struct wrapping *to = &wrapped_streams[wrapped_count++];
    *to = (struct wrapping){ .descriptor = descriptor, .columns = terminal_columns(stream) };
    FILE *wrapped = fopencookie(to, "w", (cookie_io_functions_t){ .write = write_wrapped });
    if (!wrapped) {
        return stream;
    }
    (void)setvbuf(wrapped, NULL, _IOLBF, BUFSIZ);
    to->stream = wrapped;
    return wrapped;
}

void terminal_leave_lines(FILE *stream) {
    (void)fflush(stream);
    for (size_t s = 0; s < wrapped_count; s++) {
        wrapped_streams[s].leaves_lines =
            wrapped_streams[s].leaves_lines || wrapped_streams[s].stream == stream;
    }
}
