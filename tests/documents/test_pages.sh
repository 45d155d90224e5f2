# shellcheck shell=bash disable=SC2016 # texts that `eval` reads
# What README and the pages print has happened, where it takes neither a GPU nor long; every block says which it is. The tutorials,
# whose commands launch kernels and take time, are run by test_documents.sh.
. "$2/lib.sh" || exit 1
. "$tests/documents.sh" || exit 1

# What compares is tried first.
check 'a text is like itself' matches "$(printf 'a 12 us\nb' | plain)" "$(printf 'a  3.5e-6 s\nb' | plain)"
check 'but not like another' eval '! matches "a" "b"'
check 'nor like a longer one' eval '! matches "a" "$(printf "a\nb")"'
check 'three dots are any text' matches 'a...c' "$(printf 'a b\nb c')"
check 'a star is a star' eval '! matches "a*" "abc"'
printf 'a 12.5 us, 3\n' >one
printf 'a 12.500001 us, 3\n' >near
printf 'a 12.6 us, 3\n' >another
printf 'a 12.5 ms, 3\n' >longer
printf 'a 12.5 us\n' >fewer
check 'numbers are the same to 1e-6' same_numbers one near
for other in another longer fewer; do
    check "and not $other" eval "! same_numbers one $other >said"
done

# unmarked FILE: blocks that do not say what they are, and outputs in blocks that nobody compares.
unmarked() {
    awk '
        /^```/ && !fenced {
            fenced = 1; kind = substr($0, 4); at = FNR
            if (kind !~ /^[a-z]/) print FNR ": no word behind the fence"
            if (kind ~ /^console ./ && kind !~ /^console (exact|toolkit)$/ && kind !~ /^console shown: [^ ]+ [^ ]+/) print FNR ": " kind
            next
        }
        /^```/ { fenced = 0; next }
        fenced && kind !~ /^console/ && (/^\$ / || /^[0-9]+ (passed|compiled), / || /^pairmark( [a-z]+)?: /) { print FNR ": an output in a block of " kind }
        !fenced && /^    [^ ]/ && before == "" { print FNR ": an indented block" }
        { before = $0 }
        END { if (fenced) print at ": not closed" }
    ' "$1"
}
printf '```\na\n```\n\n    b\n\n```text\n$ c\n1 passed, 0 failed\n```\n\n```console shown: why\n```\n\n```console shown: an H200\n$ d\n```\n\n```c\n' >wrong.md
unmarked wrong.md >found
check 'a page with six faults has six' [ "$(wc -l <found)" -eq 6 ]
evidence=(found)

