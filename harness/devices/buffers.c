/*
 * Buffers, with room before and behind each that nobody may write.
 *
 * A buffer lies in the middle of a larger one of the backend's. Both ends of that are filled with a
 * pattern that is a NaN as float and as double and far out of range as an index, and with zeros
 * after each look at them: who reads there gets a wrong result or faults, unless what was read is
 * left out in both cases; who writes there is found by device_check_guards().
 *
 * Without guards (PAIRMARK_GUARDS=0) a buffer is the backend's own, so that tools which know the
 * bounds of allocations see accesses beyond them.
 */
#include "devices/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUR(words) words, words, words, words
#define GUARD_WORD                                                                                 \
    0x7ffda5a5u /* quiet NaN as float, and twice as double; as int near the largest */

/* A page: a multiple of every alignment that devices ask of buffers (512 bytes on CUDA). */
enum { GUARD_BYTES = 4096, PATTERNS = 2 };

/* What is computed with NaN shows, but a NaN that is compared and left out does not; there zeros
 * do, as a particle at the origin or as a valid index. */
static const uint32_t patterns[PATTERNS][GUARD_BYTES / sizeof(uint32_t)] = {
    { FOUR(FOUR(FOUR(FOUR(FOUR(GUARD_WORD))))) },
    { 0 },
};

static const unsigned char *pattern_of(const struct device *device) {
    return (const unsigned char *)patterns[device->guard_pattern];
}

/* ---- making and freeing ---- */

/* Fills in the head of a new buffer, which becomes the first of the device's. */
static void enlist(struct device *device, size_t bytes, struct buffer *buffer) {
    buffer->device = device;
    buffer->bytes = bytes;
    buffer->next = device->buffers;
    if (buffer->next) {
        buffer->next->previous = buffer;
    }
    device->buffers = buffer;
}

static void strike_off(struct device *device, struct buffer *buffer) {
    if (buffer->next) {
        buffer->next->previous = buffer->previous;
    }
    if (buffer->previous) {
        buffer->previous->next = buffer->next;
    } else {
        device->buffers = buffer->next;
    }
}

/* Enqueued, and from memory that stays. The second guard begins at the very byte at which the
 * buffer ends. */
static bool write_guards(struct buffer *whole, size_t bytes, struct error *error) {
    const struct device_backend *backend = whole->device->backend;
    const unsigned char *pattern = pattern_of(whole->device);
    return backend->buffer_write_enqueued(whole, 0, pattern, GUARD_BYTES, error) &&
           backend->buffer_write_enqueued(whole, GUARD_BYTES + bytes, pattern, GUARD_BYTES, error);
}

static bool allocate_guarded(struct device *device, size_t bytes, struct buffer **buffer,
                             struct error *error) {
    const struct device_backend *backend = device->backend;
    struct buffer *whole;
    if (bytes > SIZE_MAX - 2 * GUARD_BYTES) {
        return fail(error, STATUS_OUT_OF_MEMORY, "%zu bytes are more than any device has", bytes);
    }
    if (!backend->buffer_allocate(device, GUARD_BYTES + bytes + GUARD_BYTES, &whole, error)) {
        return false;
    }
    whole->device = device;
    whole->bytes = GUARD_BYTES + bytes + GUARD_BYTES;
    if (!write_guards(whole, bytes, error) ||
        !backend->buffer_view(whole, GUARD_BYTES, bytes ? bytes : 1, buffer, error)) {
        backend->buffer_free(whole);
        return false;
    }
    (*buffer)->whole = whole;
    return true;
}

bool buffer_allocate(struct device *device, size_t bytes, struct buffer **buffer,
                     struct error *error) {
    const bool allocated =
        device->has_guards
            ? allocate_guarded(device, bytes, buffer, error)
            : device->backend->buffer_allocate(device, bytes ? bytes : 1, buffer, error);
    if (!allocated) {
        return false;
    }
    enlist(device, bytes, *buffer);
    return true;
}

