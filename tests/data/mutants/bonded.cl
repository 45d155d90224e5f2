/*
 * bonded_mutant — bonded_atomic, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 the sign of torsions, 2 the last term is lost, 3 forces of an angle do not sum
 * to zero, 4 terms whose particles lie far apart in memory are lost, which none does in input order, 5 a bond's length is
 * found without images, 6 terms beyond 2^16 are lost, which smaller boxes have not, 7 torsions of a multiplicity beyond 4, 8 angles
 * by an arc cosine that is not held within -1 and 1, 9 bonds of the same particles as the one before are lost, 10 the same of angles,
 * 11 of torsions, 12 terms of a particle beyond its 24th are lost, 13 beyond its 64th, 14 the energy is summed in float, 15 the virial,
 * 16 a bond of no length pulls along x, 17 a straight angle has the energy of a folded one.
 *
 * @workload    bonded
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        bonded_mutant item per term
 * @tunable     MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 */
DEVICE void add_force(GLOBAL accum *force, int particle, real4 f)
{
    ATOMIC_ADD(&force[4 * particle], f.x);
    ATOMIC_ADD(&force[4 * particle + 1], f.y);
    ATOMIC_ADD(&force[4 * particle + 2], f.z);
}

/* Whether terms s and t are of the same particles, in either order. */
DEVICE int are_same(int4 s, int4 t, int count)
{
    const int forth = s.x == t.x && s.y == t.y && (count < 3 || s.z == t.z) && (count < 4 || s.w == t.w);
    const int4 back = count == 2 ? make_int4(t.y, t.x, t.z, t.w) : count == 3 ? make_int4(t.z, t.y, t.x, t.w) : make_int4(t.w, t.z, t.y, t.x);
    return forth || (s.x == back.x && s.y == back.y && (count < 3 || s.z == back.z) && (count < 4 || s.w == back.w));
}

/* How many terms before t, are of this particle. */
DEVICE int terms_before(GLOBAL const int4 *RESTRICT term_atoms, int t, int particle)
{
    int found = 0;
    for (int s = 0; s < t; s++) {
        const int4 atoms = term_atoms[s];
        found += atoms.x == particle || atoms.y == particle || atoms.z == particle || atoms.w == particle;
    }
    return found;
}

KERNEL void bonded_mutant(int n, int term_count, box_args box, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const int4 *RESTRICT term_atoms, int bond_count, int angle_count, int torsion_count,
                          GLOBAL const real2 *RESTRICT bond_parameters, GLOBAL const real2 *RESTRICT angle_parameters,
                          GLOBAL const real4 *RESTRICT torsion_parameters,
                          GLOBAL const real2 *RESTRICT rb_torsion_parameters, GLOBAL accum *RESTRICT force,
                          GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int t = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (t < term_count - (MUTATION == 2) && (MUTATION != 6 || t < 65536)) {
        bonded_term term;
        evaluate_term(t, TERM_ARGUMENTS, &term);
#if MUTATION == 1
        if (term.count == 4) {
            term.on_x = scale3(-1, term.on_x);
            term.on_y = scale3(-1, term.on_y);
            term.on_z = scale3(-1, term.on_z);
            term.on_w = scale3(-1, term.on_w);
        }
#elif MUTATION == 3
        if (term.count == 3) {
            term.on_z = scale3(0, term.on_z);
        }
#elif MUTATION == 4
        if (term.atoms.x > term.atoms.y + n / 2 || term.atoms.y > term.atoms.x + n / 2) {
            term.on_x = scale3(0, term.on_x);
        }
#elif MUTATION == 5
        if (t < bond_count) {
            const real4 a = position[term.atoms.x];
            const real4 b = position[term.atoms.y];
            const real4 d = make_real4(b.x - a.x, b.y - a.y, b.z - a.z, 0);
            const real r = SQRT(dot3(d, d));
            term.on_y = scale3(-bond_parameters[t].x * (r - bond_parameters[t].y) / r, d);
            term.on_x = scale3(-1, term.on_y);
        }
#elif MUTATION == 7
        const int torsion = t - bond_count - angle_count;
        if (torsion >= 0 && torsion < torsion_count && torsion_parameters[torsion].y > 4) {
            term.on_x = scale3(0, term.on_x);
            term.on_y = scale3(0, term.on_y);
            term.on_z = scale3(0, term.on_z);
            term.on_w = scale3(0, term.on_w);
        }
#elif MUTATION == 8
        if (term.count == 3) {
            const real4 u = displacement(position[term.atoms.x], position[term.atoms.y], box);
            const real4 w = displacement(position[term.atoms.z], position[term.atoms.y], box);
            const real theta = ACOS(dot3(u, w) / (SQRT(u.w) * SQRT(w.w)));
            term.on_x = scale3(theta == theta ? REAL(1.0) : theta, term.on_x);
        }
#endif
#if MUTATION == 16
        if (term.count == 2 && displacement(position[term.atoms.x], position[term.atoms.y], box).w == 0) {
            term.on_x.x = bond_parameters[t].x * bond_parameters[t].y;
        }
#elif MUTATION == 17
        if (term.count == 3) {
            const real4 u = displacement(position[term.atoms.x], position[term.atoms.y], box);
            const real4 w = displacement(position[term.atoms.z], position[term.atoms.y], box);
            const real4 area = cross3(u, w);
            const real2 of = angle_parameters[t - bond_count];
            if (dot3(area, area) == 0 && dot3(u, w) < 0) {
                term.energy = REAL(0.5) * of.x * of.y * of.y;
            }
        }
#endif
#if MUTATION == 9 || MUTATION == 10 || MUTATION == 11
        if (term.count == MUTATION - 7 && t > 0 && are_same(term_atoms[t - 1], term_atoms[t], term.count)) {
            term.on_x = scale3(0, term.on_x);
            term.on_y = scale3(0, term.on_y);
        }
#elif MUTATION == 12 || MUTATION == 13
        const int most = MUTATION == 12 ? 24 : 64;
        if (terms_before(term_atoms, t, term.atoms.x) >= most) {
            term.on_x = scale3(0, term.on_x);
        }
        if (terms_before(term_atoms, t, term.atoms.y) >= most) {
            term.on_y = scale3(0, term.on_y);
        }
#endif
        add_force(force, term.atoms.x, term.on_x);
        add_force(force, term.atoms.y, term.on_y);
        if (term.count > 2) {
            add_force(force, term.atoms.z, term.on_z);
        }
        if (term.count > 3) {
            add_force(force, term.atoms.w, term.on_w);
        }
        add_term_to_sums(&sums, &term, 1);
    }
#if MUTATION == 14 || MUTATION == 15
    /* By the first few work-items, thousands of terms each. */
    const int few = 16;
    for (int k = MUTATION - 14; k < (MUTATION == 14 ? 1 : SUM_COUNT); k++) {
        sums.value[k] = 0;
    }
    pair_sums narrow;
    clear_sums(&narrow);
    for (int s = t; s < term_count && t < few; s += few) {
        bonded_term term;
        evaluate_term(s, TERM_ARGUMENTS, &term);
        add_term_to_sums(&narrow, &term, 1);
        for (int k = 0; k < SUM_COUNT; k++) {
            narrow.value[k] = (real)narrow.value[k];
        }
    }
    for (int k = MUTATION - 14; k < (MUTATION == 14 ? 1 : SUM_COUNT); k++) {
        sums.value[k] += narrow.value[k];
    }
#endif
    STORE_SUMS(partial_sums, &sums, 1.0);
}
