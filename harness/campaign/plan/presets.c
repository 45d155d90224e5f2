/* Reads share/presets/presets.txt, and fills in the axes that the user leaves open. */
#include "campaign/plan/plan.h"

#include "campaign/axes/axes.h"
#include "core/embedded.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text: its headings ---- */

/* "preset NAME: HELP" */
struct heading {
    char name[32];
    const char *help;
    int help_length;
    const char *lines; /* what follows it */
};

/* The first heading at or after *at, which is moved past it; false: there is none. */
static bool next_heading(const char **at, struct heading *heading) {
    int name_end = 0;
    for (const char *line = *at; *line; line = line_after(line)) {
        if (sscanf(line, "preset %31[^:]: %n", heading->name, &name_end) == 1 && name_end > 0) {
            heading->help = line + name_end;
            heading->help_length = (int)strcspn(heading->help, "\n");
            *at = heading->lines = heading->help + heading->help_length;
            return true;
        }
    }
    return false;
}

static const char *all_presets(void) {
    return embedded_text("share/presets/presets.txt");
}

void preset_append_names(struct strbuf *text) {
    struct heading heading;
    const char *at = all_presets();
    for (const char *separator = ""; next_heading(&at, &heading); separator = " ") {
        strbuf_append(text, "%s%s", separator, heading.name);
    }
}

void preset_describe(struct strbuf *text) {
    struct heading heading;
    for (const char *at = all_presets(); next_heading(&at, &heading);) {
        strbuf_append(text, "  %-14s %.*s\n", heading.name, heading.help_length, heading.help);
    }
}

static bool fail_unknown(const char *name, struct error *error) {
    struct strbuf list = { 0 };
    preset_append_names(&list);
    char **names = memory_split(list.data, ' ');
    (void)words_fail_unknown("--preset", "preset", name, (const char *const *)names, error);
    free(names);
    strbuf_free(&list);
    return false;
}

/* ---- the text: a preset's paragraphs ---- */

enum { WHOLE_PRESET };                        /* else 1 + the number of a span */
enum part_devices { ANY, PROCESSORS, CARDS }; /* that a paragraph is of */

struct preset_part {
    struct axes axes;
    size_t span; /* WHOLE_PRESET, or of which span */
    enum part_devices devices;
    uint64_t most_all_pairs; /* the largest N at which all N^2 distances are computed */
};

/* An option of presets, which is no axis. As axes_take_option(). */
static bool take_option(void *context, struct command_words *words, bool *taken,
                        struct error *error) {
    struct preset *preset = context;
    const char *option = words->words[words->at];
    const char *value = words->at + 1 < words->count ? words->words[words->at + 1] : "";
    *taken = true;
    if (strcmp(option, "--time-cap") == 0) {
        words->at++;
        *taken = parse_double(value, &preset->time_cap_s);
    } else if (strcmp(option, "--most-all-pairs") == 0) {
        words->at++;
        *taken = parse_count(value, &preset->parts[preset->part_count - 1].most_all_pairs);
    } else {
        *taken = false;
    }
    words->at++;
    return *taken || fail(error, STATUS_BAD_INPUT, "%s %s: no option of a preset", option, value);
}

/* Begins the part of the preset that a line opens; an indented line continues the current one. */
static bool begin_part(struct preset *preset, const char *line, struct error *error) {
    enum part_devices devices = begins_with(line, "processors ") ? PROCESSORS
                                : begins_with(line, "cards ")    ? CARDS
                                                                 : ANY;
    if (*line == ' ') {
        return true;
    }
    if (devices == ANY && !begins_with(line, "cases ")) {
        return fail(error, STATUS_BAD_INPUT, "'%.40s'; expected cases, processors or cards", line);
    }
    preset->parts = memory_grown(preset->parts, preset->part_count + 1, sizeof *preset->parts);
    preset->span_count += devices == ANY;
    preset->parts[preset->part_count++] =
        (struct preset_part){ .span = preset->span_count, .devices = devices };
    return true;
}

/* The lines of a preset end at the first that is empty. */
static bool parse_lines(struct preset *preset, const char *lines, struct error *error) {
    const char *end = strstr(lines, "\n\n");
    char *text = end ? memory_begin(lines, (size_t)(end - lines)) : memory_copy(lines);
    preset->parts = memory_zeroed(1, sizeof *preset->parts); /* of the whole preset */
    preset->part_count = 1;
    bool good = true;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); good && line;
         line = strtok_r(NULL, "\n", &rest)) {
        good = begin_part(preset, line, error) &&
               axes_parse(&preset->parts[preset->part_count - 1].axes, line + strcspn(line, " "),
                          take_option, preset, error);
    }
    free(text);
    return good;
}

struct preset *preset_find(const char *name, struct error *error) {
    struct heading heading;
    const char *at = all_presets();
    bool found = false;
    while (!found && next_heading(&at, &heading)) {
        found = strcmp(heading.name, name) == 0;
    }
    if (!found) {
        (void)fail_unknown(name, error);
        return NULL;
    }
    struct preset *preset = memory_zeroed(1, sizeof *preset);
    if (!parse_lines(preset, heading.lines, error)) {
        (void)fail_within(error, "the preset %s", name);
        preset_free(preset);
        return NULL;
    }
    preset->span_count += preset->span_count == 0;
    return preset;
}

