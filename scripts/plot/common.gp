# common.gp — the sheet that all figures are drawn on: fonts, colours, marks, frame, grid, titles and notes.
#
# Set by the caller: format (svg, png), name (of the file, without its ending), width and height (pixels),
# doubts (why the rows are not believed, ''), title1, title2, title3, note1, note2, note3 (texts as they are, no mark-up).

set encoding utf8
set micro
set datafile separator "\t"
set datafile missing NaN
size_title = 15
size_text = 12
size_small = 10
# As wide as its longest line: a letter of a wide face takes some 0.6 of its size.
room_for(words, size) = 28 + 0.6 * size * strlen(words)
do for [words in 'title1 title2 title3 note1 note2 note3'] {
    size = words eq 'title1' ? size_title : (words[1:4] eq 'note' ? size_small : size_text)
    if (room_for(value(words), size) > width) { width = room_for(value(words), size) }
}
if (format eq 'svg') {
    set terminal svg size width, height enhanced font sprintf('sans-serif,%d', size_text) linewidth 1.2 background '#ffffff'
} else {
    set terminal pngcairo size 1.5 * width, 1.5 * height enhanced font sprintf('Sans,%g', 0.75 * size_text) fontscale 1.5 \
        linewidth 1.8 pointscale 1.5 background '#ffffff'
    size_title = 0.75 * size_title
    size_small = 0.75 * size_small
}
set output name.'.'.format
font_title = sprintf(',%g', size_title)
font_small = sprintf(',%g', size_small)
ink = '#222222'
faint = '#555555'
rest_colour = '#c9c9c9'

# Okabe and Ito's colours, which a colour-blind reader can tell apart, without the yellow that white paper swallows; then
# others, each as far as can be from those before it: a variant has its own in every figure.
colours = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #7A3600 '. \
          '#8FD3BC #003F63 #F0B58A #7B4364 #888888 #005A42 #B9D9EE #8A5E00 '. \
          '#E8C4D8 #F3D48A #BBBBBB #2B6A91 #1818F2 #18F218 #F218D7 #0A0A66 '. \
          '#F2184F #65990F #186AF2 #61F285 #990F88 #CCCC14 #A89DF2 #CC1470 '. \
          '#BC61F2 #F27361 #8C9963 #0A6616 #990F32 #BC18F2 #F21818 #18F2BC '. \
          '#664F29 #F261CE #70CC14 #5B660A #3D4999 #0F9999 #142BCC #85CC85'
darks = '1 0 0 0 0 0 1 1 0 1 0 1 0 1 0 1 0 0 0 1 1 0 0 1 '. \
        '0 0 1 0 1 0 0 1 0 0 0 1 1 1 0 0 1 0 0 1 1 0 1 0'
markers = '7 5 9 11 13 15 6 4 8 10 12 14 2 1'
colour(i) = word(colours, 1 + i % 48)
is_dark(i) = int(word(darks, 1 + i % 48)) # letters on it are white
marker(i) = int(word(markers, 1 + (i + 3 * int(i / 14)) % 14))
set linetype 101 dashtype solid
set linetype 102 dashtype (9, 4)
set linetype 103 dashtype (3, 3)
set linetype 104 dashtype (10, 3, 2, 3)
dashes(i) = 101 + i % 4

set style line 100 linecolor rgb '#e2e2e2' linewidth 0.6
set border 3 linecolor rgb faint
set tics nomirror out scale 0.6 textcolor rgb ink
set grid xtics ytics linestyle 100
unset key

# Places on the canvas, from pixels counted from its left and its top.
across(x) = x / real(width)
down(y) = 1.0 - y / real(height)

set label 101 title1 at screen across(14), down(20) left noenhanced font font_title
set label 102 title2 at screen across(14), down(42) left noenhanced textcolor rgb faint
set label 103 title3 at screen across(14), down(60) left noenhanced textcolor rgb faint
if (!exists('doubts')) { doubts = '' }
if (strlen(doubts) > 0) {
    set label 107 'Doubtful: '.doubts at screen across(14), down(6) left noenhanced font font_small textcolor rgb '#b3261e'
}
array notes[3]
notes[1] = note1
notes[2] = note2
notes[3] = note3
note_y = height - 11
do for [i = 3:1:-1] {
    if (strlen(notes[i]) > 0) {
        set label 103 + i notes[i] at screen across(14), down(note_y) left noenhanced font font_small textcolor rgb faint
        note_y = note_y - 15
    }
}

# Ticks at 1, 2 and 5 of each decade on an axis of under two and a half decades, or it could go without any.
is_fine(from, to) = log10(to / from) < 2.5
