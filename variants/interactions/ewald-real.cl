/*
 * ewald-real — the part of an Ewald sum in real space: U(r) = coulomb q_i q_j erfc(alpha r) / r, cut off without a shift
 *
 * Charges come from the box, in units of e where `coulomb` is one of: 1 in reduced units; 14.399645 eV angstrom / e^2;
 * 1389.35457644 kJ/mol angstrom / e^2. With alpha = 0 it is the plain Coulomb sum: a root per pair, else what ERFC_BY
 * says besides:
 *
 *   0  erfc and exp of the device's library: every pair's force is right to a few roundings of itself
 *   1  what the screening takes off 1/r and 1/r^3, as quotients of polynomials in (alpha r)^2: one reciprocal
 *   3  as polynomials; in double where alpha times the cutoff is above 3.2, as 1
 *
 * 1 and 3 are right to a few roundings of the plain Coulomb force q q / r^2. That is as good where each particle has
 * neighbours at alpha r below 1, as in water with alpha 0.35 per angstrom; where it has none, only 0 passes the gate. The
 * library computes, whatever ERFC_BY says, where alpha times the cutoff is above 4.4 or there is no cutoff.
 *
 * @term coulomb
 * @parameter alpha 1 not_negative how fast the screening sets in, 1 / length
 * @parameter coulomb 1 the Coulomb constant, energy times length / charge^2
 * @reach
 * @tunable ERFC_BY 0* 1 3
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 root, exponential and erfc as one each, products (14); three multiply-adds of the force
 * @source P. P. Ewald, Ann. Phys. 369 (1921) 253
 */
#if ERFC_BY != 0
#if HAVE_CONSTANT_ARRAYS
#define EWALD_VALUES CONSTANT_ARRAY
#define EWALD_SPACE
#else
#define EWALD_VALUES CONSTANT_ARG const
#define EWALD_SPACE CONSTANT_ARG
#endif

/* Coefficients have the powers of alpha in them, so that the variable is r^2, where these are far from overflowing. */
#define EWALD_IS_SCALED (EWALD_REAL_ALPHA > REAL(0.05) && EWALD_REAL_ALPHA < REAL(20.0))
#define EWALD_ALPHA_SQUARED (EWALD_REAL_ALPHA * EWALD_REAL_ALPHA)
#define EWALD_OF_FORCE (-(EWALD_ALPHA_SQUARED * EWALD_REAL_ALPHA))
#define EWALD_OF_ENERGY (-EWALD_REAL_ALPHA)
#define EWALD_POWER_0 REAL(1.0)
#define EWALD_POWER_1 (EWALD_IS_SCALED ? EWALD_ALPHA_SQUARED : REAL(1.0))
#define EWALD_POWER_2 (EWALD_POWER_1 * EWALD_POWER_1)
#define EWALD_POWER_3 (EWALD_POWER_1 * EWALD_POWER_2)
#define EWALD_POWER_4 (EWALD_POWER_2 * EWALD_POWER_2)
#define EWALD_POWER_5 (EWALD_POWER_2 * EWALD_POWER_3)
#define EWALD_POWER_6 (EWALD_POWER_3 * EWALD_POWER_3)
#define EWALD_POWER_7 (EWALD_POWER_3 * EWALD_POWER_4)
#define EWALD_POWER_8 (EWALD_POWER_4 * EWALD_POWER_4)
#define EWALD_POWER_9 (EWALD_POWER_4 * EWALD_POWER_5)
#define EWALD_POWER_10 (EWALD_POWER_5 * EWALD_POWER_5)
#define EWALD_POWER_11 (EWALD_POWER_5 * EWALD_POWER_6)

