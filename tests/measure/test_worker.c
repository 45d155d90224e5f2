/* The worker process, with functions behind it that crash, hang and answer as told by the case. */
#include "campaign/plan/plan.h"
#include "core/host.h"
#include "core/threads.h"
#include "measure/worker/worker_server.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#undef fail /* the harness has its own */

/* What the case of an index does. */
enum behaviour {
    ANSWERS,
    SEGFAULTS,
    HANGS,
    IS_KILLED,
    EXITS,
    FAILS,
    PRINTS,
    ANSWERS_AT_LENGTH,
    COUNTS_DESCRIPTORS,
    LOSES_DEVICE,
    DAMAGES,       /* the process: what SUFFERS crashes there from then on */
    SUFFERS,       /* only there */
    IS_REFUSED,    /* by a damaged process, as launches are there */
    IS_MISJUDGED,  /* by results that were damaged with it */
    FAULTS_ONCE,   /* in the first process of a test that meets it */
    TELLS_PROCESS, /* who ran it, as its worst ratio */
    FORGES,        /* writes what could be an answer to all descriptors */
    READS_KEY,     /* reads what there is from all descriptors */
    FLOODS,        /* standard error, with what drives a terminal */
    FLOODS_LINES,  /* standard error, with empty lines */
    CLOSES,        /* all descriptors, and goes on */
    LEAVES_CHILD,  /* which keeps all descriptors, and crashes */
    STOPS,         /* itself, as a debugger would */
    WORKS,         /* for work_s seconds of a processor */
    LOOKS_STALE,   /* while others take a tenth of the processors and more */
    IS_STALE,      /* whatever others take */
    BEHAVIOURS
};

enum { MANY_PARTICLES = 100000 };

/* The device name and the process are what a session of this test knows. */
struct session {
    struct device_info info;
    int requests;
    bool lost;
};

static bool stub_open(const char *name, struct session **session, struct error *error) {
    if (strcmp(name, "none") == 0) {
        return fail(error, STATUS_BAD_INPUT, "there is no device '%s'", name);
    }
    *session = calloc(1, sizeof **session);
    if (!*session) {
        return fail_out_of_memory(error, "session");
    }
    (void)snprintf((*session)->info.name, sizeof(*session)->info.name, "%s", name);
    (*session)->info.compute_units = (int)getpid();
    return true;
}

/* Leaves a file behind where the name of the device is a path, so that a test sees the end. */
static void stub_close(struct session *session) {
    if (session->info.name[0] == '/') {
        FILE *file = fopen(session->info.name, "w");
        if (file) {
            (void)fclose(file);
        }
    }
    free(session);
}

static bool stub_works(struct session *session) {
    return !session->lost;
}

static bool damaged;

static bool stub_intact(const struct session *session) {
    (void)session;
    return !damaged;
}

static const struct device_info *stub_device(const struct session *session) {
    return &session->info;
}

static char met_path[32]; /* a file that is there once FAULTS_ONCE was met */

static void segfault(void) {
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would exit instead */
    (void)raise(SIGSEGV);
}

static void segfault_once(void) {
    const int file = open(met_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
        (void)close(file);
        segfault();
    }
}

/* What is forged: bytes of this length, all of this value. */
static struct {
    size_t length;
    int value;
} forged;

static void forge(void) {
    char bytes[8192];
    memset(bytes, forged.value, sizeof bytes);
    for (int i = STDERR_FILENO + 1; i < 64; i++) {
        (void)(write(i, bytes, forged.length) + 1);
    }
}

static void read_key(void) {
    char bytes[4096];
    for (int i = 0; i < 64; i++) {
        (void)recv(i, bytes, sizeof bytes, MSG_DONTWAIT);
    }
}

static void flood(void) {
    for (int i = 0; i < 100000; i++) {
        (void)fprintf(stderr, "\033[2Jok: all cases pass %d\r\n", i);
    }
}

static void flood_lines(void) {
    for (int i = 0; i < 1000000; i++) {
        (void)fputc('\n', stderr);
    }
}

static void hang(void) {
    for (;;) {
        (void)pause();
    }
}

static const double work_s = 0.3;

