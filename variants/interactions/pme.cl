/*
 * pme — the reciprocal part of an Ewald sum by smooth particle mesh Ewald
 *
 * The interaction of workload `pme` alone; it has no pair function. Charges are those of the box. What is left at 0 is
 * derived: the cutoff of the real part, four mean distances of particles and at most half the least height of the cell;
 * alpha and the grid, from the tolerance and that cutoff by the rule of OpenMM (alpha = sqrt(-log(2 tolerance)) / cutoff,
 * 2 alpha edge / (3 tolerance^(1/5)) points) or of GROMACS (erfc(alpha cutoff) = tolerance, a spacing of 0.12 cutoffs).
 *
 * @term coulomb
 * @parameter alpha 0 not_negative how fast the screening sets in, 1 / length
 * @parameter coulomb 1 the Coulomb constant, energy times length / charge^2
 * @parameter order 5 positive of the B-splines: 4, 5 or 6
 * @parameter grid_x 0 not_negative points along the first vector of the cell
 * @parameter grid_y 0 not_negative along the second
 * @parameter grid_z 0 not_negative along the third
 * @parameter tolerance 5e-4 positive what alpha and the grid are derived from
 * @parameter real_cutoff 0 not_negative likewise: of the real part
 * @parameter rule 0 switch by which: 0 OpenMM's, 1 GROMACS's
 * @source U. Essmann et al., J. Chem. Phys. 103 (1995) 8577
 */
