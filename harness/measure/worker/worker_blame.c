/* Finds out which variant is to blame where a case fails in a worker process that has run others.
 */
#include "core/error.h"
#include "core/strings.h"
#include "measure/program.h"
#include "measure/worker/worker_server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- history ---- */

void history_free(struct process_history *history) {
    free(history->served);
    free(history->isolated);
    free(history->blames);
    *history = (struct process_history){ 0 };
}

static void history_add(struct process_history *history, size_t case_index) {
    history->served =
        memory_grown(history->served, history->served_count + 1, sizeof *history->served);
    history->served[history->served_count++] = case_index;
}

/* Whether the process ran a case of another variant. */
static bool history_has_others(const struct process_history *history,
                               const struct worker_cases *cases, const struct variant *variant) {
    for (size_t i = 0; i < history->served_count; i++) {
        if (cases->items[history->served[i]].variant != variant) {
            return true;
        }
    }
    return false;
}

static bool is_isolated(const struct process_history *history, const struct variant *variant) {
    for (size_t i = 0; i < history->isolated_count; i++) {
        if (history->isolated[i] == variant) {
            return true;
        }
    }
    return false;
}

/* Whether a case of the variant may be run in the process, as far as trust goes. */
static bool history_may_share(const struct process_history *history,
                              const struct worker_cases *cases, const struct variant *variant) {
    for (size_t i = 0; i < history->served_count; i++) {
        const struct variant *other = cases->items[history->served[i]].variant;
        if (other != variant && (is_isolated(history, variant) || is_isolated(history, other))) {
            return false;
        }
    }
    return true;
}

/* From now on the variant shares a process with no other. */
static void history_isolate(struct process_history *history, const struct variant *variant) {
    if (!is_isolated(history, variant)) {
        history->isolated =
            memory_grown(history->isolated, history->isolated_count + 1, sizeof *history->isolated);
        history->isolated[history->isolated_count++] = variant;
    }
}

static void history_add_blame(struct process_history *history, const struct variant *variant,
                              const char *format, ...) {
    history->blames =
        memory_grown(history->blames, history->blame_count + 1, sizeof *history->blames);
    struct blame *made = &history->blames[history->blame_count++];
    va_list arguments;
    made->variant = variant;
    va_start(arguments, format);
    (void)vsnprintf(made->message, sizeof made->message, format, arguments);
    va_end(arguments);
}

/* The words against the variant; NULL where there are none. */
static const char *history_blame_of(const struct process_history *history,
                                    const struct variant *variant) {
    for (size_t i = 0; i < history->blame_count; i++) {
        if (variant && history->blames[i].variant == variant) {
            return history->blames[i].message;
        }
    }
    return NULL;
}

/* ---- blame ---- */

/* Sends a request about a case to a process that may run it. */
static bool worker_ask_in_good_company(struct worker *worker, const struct worker_request *request,
                                       size_t least, void **payload, size_t *length,
                                       struct error *error) {
    const struct variant *variant = worker->cases.items[request->case_index].variant;
    struct process_history *history = &worker->history;
    const bool parted = worker->isolates ? history_has_others(history, &worker->cases, variant)
                                         : !history_may_share(history, &worker->cases, variant);
    if (parted) {
        worker_restart(worker);
    }
    const bool answered = worker_ask(worker, request, least, payload, length, error);
    if (answered) {
        history_add(history, request->case_index);
    }
    return answered;
}

/* The verdict in an answer about a case. */
static const struct verdict *verdict_in(const struct worker_request *request, const void *payload) {
    if (request->operation == WORKER_CHECK) {
        return payload;
    }
    return request->operation == WORKER_MEASURE ? &((const struct measurement *)payload)->verdict
                                                : NULL;
}

/* What programs that compile and arguments that fit do not come to: in a process whose memory is
 * damaged, calls of the device fail, too. */
static bool is_strange(const struct worker_request *request, const void *payload,
                       struct error *error) {
    const struct verdict *verdict = verdict_in(request, payload);
    if (!verdict ||
        (verdict->status != STATUS_COMPILE_ERROR && verdict->status != STATUS_LAUNCH_ERROR)) {
        return false;
    }
    (void)fail(error, verdict->status, "%s", verdict->message);
    return true;
}

/* Whether the process outlives another check of a case, which may have any result that is not
 * strange. */
static bool outlives(struct worker *worker, size_t case_index, struct error *error) {
    const struct worker_request request = { .operation = WORKER_CHECK, .case_index = case_index };
    void *payload = NULL;
    size_t length = 0;
    bool strange = false;
    if (worker_ask(worker, &request, sizeof(struct verdict), &payload, &length, error)) {
        strange = is_strange(&request, payload, error);
        free(payload);
    }
    return !strange && worker->ending == ENDED_OTHERWISE;
}

/* What a process ran before it died of one case. */
struct company {
    const size_t *cases;
    size_t count, victim;
};

/* Runs the cases of one other variant again, then the victim, in a process of their own. True: the
 * crash came back, and that variant is to blame. */