void preset_free(struct preset *preset) {
    for (size_t i = 0; preset && i < preset->part_count; i++) {
        axes_free(&preset->parts[i].axes);
    }
    if (preset) {
        free(preset->parts);
    }
    free(preset);
}

/* ---- what it says ---- */

/* Whether a part holds for the device; NULL: whether it holds for all. */
static bool is_of_device(const struct preset_part *part, const struct device_info *device) {
    return part->devices == ANY ||
           (device && part->devices == (device->is_cpu ? PROCESSORS : CARDS));
}

/* The axes that the whole preset, or one of its spans, sets for the device. */
static struct axes axes_of(const struct preset *preset, size_t span,
                           const struct device_info *device) {
    struct axes axes = { 0 };
    for (size_t i = preset->part_count; i-- > 0;) { /* those of a device are last, and go first */
        const struct preset_part *part = &preset->parts[i];
        if (part->span == span && is_of_device(part, device)) {
            axes_fill(&axes, &part->axes);
        }
    }
    return axes;
}

static bool acts_by_text(const struct axes *span) {
    return span->interaction_file || (span->interaction && !span->table);
}

/* Whether the user chose boxes, but for how many particles they have. */
static bool says_boxes(const struct axes *axes) {
    bool says = axes->box_files || axes->cutoff || axes->group_a || axes->group_b || axes->ratio;
    for (int a = 0; a < AXIS_COUNT; a++) {
        const bool makes = axis_table[a].makes_box && a != AXIS_N && a != AXIS_SEED;
        says = says || (makes && axes_say(axes, (enum axis)a));
    }
    return says;
}

bool preset_span_serves(const struct preset *preset, size_t span, const struct axes *axes) {
    const struct axes own = axes_of(preset, 1 + span, NULL);
    const bool own_text = acts_by_text(&own);
    const bool says_what_acts =
        axes->interaction || axes->interaction_file || axes->table || axes->exclude;
    /* A number of particles fits where every box of the preset is that of a span. */
    const bool says_n = axes->n && axes_of(preset, WHOLE_PRESET, NULL).kind;
    if (own.batch && axes->n) { /* it may be no whole number in each box */
        return false;
    }
    if (!own.kind && !own_text) {
        return true;
    }
    struct error ignored;
    const struct workload *workload = plan_workload(axes, &ignored);
    const bool has_table = workload && axis_is_of(AXIS_TABLE, workload);
    const bool takes =
        workload && (own_text    ? axis_is_of(AXIS_INTERACTION_FILE, workload)
                     : own.table ? has_table
                                 : has_table || axis_is_of(AXIS_CONSTRAINTS, workload));
    return takes && !says_what_acts && !(own.kind && (says_n || says_boxes(axes)));
}

/* ---- what it fills in ---- */

/* Sets a word unless it is set. */
static void fill(char **word, const char *value) {
    if (!*word) {
        *word = (char *)value;
    }
}

static bool names_kernels(const struct axes *axes) {
    return axes->workload || axes->variant || axes->structure || axes->variant_files;
}

static void fill_interaction(const struct axes *whole, const struct axes *own, struct axes *axes) {
    if (axes->interaction_file) {
        return;
    }
    if (acts_by_text(own)) {
        fill(&axes->interaction_file, own->interaction_file);
        fill(&axes->interaction, own->interaction);
    } else if (own->table && !axes->interaction && !axes->table) {
        axes->table = own->table;
        axes->interaction = own->interaction;
        fill(&axes->exclude, own->exclude);
    } else {
        fill(&axes->interaction, whole->interaction);
    }
}

/* Fills in variants and tunables. If the user chose either, the span gives neither, since its
 * tunables need not be those of the user's variants. A span with a table is the exception: its
 * tunable says where the table lies, which every variant has. */
static void fill_variants(const struct axes *own, struct axes *axes) {
    const bool chosen = names_kernels(axes) || axes->tunes;
    if (!axes->tunes && (own->table ? axes->table == own->table : !chosen)) {
        axes->tunes = own->tunes;
    }
    if (!chosen) {
        axes->variant = own->variant;
    }
}

/* Fills in what depends on the workload. A preset without outputs, or of forces alone, gets the
 * workload's default outputs. */
