#!/usr/bin/env python3
"""Forces on water by pairmark beside those of OpenMM (pip install openmm), on the processor by its platforms Reference and CPU.

SPC/E: Lennard-Jones between oxygens, the real part of Ewald's sum, no pair of a molecule. Angstrom, kJ/mol, e.
"""
import math

import numpy
import openmm
import pairmark

ALPHA, CUTOFF, COULOMB = 0.35, 9.0, 1389.3545764438198
EPSILON, SIGMA, CHARGES = 0.65, 3.166, [-0.8476, 0.4238, 0.4238]


def make_water(side, seed=1):
    """side^3 waters on a lattice, turned at random: positions, edge."""
    random, spacing = numpy.random.default_rng(seed), (3 / 0.1007) ** (1 / 3)
    oxygens = spacing * numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3), -1).reshape(-1, 1, 3)
    half = 0.5 * math.acos(-1 / 3)
    sites = numpy.array([[0, 0, 0], [math.sin(half), math.cos(half), 0], [-math.sin(half), math.cos(half), 0]])
    turns = numpy.linalg.qr(random.normal(size=(side**3, 3, 3)))[0]
    return (oxygens + sites @ turns).reshape(-1, 3), side * spacing


def openmm_forces(x, edge, platform):
    pairs = openmm.NonbondedForce()
    pairs.setNonbondedMethod(openmm.NonbondedForce.PME)
    pairs.setCutoffDistance(0.1 * CUTOFF)
    pairs.setPMEParameters(10 * ALPHA, 32, 32, 32)
    pairs.setReciprocalSpaceForceGroup(1)  # which is not evaluated
    system = openmm.System()
    system.setDefaultPeriodicBoxVectors(*(0.1 * edge * numpy.eye(3)))
    for site in range(len(x)):
        system.addParticle(1)
        pairs.addParticle(CHARGES[site % 3], 0.1 * SIGMA, EPSILON if site % 3 == 0 else 0)
    inside = numpy.add.outer(numpy.arange(0, len(x), 3), [[0, 1], [0, 2], [1, 2]]).reshape(-1, 2)
    for a, b in inside:
        pairs.addException(a, b, 0, 1, 0)
    system.addForce(pairs)
    context = openmm.Context(system, openmm.VerletIntegrator(1), openmm.Platform.getPlatformByName(platform))
    context.setPositions(0.1 * x)
    forces = 0.1 * context.getState(forces=True, groups={0}).getForces(asNumpy=True)._value
    # Within a molecule OpenMM takes away what its reciprocal space would have added: give it back.
    for a, b in inside:
        d = x[a] - x[b]
        r = numpy.linalg.norm(d)
        slope = math.erf(ALPHA * r) / r - 2 * ALPHA / math.sqrt(math.pi) * math.exp(-((ALPHA * r) ** 2))
        back = COULOMB * CHARGES[a % 3] * CHARGES[b % 3] * slope / r**2 * d
        forces[a] += back
        forces[b] -= back
    return forces


def pairmark_forces(x, edge, precision):
    waters = len(x) // 3
    with pairmark.System(len(x), [edge] * 3, potential=f"lj+ewald-real:alpha={ALPHA},coulomb={COULOMB}", cutoff=CUTOFF,
                         table=f"type_a,type_b,function,epsilon,sigma\nO,O,lj,{EPSILON},{SIGMA}\n", types=[0, 1, 1] * waters,
                         names=["O", "H"], charges=CHARGES * waters, molecules=numpy.arange(len(x)) // 3, exclude="molecule",
                         precision=precision) as system:
        return system.forces(x)


if __name__ == "__main__":
    x, edge = make_water(9)
    right = openmm_forces(x, edge, "Reference")  # in double
    print(f"{len(x)} sites; largest difference from OpenMM's Reference, of the root mean square force:")
    for name, forces in (("pairmark, double", pairmark_forces(x, edge, "double")), ("pairmark, float", pairmark_forces(x, edge, "float")),
                         ("OpenMM's CPU, float", openmm_forces(x, edge, "CPU"))):
        print(f"{name:20} {numpy.abs(forces - right).max() / math.sqrt((right**2).mean()):.1e}")