/* ---- made by scripts/ewald_fits ---- */
#if !REAL_IS_DOUBLE
/* alpha r <= 3.2: degree 4 over 6; fitted to 3.3e-8, computed to 1.8e-7 of the plain force */
DEVICE real ewald_force_near_rational(real v, real plain)
{
    real sum = REAL(5.81128625e-5) * (EWALD_OF_FORCE * EWALD_POWER_4);
    sum = FMA(sum, v, REAL(2.04283468e-4) * (EWALD_OF_FORCE * EWALD_POWER_3));
    sum = FMA(sum, v, REAL(1.7703848e-2) * (EWALD_OF_FORCE * EWALD_POWER_2));
    sum = FMA(sum, v, REAL(-1.78538952e-2) * (EWALD_OF_FORCE * EWALD_POWER_1));
    sum = FMA(sum, v, REAL(7.52253056e-1) * (EWALD_OF_FORCE * EWALD_POWER_0));
    real over = REAL(4.98523741e-6) * EWALD_POWER_6;
    over = FMA(over, v, REAL(1.93160944e-4) * EWALD_POWER_5);
    over = FMA(over, v, REAL(2.70501571e-3) * EWALD_POWER_4);
    over = FMA(over, v, REAL(2.53669955e-2) * EWALD_POWER_3);
    over = FMA(over, v, REAL(1.54994428e-1) * EWALD_POWER_2);
    over = FMA(over, v, REAL(5.76270401e-1) * EWALD_POWER_1);
    over = FMA(over, v, REAL(1.0) * EWALD_POWER_0);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 3.2: degree 4 over 5; fitted to 1.0e-7, computed to 2.4e-7 of the plain energy */
DEVICE real ewald_energy_near_rational(real v, real plain)
{
    real sum = REAL(2.08674857e-4) * (EWALD_OF_ENERGY * EWALD_POWER_4);
    sum = FMA(sum, v, REAL(5.18182945e-3) * (EWALD_OF_ENERGY * EWALD_POWER_3));
    sum = FMA(sum, v, REAL(5.60436174e-2) * (EWALD_OF_ENERGY * EWALD_POWER_2));
    sum = FMA(sum, v, REAL(2.35737607e-1) * (EWALD_OF_ENERGY * EWALD_POWER_1));
    sum = FMA(sum, v, REAL(1.12837911) * (EWALD_OF_ENERGY * EWALD_POWER_0));
    real over = REAL(1.37402276e-5) * EWALD_POWER_5;
    over = FMA(over, v, REAL(1.32630428e-3) * EWALD_POWER_4);
    over = FMA(over, v, REAL(1.76287945e-2) * EWALD_POWER_3);
    over = FMA(over, v, REAL(1.30427912e-1) * EWALD_POWER_2);
    over = FMA(over, v, REAL(5.42248428e-1) * EWALD_POWER_1);
    over = FMA(over, v, REAL(1.0) * EWALD_POWER_0);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 3.2: degree 12; fitted to 1.9e-7, computed to 3.5e-7 of the plain force */
DEVICE real ewald_force_near_polynomial(real v, real plain)
{
    real sum = REAL(4.71087726e-4) * (EWALD_OF_FORCE);
    sum = FMA(sum, v, REAL(4.30208311e-4) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(5.54073311e-4) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-1.94793509e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(2.54132529e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-5.29778237e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(1.02570923e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-1.70745719e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(2.6186632e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-3.69311757e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(4.7580041e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-5.50700575e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(5.19785099e-2) * (EWALD_OF_FORCE));
    return sum + plain;
}
/* alpha r <= 3.2: degree 12; fitted to 5.0e-8, computed to 1.3e-7 of the plain energy */
DEVICE real ewald_energy_near_polynomial(real v, real plain)
{
    real sum = REAL(3.67325963e-4) * (EWALD_OF_ENERGY);
    sum = FMA(sum, v, REAL(6.21449202e-4) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(7.19769625e-4) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-1.31619605e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(1.21976645e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-3.63365631e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(7.47784879e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-1.34041328e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.36055776e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-4.06037606e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(7.04914033e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-1.33064911e-1) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(3.73451799e-1) * (EWALD_OF_ENERGY));
    return sum + plain;
}
/* alpha r <= 4.4: degree 6 over 8; fitted to 7.0e-9, computed to 2.8e-7 of the plain force */
DEVICE real ewald_force_far_rational(real v, real plain)
{
    real sum = REAL(1.20951697e-7) * (EWALD_OF_FORCE * EWALD_POWER_6);
    sum = FMA(sum, v, REAL(5.37857159e-6) * (EWALD_OF_FORCE * EWALD_POWER_5));
    sum = FMA(sum, v, REAL(1.12522474e-4) * (EWALD_OF_FORCE * EWALD_POWER_4));
    sum = FMA(sum, v, REAL(8.07181641e-4) * (EWALD_OF_FORCE * EWALD_POWER_3));
    sum = FMA(sum, v, REAL(1.93345081e-2) * (EWALD_OF_FORCE * EWALD_POWER_2));
    sum = FMA(sum, v, REAL(4.98663448e-3) * (EWALD_OF_FORCE * EWALD_POWER_1));
    sum = FMA(sum, v, REAL(7.52252758e-1) * (EWALD_OF_FORCE * EWALD_POWER_0));
    real over = REAL(5.49492407e-9) * EWALD_POWER_8;
    over = FMA(over, v, REAL(1.06888137e-6) * EWALD_POWER_7);
    over = FMA(over, v, REAL(2.37648255e-5) * EWALD_POWER_6);
    over = FMA(over, v, REAL(3.67268949e-4) * EWALD_POWER_5);
    over = FMA(over, v, REAL(4.026765e-3) * EWALD_POWER_4);
    over = FMA(over, v, REAL(3.18729915e-2) * EWALD_POWER_3);
    over = FMA(over, v, REAL(1.75393775e-1) * EWALD_POWER_2);
    over = FMA(over, v, REAL(6.06628954e-1) * EWALD_POWER_1);
    over = FMA(over, v, REAL(1.0) * EWALD_POWER_0);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 4.4: degree 5 over 6; fitted to 1.3e-8, computed to 2.1e-7 of the plain energy */
DEVICE real ewald_energy_far_rational(real v, real plain)
{
    real sum = REAL(7.72451949e-6) * (EWALD_OF_ENERGY * EWALD_POWER_5);
    sum = FMA(sum, v, REAL(4.35064343e-4) * (EWALD_OF_ENERGY * EWALD_POWER_4));
    sum = FMA(sum, v, REAL(4.26010741e-3) * (EWALD_OF_ENERGY * EWALD_POWER_3));
    sum = FMA(sum, v, REAL(5.6155391e-2) * (EWALD_OF_ENERGY * EWALD_POWER_2));
    sum = FMA(sum, v, REAL(1.91981882e-1) * (EWALD_OF_ENERGY * EWALD_POWER_1));
    sum = FMA(sum, v, REAL(1.12837923) * (EWALD_OF_ENERGY * EWALD_POWER_0));
    real over = REAL(3.1075092e-7) * EWALD_POWER_6;
    over = FMA(over, v, REAL(7.93747895e-5) * EWALD_POWER_5);
    over = FMA(over, v, REAL(1.45900238e-3) * EWALD_POWER_4);
    over = FMA(over, v, REAL(1.6437985e-2) * EWALD_POWER_3);
    over = FMA(over, v, REAL(1.17589071e-1) * EWALD_POWER_2);
    over = FMA(over, v, REAL(5.03473163e-1) * EWALD_POWER_1);
    over = FMA(over, v, REAL(1.0) * EWALD_POWER_0);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 4.4: degree 18; fitted to 1.7e-8, computed to 3.1e-7 of the plain force */
DEVICE real ewald_force_far_polynomial(real v, real plain)
{
    real sum = REAL(8.27357639e-4) * (EWALD_OF_FORCE);
    sum = FMA(sum, v, REAL(3.17818974e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(4.14723158e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-8.34893435e-4) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-5.39726438e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-3.30080185e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(3.3581194e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(1.11453142e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(1.46952027e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-3.66014545e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(4.06784797e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-5.49116079e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(7.59884436e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-9.98110231e-3) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(1.27826901e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-1.59572829e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(1.91691127e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(-2.1475073e-2) * (EWALD_OF_FORCE));
    sum = FMA(sum, v, REAL(2.00443733e-2) * (EWALD_OF_FORCE));
    return sum + plain;
}
/* alpha r <= 4.4: degree 18; fitted to 2.7e-9, computed to 1.8e-7 of the plain energy */
DEVICE real ewald_energy_far_polynomial(real v, real plain)
{
    real sum = REAL(7.16498005e-4) * (EWALD_OF_ENERGY);
    sum = FMA(sum, v, REAL(3.36066238e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(5.89252729e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.15740502e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-5.27831027e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-6.51184563e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(1.00131112e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.83730123e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.33707624e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-3.1781178e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.98806583e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-5.11273975e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(8.11363291e-3) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-1.23837842e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(1.93033796e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-3.0925829e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(5.1969815e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(-9.70147699e-2) * (EWALD_OF_ENERGY));
    sum = FMA(sum, v, REAL(2.71642804e-1) * (EWALD_OF_ENERGY));
    return sum + plain;
}
#else
/* alpha r <= 3.2: degree 9 over 9; fitted to 2.5e-16, computed to 5.8e-16 of the plain force */
EWALD_VALUES real ewald_force_near_rational_values[20] = {
    REAL(-3.28679342278561e-13) * (EWALD_OF_FORCE * EWALD_POWER_9),
    REAL(6.110266971387328e-11) * (EWALD_OF_FORCE * EWALD_POWER_8),
    REAL(-4.3531196571808039e-10) * (EWALD_OF_FORCE * EWALD_POWER_7),
    REAL(2.3973877843950995e-7) * (EWALD_OF_FORCE * EWALD_POWER_6),
    REAL(-1.1229512414383649e-6) * (EWALD_OF_FORCE * EWALD_POWER_5),
    REAL(1.3906134184733061e-4) * (EWALD_OF_FORCE * EWALD_POWER_4),
    REAL(-5.4073122089590142e-4) * (EWALD_OF_FORCE * EWALD_POWER_3),
    REAL(2.2020610525004265e-2) * (EWALD_OF_FORCE * EWALD_POWER_2),
    REAL(-4.541741494481473e-2) * (EWALD_OF_FORCE * EWALD_POWER_1),
    REAL(7.5225277806367519e-1) * (EWALD_OF_FORCE * EWALD_POWER_0),
    REAL(2.947358889212519e-10) * EWALD_POWER_9,
    REAL(1.7683221875751812e-8) * EWALD_POWER_8,
    REAL(5.803279454632326e-7) * EWALD_POWER_7,
    REAL(1.295159297977222e-5) * EWALD_POWER_6,
    REAL(2.106344851759906e-4) * EWALD_POWER_5,
    REAL(2.5417047723537488e-3) * EWALD_POWER_4,
    REAL(2.2460085000381286e-2) * EWALD_POWER_3,
    REAL(1.3876205024976573e-1) * EWALD_POWER_2,
    REAL(5.3962479598717272e-1) * EWALD_POWER_1,
    REAL(1.0) * EWALD_POWER_0,
};
DEVICE real ewald_force_near_rational(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_force_near_rational_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    sum = FMA(sum, v, c[9]);
    real over = c[10];
    over = FMA(over, v, c[11]);
    over = FMA(over, v, c[12]);
    over = FMA(over, v, c[13]);
    over = FMA(over, v, c[14]);
    over = FMA(over, v, c[15]);
    over = FMA(over, v, c[16]);
    over = FMA(over, v, c[17]);
    over = FMA(over, v, c[18]);
    over = FMA(over, v, c[19]);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 3.2: degree 8 over 9; fitted to 5.2e-16, computed to 6.7e-16 of the plain energy */
EWALD_VALUES real ewald_energy_near_rational_values[19] = {
    REAL(4.6979718416873595e-10) * (EWALD_OF_ENERGY * EWALD_POWER_8),
    REAL(3.9593696165143221e-8) * (EWALD_OF_ENERGY * EWALD_POWER_7),
    REAL(1.5814235131346453e-6) * (EWALD_OF_ENERGY * EWALD_POWER_6),
    REAL(3.1862611315007134e-5) * (EWALD_OF_ENERGY * EWALD_POWER_5),
    REAL(6.1069854241801655e-4) * (EWALD_OF_ENERGY * EWALD_POWER_4),
    REAL(5.5008768825534887e-3) * (EWALD_OF_ENERGY * EWALD_POWER_3),
    REAL(6.0335098121231896e-2) * (EWALD_OF_ENERGY * EWALD_POWER_2),
    REAL(2.05342475738198e-1) * (EWALD_OF_ENERGY * EWALD_POWER_1),
    REAL(1.1283791670955126) * (EWALD_OF_ENERGY * EWALD_POWER_0),
    REAL(1.9098152482189849e-11) * EWALD_POWER_9,
    REAL(5.227269636215951e-9) * EWALD_POWER_8,
    REAL(2.6539091894751077e-7) * EWALD_POWER_7,
    REAL(7.5523975492088463e-6) * EWALD_POWER_6,
    REAL(1.4431460114528767e-4) * EWALD_POWER_5,
    REAL(1.9569324299378013e-3) * EWALD_POWER_4,
    REAL(1.8900449232006504e-2) * EWALD_POWER_3,
    REAL(1.2524170992877748e-1) * EWALD_POWER_2,
    REAL(5.1531336427165308e-1) * EWALD_POWER_1,
    REAL(1.0) * EWALD_POWER_0,
};
DEVICE real ewald_energy_near_rational(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_energy_near_rational_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    real over = c[9];
    over = FMA(over, v, c[10]);
    over = FMA(over, v, c[11]);
    over = FMA(over, v, c[12]);
    over = FMA(over, v, c[13]);
    over = FMA(over, v, c[14]);
    over = FMA(over, v, c[15]);
    over = FMA(over, v, c[16]);
    over = FMA(over, v, c[17]);
    over = FMA(over, v, c[18]);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 3.2: degree 22; fitted to 2.7e-16, computed to 6.3e-16 of the plain force */
EWALD_VALUES real ewald_force_near_polynomial_values[23] = {
    REAL(1.2310395404197709e-9) * (EWALD_OF_FORCE),
    REAL(3.5709196265718241e-9) * (EWALD_OF_FORCE),
    REAL(1.106418076847438e-8) * (EWALD_OF_FORCE),
    REAL(-1.314052385227005e-8) * (EWALD_OF_FORCE),
    REAL(5.3286242609672242e-8) * (EWALD_OF_FORCE),
    REAL(-2.4537058418753885e-7) * (EWALD_OF_FORCE),
    REAL(8.507328657432953e-7) * (EWALD_OF_FORCE),
    REAL(-2.9015958743714112e-6) * (EWALD_OF_FORCE),
    REAL(9.4204473968448027e-6) * (EWALD_OF_FORCE),
    REAL(-2.8739524717198213e-5) * (EWALD_OF_FORCE),
    REAL(8.2391427848924506e-5) * (EWALD_OF_FORCE),
    REAL(-2.2122913641775652e-4) * (EWALD_OF_FORCE),
    REAL(5.5428625891487703e-4) * (EWALD_OF_FORCE),
    REAL(-1.2910101965048196e-3) * (EWALD_OF_FORCE),
    REAL(2.7846647751368124e-3) * (EWALD_OF_FORCE),
    REAL(-5.5419238498340519e-3) * (EWALD_OF_FORCE),
    REAL(1.0143185316870319e-2) * (EWALD_OF_FORCE),
    REAL(-1.7031740697786783e-2) * (EWALD_OF_FORCE),
    REAL(2.6205091486380512e-2) * (EWALD_OF_FORCE),
    REAL(-3.6934707303360216e-2) * (EWALD_OF_FORCE),
    REAL(4.7579071287423294e-2) * (EWALD_OF_FORCE),
    REAL(-5.5069962784390032e-2) * (EWALD_OF_FORCE),
    REAL(5.1978515702436452e-2) * (EWALD_OF_FORCE),
};
DEVICE real ewald_force_near_polynomial(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_force_near_polynomial_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    sum = FMA(sum, v, c[9]);
    sum = FMA(sum, v, c[10]);
    sum = FMA(sum, v, c[11]);
    sum = FMA(sum, v, c[12]);
    sum = FMA(sum, v, c[13]);
    sum = FMA(sum, v, c[14]);
    sum = FMA(sum, v, c[15]);
    sum = FMA(sum, v, c[16]);
    sum = FMA(sum, v, c[17]);
    sum = FMA(sum, v, c[18]);
    sum = FMA(sum, v, c[19]);
    sum = FMA(sum, v, c[20]);
    sum = FMA(sum, v, c[21]);
    sum = FMA(sum, v, c[22]);
    return sum + plain;
}
/* alpha r <= 3.2: degree 22; fitted to 6.4e-17, computed to 2.9e-16 of the plain energy */
EWALD_VALUES real ewald_energy_near_polynomial_values[23] = {
    REAL(7.9766750850267898e-10) * (EWALD_OF_ENERGY),
    REAL(3.0106662568190329e-9) * (EWALD_OF_ENERGY),
    REAL(9.2466355853795344e-9) * (EWALD_OF_ENERGY),
    REAL(-2.7501678117591664e-9) * (EWALD_OF_ENERGY),
    REAL(2.9107801685311892e-8) * (EWALD_OF_ENERGY),
    REAL(-1.391134699781949e-7) * (EWALD_OF_ENERGY),
    REAL(4.6102304116262678e-7) * (EWALD_OF_ENERGY),
    REAL(-1.6016310344740699e-6) * (EWALD_OF_ENERGY),
    REAL(5.2601685146718436e-6) * (EWALD_OF_ENERGY),
    REAL(-1.6225766708440918e-5) * (EWALD_OF_ENERGY),
    REAL(4.7193311907396822e-5) * (EWALD_OF_ENERGY),
    REAL(-1.2899778068968694e-4) * (EWALD_OF_ENERGY),
    REAL(3.3049912610290746e-4) * (EWALD_OF_ENERGY),
    REAL(-7.9208229377621293e-4) * (EWALD_OF_ENERGY),
    REAL(1.7734155657512776e-3) * (EWALD_OF_ENERGY),
    REAL(-3.7095077951295645e-3) * (EWALD_OF_ENERGY),
    REAL(7.266876035762742e-3) * (EWALD_OF_ENERGY),
    REAL(-1.3417006839304222e-2) * (EWALD_OF_ENERGY),
    REAL(2.3638212673976942e-2) * (EWALD_OF_ENERGY),
    REAL(-4.0600807498658353e-2) * (EWALD_OF_ENERGY),
    REAL(7.048955236402199e-2) * (EWALD_OF_ENERGY),
    REAL(-1.3306500019823678e-1) * (EWALD_OF_ENERGY),
    REAL(3.7345182621057316e-1) * (EWALD_OF_ENERGY),
};
DEVICE real ewald_energy_near_polynomial(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_energy_near_polynomial_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    sum = FMA(sum, v, c[9]);
    sum = FMA(sum, v, c[10]);
    sum = FMA(sum, v, c[11]);
    sum = FMA(sum, v, c[12]);
    sum = FMA(sum, v, c[13]);
    sum = FMA(sum, v, c[14]);
    sum = FMA(sum, v, c[15]);
    sum = FMA(sum, v, c[16]);
    sum = FMA(sum, v, c[17]);
    sum = FMA(sum, v, c[18]);
    sum = FMA(sum, v, c[19]);
    sum = FMA(sum, v, c[20]);
    sum = FMA(sum, v, c[21]);
    sum = FMA(sum, v, c[22]);
    return sum + plain;
}
/* alpha r <= 4.4: degree 11 over 11; fitted to 5.2e-16, computed to 7.0e-16 of the plain force */
EWALD_VALUES real ewald_force_far_rational_values[24] = {
    REAL(-8.0878791212530022e-17) * (EWALD_OF_FORCE * EWALD_POWER_11),
    REAL(4.7655056514986936e-14) * (EWALD_OF_FORCE * EWALD_POWER_10),
    REAL(7.8900803088317549e-12) * (EWALD_OF_FORCE * EWALD_POWER_9),
    REAL(4.2433121174634876e-10) * (EWALD_OF_FORCE * EWALD_POWER_8),
    REAL(1.08919390554651e-8) * (EWALD_OF_FORCE * EWALD_POWER_7),
    REAL(4.2406718287246131e-7) * (EWALD_OF_FORCE * EWALD_POWER_6),
    REAL(3.3413642101094056e-6) * (EWALD_OF_FORCE * EWALD_POWER_5),
    REAL(1.5826716643331884e-4) * (EWALD_OF_FORCE * EWALD_POWER_4),
    REAL(1.1218754549231166e-4) * (EWALD_OF_FORCE * EWALD_POWER_3),
    REAL(2.1896081583163633e-2) * (EWALD_OF_FORCE * EWALD_POWER_2),
    REAL(-2.16277924297303e-2) * (EWALD_OF_FORCE * EWALD_POWER_1),
    REAL(7.5225277806367508e-1) * (EWALD_OF_FORCE * EWALD_POWER_0),
    REAL(8.5398082982321052e-13) * EWALD_POWER_11,
    REAL(5.9154921984318848e-11) * EWALD_POWER_10,
    REAL(2.3761247091848126e-9) * EWALD_POWER_9,
    REAL(6.7762454883622005e-8) * EWALD_POWER_8,
    REAL(1.4733322760542096e-6) * EWALD_POWER_7,
    REAL(2.5099109120319461e-5) * EWALD_POWER_6,
    REAL(3.3677315808152515e-4) * EWALD_POWER_5,
    REAL(3.519679351704213e-3) * EWALD_POWER_4,
    REAL(2.783685378226677e-2) * EWALD_POWER_3,
    REAL(1.5757121251525316e-1) * EWALD_POWER_2,
    REAL(5.7124930201600455e-1) * EWALD_POWER_1,
    REAL(1.0) * EWALD_POWER_0,
};
DEVICE real ewald_force_far_rational(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_force_far_rational_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    sum = FMA(sum, v, c[9]);
    sum = FMA(sum, v, c[10]);
    sum = FMA(sum, v, c[11]);
    real over = c[12];
    over = FMA(over, v, c[13]);
    over = FMA(over, v, c[14]);
    over = FMA(over, v, c[15]);
    over = FMA(over, v, c[16]);
    over = FMA(over, v, c[17]);
    over = FMA(over, v, c[18]);
    over = FMA(over, v, c[19]);
    over = FMA(over, v, c[20]);
    over = FMA(over, v, c[21]);
    over = FMA(over, v, c[22]);
    over = FMA(over, v, c[23]);
    return FMA(sum, RECIP(over), plain);
}
/* alpha r <= 4.4: degree 11 over 11; fitted to 3.3e-17, computed to 4.3e-16 of the plain energy */
EWALD_VALUES real ewald_energy_far_rational_values[24] = {
    REAL(1.2801248320446061e-15) * (EWALD_OF_ENERGY * EWALD_POWER_11),
    REAL(8.0697429060402442e-13) * (EWALD_OF_ENERGY * EWALD_POWER_10),
    REAL(7.0068482165830584e-11) * (EWALD_OF_ENERGY * EWALD_POWER_9),
    REAL(3.6617962558691769e-9) * (EWALD_OF_ENERGY * EWALD_POWER_8),
    REAL(1.0791464613479435e-7) * (EWALD_OF_ENERGY * EWALD_POWER_7),
    REAL(2.8804177256861604e-6) * (EWALD_OF_ENERGY * EWALD_POWER_6),
    REAL(4.4865581402958348e-5) * (EWALD_OF_ENERGY * EWALD_POWER_5),
    REAL(7.4536414968274741e-4) * (EWALD_OF_ENERGY * EWALD_POWER_4),
    REAL(6.1112994037410915e-3) * (EWALD_OF_ENERGY * EWALD_POWER_3),
    REAL(6.3182209569259171e-2) * (EWALD_OF_ENERGY * EWALD_POWER_2),
    REAL(2.0934714170196655e-1) * (EWALD_OF_ENERGY * EWALD_POWER_1),
    REAL(1.1283791670955126) * (EWALD_OF_ENERGY * EWALD_POWER_0),
    REAL(4.8133656097941875e-14) * EWALD_POWER_11,
    REAL(8.4552841031302815e-12) * EWALD_POWER_10,
    REAL(5.3617624099773078e-10) * EWALD_POWER_9,
    REAL(2.0861479527606368e-8) * EWALD_POWER_8,
    REAL(5.7512356127422112e-7) * EWALD_POWER_7,
    REAL(1.188634661431721e-5) * EWALD_POWER_6,
    REAL(1.8785281302205725e-4) * EWALD_POWER_5,
    REAL(2.2639806121454655e-3) * EWALD_POWER_4,
    REAL(2.0321918190316788e-2) * EWALD_POWER_3,
    REAL(1.2894791102193973e-1) * EWALD_POWER_2,
    REAL(5.1886240707619002e-1) * EWALD_POWER_1,
    REAL(1.0) * EWALD_POWER_0,
};
DEVICE real ewald_energy_far_rational(real v, real plain)
{
    EWALD_SPACE const real *c = ewald_energy_far_rational_values;
    real sum = c[0];
    sum = FMA(sum, v, c[1]);
    sum = FMA(sum, v, c[2]);
    sum = FMA(sum, v, c[3]);
    sum = FMA(sum, v, c[4]);
    sum = FMA(sum, v, c[5]);
    sum = FMA(sum, v, c[6]);
    sum = FMA(sum, v, c[7]);
    sum = FMA(sum, v, c[8]);
    sum = FMA(sum, v, c[9]);
    sum = FMA(sum, v, c[10]);
    sum = FMA(sum, v, c[11]);
    real over = c[12];
    over = FMA(over, v, c[13]);
    over = FMA(over, v, c[14]);
    over = FMA(over, v, c[15]);
    over = FMA(over, v, c[16]);
    over = FMA(over, v, c[17]);
    over = FMA(over, v, c[18]);
    over = FMA(over, v, c[19]);
    over = FMA(over, v, c[20]);
    over = FMA(over, v, c[21]);
    over = FMA(over, v, c[22]);
    over = FMA(over, v, c[23]);
    return FMA(sum, RECIP(over), plain);
}
#endif
/* ---- until here ---- */

/* How far the fits reach in alpha r; EWALD_REAL_REACH, how far the cutoff does, is 0 where that is not known. */
#define EWALD_NEAR REAL(3.2)
#define EWALD_FAR REAL(4.4)
#define EWALD_IS_WITHIN(range) \
    (EWALD_REAL_REACH > REAL(0.0) && EWALD_REAL_ALPHA * EWALD_REAL_REACH <= (range))
/* What the polynomials are of. */
#define EWALD_VARIABLE(r2, range) FMA((r2), EWALD_ALPHA_SQUARED * (REAL(2.0) / ((range) * (range))), REAL(-1.4))

/* 1/r^3 - alpha^3 f: the force over r, of charges of one */
DEVICE real ewald_force_of_one(real r2, real plain)
{
    const real v = EWALD_IS_SCALED ? r2 : EWALD_ALPHA_SQUARED * r2;
    if (EWALD_IS_WITHIN(EWALD_NEAR)) {
#if ERFC_BY == 3
        return ewald_force_near_polynomial(EWALD_VARIABLE(r2, EWALD_NEAR), plain);
#else
        return ewald_force_near_rational(v, plain);
#endif
    }
#if ERFC_BY == 3 && !REAL_IS_DOUBLE
    return ewald_force_far_polynomial(EWALD_VARIABLE(r2, EWALD_FAR), plain);
#else
    return ewald_force_far_rational(v, plain);
#endif
}

#if WITH_ENERGY
/* 1/r - alpha e: the energy of charges of one */
DEVICE real ewald_energy_of_one(real r2, real plain)
{
    const real v = EWALD_IS_SCALED ? r2 : EWALD_ALPHA_SQUARED * r2;
    if (EWALD_IS_WITHIN(EWALD_NEAR)) {
#if ERFC_BY == 3
        return ewald_energy_near_polynomial(EWALD_VARIABLE(r2, EWALD_NEAR), plain);
#else
        return ewald_energy_near_rational(v, plain);
#endif
    }
#if ERFC_BY == 3 && !REAL_IS_DOUBLE
    return ewald_energy_far_polynomial(EWALD_VARIABLE(r2, EWALD_FAR), plain);
#else
    return ewald_energy_far_rational(v, plain);
#endif
}
#endif

/* 1/r^3. In double on CUDA from a guess at 1/r of 20 bits by a step of third order, without the branch for special cases
 * that the library's root has, and without the steps to 1/r. */
DEVICE real ewald_inverse_cube(real r2, real inverse_r)
{
#if REAL_IS_DOUBLE && HAVE_CONSTANT_ARRAYS && !WITH_ENERGY
    double guess;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(r2));
    const double square = guess * guess;
    const double cube = square * guess;
    const double error = FMA(-r2, square, 1.0);
    return FMA(FMA(error, 1.875, 1.5), error * cube, cube);
#else
    return inverse_r * inverse_r * inverse_r;
#endif
}
#endif

DEVICE real ewald_real_force_over_r(real r2, real4 particle_i, real4 particle_j, real alpha, real coulomb,
                                    real *energy)
{
    const real inverse_r = RSQRT(r2);
#if ERFC_BY != 0
    if (alpha == REAL(0.0) || EWALD_IS_WITHIN(EWALD_FAR)) { /* which the compiler knows */
        /* The first product is the same for many pairs, the second for force and energy. */
        const real charges = (coulomb * particle_i.w) * particle_j.w;
        const real inverse_cube = ewald_inverse_cube(r2, inverse_r);
#if WITH_ENERGY
        *energy = charges * (alpha == REAL(0.0) ? inverse_r : ewald_energy_of_one(r2, inverse_r));
#endif
        return charges * (alpha == REAL(0.0) ? inverse_cube : ewald_force_of_one(r2, inverse_cube));
    }
#endif
    if (alpha == REAL(0.0)) { /* which the compiler knows, but not that erfc(0 r) is 1 and exp(0 r) is, too */
        const real plain = coulomb * (particle_i.w * particle_j.w) * inverse_r;
#if WITH_ENERGY
        *energy = plain;
#endif
        return plain * (inverse_r * inverse_r);
    }
    const real x = alpha * (r2 * inverse_r);
    const real charges = coulomb * (particle_i.w * particle_j.w);
    const real screened = charges * inverse_r * ERFC(x);
    /* 2 / sqrt(pi) */
    const real gradient = (REAL(1.12837916709551257) * alpha) * charges * EXP(-x * x);
#if WITH_ENERGY
    *energy = screened;
#endif
    return (screened + gradient) * (inverse_r * inverse_r);
}
