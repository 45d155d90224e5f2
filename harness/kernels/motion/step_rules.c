#include "kernels/motion/step_rules.h"

#include "boxes/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const integrators[] = {
    [INTEGRATOR_VERLET] = "verlet",
    [INTEGRATOR_LEAPFROG] = "leapfrog",
    [INTEGRATOR_LANGEVIN] = "langevin",
    [INTEGRATOR_SETTLE] = "settle",
};

static const char *const thermostats[] = {
    [THERMOSTAT_NONE] = "none",           [THERMOSTAT_RESCALE] = "rescale",
    [THERMOSTAT_BERENDSEN] = "berendsen", [THERMOSTAT_NOSE_HOOVER] = "nose-hoover",
    [THERMOSTAT_LANGEVIN] = "langevin",
};

enum {
    INTEGRATORS = sizeof integrators / sizeof integrators[0],
    THERMOSTATS = sizeof thermostats / sizeof thermostats[0]
};

const char *integrator_name(enum integrator integrator) {
    return (int)integrator < INTEGRATORS ? integrators[integrator] : "unknown";
}

const char *thermostat_name(enum thermostat thermostat) {
    return (int)thermostat < THERMOSTATS ? thermostats[thermostat] : "unknown";
}

struct step_rules step_rules_default(void) {
    return (struct step_rules){ .dt = 0.005,
                                .temperature = NAN,
                                .time_constant = 0.5,
                                .friction = 1.0,
                                .interval = 10,
                                .chain = 1,
                                .seed = 1,
                                .oh = 1.0,
                                .hh = 1.6329931618554521 }; /* sqrt(8/3): SPC/E */
}

/* ---- words ---- */

/* Splits "name=value" at the first '='; false where there is none. */
static bool split_pair(char *item, char **value) {
    *value = strchr(item, '=');
    if (*value) {
        **value = '\0';
        ++*value;
    }
    return *value != NULL;
}

static bool take_double(const char *name, const char *value, bool zero, double *number,
                        struct error *error) {
    return (parse_double(value, number) && (*number > 0.0 || (zero && *number == 0.0))) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.60s'; expected %s", name, value,
                zero ? "a number, 0 or more" : "a positive number");
}

static bool take_count(const char *name, const char *value, uint64_t most, uint64_t *number,
                       struct error *error) {
    return (parse_count(value, number) && *number >= 1 && *number <= most) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.60s'; expected a whole number from 1 to %llu", name,
                value, (unsigned long long)most);
}

enum { NAMES_SIZE = 80 };

/* " a b " as "a, b". */
static const char *list_names(const char *names, char listed[NAMES_SIZE]) {
    size_t length = 0;
    for (const char *c = names + 1; *c && length + 3 < NAMES_SIZE; c++) {
        if (*c != ' ') {
            listed[length++] = *c;
        } else if (c[1]) {
            listed[length++] = ',';
            listed[length++] = ' ';
        }
    }
    listed[length] = '\0';
    return listed;
}

/* Takes one of the numbers by its name; `names` are those that may be given, between blanks. */
static bool take_number(const char *names, const char *name, const char *value,
                        struct step_rules *rules, struct error *error) {
    char word[32], listed[NAMES_SIZE];
    const uint64_t most = (uint64_t)1 << 53;
    uint64_t count = 0;
    (void)snprintf(word, sizeof word, " %.20s ", name);
    if (!strstr(names, word) || strchr(name, ' ')) {
        return fail(error, STATUS_BAD_INPUT, "'%.60s' is none of its numbers; expected one of %s",
                    name, list_names(names, listed));
    }
    if (strcmp(name, "temperature") == 0) {
        return take_double(name, value, true, &rules->temperature, error);
    }
    if (strcmp(name, "time") == 0) {
        return take_double(name, value, false, &rules->time_constant, error);
    }
    if (strcmp(name, "oh") == 0 || strcmp(name, "hh") == 0) {
        return take_double(name, value, false, *name == 'o' ? &rules->oh : &rules->hh, error);
    }
    if (strcmp(name, "friction") == 0) {
        return take_double(name, value, true, &rules->friction, error);
    }
    if (strcmp(name, "seed") == 0) {
        return parse_count(value, &rules->seed) ||
               fail(error, STATUS_BAD_INPUT, "seed '%.60s'; expected a whole number", value);
    }
    if (strcmp(name, "first") == 0) {
        return (parse_count(value, &rules->first) && rules->first <= INT64_MAX / 2) ||
               fail(error, STATUS_BAD_INPUT, "first '%.60s'; expected a whole number below 2^62",
                    value);
    }
    if (strcmp(name, "chain") == 0) {
        const bool taken = take_count(name, value, STEP_MAX_CHAIN, &count, error);
        rules->chain = taken ? (int)count : rules->chain;
        return taken;
    }
    return take_count(name, value, most, &rules->interval, error);
}

