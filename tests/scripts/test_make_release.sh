#!/usr/bin/env bash
# `make release` in a copy of the tree: what it makes fits its checksums, runs out of its own folder without the tree, and says what it
# contains of others.
. "$2/lib.sh" || exit 1
evidence=(out err)
root=$(realpath "$tests/..")
git -C "$root" rev-parse 2>/dev/null || { echo 'the tree is no repository, whose files would be copied'; exit 77; }
for tool in make cpack dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "no $tool (make setup SETUP_FLAGS=--release)"; exit 77; }
done
/usr/bin/python3 -c 'import tomllib, wheel' 2>/dev/null || { echo 'no Python 3.11 with wheel (Debian package python3-wheel)'; exit 77; }
version=$("$pairmark" --version | awk '{ print $2; exit }')
device=${PAIRMARK_TEST_DEVICE:-opencl:0:0}

mkdir tree
git -C "$root" ls-files -z -- . ':!results*' | (cd "$root" && tar --create --null --files-from -) | tar --extract -C tree
export PAIRMARK_SKIP_SETUP=1
check 'make release' bash -c 'make -C tree release CMAKE_FLAGS="-DPAIRMARK_CUDA=OFF -DCMAKE_RULE_MESSAGES=OFF" >out 2>err'
mv tree/dist dist && rm -r tree
check 'tarball, wheel, package, list and checksums' [ "$(find dist -type f | wc -l)" -eq 5 ]
check 'its checksums fit' bash -c 'cd dist && sha256sum --quiet --check SHA256SUMS'
check 'of all four' [ "$(wc -l <dist/SHA256SUMS)" -eq 4 ]

runs() { # runs WHAT PROGRAM
    "$2" check --device "$device" --variant all_pairs_loop --kind lattice --n 64 --precision float >out 2>err
    check "$1: the program runs" [ $? -eq 0 ]
    check "$1: and is of this version" [ "$("$2" --version | awk '{ print $2; exit }')" = "$version" ]
}
mkdir tarball package wheel
tar --extract --file dist/pairmark-"$version"-linux-*.tar.gz -C tarball --strip-components 1
runs tarball tarball/bin/pairmark
dpkg-deb --extract dist/pairmark_"$version"-*.deb package
runs package package/usr/bin/pairmark
check 'package: it depends on what it links' grep -q 'libc6.*libjson-c' <(dpkg-deb --field dist/pairmark_*.deb Depends)

wheel=$(echo dist/pairmark-"$version"-py3-none-manylinux_*.whl)
/usr/bin/python3 -m wheel unpack "$wheel" --dest wheel >out 2>err
check 'wheel: whole' [ $? -eq 0 ]
within=$work/wheel/pairmark-$version
chmod +x "$within/pairmark/bin/pairmark"
runs wheel "$within/pairmark/bin/pairmark"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    (cd / && env -u PAIRMARK_PROGRAM PYTHONPATH="$within" /usr/bin/python3 -c 'import pairmark, sys
assert pairmark.__version__ == sys.argv[1] and pairmark.variants()
assert pairmark.program().startswith(sys.argv[2])' "$version" "$within") >out 2>err
    check 'wheel: Python finds library and program in it' [ $? -eq 0 ]
fi
check 'wheel: the program as a command' grep -qx 'pairmark = pairmark.program:main' "$within/pairmark-$version.dist-info/entry_points.txt"
# By the name that a system gives it, which may be its whole version: what the tarball's program finds, the wheel's does.
patterns=$(sed -n 's/^wheel.exclude = //p' "$root/pyproject.toml")
check 'wheel: a library whose name is its whole version stays' /usr/bin/python3 -c 'import fnmatch, sys
left_out = eval(sys.argv[1].rstrip(", ") + "]")
sys.exit(any(fnmatch.fnmatch("pairmark/lib/libbenchmark.so.1.9.1", pattern) for pattern in left_out))' "$patterns"
check 'wheel: no link of a library, no archive' [ -z "$(find "$within" -name '*.a' -o -name 'libpairmark.so.*')" ]

list=dist/pairmark.cdx.json
check 'the list is CycloneDX' [ "$(json '.bomFormat + .specVersion + .metadata.component.version' $list)" = "CycloneDX1.5$version" ]
# Each library that is carried, by the bytes that are carried.
(cd tarball && find . -path '*/lib/*' -name 'lib*.so*' -type f ! -name 'libpairmark*' -exec sha256sum {} +) | awk '{ print $1 }' | sort >want
json '.components[].hashes[]?.content' $list | sort >got
check 'it has each library in the tarball' cmp -s want got
check 'and they are some' [ "$(wc -l <got)" -ge 5 ]
check 'each of a package, with its version' [ "$(json '[.components[] | select(.purl == null or .version == "")] | length' $list)" -eq 0 ]
conclude