/* Keeps a processor busy until it has had so many seconds of it. */
static void work(double seconds) {
    struct timespec used = { 0 };
    while ((double)used.tv_sec + 1e-9 * (double)used.tv_nsec < seconds) {
        (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    }
}

static void close_all(void) {
    closefrom(0);
    hang();
}

/* It outlives this process, in its group or not. */
static void leave_child(void) {
    if (fork() == 0) {
        (void)setsid();
        hang();
    }
    segfault();
}

static void misbehave(enum behaviour behaviour) {
    switch (behaviour) {
    case FLOODS_LINES:
        flood_lines();
        break;
    case CLOSES:
        close_all();
        break;
    case LEAVES_CHILD:
        leave_child();
        break;
    case STOPS:
        (void)raise(SIGSTOP);
        break;
    case FORGES:
        forge();
        break;
    case READS_KEY:
        read_key();
        break;
    case FLOODS:
        flood();
        break;
    case SEGFAULTS:
        segfault();
        break;
    case DAMAGES:
        damaged = true;
        break;
    case SUFFERS:
        if (damaged) {
            segfault();
        }
        break;
    case FAULTS_ONCE:
        segfault_once();
        break;
    case HANGS:
        hang();
        break;
    case WORKS:
        work(work_s);
        break;
    case IS_KILLED:
        (void)raise(SIGKILL);
        break;
    case EXITS:
        _exit(7);
    case PRINTS:
        (void)printf("noise of a library\n");
        (void)fflush(stdout);
        break;
    default:
        break;
    }
}

/* A case tells its behaviour by its seed. */
static enum behaviour behaviour_of(const struct case_spec *spec) {
    return (enum behaviour)spec->box.seed;
}

static bool stub_evaluate(struct session *session, const struct case_spec *spec,
                          struct evaluation *evaluation, struct verdict *verdict,
                          struct error *error) {
    (void)session;
    if (verdict) {
        *verdict = verdict_of(STATUS_WRONG);
    }
    misbehave(behaviour_of(spec));
    if (behaviour_of(spec) == FAILS) {
        return fail(error, STATUS_COMPILE_ERROR, "line 3: no such type");
    }
    evaluation->n = behaviour_of(spec) == ANSWERS_AT_LENGTH ? MANY_PARTICLES : 2;
    evaluation->energy = -1.5;
    evaluation->virial[8] = NAN;
    evaluation->numbers = 3 * evaluation->n;
    evaluation->force = calloc(evaluation->numbers, sizeof *evaluation->force);
    if (!evaluation->force) {
        return fail_out_of_memory(error, "forces");
    }
    for (size_t i = 0; i < 3 * evaluation->n; i++) {
        evaluation->force[i] = 0.25 * (double)i;
    }
    return true;
}

static void stub_check(struct session *session, const struct case_spec *spec,
                       struct verdict *verdict) {
    session->requests++;
    misbehave(behaviour_of(spec));
    session->lost = session->lost || behaviour_of(spec) == LOSES_DEVICE;
    verdict->status = STATUS_OK;
    if (session->lost || (damaged && behaviour_of(spec) == IS_REFUSED)) {
        verdict->status = STATUS_LAUNCH_ERROR;
    } else if (behaviour_of(spec) == FAILS || (damaged && behaviour_of(spec) == IS_MISJUDGED)) {
        verdict->status = STATUS_WRONG;
    }
    verdict->worst_ratio = session->requests;
    if (behaviour_of(spec) == TELLS_PROCESS) {
        verdict->worst_ratio = (double)getpid();
    }
    if (behaviour_of(spec) == COUNTS_DESCRIPTORS) {
        verdict->worst_ratio = 0;
        for (int i = 0; i < 256; i++) {
            verdict->worst_ratio += fcntl(i, F_GETFD) != -1;
        }
    }
}

static void stub_measure(struct session *session, const struct case_spec *spec,
                         const struct sampling *sampling, struct measurement *measurement) {
    misbehave(behaviour_of(spec));
    (void)strcpy(measurement->force.stop_reason, "time_cap");
    measurement->timed = true;
    measurement->force.median_s = 2 * sampling->time_cap_s;
    measurement->sample_count = MEASURE_MAX_SAMPLES;
    measurement->samples[MEASURE_MAX_SAMPLES - 1] = 0.5f;
    session->requests++;
    measurement->registers = session->requests;
    measurement->machine_load = behaviour_of(spec) == LOOKS_STALE ? 0.5 : 0;
    if (behaviour_of(spec) == IS_STALE ||
        (behaviour_of(spec) == LOOKS_STALE && session->requests < sampling->time_cap_s)) {
        measurement->verdict.status = STATUS_STALE;
    }
}

/* How often each case was compiled, by any process. */
static int *compiled;

static void stub_compile(struct session *session, const struct case_spec *spec) {
    (void)session;
    compiled[behaviour_of(spec)]++;
    misbehave(behaviour_of(spec));
}

static const struct device_rates *stub_rates(struct session *session) {
    static const struct device_rates rates = {
        .peaks = { .fp32_operations_per_s = 2e9, .measured_utc = "then" }, .launch_overhead_s = 3e-6
    };
    (void)session;
    return &rates;
}

static bool stub_enumerate(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                           struct error *error) {
    *list = calloc(2, sizeof **list);
    if (!*list) {
        return fail_out_of_memory(error, "devices");
    }
    (void)snprintf((*list)[1].name, sizeof(*list)[1].name, "stub:1");
    (*list)[1].compute_units = (int)getpid();
    *count = 2;
    (void)snprintf(notes, notes_size, "other: absent\n");
    return true;
}

static bool crash_enumerate(struct device_info **list, size_t *count, char *notes,
                            size_t notes_size, struct error *error) {
    (void)list;
    (void)count;
    (void)notes;
    (void)notes_size;
    (void)error;
    misbehave(SEGFAULTS);
    return false;
}

static int64_t kills_told[2]; /* before a process and after it */
static size_t kills_asked;

static int64_t stub_memory_kills(void) {
    return kills_told[kills_asked++ % 2];
}

static const struct worker_server stub = {
    .open = stub_open,
    .close = stub_close,
    .works = stub_works,
    .intact = stub_intact,
    .device = stub_device,
    .evaluate = stub_evaluate,
    .compile = stub_compile,
    .check = stub_check,
    .measure = stub_measure,
    .rates = stub_rates,
    .enumerate = stub_enumerate,
    .memory_kills = stub_memory_kills,
};

/* ---- a plan with one case for each behaviour ---- */

static struct case_spec cases[BEHAVIOURS];
static struct plan plan = { .cases = cases, .count = BEHAVIOURS };

/* All cases are of one variant, until a test says otherwise. */
static struct variant variants[BEHAVIOURS];

static void of_variant(enum behaviour behaviour, int variant) {
    cases[behaviour].variant = &variants[variant];
}

static int set_up(void **state) {
    (void)state;
    for (int i = 0; i < BEHAVIOURS; i++) {
        (void)snprintf(variants[i].name, sizeof variants[i].name, "variant_%d", i);
        variants[i].workload = workload_find("forces");
        (void)snprintf(cases[i].interaction.name, sizeof cases[i].interaction.name, "lj");
        (void)snprintf(cases[i].box.kind, sizeof cases[i].box.kind, "fluid");
        of_variant((enum behaviour)i, 0);
        cases[i].box.seed = (uint64_t)i;
        cases[i].box.n = 10;
        cases[i].cutoff = cutoff_of(2.5);
    }
    return 0;
}

static struct worker *start(const char *device, double deadline_s) {
    return worker_create_with(&stub, plan_worker_cases(&plan), device, deadline_s);
}

/* The verdict is that status, and its message has these words. */
static void assert_tells(struct worker *worker, enum behaviour behaviour, enum status status,
                         const char *words) {
    struct verdict verdict;
    worker_check(worker, behaviour, &verdict);
    if (verdict.status != status) {
        print_error("%s: %s\n", status_name(verdict.status), verdict.message);
    }
    assert_int_equal(verdict.status, status);
    assert_says(verdict.message, words);
}

static void assert_checks(struct worker *worker, enum behaviour behaviour, enum status status) {
    assert_tells(worker, behaviour, status, "");
}

static void assert_answers(struct worker *worker) {
    assert_checks(worker, ANSWERS, STATUS_OK);
}

TEST(device_is_opened_in_another_process) {
    struct worker *worker = start("stub:0", 10);
    struct device_info info;
    struct error error;
    struct device_rates rates;
    assert_int_equal(worker_process(worker), 0);
    assert_true(worker_device(worker, &info, &error));
    assert_string_equal(info.name, "stub:0");
    assert_int_equal(info.compute_units, worker_process(worker));
    assert_int_not_equal(info.compute_units, (int)getpid());
    assert_true(worker_rates(worker, &rates, &error));
    assert_true(rates.peaks.fp32_operations_per_s == 2e9);
    assert_string_equal(rates.peaks.measured_utc, "then");
    assert_true(rates.launch_overhead_s == 3e-6);
    worker_free(worker);
    worker_free(NULL);
}

TEST(device_that_cannot_be_opened_is_an_error_of_every_call) {
    struct worker *worker = start("none", 10);
    struct device_info info;
    struct error error;
    struct verdict verdict;
    struct measurement measurement;
    struct sampling sampling = { 0 };
    assert_false(worker_device(worker, &info, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_string_equal(error.message, "there is no device 'none'");
    worker_check(worker, ANSWERS, &verdict);
    assert_int_equal(verdict.status, STATUS_BAD_INPUT);
    assert_string_equal(verdict.message, "there is no device 'none'");
    assert_int_equal(verdict.bitwise_repeatable, -1);
    worker_measure(worker, ANSWERS, &sampling, &measurement);
    assert_int_equal(measurement.verdict.status, STATUS_BAD_INPUT);
    assert_false(measurement.timed);
    worker_free(worker);
}

TEST(evaluation_comes_with_its_forces) {
    struct worker *worker = start("stub:0", 10);
    struct evaluation evaluation;
    struct verdict verdict;
    struct error error;
    assert_true(worker_evaluate(worker, ANSWERS_AT_LENGTH, &evaluation, NULL, &error));
    assert_int_equal(evaluation.n, MANY_PARTICLES);
    assert_true(evaluation.energy == -1.5);
    assert_true(isnan(evaluation.virial[8]));
    for (size_t i = 0; i < 3 * evaluation.n; i++) {
        assert_true(evaluation.force[i] == 0.25 * (double)i);
    }
    free(evaluation.force);
    assert_true(worker_evaluate(worker, ANSWERS, &evaluation, &verdict, &error));
    assert_int_equal(verdict.status, STATUS_WRONG); /* what was computed comes along */
    assert_int_equal(evaluation.n, 2);
    free(evaluation.force);
    assert_false(worker_evaluate(worker, FAILS, &evaluation, NULL, &error));
    assert_int_equal(error.status, STATUS_COMPILE_ERROR);
    assert_string_equal(error.message, "line 3: no such type");
    worker_free(worker);
}

/* In `looks` measurements of a busy machine the kernel looks stale; how many were taken. */
static int measurements_of(enum behaviour behaviour, int looks, enum status status) {
    struct worker *worker = start("stub:0", 10);
    struct measurement measurement;
    struct sampling sampling = { .time_cap_s = looks + 1 };
    worker_measure(worker, behaviour, &sampling, &measurement);
    assert_int_equal(measurement.verdict.status, status);
    worker_free(worker);
    return measurement.registers;
}

TEST(what_looks_stale_on_a_busy_machine_is_measured_again) {
    assert_int_equal(measurements_of(LOOKS_STALE, 0, STATUS_OK), 1);
    assert_int_equal(measurements_of(LOOKS_STALE, 1, STATUS_OK), 2);
    assert_int_equal(measurements_of(LOOKS_STALE, 2, STATUS_OK), 3);
    assert_int_equal(measurements_of(LOOKS_STALE, 3, STATUS_STALE), 3);
    assert_int_equal(measurements_of(IS_STALE, 0, STATUS_STALE), 1);
}

TEST(measurement_comes_with_samples_and_words) {
    struct worker *worker = start("stub:0", 10);
    struct measurement measurement;
    struct sampling sampling = { .time_cap_s = 3 };
    worker_measure(worker, ANSWERS, &sampling, &measurement);
    assert_true(measurement.timed);
    assert_true(measurement.force.median_s == 6);
    assert_string_equal(measurement.force.stop_reason, "time_cap");
    assert_true(measurement.samples[MEASURE_MAX_SAMPLES - 1] == 0.5f);
    worker_measure(worker, SEGFAULTS, &sampling, &measurement);
    assert_int_equal(measurement.verdict.status, STATUS_CRASHED);
    assert_false(measurement.timed);
    assert_true(isnan(measurement.force.median_s));
    assert_int_equal(measurement.pairs_evaluated, -1);
    assert_int_equal(measurement.n, 10);
    worker_free(worker);
}

TEST(one_process_answers_many_requests) {
    struct worker *worker = start("stub:0", 10);
    struct verdict verdict;
    for (int i = 1; i <= 2000; i++) {
        worker_check(worker, i % 2 ? ANSWERS : FAILS, &verdict);
        assert_int_equal(verdict.status, i % 2 ? STATUS_OK : STATUS_WRONG);
        assert_true(verdict.worst_ratio == i);
    }
    worker_free(worker);
}

TEST(crash_costs_one_case) {
    struct worker *worker = start("stub:0", 10);
    struct verdict verdict;
    struct evaluation evaluation;
    struct error error;
    assert_answers(worker);
    int first = worker_process(worker);
    worker_check(worker, SEGFAULTS, &verdict);
    assert_int_equal(verdict.status, STATUS_CRASHED);
    assert_says(verdict.message, "signal 11 (Segmentation fault)");
    assert_true(isnan(verdict.worst_ratio));
    assert_int_equal(worker_process(worker), 0);
    assert_answers(worker);
    assert_int_not_equal(worker_process(worker), first);
    assert_false(worker_evaluate(worker, EXITS, &evaluation, NULL, &error));
    assert_int_equal(error.status, STATUS_CRASHED);
    assert_says(error.message, "exit status 7");
    assert_answers(worker);
    worker_free(worker);
}

TEST(renewal_is_another_process) {
    struct worker *worker = start("stub:0", 10);
    worker_restart(worker); /* none runs yet */
    assert_answers(worker);
    const int first = worker_process(worker);
    worker_restart(worker);
    assert_int_equal(worker_process(worker), 0);
    assert_int_equal(kill(first, 0), -1); /* gone, and waited for */
    assert_int_equal(errno, ESRCH);
    assert_answers(worker);
    assert_int_not_equal(worker_process(worker), first);
    worker_free(worker);
}

/* On CUDA an illegal access costs the process its device: whatever follows there fails. */
TEST(lost_device_costs_one_case) {
    struct worker *worker = start("stub:0", 10);
    for (int i = 0; i < 100; i++) {
        assert_answers(worker);
        int process = worker_process(worker);
        assert_checks(worker, LOSES_DEVICE, STATUS_LAUNCH_ERROR);
        assert_answers(worker);
        assert_int_not_equal(worker_process(worker), process);
    }
    worker_free(worker);
}

/* Which verdict a kill is, where the system counted so many for want of memory before and after. */
static void assert_kill(int64_t before, int64_t after, enum status status, const char *words) {
    struct worker *worker = start("stub:0", 10);
    struct verdict verdict;
    kills_told[0] = before;
    kills_told[1] = after;
    kills_asked = 0;
    worker_check(worker, IS_KILLED, &verdict);
    assert_int_equal(verdict.status, status);
    assert_says(verdict.message, words);
    assert_answers(worker);
    assert_null(worker_blame(worker, 0));
    worker_free(worker);
}

TEST(kill_is_lack_of_memory_where_the_system_counted_one) {
    assert_kill(3, 4, STATUS_OUT_OF_MEMORY, "out of memory");
    assert_kill(3, 3, STATUS_CRASHED, "signal 9 (Killed)");
    assert_kill(-1, -1, STATUS_CRASHED, "signal 9 (Killed)");
}

TEST(kills_are_read_from_files_of_the_system) {
    char path[] = "/tmp/pairmark-test-XXXXXX";
    static const char events[] = "low 0\nhigh 7\noom_kill_disable 1\noom_kill 12\noom 3\n";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(memory_kills_in(path), -1);
    assert_int_equal(write(file, events, sizeof events - 1), sizeof events - 1);
    assert_int_equal(close(file), 0);
    assert_int_equal(memory_kills_in(path), 12);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(memory_kills_in(path), -1);
    assert_true(memory_kills() >= 0); /* Linux 4.13 counts them in /proc/vmstat */
}

/* ---- blame ---- */

TEST_WITH(damage_is_blamed_on_who_did_it, set_up, NULL) {
    struct worker *worker = start("stub:0", 10);
    struct measurement measurement;
    struct sampling sampling = { 0 };
    of_variant(DAMAGES, 1);
    of_variant(SUFFERS, 2);
    of_variant(TELLS_PROCESS, 3);
    assert_answers(worker);
    assert_checks(worker, DAMAGES, STATUS_OK);
    assert_checks(worker, TELLS_PROCESS, STATUS_OK);
    assert_null(worker_blame(worker, 0));
    worker_measure(worker, SUFFERS, &sampling, &measurement);
    assert_int_equal(measurement.verdict.status, STATUS_OK);
    assert_true(measurement.timed);
    assert_non_null(worker_blame(worker, 0));
    assert_non_null(strstr(worker_blame(worker, 0), "variant_1 damages"));
    assert_non_null(strstr(worker_blame(worker, 0), "variant_2"));
    assert_null(worker_blame(worker, 1));
    assert_tells(worker, DAMAGES, STATUS_CRASHED, "not run: variant_1 damages");
    assert_checks(worker, SUFFERS, STATUS_OK);
    assert_checks(worker, TELLS_PROCESS, STATUS_OK);
    assert_answers(worker);
    assert_null(worker_blame(worker, 1));
    worker_free(worker);
}

/* Damage that takes nothing down shows in what others come to. */
static void assert_blamed_for(enum behaviour victim) {
    struct worker *worker = start("stub:0", 10);
    of_variant(DAMAGES, 1);
    of_variant(victim, 2);
    assert_answers(worker);
    assert_checks(worker, DAMAGES, STATUS_OK);
    assert_checks(worker, victim, STATUS_OK);
    assert_non_null(worker_blame(worker, 0));
    assert_non_null(strstr(worker_blame(worker, 0), "variant_1 damages"));
    assert_null(worker_blame(worker, 1));
    assert_checks(worker, DAMAGES, STATUS_CRASHED);
    assert_checks(worker, victim, STATUS_OK);
    worker_free(worker);
}

TEST_WITH(refusal_in_a_damaged_process_is_blamed_on_who_did_it, set_up, NULL) {
    assert_blamed_for(IS_REFUSED);
}

TEST_WITH(results_judged_by_damaged_ones_are_nobodys, set_up, NULL) {
    assert_blamed_for(IS_MISJUDGED);
}

TEST_WITH(crash_by_itself_is_blamed_on_itself, set_up, NULL) {
    struct worker *worker = start("stub:0", 10);
    of_variant(SEGFAULTS, 1);
    assert_answers(worker);
    assert_checks(worker, SEGFAULTS, STATUS_CRASHED);
    assert_answers(worker);
    const int process = worker_process(worker);
    assert_checks(worker, SEGFAULTS, STATUS_CRASHED); /* and shares no process any more */
    assert_int_equal(kill(process, 0), -1);
    assert_answers(worker);
    assert_null(worker_blame(worker, 0));
    worker_free(worker);
}

TEST_WITH(damage_to_its_own_variant_stays_a_crash, set_up, NULL) {
    struct worker *worker = start("stub:0", 10);
    struct verdict verdict;
    of_variant(DAMAGES, 1);
    of_variant(SUFFERS, 1);
    assert_checks(worker, DAMAGES, STATUS_OK);
    worker_check(worker, SUFFERS, &verdict);
    assert_int_equal(verdict.status, STATUS_CRASHED);
    assert_says(verdict.message, "signal 11");
    assert_says(verdict.message, "an earlier case of the variant damages the process");
    assert_null(worker_blame(worker, 0));
    worker_free(worker);
}

TEST_WITH(crash_that_does_not_come_back_is_told, set_up, NULL) {
    struct worker *worker = start("stub:0", 10);
    of_variant(FAULTS_ONCE, 1);
    of_variant(TELLS_PROCESS, 2);
    (void)snprintf(met_path, sizeof met_path, "/dev/shm/pairmark-met-%d", (int)getpid());
    (void)unlink(met_path);
    assert_checks(worker, TELLS_PROCESS, STATUS_OK);
    assert_checks(worker, FAULTS_ONCE, STATUS_OK);
    assert_int_equal(unlink(met_path), 0);
    assert_non_null(worker_blame(worker, 0));
    assert_non_null(strstr(worker_blame(worker, 0), "variant_1"));
    assert_non_null(strstr(worker_blame(worker, 0), "failed once"));
    assert_non_null(strstr(worker_blame(worker, 0), "variant_2"));
    worker_free(worker);
}

TEST_WITH(isolated_variants_share_no_process, set_up, NULL) {
    struct worker *worker = start("stub:0", 10);
    struct verdict verdict;
    of_variant(DAMAGES, 1);
    of_variant(SUFFERS, 2);
    of_variant(TELLS_PROCESS, 2);
    worker_isolate_variants(worker);
    assert_checks(worker, DAMAGES, STATUS_OK);
    const int process = worker_process(worker);
    assert_checks(worker, SUFFERS, STATUS_OK);
    worker_check(worker, TELLS_PROCESS, &verdict);
    assert_true(verdict.worst_ratio == (double)worker_process(worker));
    assert_int_not_equal(worker_process(worker), process);
    assert_int_equal(kill(process, 0), -1);
    assert_null(worker_blame(worker, 0));
    worker_free(worker);
}

TEST(death_between_requests_costs_no_case) {
    struct worker *worker = start("stub:0", 10);
    siginfo_t ended;
    assert_answers(worker);
    pid_t process = worker_process(worker);
    assert_int_equal(kill(process, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT), 0);
    assert_answers(worker);
    assert_int_not_equal(worker_process(worker), process);
    worker_free(worker);
}

TEST(hang_is_ended_at_the_deadline) {
    struct worker *worker = start("stub:0", 0.2);
    assert_answers(worker);
    pid_t process = worker_process(worker);
    double began = clock_s();
    assert_checks(worker, HANGS, STATUS_TIMEOUT);
    assert_true(clock_s() - began >= 0.2);
    assert_true(clock_s() - began < 5);
    assert_int_equal(kill(process, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_answers(worker);
    worker_free(worker);
}

/* Others keep every processor busy twice. Who gets next to none ends all the same, much later. */
TEST(others_time_counts_for_nothing) {
    enum { MOST = 256 };
    pid_t others[MOST];
    const int count = 2 * threads_usable();
    const double deadline = 0.8 * work_s;
    struct verdict verdict;
    if (count < 4 || count > MOST || count != 2 * (int)sysconf(_SC_NPROCESSORS_ONLN)) {
        skip();
    }
    struct worker *worker = start("stub:0", deadline);
    assert_answers(worker);
    for (int i = 0; i < count; i++) {
        others[i] = fork();
        if (others[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(INFINITY);
        }
    }
    const double began = clock_s();
    worker_check(worker, WORKS, &verdict);
    const double took = clock_s() - began;
    for (int i = 0; i < count; i++) {
        (void)kill(others[i], SIGKILL);
        assert_int_equal(waitpid(others[i], NULL, 0), others[i]);
    }
    assert_true(verdict.status == STATUS_OK || took > 9 * deadline);
    worker_free(worker);
}

/* The deadline of a minute would be up much later. */
TEST(silence_is_ended_before_the_deadline) {
    struct worker *worker = start("stub:0", 60);
    double began = clock_s();
    assert_tells(worker, CLOSES, STATUS_CRASHED, "closed its descriptors");
    assert_answers(worker);
    assert_true(clock_s() - began < 30);
    worker_free(worker);
}

/* Nor does a child that it leaves keep us waiting, which has the worker's end of the socket. */
TEST(crash_is_seen_behind_a_child) {
    struct worker *worker = start("stub:0", 60);
    double began = clock_s();
    assert_answers(worker);
    const pid_t group = worker_process(worker);
    assert_tells(worker, LEAVES_CHILD, STATUS_CRASHED, "signal 11");
    assert_answers(worker);
    assert_true(clock_s() - began < 30);
    for (int i = 0; i < 500 && kill(-group, 0) == 0; i++) { /* until somebody has reaped it */
        (void)nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    assert_int_equal(kill(-group, 0), -1);
    worker_free(worker);
}

TEST(stopped_worker_is_ended_at_the_deadline) {
    struct worker *worker = start("stub:0", 0.2);
    assert_checks(worker, STOPS, STATUS_TIMEOUT);
    assert_answers(worker);
    worker_free(worker);
}

/* Where memory runs out the system ends the worker, and not the process of the user. */
TEST(worker_goes_first_where_memory_runs_out) {
    struct worker *worker = start("stub:0", 10);
    char path[64];
    char line[32] = "";
    assert_answers(worker);
    (void)snprintf(path, sizeof path, "/proc/%d/oom_score_adj", worker_process(worker));
    FILE *file = fopen(path, "r");
    assert_true(file && fgets(line, sizeof line, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(line, "1000\n");
    worker_free(worker);
}

TEST(end_closes_the_session) {
    /* Where a worker may write, and short enough for the name of a device. */
    char path[] = "/dev/shm/pmXXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
    struct worker *worker = start(path, 10);
    assert_answers(worker);
    pid_t process = worker_process(worker);
    worker_free(worker);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(kill(process, 0), -1);
}

TEST(standard_output_stays_the_parents) {
    struct verdict verdict;
    char content[64] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)printf("pending ");
    (void)fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    (void)printf("mine"); /* still in the buffer when the worker starts */
    struct worker *worker = start("stub:0", 10);
    worker_check(worker, PRINTS, &verdict);
    worker_free(worker);
    (void)fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    assert_int_equal(close(kept), 0);
    rewind(file);
    size_t length = fread(content, 1, sizeof content - 1, file);
    content[length] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(content, "mine");
    assert_int_equal(verdict.status, STATUS_OK);
}

TEST(forged_answer_is_a_crash) {
    static const int values[] = { 0, 1, 0xff };
    /* A byte, the head of an answer as it once was, and as it is, with and without a payload. */
    static const size_t lengths[] = { 1, 16, sizeof(struct worker_answer),
                                      sizeof(struct worker_answer) + sizeof(struct verdict), 8192 };
    for (int v = 0; v < 3; v++) {
        for (int l = 0; l < 5; l++) {
            struct worker *worker = start("stub:0", 10);
            struct evaluation evaluation;
            struct error error;
            forged.value = values[v];
            forged.length = lengths[l];
            assert_tells(worker, FORGES, STATUS_CRASHED, "not sealed");
            assert_false(worker_evaluate(worker, FORGES, &evaluation, NULL, &error));
            assert_int_equal(error.status, STATUS_CRASHED);
            assert_answers(worker);
            worker_free(worker);
        }
    }
}

TEST(key_that_was_read_is_a_crash) {
    struct worker *worker = start("stub:0", 10);
    assert_checks(worker, READS_KEY, STATUS_CRASHED);
    assert_answers(worker);
    worker_free(worker);
}

/* Little of it, line by line, with nothing that drives a terminal; and the worker does not wait. */
static void assert_quoted(enum behaviour behaviour) {
    struct verdict verdict;
    size_t lines = 0;
    char line[4096];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    struct worker *worker = start("stub:0", 60);
    worker_check(worker, behaviour, &verdict);
    worker_free(worker);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    assert_int_equal(close(kept), 0);
    assert_int_equal(verdict.status, STATUS_OK);
    rewind(file);
    for (; fgets(line, sizeof line, file); lines++) {
        assert_true(strncmp(line, "pairmark: the worker says", 25) == 0);
        assert_null(strchr(line, '\033'));
    }
    assert_true(lines > 10 && lines < 100 && ftell(file) < 4L * WORKER_WORDS_BYTES);
    assert_says(line, "bytes more");
    assert_int_equal(fclose(file), 0);
}

TEST(words_of_the_worker_are_quoted) {
    assert_quoted(FLOODS);
    assert_quoted(FLOODS_LINES);
}

/* A worker that held an end of another's socket would keep that one from seeing the parent go. */
TEST(worker_holds_no_descriptor_of_the_parents) {
    struct worker *first = start("stub:0", 10);
    struct worker *second = start("stub:1", 10);
    struct verdict verdict;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_answers(first);
    worker_check(second, COUNTS_DESCRIPTORS, &verdict);
    assert_true(verdict.worst_ratio == 4); /* three standard ones and its own socket */
    assert_int_equal(fclose(file), 0);
    worker_free(first);
    assert_answers(second);
    worker_free(second);
}

/* A process that starts a worker, tells who it is, and is killed while the worker hangs. */
TEST(worker_dies_with_its_parent) {
    int tell[2];
    int process = 0;
    assert_int_equal(pipe(tell), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        struct verdict verdict;
        struct worker *worker = start("stub:0", 60);
        assert_answers(worker);
        process = worker_process(worker);
        if (write(tell[1], &process, sizeof process) == (ssize_t)sizeof process) {
            worker_check(worker, HANGS, &verdict);
        }
        _exit(1);
    }
    assert_int_equal(read(tell[0], &process, sizeof process), sizeof process);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    /* The pipe's other end is nowhere open once both are gone: nothing of it is left to the worker,
     * so the process itself is asked after. It may be a zombie until whoever inherits it looks. */
    bool gone = false;
    for (int i = 0; i < 500 && !gone; i++) {
        char path[64];
        char line[256] = "";
        (void)snprintf(path, sizeof path, "/proc/%d/stat", process);
        FILE *file = fopen(path, "r");
        gone = !file || !fgets(line, sizeof line, file) || strstr(line, ") Z ") ||
               strstr(line, ") X ");
        if (file) {
            (void)fclose(file);
        }
        (void)nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    assert_true(gone);
    (void)close(tell[0]);
    (void)close(tell[1]);
}

static void on_alarm(int number) {
    (void)number;
}

TEST(handled_signal_ends_the_wait) {
    struct worker *worker = start("stub:0", 60);
    struct verdict verdict;
    struct sigaction action = { .sa_handler = on_alarm };
    assert_answers(worker);
    pid_t process = worker_process(worker);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    (void)alarm(1);
    double began = clock_s();
    worker_check(worker, HANGS, &verdict);
    (void)signal(SIGALRM, SIG_DFL);
    assert_true(clock_s() - began < 10);
    assert_int_equal(verdict.status, STATUS_CRASHED);
    assert_string_equal(verdict.message, "interrupted");
    assert_int_equal(kill(process, 0), -1);
    worker_free(worker);
}

TEST(devices_are_listed_by_another_process) {
    struct device_info *list = NULL;
    size_t count = 0;
    char notes[64];
    struct error error;
    assert_true(worker_enumerate_with(&stub, &list, &count, notes, sizeof notes, &error));
    assert_int_equal(count, 2);
    assert_string_equal(list[1].name, "stub:1");
    assert_int_not_equal(list[1].compute_units, (int)getpid());
    assert_string_equal(notes, "other: absent\n");
    free(list);
    struct worker_server crashing = stub;
    crashing.enumerate = crash_enumerate;
    assert_false(worker_enumerate_with(&crashing, &list, &count, NULL, 0, &error));
    assert_int_equal(error.status, STATUS_SYSTEM);
    assert_says(error.message, "signal 11");
}

TEST(case_beyond_the_plan_is_refused) {
    struct worker *worker = start("stub:0", 10);
    struct evaluation evaluation;
    struct error error;
    assert_false(worker_evaluate(worker, BEHAVIOURS, &evaluation, NULL, &error));
    assert_int_equal(error.status, STATUS_SYSTEM);
    assert_answers(worker);
    worker_free(worker);
}

/* One that crashes takes only its own process down. */
TEST(kernels_are_compiled_once_each_by_several_processes) {
    size_t asked[] = { ANSWERS, SEGFAULTS, FAILS, PRINTS, IS_REFUSED, SUFFERS };
    enum { ASKED = sizeof asked / sizeof *asked };
    size_t chosen[ASKED];
    compiled = mmap(NULL, BEHAVIOURS * sizeof *compiled, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(compiled, MAP_FAILED);
    if (threads_usable() < 2) {
        skip();
    }
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        of_variant((enum behaviour)asked[i], (int)asked[i]);
    }
    of_variant(PRINTS, ANSWERS);
    cases[PRINTS].box.n = 2 * cases[ANSWERS].box.n; /* the same kernels for another box */
    struct worker *worker = start("stub:0", 10);
    memcpy(chosen, asked, sizeof asked);
    const size_t count = plan_choose_kernels(&plan, chosen, ASKED);
    assert_int_equal(count, ASKED - 1);
    worker_compile_ahead(worker, chosen, count);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_int_equal(compiled[asked[i]], asked[i] != PRINTS);
    }
    assert_int_equal(worker_process(worker), 0);
    worker_compile_ahead(worker, asked, 1); /* not worth a process */
    assert_int_equal(compiled[ANSWERS], 1);
    worker_free(worker);
    (void)munmap(compiled, BEHAVIOURS * sizeof *compiled);
}

TEST_GROUP(set_up, NULL)