/* Items before the one at `k` are names with their values behind the end. */
static bool check_once(char *const *items, size_t k, const char *value, struct error *error) {
    for (size_t before = 0; before < k; before++) {
        if (strcmp(items[before], items[k]) == 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%.20s: given twice, as '%.60s' and as '%.60s'; expected it once", items[k],
                        items[before] + strlen(items[before]) + 1, value);
        }
    }
    return true;
}

static bool take_numbers(const char *names, const char *words, struct step_rules *rules,
                         struct error *error) {
    char **items = split_list(words, ',');
    char listed[NAMES_SIZE];
    bool good = items || fail_out_of_memory(error, "the words of a step");
    for (size_t k = 0; items && good && items[k]; k++) {
        char *value;
        good = split_pair(items[k], &value)
                   ? check_once(items, k, value, error) &&
                         take_number(names, items[k], value, rules, error)
                   : fail(error, STATUS_BAD_INPUT, "'%.60s'; expected NAME=VALUE, NAME one of %s",
                          items[k], list_names(names, listed));
    }
    free(items);
    return good;
}

/* The name that words begin with, and its numbers behind a colon. */
struct named_rules {
    const char *what;
    const char *const *choices;
    const char *const *names; /* of the numbers of each; NULL: it has none */
    int count;
};

