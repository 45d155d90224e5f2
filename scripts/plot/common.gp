# common.gp — what all figures share: paper, fonts, colours, titles.
#
# Set by the caller: format (svg, png), name (of the file, without its ending), width and height (pixels),
# title1, title2, title3, note1, note2 (texts as they are, no mark-up).

set encoding utf8
set micro
set datafile separator "\t"
set datafile missing NaN
if (format eq 'svg') {
    set terminal svg size width, height enhanced font 'sans-serif,13' linewidth 1.2 background '#ffffff'
} else {
    set terminal pngcairo size 1.5 * width, 1.5 * height enhanced font 'Sans,10' fontscale 1.5 \
        linewidth 1.8 pointscale 1.5 background '#ffffff'
}
set output name.'.'.format

# Okabe and Ito's colours, which a colour-blind reader can tell apart, without the yellow that white paper swallows; then
# the same darkened, lightened and grey, in an order in which neighbours differ in lightness, too, as print without colour
# needs it. Markers tell lines and cells apart, and dashes beyond the first seven.
colours = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 '. \
          '#7A3600 #8FD3BC #003F63 #F0B58A #7B4364 #888888 #005A42 '. \
          '#B9D9EE #8A5E00 #E8C4D8 #F3D48A #BBBBBB #2B6A91'
darks = '1 0 0 0 0 0 1 1 0 1 0 1 0 1 0 1 0 0 0 1'
markers = '7 5 9 11 13 15 2 6 4 8 10 12 14 1'
colour(i) = word(colours, 1 + i % 20)
is_dark(i) = int(word(darks, 1 + i % 20)) # letters on it are white
marker(i) = int(word(markers, 1 + (i + 3 * int(i / 14)) % 14))
dashes(i) = 1 + int(i / 7) % 4

set style line 100 linecolor rgb '#dddddd' linewidth 0.6
set border 3 linecolor rgb '#555555'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid xtics ytics linestyle 100
unset key

# Places on the canvas, from pixels counted from its left and its top.
across(x) = x / real(width)
down(y) = 1.0 - y / real(height)

set label 101 title1 at screen across(14), down(20) left noenhanced font ',15'
set label 102 title2 at screen across(14), down(42) left noenhanced textcolor rgb '#444444'
set label 103 title3 at screen across(14), down(60) left noenhanced textcolor rgb '#444444'
set label 104 note1 at screen across(14), down(height - 27) left noenhanced font ',10' textcolor rgb '#666666'
set label 105 note2 at screen across(14), down(height - 11) left noenhanced font ',10' textcolor rgb '#666666'

# 1, 2 and 5 get a label on an axis of under two and a half decades, or it could go without any.
fine(from, to) = log10(to / from) < 2.5
