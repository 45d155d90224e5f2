/*
 * summary_questions — the questions of the article that the preset `article` measures, answered
 * from rows and samples: its claim beside what was measured, then pairs of cases that differ in one
 * thing only, each with the ratio of their times and an interval of confidence.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_QUESTIONS_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_QUESTIONS_H

#include "campaign/rows/rows.h"
#include "core/strings.h"

/* Appends the answers. Only cases all of whose rows are ok count. STATUS_BAD_INPUT when the samples
 * cannot be read. */
bool summary_questions(const struct row_table *table, const char *samples_path, struct strbuf *text,
                       struct error *error);

#endif