bool buffer_wrap(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                 struct error *error) {
    if (!memory) {
        return fail(error, STATUS_BAD_INPUT, "no memory of the device: a null pointer");
    }
    if (!device->backend->buffer_wrap(device, memory, bytes, buffer, error)) {
        return false;
    }
    enlist(device, bytes, *buffer);
    return true;
}

bool buffer_in_place(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                     struct error *error) {
    if (!device->info.in_place || bytes == 0) {
        return fail(error, STATUS_UNSUPPORTED, "%zu bytes of the host: %s has memory of its own",
                    bytes, device->info.name);
    }
    if (!device->backend->buffer_in_place(device, memory, bytes, buffer, error)) {
        return false;
    }
    enlist(device, bytes, *buffer);
    return true;
}

void buffer_free(struct buffer *buffer) {
    if (!buffer) {
        return;
    }
    struct device *device = buffer->device;
    struct buffer *whole = buffer->whole;
    strike_off(device, buffer);
    device->backend->buffer_free(buffer);
    if (whole) {
        device->backend->buffer_free(whole);
    }
}

bool buffer_replace(struct device *device, size_t bytes, struct buffer **buffer,
                    struct error *error) {
    buffer_free(*buffer);
    *buffer = NULL;
    return buffer_allocate(device, bytes, buffer, error);
}

bool buffer_reserve(struct device *device, size_t bytes, struct buffer **buffer,
                    struct error *error) {
    return (*buffer && buffer_bytes(*buffer) >= bytes) ||
           buffer_replace(device, bytes, buffer, error);
}

void buffer_label(struct buffer *buffer, const char *label) {
    char *to = buffer->label;
    size_t length = 0;
    for (; label[length] && length + 1 < sizeof buffer->label; length++) {
        to[length] = label[length];
    }
    to[length] = '\0';
}

/* ---- copies ---- */

size_t buffer_bytes(const struct buffer *buffer) {
    return buffer->bytes;
}

/* A range outside its buffer is refused here: on a device it would overwrite a neighbour. */
static bool check_range(const struct buffer *buffer, size_t offset, size_t bytes, const char *what,
                        struct error *error) {
    if (offset > buffer->bytes || bytes > buffer->bytes - offset) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "%s of %zu bytes at offset %zu does not fit a buffer of %zu bytes", what, bytes,
                    offset, buffer->bytes);
    }
    return true;
}

bool buffer_allocate_labelled(struct device *device, const char *label, size_t bytes,
                              struct buffer **buffer, struct error *error) {
    if (!buffer_allocate(device, bytes, buffer, error)) {
        return false;
    }
    buffer_label(*buffer, label);
    return true;
}

bool buffer_upload(struct device *device, const char *label, const void *data, size_t bytes,
                   struct buffer **buffer, struct error *error) {
    return buffer_allocate_labelled(device, label, bytes, buffer, error) &&
           (bytes == 0 || buffer_write(*buffer, 0, data, bytes, error));
}

