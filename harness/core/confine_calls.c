#include "core/confine_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Those whose first argument is a process: for the calling thread alone, by number 0. */
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

bool confine_calls_known(void) {
    return true;
}

bool confine_calls(void) {
    struct program program = { .length = 0 };
    assemble(&program);
    const struct sock_fprog filter = { .len = program.length, .filter = program.code };
    /* Without the flag older kernels slow the process down against speculation, and with it what it
     * measures. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) ==
           0;
}

#else

bool confine_calls_known(void) {
    return false;
}

bool confine_calls(void) {
    return true;
}

#endif
