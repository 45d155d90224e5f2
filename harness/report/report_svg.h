/*
 * report_svg — a figure that gnuplot drew, made fit to stand in a page among others.
 */
#ifndef PAIRMARK_REPORT_REPORT_SVG_H
#define PAIRMARK_REPORT_REPORT_SVG_H

#include "base/error.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* Appends the <svg> element of `svg`. Its ids, and what refers to them, begin with `prefix`, so
 * that several figures share a page; gnuplot's own titles are left out, and `title` (escaped here)
 * becomes the name that a screen reader says. STATUS_BAD_INPUT for a file that is not an SVG, or
 * that holds elements which gnuplot does not write: a page has no use for scripts of others. */
bool svg_append(struct strbuf *html, const char *svg, const char *prefix, const char *title,
                struct error *error);

#endif
