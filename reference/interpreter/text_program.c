#include "reference/interpreter/text_program.h"

#include "core/error.h"
#include "kernels/expressions/expression.h"
#include "reference/interpreter/kernel_directives.h"
#include "reference/interpreter/kernel_run.h"
#include "reference/interpreter/kernel_statements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands in the place of a distance of 0. */
static const long double next_to_zero = 1e-1000L;

/* Places of what every text of pairs finds, and of what every one of terms does. */
enum given { R, R2, INVERSE_R, EXCLUDED, ATOM1, ATOM2, POSQ1, POSQ2, ENERGY, FORCE, GIVEN };
enum given_of_terms {
    TERM_ENERGY,
    TERM_PLACES,
    TERM_ATOMS = TERM_PLACES + 4,
    TERM_GIVEN = TERM_ATOMS + 4
};

static void define_own(struct tokens *tokens) {
    for (int m = 0; m < tokens->text->macro_count; m++) {
        const struct pair_text_macro *macro = &tokens->text->macros[m];
        tokens_define(tokens, macro->name, strlen(macro->name), macro->words, strlen(macro->words));
    }
}

static void define_of_terms(struct tokens *tokens, bool is_periodic) {
    tokens_define_empty(tokens, "USE_DOUBLE_PRECISION");
    tokens_define(tokens, "APPLY_PERIODIC", strlen("APPLY_PERIODIC"), "0", 1);
    if (is_periodic) {
        tokens_define_empty(tokens, "USE_PERIODIC");
    }
    define_own(tokens);
}

static void define_scene(struct tokens *tokens, const struct kernel_scene *scene) {
    const double tile = 32;
    tokens_define_number(tokens, 0, "NUM_ATOMS", (double)scene->n);
    tokens_define_number(tokens, 1, "PADDED_NUM_ATOMS", tile * ceil((double)scene->n / tile));
    tokens_define_empty(tokens, "USE_DOUBLE_PRECISION");
    if (isfinite(scene->cutoff)) {
        tokens_define_empty(tokens, "USE_CUTOFF");
        tokens_define_number(tokens, 2, "CUTOFF", scene->cutoff);
        tokens_define_number(tokens, 3, "CUTOFF_SQUARED", scene->cutoff * scene->cutoff);
    }
    if (scene->is_periodic) {
        tokens_define_empty(tokens, "USE_PERIODIC");
    }
    define_own(tokens);
}

static void give(struct parser *parser, const char *name, struct type type) {
    (void)kernel_tree_add_variable(parser, name, strlen(name), type);
}

/* What the text finds, in the order of enum given, then its parameters for both particles. */
static void give_all(struct parser *parser, char (*names)[PAIR_TEXT_NAME_SIZE + 1]) {
    const struct type real = { .components = 1 };
    const struct type whole = { .components = 1, .whole = true };
    give(parser, "r", real);
    give(parser, "r2", real);
    give(parser, "invR", real);
    give(parser, "isExcluded", whole);
    give(parser, "atom1", whole);
    give(parser, "atom2", whole);
    give(parser, "posq1", (struct type){ .components = 4 });
    give(parser, "posq2", (struct type){ .components = 4 });
    give(parser, "tempEnergy", real);
    give(parser, "dEdR", real);
    parser->variables[POSQ1].is_position = true;
    parser->variables[POSQ2].is_position = true;
    for (int p = 0; p < parser->program->text->parameter_count; p++) {
        for (int side = 0; side < 2; side++) {
            char *name = names[2 * p + side];
            (void)snprintf(name, sizeof names[0], "%s%d", parser->program->text->parameters[p].name,
                           side + 1);
            give(parser, name,
                 (struct type){ .components = parser->program->text->parameters[p].components });
        }
    }
}