static bool take_named(const struct named_rules *named, const char *words, int *choice,
                       struct step_rules *rules, struct error *error) {
    const char *const *choices = named->choices;
    const char *what = named->what;
    const int count = named->count;
    const size_t length = strcspn(words, ":");
    for (int c = 0; c < count; c++) {
        if (strlen(choices[c]) != length || strncmp(choices[c], words, length) != 0) {
            continue;
        }
        *choice = c;
        if (words[length] == '\0') {
            return true;
        }
        if (!named->names[c]) {
            return fail(error, STATUS_BAD_INPUT, "%s '%.60s': %s has no numbers", what, words,
                        choices[c]);
        }
        return take_numbers(named->names[c], words + length + 1, rules, error) ||
               fail_within(error, "%s %s", what, choices[c]);
    }
    struct strbuf expected = { 0 };
    for (int c = 0; c < count; c++) {
        strbuf_append(&expected, "%s%s", c == 0 ? "" : c == count - 1 ? " or " : ", ", choices[c]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "unknown %s '%.60s'; expected %s", what, words,
               expected.data ? expected.data : "another");
    strbuf_free(&expected);
    return false;
}

static const char names_of_noise[] = " friction temperature seed first ";

bool step_integrator_parse(const char *words, struct step_rules *rules, struct error *error) {
    static const char *const names[INTEGRATORS] = { NULL, NULL, names_of_noise, " oh hh " };
    const struct named_rules named = { "integrator", integrators, names, INTEGRATORS };
    int choice = 0;
    const bool taken = take_named(&named, words, &choice, rules, error);
    rules->integrator = (enum integrator)choice;
    return taken;
}

bool step_thermostat_parse(const char *words, struct step_rules *rules, struct error *error) {
    static const char *const names[THERMOSTATS] = { NULL, " temperature interval ",
                                                    " temperature time ",
                                                    " temperature time chain ", names_of_noise };
    const struct named_rules named = { "thermostat", thermostats, names, THERMOSTATS };
    int choice = 0;
    const bool taken = take_named(&named, words, &choice, rules, error);
    rules->thermostat = (enum thermostat)choice;
    return taken;
}

static bool take_three(const char *name, char *words, double three[3], struct error *error) {
    char **items = split_list(words, ':');
    bool good = items != NULL;
    size_t count = 0;
    for (; good && items[count]; count++) {
        good = count < 3 && parse_double(items[count], &three[count]);
    }
    free(items);
    return (good && count == 3) ||
           fail(error, STATUS_BAD_INPUT, "field: %s=%.60s; expected three numbers, %s", name, words,
                strncmp(name, "wall", 4) == 0 ? "LOW:HIGH:STRENGTH" : "X:Y:Z");
}

static bool take_field(char *item, struct step_field *field, struct error *error) {
    char *value;
    double three[3] = { 0.0, 0.0, 0.0 };
    if (!split_pair(item, &value)) {
        return fail(error, STATUS_BAD_INPUT, "field: '%.60s'; expected NAME=X:Y:Z", item);
    }
    const bool wall =
        strncmp(item, "wall-", 5) == 0 && strlen(item) == 6 && item[5] >= 'x' && item[5] <= 'z';
    if (!wall && strcmp(item, "charge") != 0 && strcmp(item, "mass") != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "field: '%.60s'; expected charge, mass, wall-x, wall-y or wall-z", item);
    }
    if (!take_three(item, value, three, error)) {
        return false;
    }
    if (!wall) {
        memcpy(strcmp(item, "mass") == 0 ? field->per_mass : field->per_charge, three,
               sizeof three);
        return true;
    }
    field->wall[item[5] - 'x'] = (struct step_wall){ true, three[0], three[1], three[2] };
    return (three[0] < three[1] && three[2] > 0.0) ||
           fail(error, STATUS_BAD_INPUT,
                "field: %s: from %g to %g, strength %g; expected LOW below HIGH and a positive "
                "strength",
                item, three[0], three[1], three[2]);
}

bool step_field_parse(const char *words, struct step_field *field, struct error *error) {
    char **items = split_list(words, ',');
    bool good = items || fail_out_of_memory(error, "the words of a field");
    for (size_t k = 0; items && good && items[k]; k++) {
        good = take_field(items[k], field, error);
    }
    free(items);
    return good;
}

/* ---- rules ---- */

bool step_field_is_there(const struct step_field *field) {
    bool there = false;
    for (int k = 0; k < 3; k++) {
        there = there || field->per_charge[k] != 0.0 || field->per_mass[k] != 0.0 ||
                field->wall[k].present;
    }
    return there;
}

bool step_rules_have_noise(const struct step_rules *rules) {
    return rules->integrator == INTEGRATOR_LANGEVIN || rules->thermostat == THERMOSTAT_LANGEVIN;
}

bool step_rules_have_bath(const struct step_rules *rules) {
    return rules->thermostat != THERMOSTAT_NONE && rules->thermostat != THERMOSTAT_LANGEVIN;
}

double step_rules_drift(const struct step_rules *rules) {
    return step_rules_have_noise(rules) ? 0.5 * rules->dt : rules->dt;
}

double step_rules_freedom(const struct step_rules *rules, size_t n, size_t rigid) {
    const bool momentum_stays =
        !step_rules_have_noise(rules) && !step_field_is_there(&rules->field) && n > 1;
    return 3 * (double)n - (momentum_stays ? 3 : 0) - 3 * (double)rigid;
}

