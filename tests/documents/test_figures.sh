# shellcheck shell=bash disable=SC2016 # texts that `eval` reads
# One command draws the figures of the pages anew, from the rows under results/.
. "$2/lib.sh" || exit 1
command -v gnuplot >/dev/null || { echo 'no gnuplot (Debian package gnuplot-nox)'; exit 77; }
root=$(realpath "$tests/..")

check "all figures are drawn" "$root/scripts/figures" "$pairmark" "$work/drawn" >out 2>err
while IFS= read -r figure; do
    check "$figure is one of them" [ -s "$work/drawn/$figure" ]
done < <(grep -oh '(figures/[a-z0-9-]*\.svg' "$root"/docs/*.md | sed 's|.*/||' | sort -u | grep -v '^modules\.svg$')
check "texts of the pages' figures are apart" "$root/scripts/figure_texts" "$root"/docs/figures/*.svg
check "modules.svg draws the modules as they are built" cmp -s <("$root/scripts/modules") "$root/docs/figures/modules.svg"
check "and there are several" [ "$passed" -ge 5 ]
check "a program that is none is refused" eval '! "$root/scripts/figures" /nowhere "$work/none" >out 2>&1'
conclude