/* Likewise of a term, in the order of enum given_of_terms. */
static void give_all_of_term(struct parser *parser) {
    static const char *const places[] = { "pos1", "pos2", "pos3", "pos4" };
    static const char *const atoms[] = { "atom1", "atom2", "atom3", "atom4" };
    const struct pair_text *text = parser->program->text;
    give(parser, "energy", (struct type){ .components = 1 });
    for (int a = 0; a < 4; a++) {
        give(parser, places[a], (struct type){ .components = 4 });
        parser->variables[TERM_PLACES + a].is_position = true;
        parser->variables[TERM_PLACES + a].hidden = a >= text->atoms;
    }
    for (int a = 0; a < 4; a++) {
        give(parser, atoms[a], (struct type){ .components = 1, .whole = true });
        parser->variables[TERM_ATOMS + a].hidden = a >= text->atoms;
    }
    for (int p = 0; p < text->parameter_count; p++) {
        give(parser, text->parameters[p].name,
             (struct type){ .components = text->parameters[p].components });
        parser->variables[TERM_GIVEN + p].is_parameter = true;
    }
}

/* A term's text declares the force on each particle. */
static bool has_forces(struct parser *parser) {
    for (int a = 0; !parser->tokens->failed && a < parser->program->text->atoms; a++) {
        const char name[] = { 'f', 'o', 'r', 'c', 'e', (char)('1' + a), '\0' };
        const struct token token = { .kind = TOKEN_NAME, .at = name, .length = 6 };
        const int found = kernel_tree_find_variable(parser, &token);
        if (found < 0 || parser->variables[found].type.components < 3) {
            return token_fail_at(
                parser->tokens, token_peek(parser->tokens)->line,
                "expected a declaration \"real3 %s = ...\", the force on particle %d, "
                "outside of all braces",
                name, a + 1);
        }
    }
    return !parser->tokens->failed;
}

static bool read_body(struct parser *parser, const struct kernel_scene *scene, char *body) {
    char names[2 * PAIR_TEXT_MAX_VALUES][PAIR_TEXT_NAME_SIZE + 1];
    const bool of_term = parser->program->text->atoms > 0;
    if (of_term) {
        define_of_terms(parser->tokens, scene->is_periodic);
    } else {
        define_scene(parser->tokens, scene);
    }
    kernel_directives_read(parser->tokens, body);
    if (of_term) {
        give_all_of_term(parser);
    } else {
        give_all(parser, names);
    }
    parser->program->body = parser->tokens->failed ? 0 : kernel_statements_read(parser);
    return has_forces(parser);
}

bool text_program_read(const struct pair_text *text, const struct kernel_scene *scene,
                       struct text_program **program, struct error *error) {
    struct tokens tokens = { .text = text, .error = error, .line = text->line };
    struct parser parser = { .tokens = &tokens };
    char *body = strdup(text->body);
    tokens.list = malloc(MAX_TOKENS * sizeof *tokens.list);
    parser.program = calloc(1, sizeof *parser.program);
    if (parser.program) {
        parser.program->text = text;
        parser.program->nodes = malloc(MAX_NODES * sizeof *parser.program->nodes);
    }
    const bool good = body && tokens.list && parser.program && parser.program->nodes
                          ? read_body(&parser, scene, body)
                          : fail_out_of_memory(error, "the reference of a kernel text");
    free(tokens.list);
    free(body);
    if (!good) {
        text_program_free(parser.program);
    }
    *program = good ? parser.program : NULL;
    return good;
}

bool text_program_read_term(const struct pair_text *text, bool is_periodic,
                            struct text_program **program, struct error *error) {
    const struct kernel_scene scene = { .is_periodic = is_periodic, .cutoff = INFINITY };
    return text_program_read(text, &scene, program, error);
}

void text_program_free(struct text_program *program) {
    if (program) {
        free(program->nodes);
        free(program);
    }
}

static struct slot scalar(struct dual value) {
    return (struct slot){ .components = 1, .c = { value } };
}