static bool check_thermostat(const struct step_rules *rules, struct error *error) {
    const bool is_settle = rules->integrator == INTEGRATOR_SETTLE;
    if (is_settle &&
        (rules->thermostat == THERMOSTAT_RESCALE || rules->thermostat == THERMOSTAT_BERENDSEN)) {
        return fail(error, STATUS_BAD_INPUT,
                    "settle has no thermostat %s; expected none, nose-hoover or langevin",
                    thermostat_name(rules->thermostat));
    }
    if (rules->integrator == INTEGRATOR_LANGEVIN && rules->thermostat != THERMOSTAT_NONE) {
        return fail(error, STATUS_BAD_INPUT,
                    "langevin keeps the temperature by itself; expected no thermostat beside it");
    }
    if (!is_settle && rules->thermostat == THERMOSTAT_LANGEVIN) {
        return fail(error, STATUS_BAD_INPUT,
                    "the thermostat langevin is of rigid waters, beside settle; expected the "
                    "integrator langevin");
    }
    return rules->integrator != INTEGRATOR_LEAPFROG ||
           rules->thermostat != THERMOSTAT_NOSE_HOOVER ||
           fail(error, STATUS_BAD_INPUT,
                "nose-hoover is of velocities at whole steps; expected the integrator verlet");
}

/* Steps too long for a thermostat make it unstable: berendsen goes beyond the temperature; the
 * links of nose-hoover, which oscillate at sqrt(2) / time and faster, grow without bounds. The
 * noise of langevin is exact over any step. */
static bool check_time_constant(const struct step_rules *rules, struct error *error) {
    const double least[THERMOSTATS] = { [THERMOSTAT_BERENDSEN] = 1, [THERMOSTAT_NOSE_HOOVER] = 2 };
    const double steps = least[rules->thermostat];
    return rules->time_constant >= steps * rules->dt ||
           fail(error, STATUS_BAD_INPUT,
                "thermostat %s:time=%g at dt %g; expected a time of %g or more (%g dt): a shorter "
                "one is unstable",
                thermostat_name(rules->thermostat), rules->time_constant, rules->dt,
                steps * rules->dt, steps);
}

bool step_rules_check(const struct step_rules *rules, struct error *error) {
    const bool noise = step_rules_have_noise(rules);
    if (!(rules->dt > 0.0) || !isfinite(rules->dt)) {
        return fail(error, STATUS_BAD_INPUT, "time step %g; expected a positive time", rules->dt);
    }
    if (!check_thermostat(rules, error) || !check_time_constant(rules, error)) {
        return false;
    }
    if (rules->integrator == INTEGRATOR_SETTLE && !(rules->hh < 2 * rules->oh)) {
        return fail(error, STATUS_BAD_INPUT,
                    "settle: hh=%g is no side of a triangle whose others are %g; expected less "
                    "than their sum",
                    rules->hh, rules->oh);
    }
    if ((noise || rules->thermostat != THERMOSTAT_NONE) &&
        !(rules->temperature > 0.0 || (noise && rules->temperature == 0.0))) {
        const char *name = noise ? "langevin" : thermostat_name(rules->thermostat);
        return fail(error, STATUS_BAD_INPUT,
                    "%s needs a temperature; expected %s:temperature=T, an energy above 0", name,
                    name);
    }
    return true;
}

/* ---- spelling ---- */

