/* A device that is opened for cases, and what is kept from one case to the next. */
#include "measure/one_case.h"

#include "core/cache.h"
#include "core/strings.h"
#include "devices/machine/peak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool session_open(const char *name, struct session **session, struct error *error) {
    struct session *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return fail_out_of_memory(error, "a session");
    }
    opened->store = expected_store_create();
    if (!opened->store) {
        free(opened);
        return fail_out_of_memory(error, "a session");
    }
    if (!device_open(name, &opened->device, error)) {
        expected_store_free(opened->store);
        free(opened);
        return false;
    }
    expected_store_use_device(opened->store, opened->device);
    *session = opened;
    return true;
}

void session_close(struct session *session) {
    if (session) {
        expected_store_free(session->store);
        for (int p = 0; p < PRECISION_COUNT; p++) {
            launch_tools_free(&session->tools[p]);
        }
        device_close(session->device);
        free(session);
    }
}

const struct device_info *session_device(const struct session *session) {
    return device_describe(session->device);
}

bool session_intact(const struct session *session) {
    return expected_store_intact(session->store);
}

bool session_works(struct session *session) {
    return device_works(session->device);
}

const struct device_rates *session_rates(struct session *session) {
    struct device_rates *rates = &session->rates;
    struct error ignored;
    if (!session->rates_known) {
        session->rates_known = true;
        peaks_measure(session->device, &rates->peaks);
        if (!launch_overhead_measure(session->device, &rates->launch_overhead_s, &ignored)) {
            rates->launch_overhead_s = NAN;
        }
    }
    return rates;
}

const struct launch_tools *session_tools(struct session *session, enum precision precision,
                                         struct error *error) {
    struct launch_tools *tools = &session->tools[precision];
    return tools->program || launch_tools_create(session->device, precision, tools, error) ? tools
                                                                                           : NULL;
}

/* ---- counts that were judged ---- */

/* Hashes what decides the counts of a case. Outputs and reductions do not. */
static void hash_counted(const struct case_spec *spec, const struct expected *expected,
                         char text[HASH_TEXT_SIZE]) {
    const struct variant *variant = spec->variant;
    struct strbuf words = { 0 };
    char tunings[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunings, sizeof tunings);
    interaction_describe(&spec->interaction, &words);
    strbuf_append(&words, " %.17g ", expected->cutoff);
    group_spec_describe(&spec->group, &words);
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, variant->workload->name);
    hash_add_string(hash, variant->name);
    hash_add_string(hash, variant->text ? variant->text : "");
    hash_add_string(hash, strbuf_text(&words));
    hash_add_string(hash, precision_name(spec->precision));
    hash_add_string(hash, tunings);
    hash_add_string(hash, expected->box_hash);
    hash_end(hash, text);
    strbuf_free(&words);
}

bool session_has_counted(struct session *session, const struct case_spec *spec,
                         const struct expected *expected) {
    char id[HASH_TEXT_SIZE];
    hash_counted(spec, expected, id);
    for (size_t c = 0; c < session->counted_count && c < MAX_COUNTED; c++) {
        if (strcmp(session->counted[c], id) == 0) {
            return true;
        }
    }
    memcpy(session->counted[session->counted_count++ % MAX_COUNTED], id, sizeof id);
    return false;
}
