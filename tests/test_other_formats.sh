#!/usr/bin/env bash
# A box file in the format of another program is refused, with what it looks like and the command that converts it.
. "$2/lib.sh" || exit 1

told() { # told FILE FORMAT: FILE is refused with the line of ASE's command for that format
    expect 2 eval --box "$1" --cutoff 1 --variant all_pairs_loop
    says err "$1:1: "
    says err "ase convert -i $2 -o extxyz $1 box.xyz"
}
printf 'HEADER    A PROTEIN\n' >protein
expect 2 eval --box protein --cutoff 1 --variant all_pairs_loop
says err 'protein:1: '
says err 'this looks like a PDB file, which is known by a name that ends in .pdb'
printf 'LAMMPS data file\n\n2 atoms\n' >atoms
told atoms lammps-data
printf '# by somebody\n\n2 atoms\n' >melt.data
told melt.data lammps-data
printf 'ITEM: TIMESTEP\n0\n' >run.dump
told run.dump lammps-dump-text
printf 'data_quartz\n' >a.cif
told a.cif cif
# Others are refused as before.
printf 'something\n' >a.xyz
expect 2 eval --box a.xyz --cutoff 1 --variant all_pairs_loop
says err "'something'; expected the number of particles"
lacks err 'looks like'

conclude
