#include "reference/interpreter/kernel_run.h"

#include "kernels/expressions/expression.h"

#include <math.h>

enum { MAX_RUN = 100000 /* nodes of one evaluation */ };

/* A place where the result may jump: the nearest distance at which this is 0, to first order. */
static void note_jump(struct run *run, long double value, long double slope) {
    const long double gap = slope != 0.0L ? -value / slope : INFINITY;
    if (fabsl(gap) < run->nearest && run->r + gap > 0.0L) {
        run->nearest = fabsl(gap);
        run->jump = (double)(run->r + gap);
    }
}

static struct slot truth(bool value) {
    return (struct slot){ .components = 1, .whole = true, .c = { { .v = value } } };
}

static struct slot compare(struct run *run, int sign, const struct dual *a, const struct dual *b) {
    note_jump(run, a->v - b->v, a->d - b->d);
    switch (sign) {
    case '<':
        return truth(a->v < b->v);
    case '>':
        return truth(a->v > b->v);
    case SIGN_LESS_EQUAL:
        return truth(a->v <= b->v);
    case SIGN_MORE_EQUAL:
        return truth(a->v >= b->v);
    case SIGN_EQUAL:
        return truth(a->v == b->v);
    default:
        return truth(a->v != b->v);
    }
}

static struct dual calculate(int sign, bool whole, const struct dual *a, const struct dual *b) {
    const struct dual both[2] = { *a, *b };
    switch (sign) {
    case '+':
        return dual_add(both);
    case '-':
        return dual_subtract(both);
    case '*':
        return dual_multiply(both);
    case '%':
        return (struct dual){ .v = fmodl(a->v, b->v) };
    default:
        if (whole) {
            return (struct dual){ .v = truncl(a->v / b->v) };
        }
        return dual_divide(both);
    }
}

/* Component by component; a single number stands beside each. */
static struct slot calculate_all(int sign, const struct slot *a, const struct slot *b) {
    struct slot result = { .components =
                               a->components > b->components ? a->components : b->components,
                           .whole = a->whole && b->whole };
    for (int k = 0; k < result.components; k++) {
        result.c[k] = calculate(sign, result.whole, &a->c[a->components > 1 ? k : 0],
                                &b->c[b->components > 1 ? k : 0]);
        result.c[k].error = result.whole ? 0.0L : result.c[k].error;
    }
    return result;
}

/* What a value becomes in the place of a variable of a type. */
static struct slot converted(struct run *run, struct type type, const struct slot *from) {
    struct slot to = { .components = type.components, .whole = type.whole };
    for (int k = 0; k < type.components; k++) {
        to.c[k] = from->c[from->components > 1 ? k : 0];
        if (type.truth) {
            to.c[k] = (struct dual){ .v = to.c[k].v != 0.0L };
        } else if (type.whole && !from->whole) {
            note_jump(run, to.c[k].v - rintl(to.c[k].v), to.c[k].d);
            to.c[k] = (struct dual){ .v = truncl(to.c[k].v) };
        }
    }
    return to;
}

static void evaluate(struct run *run, int place, struct slot *result);

static void evaluate_binary(struct run *run, const struct node *node, struct slot *result) {
    struct slot a, b;
    evaluate(run, node->operand[0], &a);
    if (node->sign == SIGN_AND || node->sign == SIGN_OR) {
        const bool first = a.c[0].v != 0.0L;
        if (first == (node->sign == SIGN_OR)) {
            *result = truth(first);
            return;
        }
        evaluate(run, node->operand[1], &b);
        *result = truth(b.c[0].v != 0.0L);
        return;
    }
    evaluate(run, node->operand[1], &b);
    const bool compares = node->sign == '<' || node->sign == '>' ||
                          (node->sign >= SIGN_LESS_EQUAL && node->sign <= SIGN_UNEQUAL);
    *result =
        compares ? compare(run, node->sign, &a.c[0], &b.c[0]) : calculate_all(node->sign, &a, &b);
}

