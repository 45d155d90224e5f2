/* Confines a process: Landlock limits which files it writes, seccomp which system calls it makes.
 */
#include "measure/worker/confine.h"

#include "core/cache.h"
#include "core/error.h"
#include "core/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- system calls that a confined process has no use for (seccomp) ---- */

/* What Landlock does not know: sockets but those of the machine itself, and calls that change the
 * system or go around the rules (mounting, modules, tracing, io_uring). */

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
/* Calls of the x32 interface have the same architecture and this bit in their number. */
#define FOREIGN_CALLS 0x40000000u
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN_CALLS 0xffffffffu
#endif

#ifdef OWN_ARCHITECTURE

static const uint32_t refused[] = {
    /* the network, around the filter of socket() */
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    /* files, around Landlock */
    SYS_open_by_handle_at,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    /* other processes */
    SYS_ptrace,
    SYS_process_vm_writev,
    SYS_perf_event_open,
    SYS_bpf,
    SYS_pidfd_getfd,
    SYS_setsid, /* out of the group that ends with the worker */
    SYS_setpgid,
    SYS_setpriority,
    SYS_ioprio_set,
    /* memory and messages that are kept for whoever knows the number, around Landlock */
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semctl,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    /* the system */
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_quotactl,
    SYS_acct,
    SYS_syslog,
};

/* System calls whose first argument is a process: allowed only for the calling thread, which is
 * number 0. */
static const uint32_t of_oneself[] = {
    SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    SYS_prlimit64,         SYS_migrate_pages,      SYS_move_pages,
};

enum {
    REFUSED = sizeof refused / sizeof refused[0],
    OF_ONESELF = sizeof of_oneself / sizeof of_oneself[0],
    MAX_INSTRUCTIONS = 2 * REFUSED + 5 * OF_ONESELF + 16
};

struct program {
    struct sock_filter code[MAX_INSTRUCTIONS];
    unsigned short length;
};