# dead_links FILE...: links, and paths below results/, that lead to no file or to no heading. Texts in blocks are left out.
dead_links() {
    perl -e '
        sub headings {
            my ($file, %is) = @_;
            open my $in, "<", $file or return {};
            my $fenced;
            while (<$in>) {
                $fenced = !$fenced if /^```/;
                next if $fenced or !s/^#+ +//;
                s/\[([^\]]*)\]\([^)]*\)/$1/g, s/[^\w\- ]//g, tr/ /-/;
                $is{lc $_ =~ s/\n//r} = 1;
            }
            return \%is;
        }
        for my $file (@ARGV) {
            (my $folder = $file) =~ s{[^/]*$}{};
            my $text = do { local (@ARGV, $/) = $file; <> };
            $text =~ s/^```.*?^```//gms;
            while ($text =~ /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g) {
                my ($path, $heading) = ($1 eq "" ? $file : "$folder$1", $2);
                print "$file: $1\n" unless -e $path;
                print "$file: $1#$heading\n" if defined $heading && $path =~ /md$/ && !headings($path)->{$heading};
            }
            my $root = -d "${folder}results" ? $folder : "$folder../";
            while ($text =~ m{\b(results/[a-z][\w./-]*\w)}g) { print "$file: $1\n" unless -e "$root$1" }
        }' "$@"
}
mkdir -p linked/results/there
printf '# A `b`: c-d\n[1](#a-b-c-d) [2](page.md#a) [3](results/there) `results/there`\n' >linked/whole.md
printf '# A\n[1](#b) [2](nowhere.md) [3](other.md#c) `results/nowhere`\n' >linked/page.md
printf '# B\n' >linked/other.md
dead_links linked/page.md >found
check 'a page with four dead links has four' [ "$(wc -l <found)" -eq 4 ]
dead_links linked/whole.md >found
check 'one whose links are whole has none' empty found

commands=0
for file in "$tests/../README.md" "$docs"/*.md; do
    name=${file##*/} name=${name%.md}
    cd "$work" || exit 1
    unmarked "$file" >found
    check "$name: every block says what it is: $(head -n 3 found)" empty found
    dead_links "$file" >found
    check "$name: links lead somewhere: $(head -n 3 found)" empty found
    check "$name: commits have their hash" eval '! grep -nE "\bcommit [A-Z]+\b" "$file" >found'
    [[ $name != tutorial && $name != which-gpu ]] || continue
    page "$file" "$name"
    commands=$((commands + ran))
done
check "commands were run: $commands" [ "$commands" -ge 15 ]

# Every variant is on a page, by its name in code.
cd "$work" || exit 1
"$pairmark" list --short | awk '{ sub(/[+].*/, "", $3); print $3 }' | sort -u >named
check 'there are variants' [ "$(wc -l <named)" -ge 60 ]
grep -vxFf <(grep -ohE '`[a-z_0-9]+`' "$docs"/*.md | tr -d '`') named >found
check "and a page has each: $(head -n 3 found)" empty found

# What kernels may ask for by name has a meaning in share/help/names.txt, which has no others.
"$pairmark" list --parameters >parameters && "$pairmark" list --structures >structures
check "names were found: $(cat parameters structures | wc -l)" [ "$(cat parameters structures | wc -l)" -ge 250 ]
evidence=(found)
grep -h ' $' parameters structures >found
check 'each has a meaning' empty found
sed -nE '/^$/,$ s/^(unit )?[a-z_0-9\/]+: //p' "$tests/../share/help/names.txt" | sort -u | while IFS= read -r meaning; do
    grep -qF -- " $meaning" parameters structures || echo "$meaning"
done >found
check "and each meaning a name: $(head -n 3 found)" empty found

# What pages call by a name in code is there: words with an underscore, tests by their files. tried.md names what is gone. Words that are no code
# of ours: verb_noun, sigma_of, special_bonds, edge_index.
mkdir -p "$work/names" && cd "$work/names" || exit 1
root=$tests/..
for folder in harness variants share reference tests scripts cmake python .github; do
    [ ! -e "$root/$folder" ] || (cd "$root" && grep -rhoIE '\w+_\w+' "$folder" --include='*.*' --exclude='*.md' --exclude='*.csv')
done | sort -u >words
find "$tests" -name 'test_*' | sed -E 's:.*/::; s/\.[a-z]+$//' | sort -u >files
gone() { # gone FILE: names in backquotes that nothing has
    sed '/^```/,/^```$/d' "$1" | grep -oE '`[a-z][a-z0-9]*_[a-z0-9_*]*(\(\)|\[\])?`' | tr -d '`()[]' | sort -u >named
    grep -vE '^test_|[*]|_$' named | grep -vxFf words
    grep '^test_' named | while IFS= read -r name; do
        grep -qxE "${name//\*/.*}" files || echo "$name"
    done
}
printf '`gone_%s` `test_gone` `test_pag*` `sorted_index`\n' away >page.md
check 'of a page with two names that are gone' [ "$(gone page.md | wc -l)" -eq 2 ]
for file in "$tests"/../{README,CONTRIBUTING}.md "$docs"/*.md; do
    [[ $file != */tried.md ]] || continue
    gone "$file" >"$work/found"
    check "${file##*/}: names in it are there: $(head -n 3 "$work/found")" empty "$work/found"
done
conclude