static struct slot counted(long double value) {
    return (struct slot){ .components = 1, .whole = true, .c = { { .v = value } } };
}

static void begin_run(struct run *run, const struct pair *pair) {
    const struct pair_text *text = run->program->text;
    struct slot *found = run->variables;
    const struct dual r = { .v = run->r, .d = 1.0L };
    const struct dual both[2] = { r, r };
    found[R] = scalar(r);
    found[R2] = scalar(dual_multiply(both));
    found[INVERSE_R] = scalar(dual_recip(&r));
    /* They come as they are: their errors are those of r. */
    found[R2].c[0].error = found[R2].c[0].d_error = 0.0L;
    found[INVERSE_R].c[0].error = found[INVERSE_R].c[0].d_error = 0.0L;
    found[EXCLUDED] = counted(pair->excluded);
    found[ATOM1] = counted(pair->particle[0]);
    found[ATOM2] = counted(pair->particle[1]);
    for (int side = 0; side < 2; side++) {
        found[POSQ1 + side] = (struct slot){ .components = 4 };
        found[POSQ1 + side].c[3] = dual_constant(pair->charge[side]);
    }
    found[ENERGY] = scalar((struct dual){ 0 });
    found[FORCE] = scalar((struct dual){ 0 });
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        for (int side = 0; side < 2; side++) {
            struct slot *cell = &found[GIVEN + 2 * p + side];
            *cell = (struct slot){ .components = parameter->components };
            for (int c = 0; c < parameter->components; c++) {
                cell->c[c] =
                    dual_constant(text->values[parameter->first + c]->value[pair->particle[side]]);
            }
        }
    }
}

void text_program_evaluate(const struct text_program *program, const struct pair *pair,
                           struct pair_value *value) {
    struct run run; /* what variables hold is set where they are declared */
    run.program = program;
    run.r = pair->r2 > 0.0 ? sqrtl((long double)pair->r2) : next_to_zero;
    begin_run(&run, pair);
    const bool ended = kernel_run(&run);
    const struct dual *u = &run.variables[ENERGY].c[0];
    value->energy = ended ? (double)u->v : NAN;
    value->over_r = ended ? (double)(-u->d / run.r) : NAN;
    value->slope = (double)-u->dd;
    value->energy_condition = dual_energy_condition(u, run.r);
    value->force_condition = dual_force_condition(u, run.r);
    value->jump = run.jump;
}

/* What a text of a term finds: places are exact up to how they were added up. */
static void begin_term(struct run *run, const struct kernel_term *term, long double place[][3],
                       long double direction[][3]) {
    const struct pair_text *text = run->program->text;
    struct slot *found = run->variables;
    found[TERM_ENERGY] = scalar((struct dual){ 0 });
    for (int a = 0; a < text->atoms; a++) {
        found[TERM_PLACES + a] = (struct slot){ .components = 4 };
        found[TERM_ATOMS + a] = counted(term->atom[a]);
        for (int d = 0; d < 3; d++) {
            found[TERM_PLACES + a].c[d] = (struct dual){
                .v = place[a][d], .d = direction[a][d], .error = a > 1 ? fabsl(place[a][d]) : 0.0L
            };
        }
    }
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        struct slot *cell = &found[TERM_GIVEN + p];
        *cell = (struct slot){ .components = parameter->components };
        for (int c = 0; c < parameter->given; c++) {
            cell->c[c] = dual_constant(term->column[text->column[parameter->first + c]]);
        }
    }
}

struct dual text_program_evaluate_term(const struct text_program *program,
                                       const struct kernel_term *term, long double place[][3],
                                       long double direction[][3]) {
    struct run run; /* as above */
    run.program = program;
    run.r = 1.0L;
    begin_term(&run, term, place, direction);
    return kernel_run(&run) ? run.variables[TERM_ENERGY].c[0]
                            : (struct dual){ NAN, NAN, NAN, NAN, NAN };
}
