/*
 * other_formats — files of particles that are no XYZ, known by their names and first lines, and
 * what makes XYZ of them.
 */
#ifndef PAIRMARK_BOXES_FILES_OTHER_FORMATS_H
#define PAIRMARK_BOXES_FILES_OTHER_FORMATS_H

#include "core/strings.h"

/* Appends ": this looks like ..." with a command that converts the file; nothing where it looks
 * like nothing that is known. `line`: the first one, NUL-terminated. */
void other_format_hint(const char *path, const char *line, struct strbuf *hint);

#endif