static void evaluate_call(struct run *run, const struct node *node, struct slot *result) {
    struct slot cells[MAX_ARGUMENTS] = { 0 };
    bool whole = true;
    *result = (struct slot){ .components = 1 };
    for (int k = 0; k < node->operands; k++) {
        evaluate(run, node->operand[k], &cells[k]);
        whole = whole && cells[k].whole;
        result->components =
            cells[k].components > result->components ? cells[k].components : result->components;
    }
    for (int c = 0; c < result->components; c++) {
        struct dual x[MAX_ARGUMENTS] = { 0 };
        for (int k = 0; k < node->operands; k++) {
            x[k] = cells[k].c[cells[k].components > 1 ? c : 0];
        }
        if (node->apply == dual_min || node->apply == dual_max) {
            note_jump(run, x[0].v - x[1].v, x[0].d - x[1].d);
            result->whole = whole;
        } else if (node->apply == dual_abs) {
            note_jump(run, x[0].v, x[0].d);
            result->whole = whole;
        } else if (node->apply == dual_floor || node->apply == dual_ceil) {
            note_jump(run, x[0].v - rintl(x[0].v), x[0].d);
        }
        result->c[c] = dual_apply(node->apply, x, 0x1p-24L);
    }
}

static struct dual dot_of(const struct slot *a, const struct slot *b) {
    struct dual sum = { 0 };
    for (int k = 0; k < a->components && k < b->components; k++) {
        const struct dual both[2] = { a->c[k], b->c[k] };
        const struct dual two[2] = { sum, dual_multiply(both) };
        sum = k == 0 ? two[1] : dual_add(two);
    }
    return sum;
}

static struct dual minor_of(const struct slot *a, const struct slot *b, int first, int second) {
    const struct dual plus[2] = { a->c[first], b->c[second] };
    const struct dual minus[2] = { a->c[second], b->c[first] };
    const struct dual both[2] = { dual_multiply(plus), dual_multiply(minus) };
    return dual_subtract(both);
}

static void evaluate_product(struct run *run, const struct node *node, struct slot *result) {
    struct slot a, b = { 0 };
    evaluate(run, node->operand[0], &a);
    if (node->operands > 1) {
        evaluate(run, node->operand[1], &b);
    }
    const struct dual square = dot_of(&a, node->operands > 1 ? &b : &a);
    *result = (struct slot){ .components = 1 };
    switch ((enum product)node->which) {
    case PRODUCT_DOT:
        result->c[0] = square;
        break;
    case PRODUCT_LENGTH:
        result->c[0] = dual_sqrt(&square);
        break;
    case PRODUCT_CROSS:
        result->components = a.components;
        for (int k = 0; k < 3; k++) {
            result->c[k] = minor_of(&a, &b, (k + 1) % 3, (k + 2) % 3);
        }
        break;
    case PRODUCT_NORMALIZE:
        result->components = a.components;
        for (int k = 0; k < a.components; k++) {
            const struct dual both[2] = { a.c[k], dual_rsqrt(&square) };
            result->c[k] = dual_multiply(both);
        }
        break;
    default:
        *result = a;
        result->components = 3;
        break;
    }
}

static void evaluate_vector(struct run *run, const struct node *node, struct slot *result) {
    struct slot part = { 0 };
    struct slot made = { .components = node->which };
    for (int k = 0; k < node->which; k++) {
        if (k < node->operands) {
            evaluate(run, node->operand[k], &part);
        }
        made.c[k] = part.c[part.components > 1 ? k : 0];
    }
    *result = made;
}

/* An element beyond the array is no number. */
static void evaluate_element(struct run *run, const struct node *node, struct slot *result) {
    const struct particle_values *numbers = run->program->text->arrays[node->which].numbers;
    evaluate(run, node->operand[0], result);
    const long double at = result->c[0].v;
    const bool there = at >= 0.0L && at < (long double)numbers->count;
    *result = (struct slot){ .components = 1 };
    result->c[0] = there ? dual_constant(numbers->value[(size_t)at]) : (struct dual){ .v = NAN };
}

