/*
 * judge_report — what `pairmark judge` prints: one verdict in lines, or as one JSON object
 * (share/schemas/judge.json).
 */
#ifndef PAIRMARK_COMMANDS_JUDGE_REPORT_H
#define PAIRMARK_COMMANDS_JUDGE_REPORT_H

#include "answers/compare/kernel_verdict.h"

struct judge_result {
    const struct kernel_judging *judging;
    const struct kernel_verdict *verdict;
    const struct device_info *device;
    const char *file;
    uint64_t hidden_seed;
    size_t hidden; /* boxes; 0: none could be made */
};

void judge_report_text(const struct judge_result *result);
/* Adds the object to an array. STATUS_OUT_OF_MEMORY. */
struct json_object;
bool judge_report_json(const struct judge_result *result, struct json_object *all,
                       struct error *error);

#endif
