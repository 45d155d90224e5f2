#include "boxes/files/elements.h"

#include <string.h>

static const struct element {
    char symbol[3];
    double mass; /* 0: no isotope of it is stable enough for a standard weight */
} elements[] = {
    { "H", 1.008 },        { "He", 4.002602 }, { "Li", 6.94 },         { "Be", 9.0121831 },
    { "B", 10.81 },        { "C", 12.011 },    { "N", 14.007 },        { "O", 15.999 },
    { "F", 18.998403163 }, { "Ne", 20.1797 },  { "Na", 22.98976928 },  { "Mg", 24.305 },
    { "Al", 26.9815385 },  { "Si", 28.085 },   { "P", 30.973761998 },  { "S", 32.06 },
    { "Cl", 35.45 },       { "Ar", 39.948 },   { "K", 39.0983 },       { "Ca", 40.078 },
    { "Sc", 44.955908 },   { "Ti", 47.867 },   { "V", 50.9415 },       { "Cr", 51.9961 },
    { "Mn", 54.938044 },   { "Fe", 55.845 },   { "Co", 58.933194 },    { "Ni", 58.6934 },
    { "Cu", 63.546 },      { "Zn", 65.38 },    { "Ga", 69.723 },       { "Ge", 72.63 },
    { "As", 74.921595 },   { "Se", 78.971 },   { "Br", 79.904 },       { "Kr", 83.798 },
    { "Rb", 85.4678 },     { "Sr", 87.62 },    { "Y", 88.90584 },      { "Zr", 91.224 },
    { "Nb", 92.90637 },    { "Mo", 95.95 },    { "Tc", 0.0 },          { "Ru", 101.07 },
    { "Rh", 102.9055 },    { "Pd", 106.42 },   { "Ag", 107.8682 },     { "Cd", 112.414 },
    { "In", 114.818 },     { "Sn", 118.71 },   { "Sb", 121.76 },       { "Te", 127.6 },
    { "I", 126.90447 },    { "Xe", 131.293 },  { "Cs", 132.90545196 }, { "Ba", 137.327 },
    { "La", 138.90547 },   { "Ce", 140.116 },  { "Pr", 140.90766 },    { "Nd", 144.242 },
    { "Pm", 0.0 },         { "Sm", 150.36 },   { "Eu", 151.964 },      { "Gd", 157.25 },
    { "Tb", 158.92535 },   { "Dy", 162.5 },    { "Ho", 164.93033 },    { "Er", 167.259 },
    { "Tm", 168.93422 },   { "Yb", 173.054 },  { "Lu", 174.9668 },     { "Hf", 178.49 },
    { "Ta", 180.94788 },   { "W", 183.84 },    { "Re", 186.207 },      { "Os", 190.23 },
    { "Ir", 192.217 },     { "Pt", 195.084 },  { "Au", 196.966569 },   { "Hg", 200.592 },
    { "Tl", 204.38 },      { "Pb", 207.2 },    { "Bi", 208.9804 },     { "Po", 0.0 },
    { "At", 0.0 },         { "Rn", 0.0 },      { "Fr", 0.0 },          { "Ra", 0.0 },
    { "Ac", 0.0 },         { "Th", 232.0377 }, { "Pa", 231.03588 },    { "U", 238.02891 },
    { "Np", 0.0 },         { "Pu", 0.0 },      { "Am", 0.0 },          { "Cm", 0.0 },
    { "Bk", 0.0 },         { "Cf", 0.0 },      { "Es", 0.0 },          { "Fm", 0.0 },
    { "Md", 0.0 },         { "No", 0.0 },      { "Lr", 0.0 },          { "Rf", 0.0 },
    { "Db", 0.0 },         { "Sg", 0.0 },      { "Bh", 0.0 },          { "Hs", 0.0 },
    { "Mt", 0.0 },         { "Ds", 0.0 },      { "Rg", 0.0 },          { "Cn", 0.0 },
    { "Nh", 0.0 },         { "Fl", 0.0 },      { "Mc", 0.0 },          { "Lv", 0.0 },
    { "Ts", 0.0 },         { "Og", 0.0 },
};
enum { ELEMENTS = sizeof elements / sizeof elements[0] };

static const struct element *find_element(const char *symbol, size_t length) {
    for (int e = 0; e < ELEMENTS; e++) {
        if (length == strlen(elements[e].symbol) &&
            memcmp(symbol, elements[e].symbol, length) == 0) {
            return &elements[e];
        }
    }
    return NULL;
}

bool is_element(const char *symbol, size_t length) {
    return find_element(symbol, length) != NULL;
}

double element_mass(const char *symbol, size_t length) {
    const struct element *element = find_element(symbol, length);
    return element ? element->mass : 0.0;
}
