# crossover.gp — the fastest variant of each N and box, as coloured cells with the variant's marker; hatched where it is not
# decided.
#
# Set by the caller: what common.gp asks for; data (a table: precision, variant, n, column, row, lead); arrays variants[],
# variant_label[], variant_index[], column_label[]; row_count, row1.. and row_y1.. (labels and places), heading_count,
# heading1.. and heading_y1.., rows_high; legend_width (pixels). Rows grow downwards.

columns = |column_label|
cell = columns > 12 ? 50 : (columns > 6 ? 56 : 72)
row_height = 36
left = 24 + 8 * longest_row
top = 84
bottom = 98
map_width = columns * cell
legend_left = left + map_width + 26
width = legend_left + legend_width + 10
if (width < 760) { width = 760 }
height = top + row_height * rows_high + bottom
if (height < top + 24 * |variants| + 60) { height = top + 24 * |variants| + 60 }

load share.'/common.gp'
unset grid
unset border
set multiplot
set tmargin at screen down(top)
set bmargin at screen down(top + row_height * rows_high)
set lmargin at screen across(left)
set rmargin at screen across(left + map_width)
set xrange [0.5:columns + 0.5]
set yrange [rows_high:0]
set xtics () nomirror scale 0
unset ytics
do for [i = 1:columns] { set xtics add (column_label[i] i) }
do for [i = 1:row_count] { set label 200 + i value(sprintf('row%d', i)) at first 0.5, first value(sprintf('row_y%d', i)) \
    right offset character -1, 0 noenhanced }
do for [i = 1:heading_count] { set label 400 + i value(sprintf('heading%d', i)) at first 0.5, \
    first value(sprintf('heading_y%d', i)) left noenhanced font ',14' }
set xlabel 'N (particles)' offset 0, 0.5
undecided = '≈'
is_mine(v) = strcol(2) eq variants[v]
decided(v) = is_mine(v) && strcol(6) ne undecided
hatched(v) = is_mine(v) && strcol(6) eq undecided
shade(v) = is_dark(variant_index[v]) ? '#ffffff' : '#000000'
mark = columns > 6 ? 0.32 : 0.34
plot for [v = 1:|variants|] data using (decided(v) ? $4 : NaN):5:(0.48):(0.46) with boxxyerror fillstyle solid 1.0 noborder \
        linecolor rgb colour(variant_index[v]) notitle, \
     for [v = 1:|variants|] data using (hatched(v) ? $4 : NaN):5:(0.48):(0.46) with boxxyerror \
        linecolor rgb colour(variant_index[v]) linewidth 1.2 fillstyle pattern 4 border notitle, \
     for [v = 1:|variants|] data using (decided(v) ? $4 - mark : NaN):5 with points pointtype marker(variant_index[v]) \
        pointsize 0.7 linecolor rgb shade(v) notitle, \
     for [v = 1:|variants|] data using (hatched(v) ? $4 - mark : NaN):5 with points pointtype marker(variant_index[v]) \
        pointsize 0.7 linecolor rgb '#000000' notitle, \
     for [v = 1:|variants|] data using (decided(v) ? $4 + 0.08 : NaN):5:6 with labels noenhanced font ',11' \
        textcolor rgb shade(v) notitle, \
     for [v = 1:|variants|] data using (hatched(v) ? $4 + 0.08 : NaN):5:6 with labels noenhanced font ',15' \
        textcolor rgb '#000000' notitle
do for [l = 101:105] { unset label l }
do for [l = 201:200 + row_count] { unset label l }
do for [l = 401:400 + heading_count] { unset label l }

set bmargin at screen 0
set lmargin at screen across(legend_left)
set rmargin at screen across(width - 10)
unset xlabel; unset tics
set xrange [0:1]
set yrange [0:1]
do for [v = 1:|variants|] {
    y = down(top + 14 + 24 * (v - 1))
    set object v rectangle center screen across(legend_left + 13), screen y size screen 26.0 / width, screen 17.0 / height \
        fillcolor rgb colour(variant_index[v]) fillstyle solid 1.0 noborder
    set label 600 + v ' ' at screen across(legend_left + 13), screen y point pointtype marker(variant_index[v]) pointsize 0.7 \
        linecolor rgb shade(v) front
    set label 700 + v variant_label[v] at screen across(legend_left + 36), screen y left noenhanced
}
unset key
plot NaN notitle
unset multiplot
unset output
