/* Memory that the kernels of a variant have to themselves: @scratch. */
#include "prepare/prepared_parts.h"
#include "system/seed.h"
#include "variant/scratch.h"

static bool units_of(const void *context, const char *unit, size_t *count) {
    return count_units(context, unit, count);
}

static bool create_one(struct prepared *prepared, int index, struct error *error) {
    const struct scratch_buffer *scratch = &prepared->spec->variant->scratch[index];
    const size_t each =
        scratch_element_bytes(scratch, prepared->real_is_double, prepared->accum_is_double);
    size_t count = 0;
    if (!scratch_count(scratch, &prepared->spec->tunings, units_of, prepared, &count, error)) {
        return false;
    }
    if (!buffer_allocate(prepared->device, count * each, &prepared->scratch[index], error)) {
        return fail_within(error, "@scratch %s of %zu %s", scratch->name, count, scratch->type);
    }
    buffer_label(prepared->device, prepared->scratch[index], scratch->name);
    return true;
}

bool scratch_create(struct prepared *prepared, struct error *error) {
    bool created = true;
    for (int s = 0; created && s < prepared->spec->variant->scratch_count; s++) {
        created = create_one(prepared, s, error);
    }
    return created && scratch_spoil(prepared, error);
}

void scratch_free(struct prepared *prepared) {
    for (int s = 0; s < VARIANT_MAX_SCRATCH; s++) {
        buffer_free(prepared->scratch[s]);
    }
}

/* NaN shows what is computed with; zeros show a NaN that is compared and left out; what comes by
 * chance shows a kernel that looks whether it finds one of these. */
bool scratch_spoil(struct prepared *prepared, struct error *error) {
    enum { NAN_BYTE = 0xFF };
    const unsigned turn = prepared->scratch_fills++;
    bool spoilt = true;
    for (int s = 0; spoilt && s < prepared->spec->variant->scratch_count; s++) {
        const unsigned char byte = turn == 0   ? NAN_BYTE
                                   : turn == 1 ? 0
                                               : (unsigned char)draw_seed();
        spoilt = buffer_fill(prepared->scratch[s], byte, buffer_bytes(prepared->scratch[s]), error);
    }
    return spoilt;
}