static void add(struct program *program, uint16_t operation, uint32_t value, uint8_t skip_if,
                uint8_t skip_else) {
    program->code[program->length++] =
        (struct sock_filter){ .code = operation, .jt = skip_if, .jf = skip_else, .k = value };
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end_with(struct program *program, uint32_t what) {
    add(program, BPF_RET | BPF_K, what, 0, 0);
}

static uint32_t failing(int reason) {
    return SECCOMP_RET_ERRNO | ((uint32_t)reason & SECCOMP_RET_DATA);
}

static void assemble(struct program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    end_with(program, failing(ENOSYS));
    load(program, offsetof(struct seccomp_data, nr));
    add(program, BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 0, 1);
    end_with(program, failing(ENOSYS));
    for (int i = 0; i < REFUSED; i++) {
        add(program, BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
        end_with(program, failing(EPERM));
    }
    for (int i = 0; i < OF_ONESELF; i++) {
        add(program, BPF_JMP | BPF_JEQ | BPF_K, of_oneself[i], 0, 4);
        load(program, offsetof(struct seccomp_data, args)); /* an int, as below */
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        end_with(program, failing(EPERM));
        end_with(program, SECCOMP_RET_ALLOW);
    }
    add(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0);
    end_with(program, SECCOMP_RET_ALLOW);
    /* The family is an int: the lower half of the argument, which comes first on these machines. */
    load(program, offsetof(struct seccomp_data, args));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1);
    end_with(program, SECCOMP_RET_ALLOW);
    end_with(program, failing(EACCES));
}

static bool confine_calls_known(void) {
    return true;
}

static bool confine_calls(void) {
    struct program program = { .length = 0 };
    assemble(&program);
    const struct sock_fprog filter = { .len = program.length, .filter = program.code };
    /* Without the flag older kernels slow the process down against speculation, and with it what it
     * measures. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) ==
           0;
}

#else

static bool confine_calls_known(void) {
    return false;
}

static bool confine_calls(void) {
    return true;
}

#endif

/* ---- files (Landlock) ---- */

/* Renaming from folder to folder, as PoCL does in its cache, needs the second version. */
enum { MIN_ABI = 2, ABI_OF_TRUNCATE = 3, ABI_OF_SCOPES = 6 };

/* Constants that headers of older systems may lack. */
#define ACCESS_TRUNCATE (1ULL << 14)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)

/* struct landlock_ruleset_attr as it grew; an older kernel is given its beginning. */
struct ruleset_attributes {
    uint64_t handled_files, handled_network, scoped;
};

static const uint64_t write_file = LANDLOCK_ACCESS_FS_WRITE_FILE;
static const uint64_t write_folder =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
/* Never allowed: as root a process could make a device node of its own and write to the disk. */
static const uint64_t make_nodes = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

static struct {
    bool disabled, tried, works;
    char words[128];
} state;

/* ---- the system's calls, which the C library does not have ---- */

/* Negative where the kernel has no Landlock or has it switched off. */
static int landlock_abi(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static int make_ruleset(int abi) {
    const struct ruleset_attributes attributes = {
        .handled_files = write_folder | make_nodes | (abi >= ABI_OF_TRUNCATE ? ACCESS_TRUNCATE : 0),
        .scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
    };
    const size_t size = abi >= ABI_OF_SCOPES ? sizeof attributes : sizeof attributes.handled_files;
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
}

/* ---- what may be written ---- */

struct rules {
    int ruleset, abi;
    bool failed;
};

/* Lets a file or all in a folder be written; one that is not there is no matter. */
static void allow(struct rules *rules, const char *path) {
    struct landlock_path_beneath_attr rule = { .parent_fd = open(path, O_PATH | O_CLOEXEC) };
    struct stat status;
    if (rule.parent_fd < 0) {
        return;
    }
    if (fstat(rule.parent_fd, &status) == 0) {
        rule.allowed_access = (S_ISDIR(status.st_mode) ? write_folder : write_file) |
                              (rules->abi >= ABI_OF_TRUNCATE ? ACCESS_TRUNCATE : 0);
        rules->failed = rules->failed || syscall(SYS_landlock_add_rule, rules->ruleset,
                                                 LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0;
    }
    (void)close(rule.parent_fd);
}

/* A folder of a cache, which is made where it is missing: its maker will not be able to. */
static void allow_cache(struct rules *rules, const char *path) {
    struct error ignored;
    if (fs_make_directories(path, &ignored)) {
        allow(rules, path);
    }
}

/* The value of a variable of the environment; NULL where it is unset or empty. */
static const char *value_of(const char *variable) {
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

/* Where a driver keeps its cache: where its own variable says, else in `rest` of `above`, where
 * that is known. */
static void allow_driver_cache(struct rules *rules, const char *variable, const char *above,
                               const char *rest) {
    char folder[PATH_MAX];
    const char *own = value_of(variable);
    if (own) {
        allow_cache(rules, own);
    } else if (above && snprintf(folder, sizeof folder, "%s/%s", above, rest) < PATH_MAX) {
        allow_cache(rules, folder);
    }
}

static void allow_caches(struct rules *rules) {
    const char *xdg = value_of("XDG_CACHE_HOME");
    const char *home = value_of("HOME");
    char folder[PATH_MAX];
    if (cache_folder(folder, sizeof folder)) {
        allow_cache(rules, folder);
    }
    if (xdg) {
        allow_driver_cache(rules, "POCL_CACHE_DIR", xdg, "pocl");
    } else {
        allow_driver_cache(rules, "POCL_CACHE_DIR", home ? home : "/tmp",
                           home ? ".cache/pocl" : "pocl");
    }
    if (access("/proc/driver/nvidia", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0) {
        allow_driver_cache(rules, "CUDA_CACHE_PATH", home, ".nv/ComputeCache");
    }
    if (home && snprintf(folder, sizeof folder, "%s/.cache/neo_compiler_cache", home) < PATH_MAX) {
        allow(rules, folder); /* Intel's, where it is in use */
    }
    const char *service = value_of("CUDA_MPS_PIPE_DIRECTORY");
    allow(rules, service ? service : "/tmp/nvidia-mps");
}

/* GPUs, and what every program writes to. Not all of /dev: it holds disks, memory and terminals. */
static bool is_for_kernels(const char *name) {
    static const char *const patterns[] = { "null",   "zero",    "full", "random", "urandom",
                                            "shm",    "nvidia*", "dri",  "kfd",    "dxg",
                                            "accel*", "mali*",   "kgsl*" };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (fnmatch(patterns[i], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static void allow_devices(struct rules *rules) {
    DIR *folder = opendir("/dev");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[sizeof "/dev/" + sizeof entry->d_name];
        struct stat status;
        (void)snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        if (is_for_kernels(entry->d_name) && stat(path, &status) == 0 &&
            (S_ISCHR(status.st_mode) || S_ISDIR(status.st_mode))) {
            allow(rules, path);
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
}

/* Compilers keep files for a moment: in pairmark's cache. The temporary folder of the user may hold
 * anything, the results of this run, too. */
static void move_temporary_folder(void) {
    char folder[PATH_MAX];
    struct error ignored;
    const size_t length = cache_folder(folder, sizeof folder) ? strlen(folder) : sizeof folder;
    if (length + sizeof "/tmp" <= sizeof folder) {
        (void)stpcpy(folder + length, "/tmp");
        if (fs_make_directories(folder, &ignored)) {
            (void)setenv("TMPDIR", folder, 1);
        }
    }
}

static void allow_all(struct rules *rules) {
    char self[64];
    (void)snprintf(self, sizeof self, "/proc/%ld", (long)getpid()); /* names of threads */
    allow(rules, self);
    allow_caches(rules);
    allow_devices(rules);
}

/* ---- confining ---- */

/* NVIDIA's library makes missing device nodes by a program that runs as root, which a confined
 * process cannot start: it is done before. */
static void make_nvidia_nodes(void) {
    char words[3][16] = { "nvidia-modprobe", "-c0", "-u" };
    char *arguments[] = { words[0], words[1], words[2], NULL };
    pid_t child;
    static const char program[] = "/usr/bin/nvidia-modprobe";
    if (access("/dev/nvidia-uvm", F_OK) != 0 && access(program, X_OK) == 0 &&
        posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

static bool confine_now(void) {
    struct rules rules = { .abi = landlock_abi() };
    if (rules.abi < MIN_ABI) {
        return false;
    }
    rules.ruleset = make_ruleset(rules.abi);
    if (rules.ruleset < 0) {
        return false;
    }
    make_nvidia_nodes();
    allow_all(&rules);
    move_temporary_folder();
    const bool confined = !rules.failed && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                          syscall(SYS_landlock_restrict_self, rules.ruleset, 0) == 0 &&
                          confine_calls();
    (void)close(rules.ruleset);
    return confined;
}

/* ---- whether it works ---- */

/* Tries in a process of its own, since it cannot be undone, whether confining works and, where a
 * file is named, whether that can be written even so. */
static bool try_out(const char *file) {
    int ending = 0;
    pid_t ended = -1;
    const pid_t child = fork();
    if (child == 0) {
        const bool works = confine_now() && (!file || open(file, O_WRONLY | O_CLOEXEC) >= 0);
        _exit(works ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    while (child > 0 && (ended = waitpid(child, &ending, 0)) < 0 && errno == EINTR) {
    }
    return ended > 0 && WIFEXITED(ending) && WEXITSTATUS(ending) == EXIT_SUCCESS;
}

static void find_out(void) {
    const int abi = landlock_abi();
    state.tried = true;
    state.works = abi >= MIN_ABI && try_out(NULL);
    if (state.works) {
        (void)snprintf(state.words, sizeof state.words, "landlock %d%s", abi,
                       confine_calls_known() ? ", seccomp" : "");
    } else if (abi < MIN_ABI) {
        (void)snprintf(state.words, sizeof state.words,
                       "not available: it needs Landlock of Linux 5.19 or newer, switched on");
    } else {
        (void)snprintf(state.words, sizeof state.words,
                       "not available: the system refuses Landlock or seccomp");
    }
}

void confine_disable(void) {
    state.disabled = true;
}

bool confine_works(void) {
    if (!state.disabled && !state.tried) {
        find_out();
    }
    return !state.disabled && state.works;
}

bool confine_reaches(const char *file) {
    return confine_works() && try_out(file);
}

const char *confine_words(void) {
    (void)confine_works();
    return state.disabled ? "off, as asked for" : state.words;
}

bool confine_process(void) {
    return !confine_works() || confine_now();
}
