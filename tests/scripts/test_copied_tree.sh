#!/usr/bin/env bash
# A copy of a tree that was built: make and cmake --install end with a clear error, and do not build or install the old tree.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")
mkdir copy copy/build
cp "$tests/../Makefile" copy
cp "$build"/CMakeCache.txt "$build"/cmake_install.cmake copy/build
for target in build build-tests install; do
    PAIRMARK_SKIP_SETUP=1 make -C copy "$target" -o needed >out 2>err
    check "make $target" [ $? -eq 2 ]
    says err "build was made for $(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt"): remove it"
done
check 'cmake --install' bash -c '! cmake --install copy/build --prefix "$PWD/there" >out 2>err'
tr -s ' \n' ' ' <err >line # CMake breaks it where the folder's name is long
says line "build again"
check 'nothing is installed' [ ! -e there ]
conclude
