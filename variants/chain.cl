/*
 * chain_words — a chain of thermostats, which takes kinetic energy from particles, or gives it
 *
 * The harness puts this text before the kernels of integrators that move such links, behind step.cl, which says how `bath` is laid out.
 */

/* The first link has the mass freedom T time^2, the others T time^2. */
DEVICE accum chain_mass(int link, accum temperature, accum thermostat_time, accum freedom)
{
    return (link == 0 ? freedom : ACCUM(1.0)) * temperature * thermostat_time * thermostat_time;
}

/* Pushes a link by what drives it, between two halves of the drag of the next one. */
DEVICE void push_link(int link, int links, accum time, accum kinetic, accum temperature, accum thermostat_time, accum freedom,
                      GLOBAL accum *RESTRICT bath)
{
    const accum mass = chain_mass(link, temperature, thermostat_time, freedom);
    accum drive = ACCUM(2.0) * kinetic - freedom * temperature;
    if (link > 0) {
        const accum before = bath[BATH_VELOCITY + link - 1];
        drive = chain_mass(link - 1, temperature, thermostat_time, freedom) * before * before - temperature;
    }
    const accum drag = link + 1 < links ? EXP_ACCUM(-ACCUM(0.25) * time * bath[BATH_VELOCITY + link + 1]) : ACCUM(1.0);
    bath[BATH_VELOCITY + link] = (bath[BATH_VELOCITY + link] * drag + ACCUM(0.5) * time * drive / mass) * drag;
}

/* Moves the links for a time by the kinetic energy of now, and returns the factor by which velocities are scaled then. */
DEVICE accum move_links(accum time, accum kinetic, accum temperature, accum thermostat_time, accum freedom, int links,
                        GLOBAL accum *RESTRICT bath)
{
    for (int link = links - 1; link >= 0; link--) {
        push_link(link, links, time, kinetic, temperature, thermostat_time, freedom, bath);
    }
    const accum scale = EXP_ACCUM(-time * bath[BATH_VELOCITY]);
    for (int link = 0; link < links; link++) {
        bath[BATH_POSITION + link] += time * bath[BATH_VELOCITY + link];
    }
    for (int link = 0; link < links; link++) {
        push_link(link, links, time, scale * scale * kinetic, temperature, thermostat_time, freedom, bath);
    }
    return scale;
}

DEVICE accum energy_of_links(accum temperature, accum thermostat_time, accum freedom, int links, GLOBAL const accum *RESTRICT bath)
{
    accum energy = 0;
    for (int link = 0; link < links; link++) {
        const accum v = bath[BATH_VELOCITY + link];
        energy += ACCUM(0.5) * chain_mass(link, temperature, thermostat_time, freedom) * v * v +
                  (link == 0 ? freedom : ACCUM(1.0)) * temperature * bath[BATH_POSITION + link];
    }
    return energy;
}