static void fill_workload(const struct axes *whole, const struct axes *own,
                          const struct workload *workload, struct axes *axes) {
    const bool alone = !whole->outputs || strcmp(whole->outputs, outputs_name(OUTPUTS_FORCES)) == 0;
    if (axis_is_of(AXIS_STEPS, workload)) {
        fill(&axes->steps, own->steps);
        fill(&axes->dt, own->dt);
        fill(&axes->long_range, own->long_range);
    }
    if (!axes->interaction_file) {
        fill(&axes->interaction, workload->bench_interaction);
    }
    if (axis_is_of(AXIS_OUTPUTS, workload)) {
        fill(&axes->outputs, own->outputs ? own->outputs
                             : alone      ? outputs_name(workload->default_outputs)
                                          : whole->outputs);
    }
    if (axis_is_of(AXIS_CUTOFF, workload)) {
        fill(&axes->cutoff, own->cutoff ? own->cutoff : whole->cutoff);
    }
    if (axis_is_of(AXIS_LIST_FORM, workload)) {
        fill(&axes->list, own->list);
        fill(&axes->list_pairs, own->list_pairs);
        fill(&axes->list_entries, own->list_entries);
    }
}

/* Fills in the box: of the preset's kind if that suits the workload, else of the workload's default
 * kind. */
static void fill_box(const struct axes *whole, const struct axes *own,
                     const struct workload *workload, struct axes *axes) {
    const char *kind = own->kind ? own->kind : whole->kind;
    const bool suits = !workload->suits_kind || (kind && workload->suits_kind(kind));
    if (axes->box_files) {
        return;
    }
    fill(&axes->kind, suits ? kind : workload->default_kind);
    if (!axes->ratio) {
        fill(&axes->n, own->n ? own->n : whole->n);
    }
    fill(&axes->batch, own->batch ? own->batch : whole->batch);
    fill(&axes->density, own->density ? own->density : whole->density);
    axes->open = axes->open || own->open || whole->open;
}

bool preset_fill(const struct preset *preset, size_t span, const struct device_info *device,
                 struct axes *axes, struct error *error) {
    const struct axes whole = axes_of(preset, WHOLE_PRESET, device);
    const struct axes own = axes_of(preset, 1 + span, device);
    if (!names_kernels(axes)) {
        axes->workload = whole.workload;
    }
    const char *precision = own.precision ? own.precision : whole.precision;
    fill(&axes->precision, device->fp64 ? precision : "float");
    const struct workload *workload = plan_workload(axes, error);
    if (workload && !axis_is_of(AXIS_KIND, workload)) { /* nothing of what is of particles */
        fill(&axes->n, whole.n);
        fill(&axes->distribution, whole.distribution);
        return true;
    }
    fill_interaction(&whole, &own, axes);
    fill_variants(&own, axes);
    /* Fills in groups in place of a number of particles, unless the user has either. */
    if (!axes->group_a && !axes->group_b && !axes->box_files) {
        fill(&axes->ratio, whole.ratio);
    }
    workload = workload ? plan_workload(axes, error) : NULL;
    if (workload) {
        fill_workload(&whole, &own, workload, axes);
        fill_box(&whole, &own, workload, axes);
    }
    return workload != NULL;
}

/* ---- after the axes are spanned ---- */

static size_t most_all_pairs(const struct preset *preset, const struct device_info *device) {
    uint64_t most = 0;
    for (size_t i = 0; i < preset->part_count; i++) {
        most += is_of_device(&preset->parts[i], device) ? preset->parts[i].most_all_pairs : 0;
    }
    return (size_t)most;
}

/* Whether all N^2 distances are computed of more than so many particles: of fewer, where a
 * work-group computes a box and there are fewer boxes than compute units, so that the others rest.
 */
static bool is_long(const struct case_spec *spec, const struct device_info *device, size_t most) {
    const double boxes = spec->box.batch > 1 ? (double)spec->box.batch : 1;
    if (variant_is_by_box(spec->variant) && device->compute_units > boxes) {
        most = (size_t)((double)most * sqrt(boxes / device->compute_units));
    }
    return case_computes_more_pairs(spec, most);
}

/* Whether a kernel of batches has one box, of more particles than it keeps. */
static bool is_for_smaller_boxes(const struct case_spec *spec) {
    int needed = 0;
    return spec->box.batch <= 1 && case_computes_more_pairs(spec, 0) &&
           case_short_tuning(spec, &needed);
}

void preset_drop(const struct preset *preset, const struct device_info *device,
                 const struct axes *given, struct plan *plan, struct preset_dropped *dropped) {
    const size_t most = most_all_pairs(preset, device);
    const bool any_n = given->n || given->box_files;
    const bool any_kernel = given->variant || given->variant_files;
    size_t kept = 0;
    *dropped = (struct preset_dropped){ .of_batches = any_kernel ? 0 : plan_drop_of_batches(plan) };
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        const bool is_foreign =
            spec->variant->language != LANGUAGE_DIALECT && device->kind != DEVICE_CUDA;
        if (!any_n && is_long(spec, device, most)) {
            dropped->too_long++;
        } else if (!any_kernel && !given->tunes && is_for_smaller_boxes(spec)) {
            dropped->of_batches++;
        } else if (any_kernel || !is_foreign) {
            plan->cases[kept++] = *spec;
        } else if (dropped->need_cuda++ == 0) {
            dropped->one_name = spec->variant->name;
        }
    }
    plan->left_out += plan->count - kept;
    plan->count = kept;
}
