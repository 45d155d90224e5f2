/*
 * interaction — what acts between two particles: one pair function or a sum of several, with
 * their parameters, as the command line names it: "lj:epsilon=1,sigma=1",
 * "lj+ewald-real:alpha=0.28,coulomb=1389.35457644".
 *
 * A pair function is kernel text (variants/interactions/NAME.cl); its header comment declares its
 * parameters and what they default to. Its double-precision twin lives in reference/.
 *
 * Parameters of van der Waals functions may depend on the pair of types: by a table (type_table.h),
 * or by values for single types, which are mixed. Pairs may be left out (exclusions.h).
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_INTERACTION_H
#define PAIRMARK_KERNELS_POTENTIALS_INTERACTION_H

#include "boxes/box.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

/* ---- tunables ---- */

/* A macro of kernel text that is one of a few whole numbers, as a header declares it:
 * "@tunable NAME v v* v". Variants have some (kernels/variant.h), and interactions do. */
enum {
    TUNABLE_NAME_SIZE = 48,
    TUNABLE_MAX_VALUES = 16,
    TUNABLE_LARGEST_VALUE = 1 << 24, /* kernels multiply them as int */
    INTERACTION_MAX_TUNABLES = 4
};

struct tunable {
    char name[TUNABLE_NAME_SIZE];
    int values[TUNABLE_MAX_VALUES]; /* the values its author lists */
    int value_count;
    int preset;            /* the one starred in the header, else the first */
    bool for_the_workload; /* said of it alone, in the place of what is said of all */
    const char *meanings;  /* what the values stand for, to be told; NULL: nobody says */
};

/* One by which a variant says how many percent of a multiprocessor's memory stay cache for the
 * splines of embedded atoms, where they are of a table; 0: as the driver divides it. */
#define TABLE_CACHE_TUNABLE "TABLE_CACHE"

/* Whether the value is one of those listed. */
bool tunable_has(const struct tunable *tunable, double value);

/* Whether the tunable can have the value: one that is listed or, where the tunable is `open`, any
 * whole number from 1 on; of GROUP_SIZE a power of two, of TABLE_CACHE 100 at most. Tunables of
 * variants are open, those of interactions and of the harness choose among methods.
 * STATUS_BAD_INPUT: "GROUP_SIZE=96; expected a power of two of 1 to 16777216". */
bool tunable_check(const struct tunable *tunable, bool open, double value, struct error *error);

/* Reads what follows @tunable into a zeroed tunable. STATUS_BAD_INPUT with the line. */
bool tunable_parse(const struct header_reader *reader, const char *rest, struct tunable *tunable);

/* ---- interactions ---- */

enum {
    INTERACTION_MAX_PARAMETERS = 16,
    INTERACTION_MAX_FUNCTIONS = 4,
    INTERACTION_MAX_TYPE_VALUES = 24,
    INTERACTION_NAME_SIZE = 32, /* of a function or a parameter */
    INTERACTION_WORDS_SIZE = 96 /* of a sum's name */
};

/* In which form a table of elements is. */
enum element_form {
    ELEMENTS_NONE,     /* its table is of pairs of types (type_table.h) */
    ELEMENTS_TRIPLETS, /* element_table.h: of Stillinger and Weber */
    ELEMENTS_ORDERS,   /* of Tersoff */
    ELEMENTS_SETFL     /* element_table.h */
};

enum term_kind { TERM_VAN_DER_WAALS, TERM_COULOMB, TERM_KINDS };

/* How a parameter of two types follows from each type's own. */
enum mixing { MIXING_NONE, MIXING_ARITHMETIC, MIXING_GEOMETRIC };

struct interaction_parameter {
    char name[INTERACTION_NAME_SIZE];
    double value;
    bool positive;     /* declared as such: 0 and less are refused */
    bool not_negative; /* less than 0 is refused */
    bool is_switch;    /* all but 0 and 1 is refused */
    bool given;        /* on the command line */
    bool filled_in;    /* left open on the command line: the value was put in its place */
    enum mixing mixing;
};

struct interaction_function {
    char name[INTERACTION_NAME_SIZE];
    const char *path;   /* of its kernel text */
    const char *source; /* embedded in the binary: lives as long as the program */
    enum term_kind kind;
    int first, count;     /* its parameters among the interaction's, in the order of its header */
    double cutoff;        /* its own; INFINITY: the case's, which is never less */
    int cutoff_parameter; /* the parameter that is its cutoff, and may be inf: the function takes no
                             `cutoff=`, tables or values of single types. -1: none is */
    bool asks_reach;      /* @reach: its text uses NAME_REACH */
    enum element_form elements;           /* @elements triplets|orders|setfl: of its table */
    char workload[INTERACTION_NAME_SIZE]; /* @workload: that alone computes it, for it is no pair
                                             function; or empty */
};

/* A parameter's value for one type: epsilon.Na=0.1 */
struct interaction_type_value {
    int parameter;
    char type[SPECIES_SIZE];
    double value;
};

struct type_table;
struct element_table;
struct eam_table;
struct exclusions;
struct expression;
struct particle_values;
struct pair_text;
struct bonded_terms;

