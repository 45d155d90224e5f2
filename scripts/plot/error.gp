# error.gp — error against time at one N: colour is the variant, marker the precision. A thin line joins the
# precisions of one variant; the points that no other beats in both are ringed and joined by steps (the Pareto front).
#
# Set by the caller: as for curves.gp, the table being precision, variant, n, time, error, on_front; front_count,
# front_x1.., front_y1.. from fast to accurate; xmin and xmax are seconds.

left = 96
top = 96
bottom = 98
panel_width = 560
legend_left = left + panel_width + 22
width = legend_left + legend_width + 10
height = 520
legend_rows = |variants| + |precisions| + 2
if (top + 26 * legend_rows + 40 > height) { height = top + 26 * legend_rows + 40 }

load share.'/common.gp'
shape(p) = p eq 'float' ? 7 : (p eq 'mixed' ? 9 : (p eq 'double' ? 5 : 13))
mine(p, v) = strcol(1) eq precisions[p] && strcol(2) eq variants[v]
ours(v) = strcol(2) eq variants[v]

set multiplot
set tmargin at screen down(top)
set bmargin at screen down(height - bottom)
set lmargin at screen across(left)
set rmargin at screen across(left + panel_width)
set logscale xy
set xrange [xmin:xmax]
set xlabel 'time of one evaluation' offset 0, 0.3
set ylabel 'largest force error / RMS force' offset 0.5, 0
set format x '%.0s %cs'
set format y '10^{%L}'
# Whole decades, or a narrow axis could go without a label.
lowest = 10.0 ** floor(log10(ymin))
highest = 10.0 ** ceil(log10(ymax))
set yrange [lowest:highest]
if (fine(xmin, xmax)) {
    set xtics () nomirror
    do for [e = int(floor(log10(xmin))):int(ceil(log10(xmax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= xmin && tick <= xmax) { set xtics add (tick) }
        }
    }
}
# From the edges of the figure to the fastest and to the most accurate point, and by steps between them.
set style line 90 linecolor rgb '#c8c8c8' linewidth 4
do for [i = 1:front_count] {
    x = value(sprintf('front_x%d', i))
    y = value(sprintf('front_y%d', i))
    right = i < front_count ? value(sprintf('front_x%d', i + 1)) : xmax
    above = i > 1 ? value(sprintf('front_y%d', i - 1)) : highest
    set arrow from first x, first above to first x, first y nohead back linestyle 90
    set arrow from first x, first y to first right, first y nohead back linestyle 90
}
plot for [v = 1:|variants|] data using (ours(v) ? $4 : NaN):5 with lines linewidth 0.8 \
        linecolor rgb colour(variant_index[v]) dashtype dashes(variant_index[v]) notitle, \
     for [p = 1:|precisions|] for [v = 1:|variants|] data using (mine(p, v) ? $4 : NaN):5 with points \
        linecolor rgb colour(variant_index[v]) pointtype shape(precisions[p]) pointsize 1.3 notitle, \
     data using ($6 == 1 ? $4 : NaN):5 with points linecolor rgb '#000000' linewidth 1.2 pointtype 6 pointsize 2.4 notitle
unset arrow
do for [l = 101:105] { unset label l }

set bmargin at screen 0
set lmargin at screen across(legend_left)
set rmargin at screen across(width - 10)
unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset logscale
set xrange [0:1]
set yrange [0:1]
set key at graph 0, 1 left top Left reverse noenhanced samplen 2.5 spacing 1.3 maxcols 1
plot NaN notitle, \
     for [p = 1:|precisions|] keyentry with points linecolor rgb '#555555' pointtype shape(precisions[p]) \
        pointsize 1.3 title precisions[p], \
     keyentry with linespoints linestyle 90 pointtype 6 pointsize 2 title 'Pareto front', \
     keyentry with lines linecolor rgb '#ffffff' title ' ', \
     for [v = 1:|variants|] keyentry with lines linecolor rgb colour(variant_index[v]) linewidth 4 title variant_label[v]
unset multiplot
unset output
