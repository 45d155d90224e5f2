# roofline.gp — operations/s against operations per byte of the least traffic, under the measured roofs: a panel a
# precision. A thin line joins one variant's Ns; the largest N is ringed.
#
# Set by the caller: as for curves.gp without the ticks; copy_rate (bytes/s), roof1.. (operations/s of each precision's
# multiply-adds; 0: unknown), xmin, xmax, ymin, ymax.

load share.'/panels.gp'

load share.'/common.gp'
set multiplot
set tmargin at screen down(top)
set bmargin at screen down(height - bottom)
set logscale xy
set xrange [xmin:xmax]
set yrange [ymin:ymax]
set format x '10^{%L}'
set format y '10^{%L}'
if (fine(xmin, xmax)) {
    set format x '%g'
    set xtics () nomirror
    do for [e = int(floor(log10(xmin))):int(ceil(log10(xmax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= xmin && tick <= xmax) { set xtics add (tick) }
        }
    }
}
set xlabel 'operations per byte of the least traffic' offset 0, 0.3
mine(p, v) = strcol(1) eq precisions[p] && strcol(2) eq variants[v]
rate(value, unit) = gprintf('%.1s %c', value).unit
# How steep the memory roof looks.
slope = atan2((height - top - bottom) / log10(ymax / ymin), panel_width / log10(xmax / xmin)) * 180 / pi
do for [p = 1:panels] {
    x0 = left + (p - 1) * (panel_width + gap)
    set lmargin at screen across(x0)
    set rmargin at screen across(x0 + panel_width)
    set title precisions[p] noenhanced offset 0, -0.6
    if (p == 1) { set ylabel 'operations per second' offset 0.5, 0 } else { unset ylabel; set format y '' }
    roof = value(sprintf('roof%d', p))
    flat(x) = roof > 0 && x * copy_rate >= roof ? roof : NaN
    steep(x) = roof > 0 && x * copy_rate > roof ? NaN : x * copy_rate
    set samples 1000
    unset label 110; unset label 111
    if (roof > 0) { set label 110 rate(roof, 'op/s, multiply-add') at first xmax, first roof right offset character -0.5, 0.6 \
        font ',10' textcolor rgb '#444444' }
    at = xmin * (xmax / xmin) ** 0.06
    low_end = ymin * (ymax / ymin) ** 0.06
    if (at * copy_rate < low_end) { at = low_end / copy_rate }
    set label 111 rate(copy_rate, 'B/s, copy') at first at, first at * copy_rate left offset character 0, 0.8 rotate by slope \
        font ',10' textcolor rgb '#444444'
    plot steep(x) with lines linecolor rgb '#444444' linewidth 1.6 notitle, \
         flat(x) with lines linecolor rgb '#444444' linewidth 1.6 notitle, \
         for [v = 1:|variants|] data using (mine(p, v) ? $4 : NaN):5 with linespoints linewidth 0.7 \
            linecolor rgb colour(variant_index[v]) dashtype dashes(variant_index[v]) \
            pointtype marker(variant_index[v]) pointsize 0.7 notitle, \
         for [v = 1:|variants|] data using (mine(p, v) && $6 == 1 ? $4 : NaN):5 with points linewidth 1.4 \
            linecolor rgb colour(variant_index[v]) pointtype 6 pointsize 1.7 notitle
    do for [l = 101:105] { unset label l }
}
unset label 110; unset label 111

load share.'/legend.gp'
unset multiplot
unset output
