/*
 * plan_parts — what each kind of axis chooses; plan_make() combines the choices to cases. Private
 * to plan*.c and to tests.
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_PARTS_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_PARTS_H

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "kernels/case.h"

/* Makes a choice that shares the variants of another one, whose workload takes the options of these
 * axes. */
bool variants_share(const struct axes *axes, const struct variant_choice *from,
                    struct variant_choice *choice, struct error *error);

/* ---- boxes and cutoffs, and whether they go together ---- */

struct box_choice {
    struct box_spec spec;
    bool open;         /* no periodic images, whether made or read */
    double min_height; /* of the cell: an orthorhombic one's shortest edge; INFINITY in an open
                            box */
    struct cell cell;  /* of a periodic box that is read */
};

struct cutoff_choice {
    struct cutoff cutoff;
    bool explicit;         /* said by the user, so that it must not be changed */
    bool images;           /* may reach several images of a particle */
    double least;          /* the longest that the interaction has of its own; 0: it has none */
    struct own_cutoff own; /* where the interaction ends; no name: by --cutoff */
};

/* Whether the cell of the box is triclinic. */
bool box_choice_is_triclinic(const struct box_choice *box);

/* Caller frees the array. */
bool cutoffs_choose(const struct axes *axes, struct cutoff_choice **cutoffs, size_t *count,
                    struct error *error);

/* The cutoff that a case on this box has: half the least height where the default is more.
 * STATUS_BAD_INPUT naming that height and the most it may be where the user's own is more; and
 * where none is given for a box that is read, whose unit of length the default does not know. That
 * of an interaction may be infinite in any box but one of a triclinic cell. */
bool cutoff_in_box(const struct cutoff_choice *choice, const struct box_choice *box,
                   struct cutoff *cutoff, struct error *error);

/* ---- groups of particles ---- */

/* One choice of groups, and the boxes that it is made in. */
struct group_choice {
    struct group_spec spec;
    struct box_choice *boxes;
    size_t box_count; /* at least 1 */
};

struct group_choices {
    struct particle_list *a, *b; /* the specs point to them */
    struct group_choice *items;
    size_t count; /* at least 1 */
};

/* See plan_make. The groups of every choice are known to fit its boxes. */
bool groups_choose(const struct axes *axes, struct group_choices *choices, struct error *error);
void groups_release(struct group_choices *choices);

/* ---- interactions, and what they point to ---- */

struct interaction_choices {
    struct interaction *items; /* they point to what follows */
    size_t count;
    struct type_table **tables;     /* one per interaction, where there is a table */
    struct element_table *elements; /* NULL: none */
    struct eam_table *eam;          /* likewise */
    size_t table_count;
    struct expression *expression;
    struct pair_text *text;
    struct exclusions *exclusions;
    struct bonded_terms *bonded; /* NULL: no files of terms are named */
};

/* See plan_make. To be released whether or not that worked. */
bool interactions_choose(const struct axes *axes, const struct workload *workload,
                         struct interaction_choices *choices, struct error *error);
void interactions_release(struct interaction_choices *choices); /* also of zeroed ones */

/* ---- values of tunables: --tune ---- */

struct tune_choice {
    char name[VARIANT_NAME_SIZE];
    struct number_list numbers; /* whole ones that an int holds */
};

struct tune_choices {
    struct tune_choice *items;
    size_t count;
};

/* axes->tunes for these variants and interactions. From a zeroed struct;
 * release it also after a failure. STATUS_BAD_INPUT names --tune and the tunable. */
bool tunes_choose(const struct axes *axes, const struct variant_choice *variants,
                  const struct interaction_choices *interactions, struct tune_choices *tunes,
                  struct error *error);
void tunes_release(struct tune_choices *tunes);

/* How many choices of tunables a case has: those it lacks do not count. */
size_t tunes_count(const struct tune_choices *tunes, const struct case_spec *spec);

/* Gives the case the choice of that index, the last tunable changing fastest, and presets else. */
void tunes_set(const struct tune_choices *tunes, size_t index, struct case_spec *spec);

/* ---- time steps: --steps, --dt, --thermostat, --field, --exchange, --long-range ---- */

struct step_choices {
    struct number_list counts, dts;
    struct exchange_rule *exchanges;
    char **long_ranges;
    size_t exchange_count, long_range_count;
    size_t total;                   /* of combinations; 1 of a workload without steps */
    const char *thermostat, *field; /* the axes' words; NULL: the variant's own, none */
};

/* The variants' workload decides whether there are any: STATUS_BAD_INPUT where an option of steps
 * is given to another, or is malformed. */
bool steps_choose(const struct axes *axes, const struct variant_choice *variants,
                  struct step_choices *steps, struct error *error);
void steps_release(struct step_choices *steps);

/* Gives the case, whose variant and precision are known, the index-th combination. */
bool steps_set(const struct step_choices *steps, size_t index, struct case_spec *spec,
               struct error *error);

#endif
