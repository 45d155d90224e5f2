/*
 * elements — the symbols of the chemical elements and their masses (private to
 * harness/boxes/files).
 */
#ifndef PAIRMARK_BOXES_FILES_ELEMENTS_H
#define PAIRMARK_BOXES_FILES_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether so many characters are a symbol, spelt as in the periodic table: Na, not NA. */
bool is_element(const char *symbol, size_t length);

/* The standard atomic weight in g/mol, as IUPAC gives it for everyday use (J. Meija et al., Pure
 * Appl. Chem. 88 (2016) 265); 0 for a word that is no symbol and for elements that have none. */
double element_mass(const char *symbol, size_t length);

#endif
