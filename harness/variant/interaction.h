/*
 * interaction — a pair function with its parameters, as the command line names it:
 * "lj:epsilon=1,sigma=1".
 *
 * The pair function itself is kernel text (variants/interactions/NAME.cl); its header comment
 * declares the parameters and what they default to. The serial double-precision twin lives in
 * reference/.
 */
#ifndef PAIRMARK_VARIANT_INTERACTION_H
#define PAIRMARK_VARIANT_INTERACTION_H

#include "base/error.h"
#include "base/text.h"

enum { INTERACTION_MAX_PARAMETERS = 16, INTERACTION_NAME_SIZE = 32 };

struct interaction_parameter {
    char name[INTERACTION_NAME_SIZE];
    double value;
    bool positive; /* declared as such: 0 and less are refused */
};

struct interaction {
    char name[INTERACTION_NAME_SIZE];
    struct interaction_parameter parameters[INTERACTION_MAX_PARAMETERS];
    int parameter_count;
    const char *source;    /* kernel text, embedded in the binary: lives as long as the program */
    double flops_distance; /* operations to find a squared distance and test it (no images) */
    double flops_pair;     /* operations of the pair function and of adding a force, forces alone */
};

/* Parses NAME[:parameter=value,...]. Errors: STATUS_BAD_INPUT naming the word that is wrong and the
 * choices. */
bool interaction_parse(const char *words, struct interaction *interaction, struct error *error);

/* The value of a parameter; NaN when the interaction has none of that name. */
double interaction_value(const struct interaction *interaction, const char *parameter);

/* The full spelling, every parameter named, 17 digits where needed: identity in rows and caches. */
void interaction_describe(const struct interaction *interaction, struct text *text);

#endif
