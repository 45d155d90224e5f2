#!/usr/bin/env bash
# The page of `pairmark report` in headless Chromium: it runs no text of others, asks the network for nothing, fits a telephone and
# prints. Skipped (77) where there is no Chromium.
. "$2/lib.sh" || exit 1
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && browser=$name && break
done
if [ -z "${browser:-}" ]; then
    echo 'skipped: none of chromium, chromium-browser, google-chrome is installed (Debian package chromium)'
    exit 77
fi

# visit PAGE [FLAG...]: what the page became in $work/dom, the browser's words in $work/log, its requests in
# $work/net. No sandbox, since that is refused to root and in containers; the page is our own.
visit() {
    local page=$1
    shift
    timeout 600 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync '--host-resolver-rules=MAP * ~NOTFOUND' \
        --user-data-dir="$work/profile" --log-net-log="$work/net" --virtual-time-budget=2000 \
        --enable-logging=stderr "${@:---dump-dom}" "file://$work/$page" >"$work/dom" 2>"$work/log"
}
dom_has() { grep -qE -- "$1" "$work/dom"; }
no_complaint() { ! grep 'CONSOLE' "$work/log" | sed 's/^/    /' | grep .; }
asked_for() { grep -qF "$1" "$work/net"; }

columns=host,variant,precision,tunables,box_kind,n,density,cutoff,device,device_model,status,message,force_s_median
evil='</script><img src=http://asked.invalid/a.png onerror=document.title=`owned`><script>document.title=`owned`</script>'
mkdir "$work/run"
{
    echo "$columns"
    row() { printf '%s,%s,%s,%s,fluid,%s,0.8,2.5,cuda:0,%s,%s,%s,%s\n' "$evil" "$1" "$2" "$evil" "$3" "$evil" "$4" "$5" "$6"; }
    row slow double 16000 ok '' 1.2e-3
    row quick float 1000 ok '' 9e-6
    row slowest double 128000 ok '' 1.1
    row failing float 2000 wrong "$evil" ''
    row middling float 2000 ok '' 1e-5
} >"$work/run/rows.csv"
check 'the page is made' "$pairmark" report "$work/run" -o "$work/page.html" >/dev/null 2>&1

# That the checks can fail: a page that does what ours must not.
printf '<script>nonsense(</script><img src=http://asked.invalid/a.png>' >"$work/control.html"
visit control.html
check 'a broken script would be seen' grep -q CONSOLE "$work/log"
check 'a request would be seen' asked_for asked.invalid

visit page.html
check 'no script of others ran' dom_has '<title>pairmark report<'
check 'nothing is complained of' no_complaint
check 'nothing is asked for' bash -c "! grep -qF asked.invalid '$work/net'"

# On a telephone: in a frame of 360 pixels, all folded parts open, tables scroll by themselves and the page does not.
cat >"$work/frame.html" <<'END'
<iframe id=frame width=360 height=800></iframe><script>
frame.onload = () => {
    const page = frame.contentDocument;
    for (const part of page.querySelectorAll("details")) part.open = true;
    const word = document.createElement("output");
    // Figures are as large as they were drawn.
    const small = [...page.querySelectorAll("figure img")].filter((image) => image.width < image.naturalWidth);
    word.textContent = page.documentElement.scrollWidth > 360 ? `is ${page.documentElement.scrollWidth} wide`
        : small.length > 0 ? `${small.length} small` : "fits";
    document.body.append(word);
};
frame.src = location.hash.slice(1);
</script>
END
printf '<div style="width:400px">wide</div>' >"$work/wide.html"
visit frame.html#wide.html --allow-file-access-from-files --dump-dom
check 'a page that is too wide would be seen' dom_has '<output>is 4[0-9]+ wide</output>'
check 'a page with figures is made' "$pairmark" report "$tests"/data/runs/{card,processor} -o "$work/figures.html" >/dev/null 2>&1
for page in page.html figures.html; do
    visit "frame.html#$page" --allow-file-access-from-files --dump-dom
    check "$page fits a telephone" dom_has '<output>fits</output>'
done

visit page.html --print-to-pdf="$work/page.pdf"
check 'it prints' bash -c "head -c 5 '$work/page.pdf' | grep -q %PDF"

conclude
