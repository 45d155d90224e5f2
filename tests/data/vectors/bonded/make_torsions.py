#!/usr/bin/env python3
"""Writes torsions.expected and rb_torsions.expected: energy, virial and forces of the torsions of torsions.csv and
rb_torsions.csv on the particles of positions.xyz.

Needs mpmath, and shares nothing with pairmark: phi is an arc tangent in 60 digits, a force the central difference of the
energy over 1e-20, good to some 40 digits.

    python3 make_torsions.py
"""
from mpmath import atan2, cos, mp, mpf, pi, radians, sqrt

mp.dps = 60
STEP = mpf(10) ** -20


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def phi_of(places):
    """0 where the outer two are on the same side of the bond, positive clockwise seen from the second to the third."""
    b1, b2, b3 = ([q - p for p, q in zip(places[s], places[s + 1])] for s in range(3))
    return atan2(sqrt(dot(b2, b2)) * dot(b1, cross(b2, b3)), dot(cross(b1, b2), cross(b2, b3)))


def periodic(places, parameters):
    force_constant, multiplicity, phi0 = parameters
    return force_constant * (1 + cos(multiplicity * phi_of(places) - radians(phi0)))


def ryckaert_bellemans(places, parameters):
    return sum(c * cos(phi_of(places) - pi) ** m for m, c in enumerate(parameters))


def numbers(words):
    return [mpf(float(word)) for word in words]


def read_positions(path):
    with open(path, encoding="ascii") as file:
        return [numbers(line.split()[1:4]) for line in file.read().splitlines()[2:]]


def read_terms(path):
    with open(path, encoding="ascii") as file:
        lines = [line.split(",") for line in file.read().splitlines()[1:]]
    return [([int(word) - 1 for word in words[:4]], numbers(words[4:])) for words in lines]


def evaluate(positions, terms, energy_of):
    energy = mpf(0)
    forces = [[mpf(0)] * 3 for _ in positions]
    for atoms, parameters in terms:
        places = [list(positions[atom]) for atom in atoms]
        energy += energy_of(places, parameters)
        for place, atom in zip(places, atoms):
            for d in range(3):
                kept = place[d]
                place[d] = kept + STEP
                above = energy_of(places, parameters)
                place[d] = kept - STEP
                below = energy_of(places, parameters)
                place[d] = kept
                forces[atom][d] -= (above - below) / (2 * STEP)
    return energy, forces


def write(name, words, energy_of):
    positions = read_positions("positions.xyz")
    energy, forces = evaluate(positions, read_terms(name + ".csv"), energy_of)
    virial = [sum(x[i] * f[j] for x, f in zip(positions, forces)) for i in range(3) for j in range(3)]
    with open(name + ".expected", "w", encoding="ascii") as file:
        print(f"# {words}; by make_torsions.py", file=file)
        print(f"# energy {float(energy)!r}", file=file)
        print("# virial sum_i x_i (outer) F_i, row-major:", *map(repr, map(float, virial)), file=file)
        print("# then a line for each particle, in order: force x y z", file=file)
        for force in forces:
            print(*map(repr, map(float, force)), file=file)


write("torsions", "periodic torsions, E = sum k (1 + cos(n phi - phi0))", periodic)
write("rb_torsions", "Ryckaert-Bellemans torsions, E = sum of c_m cos(phi - 180 degrees)^m", ryckaert_bellemans)