static void set_variable(struct run *run, const struct node *node) {
    struct slot *variable = &run->variables[node->which];
    struct slot value;
    evaluate(run, node->operand[0], &value);
    struct slot before = *variable;
    if (node->component >= 0) {
        before = (struct slot){ .components = 1, .c = { variable->c[node->component] } };
    }
    if (node->sign != '=') {
        value = calculate_all(node->sign, &before, &value);
    }
    if (node->component >= 0) {
        variable->c[node->component] = value.c[0];
        return;
    }
    *variable = converted(
        run, (struct type){ .components = variable->components, .whole = variable->whole }, &value);
}

static void do_list(struct run *run, const struct node *node) {
    struct slot ignored;
    for (int at = node->operand[0]; at >= 0; at = run->program->nodes[at].next) {
        evaluate(run, at, &ignored);
    }
}

static void do_loop(struct run *run, const struct node *node) {
    struct slot value;
    for (evaluate(run, node->operand[0], &value); value.c[0].v != 0.0L && run->steps < MAX_RUN;
         evaluate(run, node->operand[0], &value)) {
        evaluate(run, node->operand[1], &value);
        evaluate(run, node->operand[2], &value);
    }
}

static void evaluate_statement(struct run *run, const struct node *node, struct slot *result) {
    *result = (struct slot){ .components = 1 }; /* nobody asks for a statement's value */
    switch (node->kind) {
    case NODE_SET:
        set_variable(run, node);
        break;
    case NODE_DECLARE: /* what is declared without a value is no number until it has one */
        *result = (struct slot){ .components = 1, .c = { { .v = NAN } } };
        if (node->operand[0] >= 0) {
            evaluate(run, node->operand[0], result);
        }
        run->variables[node->which] = converted(run, node->type, result);
        break;
    case NODE_BLOCK:
        do_list(run, node);
        break;
    case NODE_IF:
        evaluate(run, node->operand[0], result);
        if (result->c[0].v != 0.0L) {
            evaluate(run, node->operand[1], result);
        } else if (node->operand[2] >= 0) {
            evaluate(run, node->operand[2], result);
        }
        break;
    case NODE_LOOP:
        do_loop(run, node);
        break;
    default:
        break;
    }
}

static void evaluate(struct run *run, int place, struct slot *result) {
    const struct node *node = &run->program->nodes[place];
    run->steps++;
    switch (node->kind) {
    case NODE_NUMBER:
        *result = (struct slot){ .components = 1, .whole = node->type.whole };
        result->c[0] = node->number;
        return;
    case NODE_VARIABLE:
        *result = run->variables[node->which];
        return;
    case NODE_COMPONENT:
        evaluate(run, node->operand[0], result);
        *result = (struct slot){ .components = 1, .c = { result->c[node->which] } };
        return;
    case NODE_ELEMENT:
        evaluate_element(run, node, result);
        return;
    case NODE_CALL:
        evaluate_call(run, node, result);
        return;
    case NODE_PRODUCT:
        evaluate_product(run, node, result);
        return;
    case NODE_VECTOR:
        evaluate_vector(run, node, result);
        return;
    case NODE_CAST: {
        struct slot from;
        evaluate(run, node->operand[0], &from);
        *result = converted(run, node->type, &from);
        return;
    }
    case NODE_NEGATE:
        evaluate(run, node->operand[0], result);
        for (int k = 0; k < result->components; k++) {
            result->c[k] = dual_negate(&result->c[k]);
        }
        return;
    case NODE_NOT:
        evaluate(run, node->operand[0], result);
        *result = truth(result->c[0].v == 0.0L);
        return;
    case NODE_BINARY:
        evaluate_binary(run, node, result);
        return;
    case NODE_CHOICE:
        evaluate(run, node->operand[0], result);
        evaluate(run, node->operand[result->c[0].v != 0.0L ? 1 : 2], result);
        return;
    default:
        evaluate_statement(run, node, result);
    }
}

bool kernel_run(struct run *run) {
    struct slot ignored;
    run->nearest = INFINITY;
    run->jump = 0.0;
    run->steps = 0;
    evaluate(run, run->program->body, &ignored);
    return run->steps < MAX_RUN;
}