void *buffer_copy(const struct buffer *buffer, size_t bytes, struct error *error) {
    void *copy = malloc(bytes + 1);
    if (!copy) {
        (void)fail_out_of_memory(error, "what a buffer holds");
    } else if (bytes > 0 && !buffer_read(buffer, 0, copy, bytes, error)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

uint64_t device_bytes_moved(const struct device *device) {
    return device->bytes_moved;
}

bool buffer_write(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                  struct error *error) {
    if (!check_range(buffer, offset, bytes, "a write", error)) {
        return false;
    }
    buffer->device->bytes_moved += bytes;
    const struct device_backend *backend = buffer->device->backend;
    return !bytes || !backend->buffer_write ||
           backend->buffer_write(buffer, offset, data, bytes, error);
}

bool buffer_read(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                 struct error *error) {
    if (!check_range(buffer, offset, bytes, "a read", error)) {
        return false;
    }
    buffer->device->bytes_moved += bytes;
    const struct device_backend *backend = buffer->device->backend;
    if (!backend->buffer_read) {
        memset(data, 0, bytes);
    }
    return !bytes || !backend->buffer_read ||
           backend->buffer_read(buffer, offset, data, bytes, error);
}

bool buffer_write_enqueued(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                           struct error *error) {
    const struct device_backend *backend = buffer->device->backend;
    buffer->device->bytes_moved += bytes;
    return check_range(buffer, offset, bytes, "a write", error) &&
           (!bytes || !backend->buffer_write_enqueued ||
            backend->buffer_write_enqueued(buffer, offset, data, bytes, error));
}

bool buffer_read_enqueued(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                          struct error *error) {
    const struct device_backend *backend = buffer->device->backend;
    if (!backend->buffer_read_enqueued) {
        return buffer_read(buffer, offset, data, bytes, error);
    }
    buffer->device->bytes_moved += bytes;
    return check_range(buffer, offset, bytes, "a read", error) &&
           (!bytes || backend->buffer_read_enqueued(buffer, offset, data, bytes, error));
}

bool buffer_fill(struct buffer *buffer, unsigned char value, size_t bytes, struct error *error) {
    if (!check_range(buffer, 0, bytes, "a fill", error)) {
        return false;
    }
    const struct device_backend *backend = buffer->device->backend;
    return !bytes || !backend->buffer_fill || backend->buffer_fill(buffer, value, bytes, error);
}

double real_at(const void *reals, bool are_doubles, size_t at) {
    return are_doubles ? ((const double *)reals)[at] : (double)((const float *)reals)[at];
}

void real_set(void *reals, bool are_doubles, size_t at, double value) {
    if (are_doubles) {
        ((double *)reals)[at] = value;
    } else {
        ((float *)reals)[at] = (float)value;
    }
}

/* To be freed; NULL: memory ran out. */
static void *reals_of(const double *numbers, size_t count, bool are_doubles) {
    void *reals = malloc((count + 1) * (are_doubles ? sizeof(double) : sizeof(float)));
    for (size_t k = 0; reals && k < count; k++) {
        real_set(reals, are_doubles, k, numbers[k]);
    }
    return reals;
}

bool buffer_write_reals(struct buffer *buffer, const double *numbers, size_t count,
                        bool are_doubles, struct error *error) {
    void *reals = reals_of(numbers, count, are_doubles);
    const bool written =
        reals ? buffer_write(buffer, 0, reals,
                             count * (are_doubles ? sizeof(double) : sizeof(float)), error)
              : fail_out_of_memory(error, "the numbers of a buffer");
    free(reals);
    return written;
}

bool buffer_upload_reals(struct device *device, const char *label, const struct reals *reals,
                         struct buffer **buffer, struct error *error) {
    const size_t bytes = reals->count * (reals->are_doubles ? sizeof(double) : sizeof(float));
    return buffer_allocate_labelled(device, label, bytes, buffer, error) &&
           buffer_write_reals(*buffer, reals->numbers, reals->count, reals->are_doubles, error);
}

/* Memory of the host that copies to and from the device may use directly. */

bool host_allocate(struct device *device, size_t bytes, void **memory, struct error *error) {
    bytes = bytes ? bytes : 1;
    if (device->backend->host_allocate) {
        return device->backend->host_allocate(device, bytes, memory, error);
    }
    *memory = malloc(bytes);
    return *memory || fail_out_of_memory(error, "host memory");
}

void host_free(struct device *device, void *memory) {
    if (memory && device->backend->host_free) {
        device->backend->host_free(device, memory);
    } else {
        free(memory);
    }
}

/* CUDA has page-locked memory at one address for both. */
bool buffer_of_host(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                    struct error *error) {
    return device->info.kind == DEVICE_CUDA ? buffer_wrap(device, memory, bytes, buffer, error)
                                            : buffer_in_place(device, memory, bytes, buffer, error);
}

/* ---- looking at the guards ---- */

static bool finish(struct device *device, struct error *error) {
    return !device->backend->finish || device->backend->finish(device, error);
}

void buffers_close(struct device *device) {
    struct error ignored;
    if (device->guard_copy) {
        (void)finish(device, &ignored); /* reads into it may be enqueued */
    }
    host_free(device, device->guard_copy);
    device->guard_copy = NULL;
    device->guard_copy_bytes = 0;
}

static bool reserve_copy(struct device *device, size_t bytes, struct error *error) {
    if (device->guard_copy_bytes >= bytes) {
        return true;
    }
    buffers_close(device);
    if (!host_allocate(device, bytes, &device->guard_copy, error)) {
        return false;
    }
    device->guard_copy_bytes = bytes;
    return true;
}

/* Both guards of every buffer, in the order of the list, into the device's host memory. */
static bool read_guards(struct device *device, struct error *error) {
    const struct device_backend *backend = device->backend;
    size_t count = 0;
    for (const struct buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
        count += buffer->whole != NULL;
    }
    if (count > 0 && !reserve_copy(device, count * 2 * GUARD_BYTES, error)) {
        return false;
    }
    unsigned char *to = device->guard_copy;
    for (const struct buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
        if (!buffer->whole) {
            continue;
        }
        if (!backend->buffer_read_enqueued(buffer->whole, 0, to, GUARD_BYTES, error) ||
            !backend->buffer_read_enqueued(buffer->whole, GUARD_BYTES + buffer->bytes,
                                           to + GUARD_BYTES, GUARD_BYTES, error)) {
            return false;
        }
        to += 2 * GUARD_BYTES;
    }
    return finish(device, error);
}

static size_t count_changed(const unsigned char *guard, const unsigned char *intact,
                            size_t *first) {
    size_t changed = 0;
    for (size_t i = GUARD_BYTES; i-- > 0;) {
        if (guard[i] != intact[i]) {
            *first = i;
            changed++;
        }
    }
    return changed;
}

/* Says where a buffer was left, if it was: after its end, or else before its start. */
static bool check_copy(const struct buffer *buffer, const unsigned char *copy,
                       struct error *error) {
    const char *label = buffer->label[0] ? buffer->label : "without a name";
    const unsigned char *pattern = pattern_of(buffer->device);
    size_t first = 0;
    size_t changed;
    if (memcmp(copy, pattern, GUARD_BYTES) == 0 &&
        memcmp(copy + GUARD_BYTES, pattern, GUARD_BYTES) == 0) {
        return true;
    }
    changed = count_changed(copy + GUARD_BYTES, pattern, &first);
    if (changed > 0) {
        return fail(error, STATUS_WRONG,
                    "wrote outside of its buffers: %zu bytes changed from byte offset %zu on, "
                    "past the end of buffer %s of %zu bytes",
                    changed, buffer->bytes + first, label, buffer->bytes);
    }
    changed = count_changed(copy, pattern, &first);
    return fail(error, STATUS_WRONG,
                "wrote outside of its buffers: %zu bytes changed from byte offset -%zu on, before "
                "the start of buffer %s of %zu bytes",
                changed, GUARD_BYTES - first, label, buffer->bytes);
}

/* As read_guards() left them. */
static bool check_copies(const struct device *device, struct error *error) {
    const unsigned char *copy = device->guard_copy;
    for (const struct buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
        if (!buffer->whole) {
            continue;
        }
        if (!check_copy(buffer, copy, error)) {
            return false;
        }
        copy += 2 * GUARD_BYTES;
    }
    return true;
}

/* Mends what was changed, too. */
static bool change_pattern(struct device *device, struct error *error) {
    device->guard_pattern = (device->guard_pattern + 1) % PATTERNS;
    for (const struct buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
        if (buffer->whole && !write_guards(buffer->whole, buffer->bytes, error)) {
            return false;
        }
    }
    return true;
}

bool device_check_guards(struct device *device, struct error *error) {
    if (!read_guards(device, error)) {
        return false;
    }
    const bool intact = check_copies(device, error);
    struct error ignored;
    device->guards_broken = device->guards_broken || !intact;
    return change_pattern(device, intact ? error : &ignored) && intact;
}
