# legend.gp — the legend of variants of curves.gp and roofline.gp, in the place that panels.gp leaves for it, so that it covers no
# data.
#
# Set by the caller: what panels.gp asks for and sets; variant_label[] and variant_index[].

set bmargin at screen 0
set lmargin at screen across(legend_left)
set rmargin at screen across(width - 10)
unset title; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset logscale
set xrange [0:1]
set yrange [0:1]
set key at graph 0, 1 left top Left reverse noenhanced samplen 2.5 spacing 1.3 maxcols 1
plot NaN notitle, for [v = 1:|variants|] keyentry with linespoints linecolor rgb colour(variant_index[v]) \
    dashtype dashes(variant_index[v]) pointtype marker(variant_index[v]) pointsize 0.8 linewidth 1.5 title variant_label[v]
