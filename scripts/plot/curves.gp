# curves.gp — something against N, or what xlabel says, log-log, one line a variant, one panel a precision.
#
# Set by the caller: what common.gp asks for; data (a table: precision, variant, n, ...), arrays variants[],
# variant_label[] (as the legend has it) and precisions[], variant_index[] (decides the colour), value, low and high (columns), ylabel, yformat, xmin, xmax,
# ymin, ymax, noise (0: not known), xtick[] and xtick_label[] (the Ns to label), legend_width (pixels).

if (!exists('xlabel')) { xlabel = 'N (particles)' }
load share.'/panels.gp'

load share.'/common.gp'
set multiplot
set tmargin at screen down(top)
set bmargin at screen down(height - bottom)
set logscale xy
set xrange [xmin:xmax]
set yrange [ymin:ymax]
set xlabel xlabel offset 0, 0.3
set format x '%.0s%c'
set format y yformat
set xtics () nomirror
do for [i = 1:|xtick|] { set xtics add (xtick_label[i] xtick[i]) }
if (fine(ymin, ymax)) {
    set ytics () nomirror
    do for [e = int(floor(log10(ymin))):int(ceil(log10(ymax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= ymin && tick <= ymax) { set ytics add (tick) }
        }
    }
} else { set ytics autofreq nomirror }

# As tall as two times of the run differ that are not told apart.
if (exists('noise') && noise > 0) {
    foot = ymin * (ymax / ymin) ** 0.05
    set arrow 90 from graph 0.975, first foot to graph 0.975, first foot * (1.0 + noise) heads size screen 0.004, 90 \
        linecolor rgb '#444444' linewidth 1.4 front
    set label 190 sprintf('noise floor %.2g %%', 100 * noise) at graph 0.96, first foot * sqrt(1.0 + noise) right noenhanced \
        font ',10' textcolor rgb '#444444' front
}
mine(p, v) = strcol(1) eq precisions[p] && strcol(2) eq variants[v]
do for [p = 1:panels] {
    set lmargin at screen across(left + (p - 1) * (panel_width + gap))
    set rmargin at screen across(left + (p - 1) * (panel_width + gap) + panel_width)
    set title precisions[p] noenhanced offset 0, -0.6
    if (p == 1) { set ylabel ylabel offset 0.5, 0 } else { unset ylabel; set format y '' }
    plot for [v = 1:|variants|] data using (mine(p, v) ? $3 : NaN):(column(value)):(column(low)):(column(high)) \
            with yerrorbars linecolor rgb colour(variant_index[v]) pointtype -1 linewidth 1 notitle, \
         for [v = 1:|variants|] data using (mine(p, v) ? $3 : NaN):(column(value)) with linespoints \
            linecolor rgb colour(variant_index[v]) dashtype dashes(variant_index[v]) \
            pointtype marker(variant_index[v]) pointsize 0.8 linewidth 1.5 notitle
    do for [l = 101:105] { unset label l }
    unset arrow 90
    unset label 190
}

load share.'/legend.gp'
unset multiplot
unset output
