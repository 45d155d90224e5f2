#include "commands/tuning_request.h"

#include "campaign/tune/tuning.h"
#include "commands/commands.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

static const double default_deadline_s = 300;
static const double default_time_cap_s = 0.2;

struct tuning_request tuning_request_defaults(void) {
    struct tuning_request request = { .budget_s = INFINITY,
                                      .seed = 1,
                                      .deadline_s = default_deadline_s,
                                      .effort = { .sampling = sampling_defaults(),
                                                  .log = stderr } };
    request.effort.sampling.time_cap_s = default_time_cap_s;
    request.effort.sampling.cold_samples = 0;
    return request;
}

bool tuning_request_take(struct tuning_request *request, const char *option, const char *value,
                         struct error *error) {
    if (strcmp(option, "--with-build") == 0) {
        request->effort.builds = 1;
        return true;
    }
    if (strcmp(option, "--budget") == 0) {
        return command_take_duration(option, value, &request->budget_s, error);
    }
    if (strcmp(option, "--time-cap") == 0) {
        return command_take_duration(option, value, &request->effort.sampling.time_cap_s, error);
    }
    if (strcmp(option, "--deadline") == 0) {
        return command_take_duration(option, value, &request->deadline_s, error);
    }
    return parse_count(value, &request->seed) ||
           fail(error, STATUS_BAD_INPUT, "%s '%s': expected a whole number", option, value);
}

bool tuning_request_begin(struct tuning_request *request, enum tuning_breadth breadth,
                          struct error *error) {
    return tuning_store_path(request->store_option, request->store, sizeof request->store, error) &&
           tuning_sweep_make(&request->axes, request->seed, breadth, &request->sweep, error) &&
           tuning_store_check(request->store, stderr, error);
}

void tuning_request_end(struct tuning_request *request) {
    tuning_sweep_free(&request->sweep);
}

bool tuning_request_open(struct tuning_request *request, const char *device, struct error *error) {
    request->worker = NULL;
    if (!worker_create(&request->sweep.plan, device, request->deadline_s, &request->worker,
                       error)) {
        return false;
    }
    worker_isolate_variants(request->worker);
    return command_open_device(request->worker, device, &request->info, error);
}

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

struct campaign_measurer tuning_request_measurer(const struct tuning_request *request) {
    return (struct campaign_measurer){ .context = request->worker, .measure = measure_by };
}

const struct case_spec *tuning_request_case(const struct tuning_request *request, size_t question) {
    return &request->sweep.plan.cases[request->sweep.questions[question].first];
}

int tuning_request_exit_code(const struct tuning_request *request, const char *command,
                             const char *what) {
    if (request->wrong > 0) {
        (void)fprintf(stderr, "pairmark %s: %zu times a %s was wrong\n", command, request->wrong,
                      what);
    }
    return request->wrong > 0 || request->without > 0 ? status_exit_code(STATUS_WRONG) : 0;
}