static bool retry_with(struct worker *worker, const struct company *company,
                       const struct variant *other) {
    char name[256];
    struct error error;
    worker_restart(worker);
    for (size_t i = 0; i <= company->count; i++) {
        const bool is_victim = i == company->count;
        const size_t index = is_victim ? company->victim : company->cases[i];
        const struct case_spec *spec = &worker->cases.items[index];
        if ((is_victim || spec->variant == other) && !outlives(worker, index, &error)) {
            worker->cases.name(spec, name, sizeof name);
            history_add_blame(&worker->history, other,
                              is_victim
                                  ? "%s damages the process that it runs in: %s passes alone, "
                                    "and not after it: %.200s"
                                  : "%s takes its process down now and then: %s: %.200s",
                              other->name, name, error.message);
            return true;
        }
    }
    return false;
}

static bool is_latest_of_variant(const struct worker_cases *cases, const struct company *company,
                                 size_t index) {
    for (size_t k = index + 1; k < company->count; k++) {
        if (cases->items[company->cases[k]].variant ==
            cases->items[company->cases[index]].variant) {
            return false;
        }
    }
    return true;
}

/* Looks for who damaged the process among the other variants that ran there, the latest first. */
static void find_culprit(struct worker *worker, const struct company *company,
                         const struct error *first) {
    const struct worker_cases *cases = &worker->cases;
    struct process_history *history = &worker->history;
    struct strbuf names = { 0 };
    bool found = false;
    for (size_t i = company->count; i-- > 0 && !found;) {
        const struct variant *other = cases->items[company->cases[i]].variant;
        if (other != cases->items[company->victim].variant &&
            is_latest_of_variant(cases, company, i)) {
            history_isolate(history, other);
            strbuf_append(&names, "%s%s", names.length ? ", " : "", other->name);
            found = retry_with(worker, company, other);
        }
    }
    if (!found) {
        char name[256];
        cases->name(&cases->items[company->victim], name, sizeof name);
        history_add_blame(
            history, NULL,
            "%s failed once (%.200s) in a process that had run %.200s, and not again: "
            "one of them is at fault",
            name, first->message, names.data ? names.data : "others");
    }
    strbuf_free(&names);
    worker_restart(worker); /* it has run the history */
}

/* A case that failed in a process which had run others is tried once alone. What comes of that is
 * its result, unless only its own variant can have damaged the process. */
static bool worker_ask_alone(struct worker *worker, const struct worker_request *request,
                             size_t least, void **payload, size_t *length, struct error *error) {
    const struct variant *variant = worker->cases.items[request->case_index].variant;
    struct process_history *history = &worker->history;
    const bool others = history_has_others(history, &worker->cases, variant);
    const struct error first = *error;
    const struct company company = { history->served, history->served_count, request->case_index };
    history->served = NULL; /* ours now */
    history->served_count = 0;
    worker_restart(worker);
    bool answered = worker_ask(worker, request, least, payload, length, error);
    struct error again;
    if (answered ? is_strange(request, *payload, &again) : worker->ending != ENDED_OTHERWISE) {
        history_isolate(history, variant);
    } else if (answered && others) {
        find_culprit(worker, &company, &first);
    } else if (answered) {
        history_add(history, request->case_index);
        free(*payload);
        history_isolate(history, variant);
        answered = fail(error, first.status,
                        "%.1500s; alone it does not: an earlier case of the variant damages the "
                        "process",
                        first.message);
    }
    free((void *)company.cases);
    return answered;
}

bool worker_ask_case(struct worker *worker, const struct worker_request *request, size_t least,
                     void **payload, size_t *length, struct error *error) {
    struct process_history *history = &worker->history;
    if (request->case_index >= worker->cases.count) {
        return worker_ask(worker, request, least, payload, length, error);
    }
    const struct variant *variant = worker->cases.items[request->case_index].variant;
    const char *blame = history_blame_of(history, variant);
    if (blame) {
        return fail(error, STATUS_CRASHED, "not run: %s", blame);
    }
    const bool answered =
        worker_ask_in_good_company(worker, request, least, payload, length, error);
    const bool beside_others = history_has_others(history, &worker->cases, variant);
    if (answered && !(beside_others && is_strange(request, *payload, error))) {
        return true;
    }
    if (answered) {
        free(*payload);
        return worker_ask_alone(worker, request, least, payload, length, error);
    }
    if (worker->ending == ENDED_OTHERWISE) {
        return false;
    }
    if (history->served_count == 0 || (worker->ending == ENDED_BY_DEADLINE && !beside_others)) {
        history_isolate(history, variant);
        return false;
    }
    return worker_ask_alone(worker, request, least, payload, length, error);
}

void worker_isolate_variants(struct worker *worker) {
    worker->isolates = true;
}

const char *worker_blame(const struct worker *worker, size_t index) {
    const struct process_history *history = &worker->history;
    return index < history->blame_count ? history->blames[index].message : NULL;
}