struct interaction {
    char name[INTERACTION_WORDS_SIZE]; /* of its functions, joined by '+' */
    struct interaction_parameter parameters[INTERACTION_MAX_PARAMETERS];
    int parameter_count;
    struct interaction_function functions[INTERACTION_MAX_FUNCTIONS];
    int function_count;
    struct interaction_type_value type_values[INTERACTION_MAX_TYPE_VALUES];
    int type_value_count;
    struct tunable tunables[INTERACTION_MAX_TUNABLES]; /* how its functions may be computed */
    int tunable_count;
    const struct type_table *table;       /* NULL: none. Owned by whoever read it */
    const struct element_table *elements; /* of many-body parameters; NULL: none. Likewise */
    const struct eam_table *eam;          /* of embedded atoms; NULL: none. Likewise */
    const struct exclusions *exclusions;  /* NULL: none. Likewise */
    const struct expression *expression;  /* NULL: it is named functions. Likewise; its texts are */
    const struct pair_text *text;         /* NULL: it is no piece of kernel text. Likewise */
    const char *expression_text;          /* what an expression or a text is called; NULL: none */
    const char *expression_words;         /* as the user wrote it, for the reference; NULL: none */
    const char *const *expression_tables; /* what the files of its tables hold, in their order */
    int expression_table_count;
    struct particle_values *const
        *values; /* parameters that each particle has a value of
                    (kernels/expressions/expression.h), in their order. Likewise */
    int value_count;
    const struct bonded_terms *bonded; /* that were listed in files; NULL: none. Likewise */
    double flops_distance; /* operations to find a squared distance and test it (no images) */
    double flops_pair;     /* operations of the pair function and of adding a force, forces alone */
};

/* Parses NAME[+NAME...][:parameter=value,...]. A parameter goes to the function that has one of
 * that name; NAME.parameter says which where several do. `cutoff` is one that every function has.
 * parameter.TYPE gives the value for one type. What `rational` leaves out is put in place
 * (switching_complete()). Errors: STATUS_BAD_INPUT naming the word that is wrong and the choices.
 */
bool interaction_parse(const char *words, struct interaction *interaction, struct error *error);

/* The names of the functions that are built in. */
void interaction_append_names(struct strbuf *text, const char *separator);

/* The interaction that an expression is: one function, `expression`, with the expression's
 * parameters. The expression must outlive it. STATUS_BAD_INPUT for values of types that cannot be
 * mixed. */
bool interaction_of_expression(const struct expression *expression, struct interaction *interaction,
                               struct error *error);

/* Gives all its functions a table of types (type_table.h), which must outlive it. */
void interaction_use_table(struct interaction *interaction, const struct type_table *table);

/* Whether one of the functions has the name. */
bool interaction_has_function(const struct interaction *interaction, const char *name);
/* The value of a parameter, of the first function that has one of that name; NaN when none has. */
double interaction_value(const struct interaction *interaction, const char *parameter);

/* Puts another in its place, where there is one. */
void interaction_set_value(struct interaction *interaction, const char *parameter, double value);

/* How many functions have a parameter of the name, of `length` characters; `cutoff` is one of most.
 */
int interaction_count_owners(const struct interaction *interaction, const char *name,
                             size_t length);

/* Whether some built-in function has a tunable of this name, which variants then cannot have. */
bool interaction_declares_tunable(const char *name);
/* The interaction's own of this name; NULL: it has none. */
const struct tunable *interaction_tunable(const struct interaction *interaction, const char *name);

/* Whether float holds a value; zero and infinity, which stand for themselves, among them. */
bool interaction_parameter_fits_float(double value);

/* The full spelling, every parameter named, 17 digits where needed, tables and exclusions by 16
 * digits of their hash: identity in rows and caches. */
void interaction_describe(const struct interaction *interaction, struct strbuf *text);

/* Whether the function's parameters may depend on the pair of types. */
bool interaction_function_may_be_typed(const struct interaction_function *function);

/* Whether parameters depend on the pair of types. */
bool interaction_has_types(const struct interaction *interaction);

/* Whether it is of charges. */
bool interaction_has_charges(const struct interaction *interaction);

/* Whether there are both van der Waals and Coulomb terms, so that their energies come apart. */
bool interaction_energies_apart(const struct interaction *interaction);

/* ---- the switching function of a coordination number ---- */

/*
 * The rational switching function s(r) of a coordination number, as PLUMED defines it.
 *
 * x = (r - d0) / r0. s(x) = (1 - x^n) / (1 - x^m), 1 for x <= 0, 0 for r > dmax. With a finite dmax
 * it is stretched to end at zero: s * stretch + shift, stretch = 1 / (s(0) - s(dmax)), shift =
 * -s(dmax) * stretch.
 *
 * Source: PLUMED 2 manual, "switchingfunction" (G. Tribello et al., Comput. Phys. Commun. 185
 * (2014) 604).
 */

struct switching {
    double r0, d0;
    int n, m;              /* m is never 0: 2n was put in its place */
    double dmax;           /* INFINITY: none */
    double stretch, shift; /* 1 and 0 without a dmax */
    int common; /* greatest common divisor of n and m: s is a quotient of polynomials in x^common */
};

/* Completes an interaction that has the function `rational` (does nothing to others): m = 0 becomes
 * 2n, a dmax that was not given becomes d0 + r0 (1e-5)^(1/(n-m)), and the function's own cutoff
 * becomes dmax. Called by interaction_parse(). STATUS_BAD_INPUT naming the parameter: r0 <= 0, n or
 * m not a positive whole number of at most 1000, n = m, n > m without a finite dmax, dmax <= d0 or
 * <= 0, d0 not finite, s(0) - s(dmax) under 1e-30 or s above 1e30. */
bool switching_complete(struct interaction *interaction, struct error *error);

/* Whether no power of x met on the way to s and ds/dr, for 0 <= x <= (dmax - d0) / r0, nor its
 * square, reaches 2^largest_exponent: then both may be computed from powers of x as they stand. */
bool switching_is_direct(const struct switching *switching, double largest_exponent);

/* The function's parameters and what follows from them; false when the interaction has no
 * `rational`. */
bool switching_of(const struct interaction *interaction, struct switching *switching);

#endif