static void append_double(struct strbuf *text, const char *name, double value) {
    char digits[40];
    for (int precision = 6; precision <= 17; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    strbuf_append(text, "%s%s", name, digits);
}

static void append_three(struct strbuf *text, const char *name, const double three[3]) {
    append_double(text, name, three[0]);
    append_double(text, ":", three[1]);
    append_double(text, ":", three[2]);
}

/* What the integrator langevin and that thermostat are given. */
static void append_noise(const struct step_rules *rules, struct strbuf *text) {
    append_double(text, "friction=", rules->friction);
    append_double(text, ",temperature=", rules->temperature);
    strbuf_append(text, ",seed=%llu", (unsigned long long)rules->seed);
    if (rules->first > 0) {
        strbuf_append(text, ",first=%llu", (unsigned long long)rules->first);
    }
    strbuf_append(text, "%s", rules->float_noise ? ",noise=float" : "");
}

static void describe_thermostat(const struct step_rules *rules, struct strbuf *text) {
    strbuf_append(text, " thermostat=%s", thermostat_name(rules->thermostat));
    if (rules->thermostat == THERMOSTAT_NONE) {
        return;
    }
    if (rules->thermostat == THERMOSTAT_LANGEVIN) {
        strbuf_append(text, ":");
        append_noise(rules, text);
        return;
    }
    append_double(text, ":temperature=", rules->temperature);
    if (rules->thermostat == THERMOSTAT_RESCALE) {
        strbuf_append(text, ",interval=%llu", (unsigned long long)rules->interval);
    } else {
        append_double(text, ",time=", rules->time_constant);
    }
    if (rules->thermostat == THERMOSTAT_NOSE_HOOVER) {
        strbuf_append(text, ",chain=%d", rules->chain);
    }
}

static void describe_field(const struct step_field *field, struct strbuf *text) {
    const char *before = " field=";
    const struct {
        const char *name;
        const double *three;
    } forces[] = { { "charge=", field->per_charge }, { "mass=", field->per_mass } };
    for (int f = 0; f < 2; f++) {
        const double *three = forces[f].three;
        if (three[0] != 0.0 || three[1] != 0.0 || three[2] != 0.0) {
            strbuf_append(text, "%s", before);
            append_three(text, forces[f].name, three);
            before = ",";
        }
    }
    for (int k = 0; k < 3; k++) {
        const struct step_wall *wall = &field->wall[k];
        if (wall->present) {
            const double three[3] = { wall->low, wall->high, wall->strength };
            strbuf_append(text, "%swall-%c", before, "xyz"[k]);
            append_three(text, "=", three);
            before = ",";
        }
    }
}

void step_rules_describe(const struct step_rules *rules, struct strbuf *text) {
    strbuf_append(text, "%s", integrator_name(rules->integrator));
    append_double(text, ":dt=", rules->dt);
    if (rules->integrator == INTEGRATOR_LANGEVIN) {
        strbuf_append(text, ",");
        append_noise(rules, text);
    }
    if (rules->integrator == INTEGRATOR_SETTLE) {
        append_double(text, ",oh=", rules->oh);
        append_double(text, ",hh=", rules->hh);
    }
    describe_thermostat(rules, text);
    describe_field(&rules->field, text);
}

/* ---- rigid molecules ---- */

enum { MAX_SWEEPS = 200 };

void rigid_molecules_free(struct rigid_molecules *molecules) {
    free(molecules->atom);
    *molecules = (struct rigid_molecules){ 0 };
}

/* ---- shapes ---- */

static bool are_like(const struct box *box, int32_t i, int32_t j) {
    return box->type[i] == box->type[j] && box_mass(box, (size_t)i) == box_mass(box, (size_t)j);
}

/* Tip first: the one that is not like both others; of three that are alike, the first. */
static bool find_tip(const struct box *box, const int32_t site[3], int32_t atom[4]) {
    for (int tip = 0; tip < 3; tip++) {
        const int32_t left = site[(tip + 1) % 3];
        const int32_t right = site[(tip + 2) % 3];
        if (are_like(box, left, right)) {
            atom[0] = site[tip];
            atom[1] = left < right ? left : right;
            atom[2] = left < right ? right : left;
            return true;
        }
    }
    return false;
}

static bool check_sides(const struct box *box, const struct step_rules *rules,
                        const int32_t atom[4], struct error *error) {
    static const int ends[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    const struct box own = box_of_batch(box, box_of_particle(box, (size_t)atom[0])); /* its cell */
    for (int s = 0; s < 3; s++) {
        const double wanted = s < 2 ? rules->oh : rules->hh;
        const int32_t i = atom[ends[s][0]];
        const int32_t j = atom[ends[s][1]];
        double side[3];
        box_vector(&own, &box->position[3 * (size_t)j], &box->position[3 * (size_t)i], side);
        const double length = sqrt(vector_dot(side, side));
        if (!(fabs(length - wanted) <= 0.01 * wanted)) {
            return fail(error, STATUS_UNSUPPORTED,
                        "rigid molecules: particles %d and %d are %.6g apart; expected %.6g, which "
                        "settle:oh=,hh= says",
                        (int)i + 1, (int)j + 1, length, wanted);
        }
    }
    return true;
}

static bool take_molecule(const struct box *box, const struct step_rules *rules,
                          const int32_t *particle, int32_t count, int32_t atom[4],
                          struct error *error) {
    atom[0] = particle[0];
    atom[1] = atom[2] = -1;
    atom[3] = 0;
    if (count == 1) {
        return true;
    }
    if (count != 3 || !find_tip(box, particle, atom)) {
        return fail(
            error, STATUS_UNSUPPORTED,
            "rigid molecules: that of particle %d has %d particles%s; expected three, two of "
            "them alike, or one",
            (int)particle[0] + 1, (int)count, count == 3 ? ", none like another" : "");
    }
    return check_sides(box, rules, atom, error);
}

bool rigid_molecules_find(const struct box *box, const struct step_rules *rules,
                          struct rigid_molecules *molecules, struct error *error) {
    struct alike alike = { 0 };
    *molecules = (struct rigid_molecules){ 0 };
    if (!box->molecule) {
        return fail(error, STATUS_UNSUPPORTED,
                    "rigid molecules: the box says of no particle in which "
                    "molecule it is");
    }
    bool good = alike_find(box, &alike, error);
    molecules->atom = good ? malloc(4 * alike.molecules * sizeof *molecules->atom) : NULL;
    good = good && (molecules->atom || fail_out_of_memory(error, "the molecules of a box"));
    for (size_t m = 0; good && m < alike.molecules; m++) {
        const int32_t count = alike.start[m + 1] - alike.start[m];
        good = take_molecule(box, rules, &alike.particle[alike.start[m]], count,
                             &molecules->atom[4 * m], error);
        molecules->count++;
        molecules->rigid += count == 3;
    }
    alike_free(&alike);
    if (!good) {
        rigid_molecules_free(molecules);
    }
    return good;
}

/* ---- velocities ---- */

/* One sweep over the three sides; returns the largest rate of change that was left, relative. */
static double correct_molecule(struct box *box, const int32_t atom[4]) {
    static const int ends[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    double worst = 0;
    for (int s = 0; s < 3; s++) {
        const size_t i = (size_t)atom[ends[s][0]];
        const size_t j = (size_t)atom[ends[s][1]];
        const double w[2] = { 1 / box_mass(box, i), 1 / box_mass(box, j) };
        double *v[2] = { &box->velocity[3 * i], &box->velocity[3 * j] };
        double r[3];
        box_vector(box, &box->position[3 * j], &box->position[3 * i], r);
        const double rate = vector_dot(r, v[0]) - vector_dot(r, v[1]);
        const double g = -rate / (vector_dot(r, r) * (w[0] + w[1]));
        for (int k = 0; k < 3; k++) {
            v[0][k] += g * w[0] * r[k];
            v[1][k] -= g * w[1] * r[k];
        }
        const double speed = sqrt(vector_dot(v[0], v[0])) + sqrt(vector_dot(v[1], v[1]));
        worst = fmax(worst, speed > 0 ? fabs(rate) / (sqrt(vector_dot(r, r)) * speed) : 0);
    }
    return worst;
}

bool rigid_set_velocities(struct box *box, const struct step_rules *rules, double temperature,
                          struct error *error) {
    struct rigid_molecules molecules;
    if (!box_add_velocities(box, error) || !rigid_molecules_find(box, rules, &molecules, error)) {
        return false;
    }
    for (size_t m = 0; m < molecules.count; m++) {
        const int32_t *atom = molecules.atom + 4 * m;
        for (int sweep = 0; atom[1] >= 0 && sweep < MAX_SWEEPS; sweep++) {
            if (correct_molecule(box, atom) < 1e-15) {
                break;
            }
        }
    }
    double twice_kinetic = 0;
    for (size_t k = 0; k < 3 * box->n; k++) {
        twice_kinetic += box_mass(box, k / 3) * box->velocity[k] * box->velocity[k];
    }
    const double freedom = 3 * (double)box->n - 3 - 3 * (double)molecules.rigid;
    const double wanted = temperature * freedom;
    const double scale =
        temperature >= 0 && twice_kinetic > 0 && freedom > 0 ? sqrt(wanted / twice_kinetic) : 1;
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] *= scale;
    }
    rigid_molecules_free(&molecules);
    return true;
}
